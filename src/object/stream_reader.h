/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the decoders of lists and watches have in common: a map, of which one member holds objects
 * that are handed on one by one, and the others are small and kept or looked at.
 */
#ifndef KIN_OBJECT_STREAM_READER_H
#define KIN_OBJECT_STREAM_READER_H

#include "base/buf.h"
#include "kinform/stream.h"
#include "object/ahead.h"
#include "object/protobuf_stream.h"
#include "object/stream_scan.h"

typedef struct kin__stream kin__stream;

/* What differs between them, but for the functions of stream.c below. */
struct kin__stream_class {
    size_t size;           /* of the decoder, which begins with its kin__stream */
    const char *truncated; /* the message when the text ends too early */
    kin_str special;       /* the member that holds the objects */
    bool is_list; /* it is an array; all other members are kept; one map is the whole text */
    /* Where an item or event begins; see ahead.h. */
    kin__ahead_next_fn *next;
};

enum kin__stream_state {
    KIN__STREAM_BEGIN,     /* before a map */
    KIN__STREAM_FIRST_KEY, /* behind its '{' */
    KIN__STREAM_KEY,       /* behind a ',' */
    KIN__STREAM_IN_KEY,
    KIN__STREAM_IN_MEMBER, /* from behind its key to where the next one may come */
    KIN__STREAM_COLON,     /* behind the special key */
    KIN__STREAM_VALUE,     /* before the special value */
    KIN__STREAM_IN_NULL,
    KIN__STREAM_FIRST_ITEM, /* behind its '[' */
    KIN__STREAM_ITEM,       /* behind a ',' */
    KIN__STREAM_IN_OBJECT,
    KIN__STREAM_IN_BAD, /* an object that cannot be read */
    KIN__STREAM_BEHIND_ITEM,
    KIN__STREAM_BEHIND_VALUE,
    KIN__STREAM_END, /* of a list */
};

/* The longest key that Kubernetes allows: 63 and 253 bytes, and a slash. */
enum { KIN__STREAM_KEY_BYTES = 320 };
/* As much of an object's beginning is looked for. */
#define KIN__STREAM_MARK_BYTES 40

/* The bytes that are being fed; those before `p` are done. */
struct kin__stream_input {
    const char *p;
    const char *end;
    const char *begin;
};

union kin__stream_fn {
    kin_list_item_fn *item;
    kin_watch_event_fn *event;
};

struct kin__stream {
    const struct kin__stream_class *stream_class; /* const after new */
    kin_decode_options plain_options;             /* const after new: the limits alone */
    size_t max_bytes;                             /* const after new */
    union kin__stream_fn fn;                      /* const after new */
    kin_bad_object_fn *bad;                       /* NULL: an object that cannot be read ends it */
    kin_error bad_why;                            /* of the last such object */
    char bad_key[KIN__STREAM_KEY_BYTES];          /* its key; "": it is not known */
    void *arg;                                    /* const after new */
    void (*arg_free)(void *);                     /* const after new; may be NULL */
    kin_decoder *decoder;                         /* OWNED */
    kin_decoder *plain; /* no projection, no defaults; NULL until needed; OWNED unless `decoder` */
    bool is_plain;      /* const after new: `decoder` has none of them either */
    bool running;       /* inside a call that may call back */
    bool doomed;        /* freed while running */
    int failed;         /* a code, for all calls until reset */
    kin_error error;    /* what callbacks and the functions of stream.c fill in; that of `failed` */

    bool is_protobuf; /* else JSON */
    kin__protobuf_stream
        protobuf; /* the state of the protobuf reader; the members from `state` on are JSON's */
    enum kin__stream_state state;
    uint64_t offset; /* in the stream, of the bytes that are being fed */
    kin__stream_scan scan;
    bool has_special;

    kin__buf head;          /* '{', then members, with ',' between them */
    size_t member;          /* where the last member begins in it */
    uint64_t member_offset; /* and in the stream */

    kin__buf text;         /* of an object that came in pieces, so far */
    uint64_t value_offset; /* where the object, or what stands in its place, begins */
    size_t expected;       /* about how long the next object will be: as the last */
    size_t matched;        /* bytes of "null" */

    kin__ahead *ahead;                 /* OWNED; NULL: everything is read here */
    uint64_t n_ahead;                  /* objects that were read ahead; for tests */
    size_t ahead_min;                  /* a half of fewer bytes is not; tests make it small */
    bool has_read_ahead;               /* and keeps what that takes */
    char mark[KIN__STREAM_MARK_BYTES]; /* what stands where one may begin to read ahead */
    size_t mark_len;                   /* 0: not known */
};

/*
 * A decoder of this class, which begins with the stream; the rest of it is zero. The callback and
 * its argument are for the caller to set. 0, KIN_EINVAL, KIN_ENOMEM, KIN_ESYSTEM.
 */
int kin__stream_new(kin__stream **ret, const struct kin__stream_class *stream_class,
                    const kin_decode_options *options, kin_error *err);
/* May be NULL. From within a callback: done when the feed that called back returns. */
void kin__stream_free(kin__stream *stream);

int kin__stream_feed(kin__stream *stream, kin_str bytes, kin_error *err);
/* Whether the text was complete. `ret_head`, if not NULL: all members that were kept; SHARED. */
int kin__stream_finish(kin__stream *stream, const kin_object **ret_head, kin_error *err);
int kin__stream_reset(kin__stream *stream, kin_error *err);
int kin__stream_on_bad(kin__stream *stream, kin_bad_object_fn *fn, kin_error *err);
int kin__stream_read_ahead(kin__stream *stream, kin__workers *workers, kin_error *err);
void kin__stream_rest(kin__stream *stream);
/* Set the format of the stream, before the first bytes. */
void kin__stream_set_protobuf(kin__stream *stream, bool is_protobuf);

/*
 * Let workers read ahead: see ahead.h. They were started; BORROWED until the decoder is gone, and
 * what was posted has run or was dropped. 0, KIN_ENOMEM.
 */
int kin__list_decoder_read_ahead(kin_list_decoder *decoder, kin__workers *workers, kin_error *err);
int kin__watch_decoder_read_ahead(kin_watch_decoder *decoder, kin__workers *workers,
                                  kin_error *err);
/* Set the format of the stream, before the first bytes. */
void kin__list_decoder_set_protobuf(kin_list_decoder *decoder, bool is_protobuf);
void kin__watch_decoder_set_protobuf(kin_watch_decoder *decoder, bool is_protobuf);
/* After a failure: whether the same can be read in JSON. */
bool kin__list_decoder_needs_json(const kin_list_decoder *decoder);
bool kin__watch_decoder_needs_json(const kin_watch_decoder *decoder);
/*
 * Nothing more has come for now: what reading ahead takes, which is a second decoder, is given back. In a flood
 * that is seldom, and it is made again in less time than it saves. Not from its callbacks.
 */
void kin__watch_decoder_rest(kin_watch_decoder *decoder);

/* --- stream.c: lists and watches take parts that the reader has found. 0 or a code. --- */

/* A member is complete; it stands at the end of `head`. Check it. */
int kin__stream_take_member(kin__stream *stream, kin_error *err);
/* Which decoder is to read the object that begins. BORROWED. */
int kin__stream_choose_decoder(kin__stream *stream, kin_decoder **ret, kin_error *err);
/* An object is complete; CONSUMED in any case. `text` is BORROWED, or all of stream->text. */
int kin__stream_take_object(kin__stream *stream, const kin_object *object, kin_str text,
                            kin_error *err);
/* An object could not be read, and was skipped: stream->bad_why. */
int kin__stream_take_bad(kin__stream *stream, kin_error *err);
/* The map is complete; its end is at the offset. */
int kin__stream_end_map(kin__stream *stream, uint64_t offset, kin_error *err);
/* Forget the map that was begun, if any. */
void kin__stream_forget_map(kin__stream *stream);
/* A whole item or event. The object is CONSUMED in any case. */
int kin__stream_take_whole(kin__stream *stream, const kin_object *object, enum kin_watch_type type,
                           kin_error *err);

/* --- stream_reader.c, for these --- */

/* The error that a callback gets: as new, whatever happened before. */
kin_error *kin__stream_callback_error(kin__stream *stream);
/* What feed returns for what a callback returned; it may have freed the decoder, or left `err`. */
int kin__stream_called(const kin__stream *stream, int code, kin_error *err);
/* The decoder without projection and defaults. */
int kin__stream_get_plain(kin__stream *stream, kin_decoder **ret, kin_error *err);
/* Read the last member as a map of its own. SHARED, the caller's. */
int kin__stream_read_member(kin__stream *stream, const kin_object **ret, kin_error *err);
/* Keep the text of an object in stream->text. */
int kin__stream_keep_text(kin__stream *stream, kin_str text, kin_error *err);
/* The text of the last object is not needed any more. */
void kin__stream_forget_text(kin__stream *stream);

#endif
