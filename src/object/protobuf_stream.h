/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists and watches in protobuf, in pieces that are cut anywhere: the part of stream_reader.h that depends on the
 * format.
 */
#ifndef KIN_OBJECT_PROTOBUF_STREAM_H
#define KIN_OBJECT_PROTOBUF_STREAM_H

#include "base/buf.h"
#include "kinform/stream.h"
#include "object/protobuf.h"

struct kin__stream;
struct kin__stream_input;

enum kin__protobuf_state {
    KIN__PROTOBUF_PREFIX_STATE, /* of a list: before the envelope */
    KIN__PROTOBUF_ENVELOPE,     /* between its fields */
    KIN__PROTOBUF_LIST,         /* between the fields of the list */
    KIN__PROTOBUF_FRAMES,       /* of a watch: between frames */
    KIN__PROTOBUF_PART,         /* in a value: `part` */
    KIN__PROTOBUF_SKIP,         /* in a value that is too long: `need` bytes are left */
};

/* What is done with a value when all of it is there. */
enum kin__protobuf_part {
    KIN__PROTOBUF_PART_TYPE,   /* the list's */
    KIN__PROTOBUF_PART_META,   /* the list's */
    KIN__PROTOBUF_PART_ITEM,   /* of the list */
    KIN__PROTOBUF_PART_OBJECT, /* what is there instead of a list */
    KIN__PROTOBUF_PART_FRAME,  /* of a watch */
    KIN__PROTOBUF_PART_OTHER,  /* nothing */
};

/* Around the object of an event, at most. */
#define KIN__PROTOBUF_EVENT_BYTES 1024u
/* The longest tag with a length. */
enum { KIN__PROTOBUF_HEAD_BYTES = 20 };

typedef struct kin__protobuf_stream {
    enum kin__protobuf_state state;
    enum kin__protobuf_part part;
    unsigned char head[KIN__PROTOBUF_HEAD_BYTES]; /* of a prefix, a tag or a length that is cut */
    size_t head_len;
    uint64_t need;            /* the length of the value; an item may have any */
    uint64_t list_left;       /* bytes of the list's message */
    bool has_message;         /* the envelope's message has come */
    bool needs_json;          /* of the last failure: the same in JSON can be read */
    const kin__pb_kind *item; /* of the items, or of the object that came instead of a list */
    size_t type_len;          /* stream->head: the list's type, then its metadata */
    const kin_object *object; /* what came instead of a list; SHARED or NULL */
    const kin__pb_kind *kind; /* of the last event */
} kin__protobuf_stream;

/* Forget what was begun. */
void kin__protobuf_stream_reset(struct kin__stream *stream);
/* Read up to `stop`, or to the end of the value that crosses it. */
int kin__protobuf_stream_run(struct kin__stream *stream, struct kin__stream_input *in,
                             const char *stop, kin_error *err);
/* Where a worker begins to read ahead; NULL: nowhere. */
const char *kin__protobuf_stream_begin_ahead(struct kin__stream *stream,
                                             const struct kin__stream_input *in);
/* Whether what was read ahead follows. */
bool kin__protobuf_stream_is_between(const struct kin__stream *stream);
/* A worker has read the next `len` bytes. */
void kin__protobuf_stream_took(struct kin__stream *stream, size_t len);
/* Whether the text may end. 0, KIN_EPARSE. */
int kin__protobuf_stream_check_end(struct kin__stream *stream, kin_error *err);
/* The list without its items, or the object that came instead of a list. SHARED. */
int kin__protobuf_stream_read_head(struct kin__stream *stream, const kin_object **ret,
                                   kin_error *err);

#endif
