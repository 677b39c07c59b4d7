/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file Documents from JSON, and JSON from documents.
 *
 * The decoder is strict: RFC 8259's grammar, valid UTF-8, nothing behind the value. Of a key that
 * occurs twice in a map the last one counts. Nothing is lost: encoding gives back the same JSON
 * value, with members in the same order, integers of any size, other numbers with the same text,
 * and empty values where there were empty values.
 */
#ifndef KINFORM_JSON_H
#define KINFORM_JSON_H

#include <kinform/encoding.h>
#include <kinform/projection.h>
#include <kinform/value.h>

KIN_BEGIN_DECLS

/** Maps and arrays can be nested this deep at most. */
#define KIN_DEPTH_MAX 512
/** What kin_decode_options.max_bytes is unless set: 32 MiB. */
#define KIN_DECODE_MAX_BYTES 33554432
/** The most it can be set to: 1 GiB. */
#define KIN_DECODE_MAX_BYTES_LIMIT 1073741824

/** How to decode; start with KIN_DECODE_OPTIONS_INIT. Zero means the default. */
typedef struct kin_decode_options {
    size_t size; /**< sizeof(kin_decode_options); set by KIN_DECODE_OPTIONS_INIT */
    /**
     * Longest text of one object; default KIN_DECODE_MAX_BYTES. A text of nothing but tiny values
     * takes up to 30 times as much while it is decoded, an ordinary one about as much.
     */
    size_t max_bytes;
    unsigned max_depth; /**< deepest nesting, the object itself is 1; default KIN_DEPTH_MAX */
    /**
     * Longest string, key, or text of a number; default: as max_bytes. What counts of a string is
     * what its escapes stand for. Integers of up to 18 digits always fit.
     */
    size_t max_string_bytes;
    /** What to keep; NULL keeps all. SHARED: the decoder takes a reference of its own. */
    const kin_projection *projection;
    /**
     * apiVersion of objects that have none, as the items of a list; UTF-8; NULL adds none. COPIED.
     */
    const char *api_version;
    /** kind of objects that have none; UTF-8; NULL adds none. COPIED. */
    const char *kind;
    /**
     * How the objects are written; default: JSON. Objects in protobuf, and lists, have the envelope of Kubernetes, and so
     * has each event of a watch. Kinds and fields that the library does not know give KIN_EPROTOCOL. Clients do not use
     * this: the server's answer says what it is.
     */
    kin_encoding encoding;
} kin_decode_options;

/* clang-format off */
/** The defaults. */
#define KIN_DECODE_OPTIONS_INIT {sizeof(kin_decode_options), 0, 0, 0, NULL, NULL, NULL, KIN_ENCODING_DEFAULT}
/* clang-format on */

/**
 * Reads objects, one after the other. It keeps working memory and remembers what it has read, so a
 * program that reads many objects of a kind keeps one; it is much quicker than a new one for each.
 */
typedef struct kin_decoder kin_decoder;

/**
 * Make a decoder.
 *
 * @param[out] ret  OWNED; release with kin_decoder_free().
 * @param options   COPIED; NULL for the defaults.
 * @return 0, KIN_EINVAL (NULL, a limit beyond what is possible, or an apiVersion or kind that is
 *         not UTF-8), KIN_ENOMEM, KIN_ESYSTEM.
 * @thread any
 */
KIN_API int kin_decoder_new(kin_decoder **ret, const kin_decode_options *options, kin_error *err);

/**
 * Release a decoder. Objects that it made live on.
 *
 * @param decoder  CONSUMED; may be NULL.
 * @thread any, no other call on it at the same time
 */
KIN_API void kin_decoder_free(kin_decoder *decoder);

/**
 * Read one object: the whole text is one JSON object, white space aside.
 *
 * @param decoder   BORROWED for the call.
 * @param[out] ret  SHARED, the reference is the caller's; release with kin_object_unref().
 * @param text      BORROWED for the call.
 * @return 0, KIN_EINVAL (NULL), KIN_EPARSE (not an object; err->offset says where and the message
 *         why), KIN_ELIMIT (too long, too deep), KIN_EPROTOCOL (protobuf that is newer than the library), KIN_ENOMEM.
 * @thread any, one at a time per decoder
 */
KIN_API int kin_decoder_decode(kin_decoder *decoder, const kin_object **ret, kin_str text,
                               kin_error *err);

/**
 * Read one object, with a decoder for this call alone.
 *
 * @param[out] ret  SHARED, the reference is the caller's; release with kin_object_unref().
 * @param text      BORROWED for the call.
 * @param options   BORROWED for the call; NULL for the defaults.
 * @return 0, KIN_EINVAL, KIN_EPARSE, KIN_ELIMIT, KIN_ENOMEM, KIN_ESYSTEM: as kin_decoder_new() and
 *         kin_decoder_decode().
 * @thread any
 */
KIN_API int kin_object_from_json(const kin_object **ret, kin_str text,
                                 const kin_decode_options *options, kin_error *err);

/** How to write JSON. */
enum kin_json_style {
    KIN_JSON_COMPACT = 0, /**< no white space */
    KIN_JSON_PRETTY =
        1 /**< one member or item per line, indented by four spaces, as kubectl does */
};

/**
 * Write a document as JSON.
 *
 * Characters beyond ASCII are written as they are; control characters, quotes and backslashes are
 * escaped.
 *
 * @param[out] ret      OWNED, terminated; release with kin_free().
 * @param[out] ret_len  without the terminator; may be NULL.
 * @param object        BORROWED for the call.
 * @return 0, KIN_ETYPE (not a document), KIN_EINVAL (NULL, or no such style), KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_object_to_json(char **ret, size_t *ret_len, const kin_object *object,
                               enum kin_json_style style, kin_error *err);

/**
 * Write a value as JSON; as kin_object_to_json().
 *
 * @param[out] ret      OWNED, terminated; release with kin_free().
 * @param[out] ret_len  without the terminator; may be NULL.
 * @return 0, KIN_EINVAL (NULL, KIN_NONE, or no such style), KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_value_to_json(char **ret, size_t *ret_len, kin_value value,
                              enum kin_json_style style, kin_error *err);

/** What the values that documents have in common take at this moment, in the whole process. */
typedef struct kin_pool_stats {
    size_t size;     /**< sizeof(kin_pool_stats); set by KIN_POOL_STATS_INIT */
    uint64_t values; /**< strings and subtrees that are held once and referred to */
    uint64_t bytes;  /**< their memory, that of the tables included */
    uint64_t
        keys; /**< names of members that were learnt; they stay, there is room for some thousand */
} kin_pool_stats;

/* clang-format off */
/** Before kin_pool_stats_get(). */
#define KIN_POOL_STATS_INIT {sizeof(kin_pool_stats), 0, 0, 0}
/* clang-format on */

/**
 * Look at the pool. When the last document and decoder are gone it holds nothing.
 *
 * @param[in,out] stats  made with KIN_POOL_STATS_INIT; filled in.
 * @thread any
 */
KIN_API void kin_pool_stats_get(kin_pool_stats *stats);

/**
 * The bytes that a document takes for itself, the values that it has in common with others not
 * counted. Of a tombstone, its last known state's; 0 for an object of another class.
 *
 * @param object  BORROWED for the call.
 * @thread any
 */
KIN_API size_t kin_object_size(const kin_object *object);

KIN_END_DECLS

#endif
