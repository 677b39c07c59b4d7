/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Lists and watches as they come from the network: bytes in, cut anywhere, objects out.
 *
 * A list can be larger than memory. Its decoder is fed with whatever bytes have arrived and calls
 * back for each item as soon as it is complete; it holds one item at most, and what stands beside
 * the items. A watch's decoder does the same with events. Where the bytes are cut changes
 * nothing: not the objects, not the errors, not the offsets in them, which count from the first
 * byte fed.
 *
 * Both are as strict as kin_decoder_decode(), around the objects too. Both call back from within
 * their feed functions, in the caller's thread. A callback may do anything but feed, finish or
 * reset its own decoder (KIN_EBUSY); it may free it.
 *
 * After a failure, one that a callback reported included, a decoder is of no use until it is
 * reset: every call returns the same code again, and says the same in `err`. What was called back
 * for before stays valid.
 *
 * @code
 * static int add(const kin_object *pod, void *store, kin_error *err)
 * {
 *     return store_put(store, kin_object_ref(pod), err);
 * }
 * ...
 * kin_list_decoder_new(&decoder, NULL, add, store, NULL, &err);
 * while ((n = read(fd, bytes, sizeof(bytes))) > 0 && code == 0)
 *     code = kin_list_decoder_feed(decoder, kin_str_make(bytes, (size_t)n), &err);
 * if (code == 0)
 *     code = kin_list_decoder_finish(decoder, &list, &err);
 * @endcode
 */
#ifndef KINFORM_STREAM_H
#define KINFORM_STREAM_H

#include <kinform/json.h>

KIN_BEGIN_DECLS

/**
 * Receives an item of a list.
 *
 * @param object  BORROWED during the call; kin_object_ref() to keep it.
 * @return 0, or a negative code such as KIN_ENOMEM or KIN_EINVAL, which ends the decoding;
 *         kin_error_set() in `err`, which is empty and never NULL, says more.
 * @thread the one that feeds the decoder
 */
typedef int kin_list_item_fn(const kin_object *object, void *arg, kin_error *err);

/**
 * Reads a list: a map whose member "items" is an array of objects, or null, or absent. Its members
 * come in any order. One text at a time; kin_list_decoder_reset() for the next, which is much
 * quicker than a new decoder.
 */
typedef struct kin_list_decoder kin_list_decoder;

/**
 * Make a decoder of lists.
 *
 * The options are about one item: its length, its nesting, its projection, and the apiVersion and
 * kind that items of most lists do not repeat. What stands beside the items is kept whole, and as
 * a document of its own has the same limits.
 *
 * @param[out] ret   OWNED; release with kin_list_decoder_free().
 * @param options    COPIED; NULL for the defaults.
 * @param fn         receives the items.
 * @param arg        handed to `fn`; CONSUMED if `arg_free` is given, else BORROWED until the
 *                   decoder is gone.
 * @param arg_free   releases `arg` when the decoder is gone; may be NULL.
 * @return 0, KIN_EINVAL (NULL, a limit beyond what is possible, or an apiVersion or kind that is
 *         not UTF-8), KIN_ENOMEM, KIN_ESYSTEM.
 * @thread any
 */
KIN_API int kin_list_decoder_new(kin_list_decoder **ret, const kin_decode_options *options,
                                 kin_list_item_fn *fn, void *arg, void (*arg_free)(void *arg),
                                 kin_error *err);

/**
 * Release a decoder. Objects that it made live on. From within its own callback: the feed
 * that called back ends with KIN_ECLOSED, and the decoder goes with it.
 *
 * @param decoder  CONSUMED; may be NULL.
 * @thread any, no other call on it at the same time
 */
KIN_API void kin_list_decoder_free(kin_list_decoder *decoder);

/**
 * Read the next bytes of a list. Calls back for every item that they complete.
 *
 * A second "items" is an error: the items of the first are out already, so the last one can not
 * be the one that counts, as it is with other members. An item's malformation may be reported
 * only when its end has come, and at the latest by kin_list_decoder_finish().
 *
 * @param decoder  BORROWED for the call, one at a time.
 * @param bytes    BORROWED for the call; any number, cut anywhere.
 * @return 0, KIN_EINVAL (NULL), KIN_EPARSE (err->offset says where and the message why),
 *         KIN_EPROTOCOL (protobuf that cannot be read; JSON may be readable), KIN_ELIMIT
 *         (an item, or what stands beside the items, is too long or too deep), KIN_ENOMEM,
 *         KIN_ESYSTEM, what the callback returned, KIN_EBUSY (from within the callback),
 *         KIN_ECLOSED (finished already, or freed by the callback). After a failure: the same code.
 * @thread any, one at a time per decoder
 */
KIN_API int kin_list_decoder_feed(kin_list_decoder *decoder, kin_str bytes, kin_error *err);

/**
 * The text is over: was the list complete? Then comes kin_list_decoder_reset() or _free().
 *
 * @param decoder        BORROWED for the call, one at a time.
 * @param[out] ret_list  the list without "items": kind, apiVersion, metadata and whatever else
 *                       stood there, as a document. If the server answered with a Status, that.
 *                       SHARED, the reference is the caller's; release with kin_object_unref().
 *                       May be NULL.
 * @return 0, KIN_EINVAL (NULL), KIN_EPARSE (the text ended too early), KIN_EPROTOCOL (protobuf of
 *         the list itself cannot be read; JSON may be readable), KIN_ELIMIT, KIN_ENOMEM,
 *         KIN_ESYSTEM, KIN_EBUSY (from within the callback), KIN_ECLOSED (finished already). After
 *         a failure: the same code.
 * @thread any, one at a time per decoder
 */
KIN_API int kin_list_decoder_finish(kin_list_decoder *decoder, const kin_object **ret_list,
                                    kin_error *err);

/**
 * Forget the text, complete or not, and begin with another: the next page, or another try.
 *
 * @param decoder  BORROWED for the call, one at a time.
 * @return 0, KIN_EINVAL (NULL), KIN_EBUSY (from within the callback).
 * @thread any, one at a time per decoder
 */
KIN_API int kin_list_decoder_reset(kin_list_decoder *decoder, kin_error *err);

/** What an event of a watch says of its object. */
enum kin_watch_type {
    KIN_WATCH_ADDED = 1,    /**< "ADDED": it is there now */
    KIN_WATCH_MODIFIED = 2, /**< "MODIFIED": it has another state */
    KIN_WATCH_DELETED = 3,  /**< "DELETED": it is gone; this was its last state */
    KIN_WATCH_BOOKMARK = 4, /**< "BOOKMARK": nothing happened up to its resourceVersion */
    KIN_WATCH_ERROR = 5     /**< "ERROR": it is a Status; the server ends the watch */
};

/**
 * The name of a type as it stands in events: "ADDED". "?" for what is none.
 *
 * @return BORROWED for ever.
 * @thread any
 */
KIN_API const char *kin_watch_type_name(enum kin_watch_type type);

/**
 * Receives an event of a watch.
 *
 * @param object  BORROWED during the call; kin_object_ref() to keep it.
 * @return 0, or a negative code such as KIN_ENOMEM or KIN_EINVAL, which ends the decoding;
 *         kin_error_set() in `err`, which is empty and never NULL, says more.
 * @thread the one that feeds the decoder
 */
typedef int kin_watch_event_fn(enum kin_watch_type type, const kin_object *object, void *arg,
                               kin_error *err);

/**
 * Is told of an object of a list or a watch that cannot be read: it is malformed, too long or too deep.
 *
 * @param type  of the event; 0 for an item of a list.
 * @param key   "namespace/name", if its metadata stand before what cannot be read, else empty; BORROWED
 *              during the call.
 * @param why   what is wrong with it; BORROWED during the call.
 * @return 0: it is skipped, and the next one follows; or a negative code such as KIN_EPARSE, which ends
 *         the decoding.
 *         kin_error_set() in `err`, which is empty and never NULL, says more.
 * @thread the one that feeds the decoder
 */
typedef int kin_bad_object_fn(enum kin_watch_type type, kin_str key, const kin_error *why,
                              void *arg, kin_error *err);

/**
 * Go on after items that cannot be read, instead of failing. Where such an item ends is found by its
 * brackets. If it has none that fit, or bytes that stand nowhere in JSON, the list fails all the same:
 * something has damaged it on its way, and nobody knows what else is missing.
 *
 * In protobuf, only items beyond a limit are skipped. Other items that cannot be read end the decoding with
 * KIN_EPROTOCOL: the same list in JSON may be readable.
 *
 * @param decoder  BORROWED for the call, one at a time.
 * @param fn       is told of each, with the decoder's `arg`; NULL: they end the decoding.
 * @return 0, KIN_EINVAL (NULL), KIN_EBUSY (from within a callback).
 * @thread any, one at a time per decoder
 */
KIN_API int kin_list_decoder_on_bad(kin_list_decoder *decoder, kin_bad_object_fn *fn,
                                    kin_error *err);

/**
 * Reads a watch: events {"type":"ADDED","object":{...}} one behind the other, with or without
 * white space between them. Their members come in any order; others than these two are read and
 * ignored.
 */
typedef struct kin_watch_decoder kin_watch_decoder;

/**
 * Make a decoder of watches.
 *
 * The options are about the object of one event. The projection does not apply to bookmarks and
 * errors, whose annotations and details are what they are sent for. `api_version` and `kind` are
 * not used: events carry whole objects.
 *
 * @param[out] ret   OWNED; release with kin_watch_decoder_free().
 * @param options    COPIED; NULL for the defaults.
 * @param fn         receives the events.
 * @param arg        handed to `fn`; CONSUMED if `arg_free` is given, else BORROWED until the
 *                   decoder is gone.
 * @param arg_free   releases `arg` when the decoder is gone; may be NULL.
 * @return 0, KIN_EINVAL (NULL, or a limit beyond what is possible), KIN_ENOMEM, KIN_ESYSTEM.
 * @thread any
 */
KIN_API int kin_watch_decoder_new(kin_watch_decoder **ret, const kin_decode_options *options,
                                  kin_watch_event_fn *fn, void *arg, void (*arg_free)(void *arg),
                                  kin_error *err);

/**
 * Go on after events whose objects cannot be read; as kin_list_decoder_on_bad().
 *
 * @param decoder  BORROWED for the call, one at a time.
 * @param fn       is told of each, with the decoder's `arg`; NULL: they end the decoding.
 * @return 0, KIN_EINVAL (NULL), KIN_EBUSY (from within a callback).
 * @thread any, one at a time per decoder
 */
KIN_API int kin_watch_decoder_on_bad(kin_watch_decoder *decoder, kin_bad_object_fn *fn,
                                     kin_error *err);

/**
 * Release a decoder; as kin_list_decoder_free().
 *
 * @param decoder  CONSUMED; may be NULL.
 * @thread any, no other call on it at the same time
 */
KIN_API void kin_watch_decoder_free(kin_watch_decoder *decoder);

/**
 * Read the next bytes of a watch. Calls back for every event that they complete.
 *
 * @param decoder  BORROWED for the call, one at a time.
 * @param bytes    BORROWED for the call; any number, cut anywhere.
 * @return 0, KIN_EINVAL (NULL), KIN_EPARSE (malformed JSON, a type that is not one of the five, a
 *         type or object that is missing or there twice; err->offset says where and the message why),
 *         KIN_EPROTOCOL (protobuf that cannot be read; JSON may be readable),
 *         KIN_ELIMIT (an object, or another member, is too long or too deep), KIN_ENOMEM,
 *         KIN_ESYSTEM, what the callback returned, KIN_EBUSY (from within the callback),
 *         KIN_ECLOSED (finished already, or freed by the callback). After a failure: the same code.
 * @thread any, one at a time per decoder
 */
KIN_API int kin_watch_decoder_feed(kin_watch_decoder *decoder, kin_str bytes, kin_error *err);

/**
 * The stream is over: did it end between two events? Then comes kin_watch_decoder_reset() or
 * _free().
 *
 * @param decoder  BORROWED for the call, one at a time.
 * @return 0, KIN_EINVAL (NULL), KIN_EPARSE (it ended inside an event), KIN_ELIMIT, KIN_ENOMEM,
 *         KIN_ESYSTEM, KIN_EBUSY (from within the callback), KIN_ECLOSED (finished already). After
 *         a failure: the same code.
 * @thread any, one at a time per decoder
 */
KIN_API int kin_watch_decoder_finish(kin_watch_decoder *decoder, kin_error *err);

/**
 * Forget what was begun, and begin with another stream: the next connection.
 *
 * @param decoder  BORROWED for the call, one at a time.
 * @return 0, KIN_EINVAL (NULL), KIN_EBUSY (from within the callback).
 * @thread any, one at a time per decoder
 */
KIN_API int kin_watch_decoder_reset(kin_watch_decoder *decoder, kin_error *err);

KIN_END_DECLS

#endif
