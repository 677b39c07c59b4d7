/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the decoders of lists and watches have in common: a map, of which one member holds objects
 * that are handed on one by one, and the others are small and kept or looked at.
 */
#ifndef KIN_OBJECT_STREAM_READER_H
#define KIN_OBJECT_STREAM_READER_H

#include "base/buf.h"
#include "kinform/stream.h"
#include "object/stream_scan.h"

typedef struct kin__stream kin__stream;

/* What differs between them. The functions return 0 or a code. */
struct kin__stream_class {
    const char *truncated; /* the message when the text ends too early */
    kin_str special;       /* the member that holds the objects */
    bool is_list; /* it is an array; all other members are kept; one map is the whole text */
    /* A member is complete; it stands at the end of `head`. Is to check it. */
    int (*member)(kin__stream *stream, kin_error *err);
    /* Which decoder is to read the object that begins. BORROWED. */
    int (*choose)(kin__stream *stream, kin_decoder **ret, kin_error *err);
    /* An object is complete; CONSUMED in any case. `text` is BORROWED, or all of stream->text. */
    int (*object)(kin__stream *stream, const kin_object *object, kin_str text, kin_error *err);
    /* The map is complete; its end is at the offset. */
    int (*end)(kin__stream *stream, uint64_t offset, kin_error *err);
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
    KIN__STREAM_BEHIND_ITEM,
    KIN__STREAM_BEHIND_VALUE,
    KIN__STREAM_END, /* of a list */
    KIN__STREAM_STATES
};

struct kin__stream {
    const struct kin__stream_class *stream_class; /* const after init */
    kin_decode_options plain_options;             /* const after init: the limits alone */
    size_t max_bytes;                             /* const after init */
    kin_decoder *decoder;                         /* OWNED */
    kin_decoder *plain; /* no projection, no defaults; NULL until needed; OWNED unless `decoder` */
    bool is_plain;      /* const after init: `decoder` has none of them either */
    bool running;       /* inside a call that may call back */
    bool doomed;        /* freed while running */
    int failed;         /* a code, for all calls until reset */

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
};

/* 0, KIN_EINVAL, KIN_ENOMEM, KIN_ESYSTEM. After a failure there is nothing to release. */
int kin__stream_init(kin__stream *stream, const struct kin__stream_class *stream_class,
                     const kin_decode_options *options, kin_error *err);
void kin__stream_done(kin__stream *stream);

/* 0 if the stream can be used, or the code that it is stuck with. */
int kin__stream_usable(const kin__stream *stream, kin_error *err);
int kin__stream_feed(kin__stream *stream, kin_str bytes, kin_error *err);
/* Whether the text was complete. Does not mark the stream as finished. */
int kin__stream_check_end(kin__stream *stream, kin_error *err);
int kin__stream_reset(kin__stream *stream, kin_error *err);
/* A call is over, with this code, which is returned. */
int kin__stream_settle(kin__stream *stream, int code);

/* --- for the functions of a class --- */

/* What feed returns for what a callback returned; it may have freed the decoder, or left `err`. */
int kin__stream_called(const kin__stream *stream, int code, kin_error *err);
/* The decoder without projection and defaults. */
int kin__stream_get_plain(kin__stream *stream, kin_decoder **ret, kin_error *err);
/* Read the last member as a map of its own. SHARED, the caller's. */
int kin__stream_read_member(kin__stream *stream, const kin_object **ret, kin_error *err);
/* Read all members. SHARED, the caller's. */
int kin__stream_read_head(kin__stream *stream, const kin_object **ret, kin_error *err);
/* Keep the text of an object in stream->text. */
int kin__stream_keep_text(kin__stream *stream, kin_str text, kin_error *err);
/* The text of the last object is not needed any more. */
void kin__stream_forget_text(kin__stream *stream);

#endif
