/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Protobuf from documents, by tables and without recursion. Each message, list or map that is being
 * written is a frame. Its values are slots: they are put on the stack in ascending order, taken off
 * in descending order, and written before the bytes that are there. When a frame has no slots left, its
 * length is known, and its head is written.
 *
 * A slot is small, since a body can have an item for each two of its bytes.
 *
 * Go also writes zero values of members that are not pointers and that the document lacks. They are
 * left out here: all readers of protobuf get the same result.
 */
#include "object/protobuf_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "kinform/time.h"
#include "object/json.h"
#include "object/limits.h"
#include "object/path.h"
#include "object/protobuf_tables.h"
#include "object/tape.h"

/* The zero value of Go's time, 0001-01-01T00:00:00Z. */
#define ZERO_TIME INT64_C(-62135596800)
#define PATH_MAX_LEN 200
#define NO_FIELD UINT16_MAX
#define MAX_INLINE 8 /* messages inside a message that wait to be looked at */
/* Instead of a place in the tape. */
#define TRUE_VALUE ((const uint8_t *)&true_value)

enum wire { VARINT = 0, FIXED64 = 1, LENGTH = 2 };

enum frame_type {
    MESSAGE,
    PART,  /* a message whose fields are not members of the document: that of a choice */
    ENTRY, /* of a map */
    LIST,
    MAP
};

struct frame {
    const kin__tape *tape; /* of its slots */
    kin_str key;           /* of the value that is being written; ENTRY: that of the entry */
    size_t first;          /* of its slots */
    size_t end;            /* bytes that come after it */
    uint32_t index;        /* of the item that is being written */
    uint16_t field;        /* what it is the value of; NO_FIELD: of nothing */
    uint8_t type;
};

struct slot {
    const uint8_t *at;
    const char *key; /* of an entry */
    uint32_t key_len;
    uint16_t field; /* of a message's field; else its frame's */
};

static const uint8_t true_value;

void kin__pb_writer_init(kin__pb_writer *w, size_t limit)
{
    memset(w, 0, sizeof(*w));
    kin__stack_init(&w->frames, sizeof(struct frame));
    kin__stack_init(&w->slots, sizeof(struct slot));
    kin__buf_init(&w->scratch, KIN__TEXT_MAX);
    w->limit = limit;
}

void kin__pb_writer_done(kin__pb_writer *w)
{
    kin__stack_done(&w->frames);
    kin__stack_done(&w->slots);
    kin__buf_done(&w->scratch);
    kin__free(w->data);
    w->data = NULL;
}

/* --- failures: the first one counts --- */

static struct frame *frame_at(const kin__pb_writer *w, size_t i)
{
    return (struct frame *)w->frames.items + i;
}

static void fail_no_memory(kin__pb_writer *w)
{
    if (w->failed == 0)
        w->failed = kin__error_no_memory(w->err);
}

static void append_path(const kin__pb_writer *w, kin__buf *path)
{
    for (size_t i = 0; i < w->frames.len; i++) {
        const struct frame *frame = frame_at(w, i);

        if (frame->type == LIST)
            kin__path_append_index(path, frame->index);
        else if (frame->key.data && (frame->type == MESSAGE || frame->type == MAP))
            kin__path_append_key(path, frame->key);
    }
}

static void fail(kin__pb_writer *w, int code, const char *words)
{
    kin__buf path;

    if (w->failed)
        return;
    kin__buf_init(&path, PATH_MAX_LEN);
    append_path(w, &path);
    if (path.failed == KIN_ENOMEM)
        fail_no_memory(w);
    else
        w->failed = kin_error_set(w->err, code, "%s: %s", path.len > 0 ? path.data : ".", words);
    kin__buf_done(&path);
}

static void fail_type(kin__pb_writer *w, kin__at at, const char *expected)
{
    char words[128];

    (void)snprintf(words, sizeof(words), "expected %s, not %s", expected,
                   kin_type_name(kin__tape_type(at)));
    fail(w, KIN_ETYPE, words);
}

/* --- bytes, backward --- */

/* Room for n more bytes in front of the others. */
static bool make_room(kin__pb_writer *w, size_t n)
{
    size_t cap = w->cap;
    char *data;

    if (w->failed)
        return false;
    if (n > w->limit - w->len) {
        w->failed =
            kin_error_set(w->err, KIN_ELIMIT, "the message is larger than %zu bytes", w->limit);
        return false;
    }
    if (w->counts || n <= w->cap - w->len)
        return true;
    data = kin__grow_array(w->data, &cap, w->len + n, 1);
    if (!data) {
        fail_no_memory(w);
        return false;
    }
    memmove(data + cap - w->len, data + w->cap - w->len, w->len);
    w->data = data;
    w->cap = cap;
    return true;
}

static void put(kin__pb_writer *w, const char *bytes, size_t n)
{
    if (n == 0 || !make_room(w, n))
        return;
    w->len += n;
    if (!w->counts)
        memcpy(w->data + w->cap - w->len, bytes, n);
}

static size_t varint(char *out, uint64_t value)
{
    size_t n = 0;

    for (; value >= 0x80; value >>= 7)
        out[n++] = (char)(value | 0x80);
    out[n++] = (char)value;
    return n;
}

static void put_varint(kin__pb_writer *w, uint64_t value)
{
    char bytes[KIN__PB_VARINT_MAX];

    put(w, bytes, varint(bytes, value));
}

static void put_tag(kin__pb_writer *w, unsigned number, enum wire wire)
{
    put_varint(w, (uint64_t)number << 3 | wire);
}

/* The head of a field whose value is what was written since there were `end` bytes. */
static void put_head(kin__pb_writer *w, unsigned number, size_t end)
{
    put_varint(w, w->len - end);
    put_tag(w, number, LENGTH);
}

static void put_number(kin__pb_writer *w, unsigned number, int64_t value)
{
    put_varint(w, (uint64_t)value);
    put_tag(w, number, VARINT);
}

static void put_text(kin__pb_writer *w, unsigned number, kin_str text)
{
    size_t end = w->len;

    put(w, text.data, text.len);
    put_head(w, number, end);
}

/* --- scalars --- */

static kin_value value_of(kin__at at)
{
    return (kin_value){at.tape, at.at};
}

static int digit_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Four characters; how many bytes they are, 0 for none that they can be. */
static size_t decode_group(const char *in, bool is_last, char *out)
{
    size_t n = !is_last || in[3] != '=' ? 3 : in[2] != '=' ? 2 : 1;
    uint32_t bits = 0;

    for (size_t i = 0; i < 4; i++) {
        int digit = i <= n ? digit_of(in[i]) : 0;

        if (digit < 0)
            return 0;
        bits = bits << 6 | (uint32_t)digit;
    }
    out[0] = (char)(bits >> 16);
    out[1] = (char)(bits >> 8);
    out[2] = (char)bits;
    return n;
}

/* The bytes of a text in base64, into the scratch. False: it is malformed, or no memory. */
static bool decode_base64(kin__pb_writer *w, kin_str text)
{
    char group[4];
    char *out;
    size_t n = 0;
    size_t len = 0;

    kin__buf_reset(&w->scratch);
    out = kin__buf_reserve(&w->scratch, text.len);
    if (!out)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        /* Go skips ends of lines. */
        if (text.data[i] == '\n' || text.data[i] == '\r')
            continue;
        group[n++] = text.data[i];
        if (n < sizeof(group))
            continue;
        size_t more = decode_group(group, true, out + len);
        len += more;
        if (more == 0)
            return false;
        n = 0;
        /* Nothing comes after a group that is not full. */
        if (more < 3) {
            while (++i < text.len)
                if (text.data[i] != '\n' && text.data[i] != '\r')
                    return false;
        }
    }
    kin__buf_added(&w->scratch, len);
    return n == 0;
}

static void write_bytes(kin__pb_writer *w, unsigned number, kin_str text)
{
    if (decode_base64(w, text))
        put_text(w, number, kin__buf_str(&w->scratch));
    else if (w->scratch.failed)
        fail_no_memory(w);
    else
        fail(w, KIN_EINVAL, "malformed base64");
}

static bool read_integer(kin__pb_writer *w, kin__at at, bool is_int32, int64_t *ret)
{
    int code = kin_value_int64(ret, value_of(at));

    if (code == KIN_ETYPE) {
        fail_type(w, at, kin_type_name(KIN_INTEGER));
        return false;
    }
    if (code < 0 || (is_int32 && (*ret < INT32_MIN || *ret > INT32_MAX))) {
        fail(w, KIN_EINVAL, is_int32 ? "not an integer of 32 bits" : "not an integer of 64 bits");
        return false;
    }
    return true;
}

static void write_double(kin__pb_writer *w, unsigned number, kin__at at)
{
    char bytes[sizeof(uint64_t)];
    uint64_t bits;
    double value;
    int code = kin_value_double(&value, value_of(at));

    if (code == KIN_ETYPE)
        fail_type(w, at, kin_type_name(KIN_NUMBER));
    else if (code < 0)
        fail(w, KIN_EINVAL, "a number beyond all that a double can be");
    if (code < 0)
        return;
    memcpy(&bits, &value, sizeof(bits));
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (char)(bits >> 8 * i);
    put(w, bytes, sizeof(bytes));
    put_tag(w, number, FIXED64);
}

static bool read_text(kin__pb_writer *w, kin__at at, kin_str *ret, kin_scratch *scratch)
{
    if (kin_value_string(ret, value_of(at), scratch) == 0)
        return true;
    fail_type(w, at, kin_type_name(KIN_STRING));
    return false;
}

/* Null among the items of a list. */
static void write_zero(kin__pb_writer *w, const kin__pb_field *field)
{
    static const char zeros[sizeof(uint64_t)];

    switch ((enum kin__pb_type)field->type) {
    case KIN__PB_STRING:
    case KIN__PB_BYTES:
    case KIN__PB_MESSAGE:
        put_text(w, field->number, kin_str_of(""));
        break;
    case KIN__PB_DOUBLE:
        put(w, zeros, sizeof(zeros));
        put_tag(w, field->number, FIXED64);
        break;
    default:
        put_number(w, field->number, 0);
        break;
    }
}

/* A value that has been followed. */
static void write_scalar(kin__pb_writer *w, const kin__pb_field *field, kin__at at)
{
    kin_scratch scratch;
    kin_str text;
    int64_t integer;
    bool boolean;

    switch ((enum kin__pb_type)field->type) {
    case KIN__PB_STRING:
        if (read_text(w, at, &text, &scratch))
            put_text(w, field->number, text);
        break;
    case KIN__PB_BYTES:
        if (read_text(w, at, &text, &scratch))
            write_bytes(w, field->number, text);
        break;
    case KIN__PB_BOOL:
        if (kin_value_bool(&boolean, value_of(at)) == 0)
            put_number(w, field->number, boolean);
        else
            fail_type(w, at, kin_type_name(KIN_BOOL));
        break;
    case KIN__PB_DOUBLE:
        write_double(w, field->number, at);
        break;
    default:
        if (read_integer(w, at, field->type == KIN__PB_INT32, &integer))
            put_number(w, field->number, integer);
        break;
    }
}

/* --- messages with a form of their own --- */

static void write_time(kin__pb_writer *w, kin__at at, int32_t precision)
{
    kin_scratch scratch;
    kin_time time;
    kin_str text;

    if (!read_text(w, at, &text, &scratch))
        return;
    if (kin_time_parse(&time, text, NULL) < 0) {
        fail(w, KIN_EINVAL, "not a timestamp");
        return;
    }
    time.nanoseconds -= time.nanoseconds % precision;
    /* The real server writes no fields then. */
    if (time.seconds == ZERO_TIME && time.nanoseconds == 0)
        return;
    put_number(w, 2, time.nanoseconds);
    put_number(w, 1, time.seconds);
}

static void write_int_or_string(kin__pb_writer *w, kin__at at)
{
    bool is_string = kin__tape_type(at) == KIN_STRING;
    kin_scratch scratch;
    kin_str text = kin_str_of("");
    int64_t integer = 0;

    if (is_string && !read_text(w, at, &text, &scratch))
        return;
    if (!is_string && !read_integer(w, at, true, &integer))
        return;
    put_text(w, 3, text);
    put_number(w, 2, integer);
    put_number(w, 1, is_string);
}

static void write_raw(kin__pb_writer *w, kin__at at)
{
    kin__buf_reset(&w->scratch);
    kin__json_write(&w->scratch, value_of(at), KIN_JSON_COMPACT);
    if (w->scratch.failed)
        fail_no_memory(w);
    else
        put_text(w, 1, kin__buf_str(&w->scratch));
}

/* --- frames --- */

static struct frame *push_frame(kin__pb_writer *w, enum frame_type type, unsigned field,
                                const kin__tape *tape)
{
    struct frame *frame = w->failed ? NULL : kin__stack_push(&w->frames);

    if (!frame) {
        fail_no_memory(w);
        return NULL;
    }
    *frame = (struct frame){.tape = tape,
                            .first = w->slots.len,
                            .end = w->len,
                            .field = (uint16_t)field,
                            .type = (uint8_t)type};
    return frame;
}

static void push_slot(kin__pb_writer *w, unsigned field, const uint8_t *at, kin_str key)
{
    struct slot *slot = w->failed ? NULL : kin__stack_push(&w->slots);

    if (slot)
        *slot = (struct slot){at, key.data, (uint32_t)key.len, (uint16_t)field};
    else
        fail_no_memory(w);
}

static struct slot *slot_at(const kin__pb_writer *w, size_t i)
{
    return (struct slot *)w->slots.items + i;
}

/* Put the slots of the frame at the top into order: mostly they are. */
static void sort_slots(kin__pb_writer *w, size_t first, int (*compare)(const void *, const void *))
{
    size_t n = w->slots.len - first;
    size_t i = 1;

    while (i < n && compare(slot_at(w, first + i - 1), slot_at(w, first + i)) <= 0)
        i++;
    if (i < n)
        qsort(slot_at(w, first), n, sizeof(struct slot), compare);
}

static int compare_fields(const void *a, const void *b)
{
    return (int)((const struct slot *)a)->field - (int)((const struct slot *)b)->field;
}

static int compare_keys(const void *a, const void *b)
{
    const struct slot *x = a;
    const struct slot *y = b;
    size_t len = x->key_len < y->key_len ? x->key_len : y->key_len;
    int order = len > 0 ? memcmp(x->key, y->key, len) : 0;

    return order ? order : (x->key_len > y->key_len) - (x->key_len < y->key_len);
}

static bool has_name(unsigned field, kin_str key)
{
    const char *name = kin__pb_name(kin__pb_fields[field].name);

    return key.len > 0 && name[0] == key.data[0] && strncmp(name, key.data, key.len) == 0 &&
           name[key.len] == '\0';
}

/*
 * The field of a member. Members mostly come in the order of fields, so the search begins at the
 * one after the last that was found.
 */
static bool find_field(const kin__pb_message *message, unsigned *next, kin_str key, unsigned *ret)
{
    for (unsigned i = 0; i < message->n_fields; i++) {
        unsigned at = *next + i < message->n_fields ? *next + i : *next + i - message->n_fields;

        if (!has_name(message->first_field + at, key))
            continue;
        *ret = message->first_field + at;
        *next = at + 1 < message->n_fields ? at + 1 : 0;
        return true;
    }
    return false;
}

static bool is_inline(unsigned field)
{
    return kin__pb_fields[field].flags & KIN__PB_INLINE;
}

/* Whether a message has a field of the name, or one of the messages whose fields are among its own. */
static bool has_member(const kin__pb_message *message, kin_str key)
{
    const kin__pb_message *waiting[MAX_INLINE] = {message};
    size_t n = 1;

    while (n > 0) {
        unsigned next = 0;
        unsigned field;

        message = waiting[--n];
        if (find_field(message, &next, key, &field))
            return true;
        for (unsigned i = message->first_field; i < message->first_field + message->n_fields; i++) {
            if (!is_inline(i))
                continue;
            kin__assert(n < MAX_INLINE);
            waiting[n++] = &kin__pb_messages[kin__pb_fields[i].message];
        }
    }
    return false;
}

/* Objects have their type in the envelope, and objects within others have it nowhere. */
static bool is_type(const kin__pb_message *message, kin_str key, bool is_outermost)
{
    return (kin_str_equal(key, kin_str_of("apiVersion")) ||
            kin_str_equal(key, kin_str_of("kind"))) &&
           (is_outermost || has_member(message, kin_str_of("metadata")));
}

/* The frame at the top is a message without a field for the member. */
static void take_lacking(kin__pb_writer *w, const kin__pb_message *message, kin_str key,
                         kin__at value)
{
    struct frame *frame = kin__stack_top(&w->frames);
    bool is_outermost = w->frames.len == 1;

    /* The message around an inline one has looked at it. */
    if (w->lacking == KIN__PB_LEAVE_OUT || (w->lacking == KIN__PB_REFUSE_INSIDE && is_outermost) ||
        (frame->field != NO_FIELD && is_inline(frame->field)) ||
        kin__tape_type(kin__value_at(value_of(value))) == KIN_NULL || has_member(message, key) ||
        is_type(message, key, is_outermost))
        return;
    frame->key = key;
    fail(w, KIN_EINVAL, "the message has no such field");
}

/* A slot for each member that the message has a field for; `map` is followed. */
static void push_members(kin__pb_writer *w, const kin__pb_message *message, kin__at map)
{
    size_t first = w->slots.len;
    unsigned next = 0;
    unsigned field;
    kin__walk walk;
    uint16_t id;
    kin_str key;
    kin__at value;

    /* These are messages of their own in protobuf; in the document their members are here. */
    for (unsigned i = message->first_field; i < message->first_field + message->n_fields; i++)
        if (is_inline(i))
            push_slot(w, i, map.at, kin_str_of(""));
    kin__walk_init(&walk, map);
    while (!w->failed && kin__walk_next(&walk, &id, &key, &value)) {
        if (find_field(message, &next, key, &field))
            push_slot(w, field, value.at, kin_str_of(""));
        else
            take_lacking(w, message, key, value);
    }
    sort_slots(w, first, compare_fields);
}

/* The field of a choice that has values of the type. */
static bool find_choice(const kin__pb_message *message, enum kin_type type, unsigned *ret)
{
    for (unsigned i = message->first_field; i < message->first_field + message->n_fields; i++) {
        const kin__pb_field *field = &kin__pb_fields[i];
        enum kin_type takes = field->flags & KIN__PB_REPEATED  ? KIN_ARRAY
                              : field->type == KIN__PB_MESSAGE ? KIN_MAP
                              : field->type == KIN__PB_BOOL    ? KIN_BOOL
                                                               : KIN_STRING;

        *ret = i;
        if (takes == type)
            return true;
    }
    return false;
}

/* A quantity may be a number: its text is what the field has. */
static bool write_number_as_text(kin__pb_writer *w, const kin__pb_message *message, kin__at at)
{
    const kin__pb_field *field = &kin__pb_fields[message->first_field];
    kin_scratch scratch;
    kin_str text;

    if (field->type != KIN__PB_STRING || (field->flags & KIN__PB_REPEATED) ||
        kin_value_number(&text, value_of(at), &scratch) < 0)
        return false;
    put_text(w, field->number, text);
    return true;
}

/* A frame for the value of a choice. `at` is followed. */
static void push_choice(kin__pb_writer *w, unsigned field, kin__at at)
{
    const kin__pb_message *message = &kin__pb_messages[kin__pb_fields[field].message];
    enum kin_type type = kin__tape_type(at);
    size_t end = w->len;
    unsigned chosen;

    if (!find_choice(message, type, &chosen)) {
        if (write_number_as_text(w, message, at))
            put_head(w, kin__pb_fields[field].number, end);
        else
            fail_type(w, at, "another type");
        return;
    }
    if (!push_frame(w, PART, field, at.tape))
        return;
    /* A schema is also allowed. */
    if (type == KIN_MAP && kin__pb_fields[message->first_field].type == KIN__PB_BOOL)
        push_slot(w, message->first_field, TRUE_VALUE, kin_str_of(""));
    push_slot(w, chosen, at.at, kin_str_of(""));
}

static void push_message(kin__pb_writer *w, unsigned field, unsigned message, kin__at at)
{
    if (kin__tape_type(at) != KIN_MAP)
        fail_type(w, at, kin_type_name(KIN_MAP));
    else if (push_frame(w, MESSAGE, field, at.tape))
        push_members(w, &kin__pb_messages[message], at);
}

static void push_list(kin__pb_writer *w, unsigned field, kin__at at)
{
    kin__walk walk;
    uint16_t id;
    kin_str key;
    kin__at value;

    if (kin__tape_type(at) != KIN_ARRAY) {
        fail_type(w, at, kin_type_name(KIN_ARRAY));
        return;
    }
    if (!push_frame(w, LIST, field, at.tape))
        return;
    kin__walk_init(&walk, at);
    while (!w->failed && kin__walk_next(&walk, &id, &key, &value))
        push_slot(w, field, value.at, kin_str_of(""));
}

static void push_map(kin__pb_writer *w, unsigned field, kin__at at)
{
    size_t first = w->slots.len;
    kin__walk walk;
    uint16_t id;
    kin_str key;
    kin__at value;

    if (kin__tape_type(at) != KIN_MAP) {
        fail_type(w, at, kin_type_name(KIN_MAP));
        return;
    }
    if (!push_frame(w, MAP, field, at.tape))
        return;
    kin__walk_init(&walk, at);
    while (!w->failed && kin__walk_next(&walk, &id, &key, &value))
        push_slot(w, field, value.at, key);
    sort_slots(w, first, compare_keys);
}

/* A message, or a frame for it. `at` is followed and no null. */
static void write_message(kin__pb_writer *w, unsigned field, kin__at at)
{
    const kin__pb_field *f = &kin__pb_fields[field];
    size_t end = w->len;

    switch ((enum kin__pb_form)kin__pb_messages[f->message].form) {
    case KIN__PB_RAW:
        write_raw(w, at);
        break;
    case KIN__PB_TIME:
        write_time(w, at, 1000000000);
        break;
    case KIN__PB_MICRO_TIME:
        write_time(w, at, 1000);
        break;
    case KIN__PB_INT_OR_STRING:
        write_int_or_string(w, at);
        break;
    case KIN__PB_CHOICE:
        push_choice(w, field, at);
        return;
    default:
        push_message(w, field, f->message, at);
        return;
    }
    put_head(w, f->number, end);
}

static void write_entry(kin__pb_writer *w, unsigned field, kin__at at, kin_str key)
{
    unsigned value = kin__pb_messages[kin__pb_fields[field].message].first_field + 1u;
    struct frame *frame = push_frame(w, ENTRY, field, at.tape);

    if (!frame)
        return;
    frame->key = key;
    if (kin__tape_type(at) != KIN_NULL)
        push_slot(w, value, at.at, kin_str_of(""));
}

/* Go writes a time that is zero as a message with nothing in it, and JSON has null for that. */
static bool null_is_zero_time(const kin__pb_field *field)
{
    unsigned form = kin__pb_messages[field->message].form;

    return field->type == KIN__PB_MESSAGE && !(field->flags & KIN__PB_POINTER) &&
           (form == KIN__PB_TIME || form == KIN__PB_MICRO_TIME);
}

/* One value of the frame at the top. */
static void write_slot(kin__pb_writer *w, struct frame *frame, const struct slot *slot)
{
    const kin__pb_field *field = &kin__pb_fields[slot->field];
    enum frame_type type = (enum frame_type)frame->type;
    unsigned number = slot->field;
    kin__at at;

    if (slot->at == TRUE_VALUE) {
        put_number(w, field->number, 1);
        return;
    }
    at = kin__value_at((kin_value){frame->tape, slot->at});
    if (type == MAP) {
        write_entry(w, number, at, kin_str_make(slot->key, slot->key_len));
    } else if (kin__tape_type(at) == KIN_NULL) {
        if (type == LIST || null_is_zero_time(field))
            write_zero(w, field);
    } else if (type != LIST && (field->flags & KIN__PB_REPEATED)) {
        push_list(w, number, at);
    } else if (field->flags & KIN__PB_MAP) {
        push_map(w, number, at);
    } else if (field->type == KIN__PB_MESSAGE) {
        write_message(w, number, at);
    } else {
        write_scalar(w, field, at);
    }
}

static void close_frame(kin__pb_writer *w)
{
    struct frame *frame = kin__stack_pop(&w->frames);

    if (frame->type == ENTRY)
        put_text(w, 1, frame->key);
    if (frame->type != LIST && frame->type != MAP && frame->field != NO_FIELD)
        put_head(w, kin__pb_fields[frame->field].number, frame->end);
}

static void step(kin__pb_writer *w)
{
    struct frame *frame = kin__stack_top(&w->frames);
    struct slot slot;

    if (w->slots.len == frame->first) {
        close_frame(w);
        return;
    }
    slot = *(const struct slot *)kin__stack_pop(&w->slots);
    frame->index = (uint32_t)(w->slots.len - frame->first);
    if (frame->type == MAP) {
        frame->key = kin_str_make(slot.key, slot.key_len);
    } else if (frame->type == MESSAGE) {
        kin_str name = kin_str_of(kin__pb_name(kin__pb_fields[slot.field].name));

        frame->key = name.len > 0 ? name : kin_str_make(NULL, 0); /* empty: inline */
    }
    write_slot(w, frame, &slot);
}

/* --- messages --- */

bool kin__pb_message_of(kin_str api_version, kin_str kind, unsigned *ret)
{
    const kin__protobuf_type type = {api_version, kind};
    const kin__pb_kind *found = kin__protobuf_find_kind(&type);

    if (found)
        *ret = found->message;
    return found;
}

static int run(kin__pb_writer *w, unsigned message, kin_value map, kin_error *err)
{
    kin__at at = kin__value_at(map);

    w->len = 0;
    w->failed = 0;
    w->err = err;
    w->frames.len = 0;
    w->slots.len = 0;
    if (!at.at)
        return kin_error_set(err, KIN_ETYPE, "nothing to write");
    push_message(w, NO_FIELD, message, at);
    while (!w->failed && w->frames.len > 0)
        step(w);
    w->err = NULL;
    return w->failed;
}

int kin__pb_write(kin__pb_writer *w, kin_str *ret, unsigned message, kin_value map, kin_error *err)
{
    int code;

    w->counts = false;
    code = run(w, message, map, err);
    if (code == 0)
        *ret = w->len > 0 ? kin_str_make(w->data + w->cap - w->len, w->len) : kin_str_of("");
    return code;
}

int kin__pb_measure(kin__pb_writer *w, size_t *ret, unsigned message, kin_value map, kin_error *err)
{
    int code;

    w->counts = true;
    code = run(w, message, map, err);
    if (code == 0)
        *ret = w->len;
    return code;
}

/* --- parts around them --- */

static void append_varint(kin__buf *out, uint64_t value)
{
    char bytes[KIN__PB_VARINT_MAX];

    kin__buf_append(out, kin_str_make(bytes, varint(bytes, value)));
}

size_t kin__pb_head(char out[KIN__PB_HEAD_MAX], unsigned number, uint64_t len)
{
    size_t n = varint(out, (uint64_t)number << 3 | LENGTH);

    return n + varint(out + n, len);
}

void kin__pb_append_head(kin__buf *out, unsigned number, size_t len)
{
    char bytes[KIN__PB_HEAD_MAX];

    kin__buf_append(out, kin_str_make(bytes, kin__pb_head(bytes, number, len)));
}

void kin__pb_append_text(kin__buf *out, unsigned number, kin_str text)
{
    kin__pb_append_head(out, number, text.len);
    kin__buf_append(out, text);
}

void kin__pb_append_number(kin__buf *out, unsigned number, uint64_t value)
{
    append_varint(out, (uint64_t)number << 3); /* the wire type is VARINT, 0 */
    append_varint(out, value);
}

static size_t head_len(unsigned number, size_t len)
{
    char bytes[KIN__PB_HEAD_MAX];

    return kin__pb_head(bytes, number, len);
}

void kin__pb_envelope_head(kin__buf *out, kin_str api_version, kin_str kind, size_t len)
{
    kin__buf_append(out, kin_str_make(KIN__PROTOBUF_PREFIX, KIN__PROTOBUF_PREFIX_LEN));
    kin__pb_append_head(
        out, 1, head_len(1, api_version.len) + api_version.len + head_len(2, kind.len) + kind.len);
    kin__pb_append_text(out, 1, api_version);
    kin__pb_append_text(out, 2, kind);
    kin__pb_append_head(out, 2, len);
}

kin_str kin__pb_envelope_tail(void)
{
    /* The encoding and the type of the content, both empty. */
    return kin_str_make("\x1a\0\x22\0", 4);
}

int kin__pb_write_object(kin__pb_writer *w, kin__buf *out, unsigned message, kin_str api_version,
                         kin_str kind, kin_value map, kin_error *err)
{
    kin_str bytes = kin_str_of("");
    int code = kin__pb_write(w, &bytes, message, map, err);

    if (code < 0)
        return code;
    kin__pb_envelope_head(out, api_version, kind, bytes.len);
    kin__buf_append(out, bytes);
    kin__buf_append(out, kin__pb_envelope_tail());
    if (out->failed == KIN_ELIMIT)
        return kin_error_set(err, KIN_ELIMIT, "the object is larger than %zu bytes", out->limit);
    return out->failed ? kin__error_no_memory(err) : 0;
}
