/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer works backward, from the last field of the last message to the first: it knows the length of a message when
 * it reaches the beginning. Each message that is being written is a frame on a stack. Its fields are entries of one
 * index.
 */
#include "object/protobuf_order.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/stack.h"
#include "object/protobuf_index.h"
#include "object/protobuf_wire.h"

struct frame {
    size_t first; /* of its entries */
    size_t next;  /* one past the entry that is written next */
    unsigned char *end;
    const kin__pb_field *field; /* that it is the value of; NULL: of none */
    uint16_t message;
};

struct writer {
    kin__pb_index index;
    kin__stack frames;
    unsigned char *p; /* the first byte that is written */
    kin_error *err;
};

static void put_varint(struct writer *w, uint64_t value)
{
    unsigned char bytes[10];
    size_t n = 0;

    for (; value >= 0x80; value >>= 7)
        bytes[n++] = (unsigned char)(value | 0x80);
    bytes[n++] = (unsigned char)value;
    w->p -= n;
    memcpy(w->p, bytes, n);
}

static void put_tag(struct writer *w, const kin__pb_field *field)
{
    put_varint(w, (uint64_t)field->number << 3 | kin__pb_wire_of(field));
}

/* A value that is not a message. */
static void put_value(struct writer *w, const kin__pb_field *field, size_t entry)
{
    kin_str text = kin__pb_text(&w->index, entry);

    w->p -= text.len;
    if (text.len > 0)
        memcpy(w->p, text.data, text.len);
    if (kin__pb_wire_of(field) == KIN__PB_LEN)
        put_varint(w, text.len);
    put_tag(w, field);
}

static bool is_time(const kin__pb_message *message)
{
    return message->form == KIN__PB_TIME || message->form == KIN__PB_MICRO_TIME;
}

/* Begin the message whose pieces are the entries from `first` to before `end`. */
static int push(struct writer *w, const kin__pb_field *field, unsigned message, size_t first,
                size_t end)
{
    const kin__pb_message *m = &kin__pb_messages[message];
    size_t start = w->index.n;
    struct frame *frame;
    int code;

    /* All pieces are checked; of times the last one counts. */
    code = kin__pb_index_message(&w->index, m, first, end, w->err);
    if (code == 0 && end - first > 1 && is_time(m)) {
        w->index.n = start;
        code = kin__pb_index_message(&w->index, m, end - 1, end, w->err);
    }
    if (code == KIN_EPARSE && m->form == KIN__PB_ENTRY)
        return kin_error_set(w->err, KIN_EPARSE, "proto: an entry of a map is malformed");
    if (code < 0)
        return code;
    frame = kin__stack_push(&w->frames);
    if (!frame)
        return kin__error_no_memory(w->err);
    *frame = (struct frame){start, w->index.n, w->p, field, (uint16_t)message};
    /*
     * An empty message is the zero time. A message of unknown fields, which are left out, is not empty: it gets a field,
     * seconds 0.
     */
    if (is_time(m) && w->index.n == start && w->index.entries[end - 1].len > 0) {
        *--w->p = 0;
        *--w->p = 1 << 3 | KIN__PB_VARINT;
    }
    return 0;
}

static void pop(struct writer *w)
{
    const struct frame *frame = kin__stack_pop(&w->frames);

    w->index.n = frame->first;
    if (!frame->field)
        return;
    put_varint(w, (uint64_t)(frame->end - w->p));
    put_tag(w, frame->field);
}

static int step(struct writer *w, struct frame *frame)
{
    const kin__pb_field *fields = kin__pb_fields + kin__pb_messages[frame->message].first_field;
    size_t last = frame->next;
    size_t first = last;
    const kin__pb_field *field;
    bool is_list;

    if (last == frame->first) {
        pop(w);
        return 0;
    }
    field = fields + w->index.entries[last - 1].field;
    is_list = field->flags & (KIN__PB_REPEATED | KIN__PB_MAP);
    do
        first--;
    while (!is_list && first > frame->first &&
           w->index.entries[first - 1].field == w->index.entries[last - 1].field);
    frame->next = first;
    if (field->type == KIN__PB_MESSAGE)
        return push(w, field, field->message, first, last);
    put_value(w, field, last - 1);
    return 0;
}

static int order(struct writer *w, unsigned message)
{
    int code = kin__pb_index_all(&w->index, w->err);

    if (code == 0)
        code = push(w, NULL, message, 0, 1);
    while (code == 0 && w->frames.len > 0)
        code = step(w, kin__stack_top(&w->frames));
    return code;
}

int kin__protobuf_order(kin__protobuf_ordered *ret, unsigned message, kin_str bytes, kin_error *err)
{
    struct writer w = {.err = err};
    /* Integers that share a tag get one of two bytes each, which also makes lengths longer. */
    size_t size = 3 * bytes.len + 16;
    unsigned char *memory = kin__malloc(size);
    int code;

    if (!memory)
        return kin__error_no_memory(err);
    w.p = memory + size;
    kin__pb_index_init(&w.index, bytes);
    kin__stack_init(&w.frames, sizeof(struct frame));
    code = order(&w, message);
    kin__stack_done(&w.frames);
    kin__pb_index_done(&w.index);
    if (code < 0)
        kin__free_wiped(memory, size);
    else
        *ret = (kin__protobuf_ordered){
            memory, size, kin_str_make((const char *)w.p, (size_t)(memory + size - w.p)),
            w.index.has_unknown};
    return code;
}

void kin__protobuf_ordered_done(kin__protobuf_ordered *ordered)
{
    /* It may hold secrets. */
    kin__free_wiped(ordered->memory, ordered->size);
}
