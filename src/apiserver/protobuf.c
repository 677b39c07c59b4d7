/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Protobuf to JSON, by tables. Each message that is being written is a frame on a stack: nothing
 * recurses. A frame's fields were indexed when it was pushed, and are written in the order of the
 * table; the entries of all frames lie behind each other in one index.
 *
 * Go writes numbers and strings also where they are zero. JSON of the same object leaves them out if
 * their tag says so, has null where a list that it does not leave out is nil, and {} for structs
 * that are no pointers. The tables say which.
 *
 * Left out on purpose: protobuf in answers, and packed lists of anything but integers, which no
 * message has.
 */
#include "apiserver/protobuf.h"

#include <string.h>

#include "base/error.h"
#include "base/stack.h"
#include "base/utf8.h"
#include "kinform/time.h"
#include "object/json.h"
#include "object/limits.h"
#include "object/number.h"
#include "object/protobuf_index.h"

/* The zero value of Go's time, 0001-01-01T00:00:00Z. */
#define ZERO_TIME INT64_C(-62135596800)

static const char prefix[] = {'k', '8', 's', '\0'};

static const char not_utf8[] = "proto: a string is not UTF-8";

struct frame {
    uint32_t first; /* of its entries … */
    uint32_t end;
    uint32_t next;     /* … the first that is not written */
    uint32_t item;     /* of a list of messages that is being written: which comes next */
    uint32_t item_end; /* and where it ends */
    uint16_t message;
    uint8_t field;    /* that comes next */
    char closing;     /* of a list that is being written: what closes it; 0: none is */
    bool is_inline;   /* its members are those of the frame below */
    bool has_members; /* the next one needs a comma */
    bool has_items;
    bool is_empty; /* no byte lies in it; of several pieces, in the last one */
};

struct writer {
    kin__pb_index index;
    kin__stack frames; /* struct frame */
    kin__buf *out;
    kin_error *err;
};

static void put(struct writer *w, const char *text)
{
    kin__buf_append(w->out, kin_str_of(text));
}

static int fail(struct writer *w, const char *words)
{
    return kin_error_set(w->err, KIN_EPARSE, "%s", words);
}

static const kin__pb_field *field_at(const struct frame *frame, size_t i)
{
    return kin__pb_fields + kin__pb_messages[frame->message].first_field + i;
}

/* --- values that are no messages --- */

static bool is_text(kin_str text)
{
    return kin__utf8_check(text.data, text.len);
}

static int write_string(struct writer *w, kin_str text)
{
    if (!is_text(text))
        return fail(w, not_utf8);
    kin__json_write_string(w->out, text);
    return 0;
}

static void write_base64(struct writer *w, kin_str data)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *in = (const unsigned char *)data.data;
    size_t len = (data.len + 2) / 3 * 4 + 2;
    char *p = kin__buf_reserve(w->out, len);

    if (!p)
        return;
    *p++ = '"';
    for (size_t i = 0; i < data.len; i += 3) {
        size_t left = data.len - i;
        uint32_t bits = (uint32_t)in[i] << 16 | (left > 1 ? (uint32_t)in[i + 1] << 8 : 0) |
                        (left > 2 ? in[i + 2] : 0);

        *p++ = digits[bits >> 18];
        *p++ = digits[bits >> 12 & 63];
        *p++ = digits[bits >> 6 & 63];
        *p++ = digits[bits & 63];
        if (left < 3)
            p[-1] = '=';
        if (left < 2)
            p[-2] = '=';
    }
    *p = '"';
    kin__buf_added(w->out, len);
}

static int write_double(struct writer *w, double value)
{
    char text[KIN__NUMBER_DOUBLE_SIZE];

    if (kin__number_format_double(text, sizeof(text), value) == 0)
        return fail(w, "json: unsupported value: a number is not finite");
    put(w, text);
    return 0;
}

/* 32 bits of a number of 32 bits count. */
static int64_t integer_of(const struct writer *w, const kin__pb_field *field, size_t entry)
{
    int64_t value = kin__pb_integer(&w->index, entry);

    return field->type == KIN__PB_INT32 ? (int32_t)(uint32_t)(uint64_t)value : value;
}

static int write_scalar(struct writer *w, const kin__pb_field *field, size_t entry)
{
    switch ((enum kin__pb_type)field->type) {
    case KIN__PB_STRING:
        return write_string(w, kin__pb_text(&w->index, entry));
    case KIN__PB_BYTES:
        write_base64(w, kin__pb_text(&w->index, entry));
        return 0;
    case KIN__PB_BOOL:
        put(w, kin__pb_integer(&w->index, entry) ? "true" : "false");
        return 0;
    case KIN__PB_DOUBLE:
        return write_double(w, kin__pb_double(&w->index, entry));
    default:
        kin__buf_appendf(w->out, "%lld", (long long)integer_of(w, field, entry));
        return 0;
    }
}

/* What a value is that is not there, where something has to be. */
static void write_zero(struct writer *w, const kin__pb_field *field)
{
    static const char *const zeros[] = {
        [KIN__PB_STRING] = "\"\"", [KIN__PB_BYTES] = "\"\"", [KIN__PB_BOOL] = "false",
        [KIN__PB_INT32] = "0",     [KIN__PB_INT64] = "0",    [KIN__PB_DOUBLE] = "0",
        [KIN__PB_MESSAGE] = "null"};

    put(w, zeros[field->type]);
}

/*
 * Whether JSON leaves it out. Of messages only times are asked; one in several pieces is not left
 * out: all of them are to be read.
 */
static bool is_zero(const struct writer *w, const kin__pb_field *field, size_t first, size_t end)
{
    size_t entry = end - 1;

    switch ((enum kin__pb_type)field->type) {
    case KIN__PB_STRING:
    case KIN__PB_BYTES:
        return w->index.entries[entry].len == 0;
    case KIN__PB_MESSAGE:
        return w->index.entries[entry].len == 0 && entry == first;
    case KIN__PB_DOUBLE:
        return kin__pb_double(&w->index, entry) == 0;
    default:
        return integer_of(w, field, entry) == 0;
    }
}

/* --- messages that are no objects --- */

/* The last entry of a field of a frame; false if it has none. */
static bool find_last(const struct writer *w, const struct frame *frame, unsigned field,
                      size_t *ret)
{
    for (size_t i = frame->end; i > frame->first; i--) {
        if (w->index.entries[i - 1].field == field) {
            *ret = i - 1;
            return true;
        }
    }
    return false;
}

static int64_t integer_in(const struct writer *w, const struct frame *frame, unsigned field)
{
    size_t entry;

    return find_last(w, frame, field, &entry) ? integer_of(w, field_at(frame, field), entry) : 0;
}

static int write_time(struct writer *w, const struct frame *frame, unsigned digits)
{
    char text[KIN_TIME_TEXT_SIZE];
    kin_time time = {integer_in(w, frame, 0), (int32_t)integer_in(w, frame, 1)};

    if (frame->is_empty || (time.seconds == ZERO_TIME && time.nanoseconds == 0)) {
        put(w, "null");
        return 0;
    }
    if (digits == 0)
        time.nanoseconds = 0;
    if (kin_time_format(text, sizeof(text), time, digits) == 0)
        return fail(w, "a timestamp is not within the years 0 to 9999");
    kin__buf_appendf(w->out, "\"%s\"", text);
    return 0;
}

static int write_int_or_string(struct writer *w, const struct frame *frame)
{
    size_t entry;

    switch (integer_in(w, frame, 0)) {
    case 0:
        kin__buf_appendf(w->out, "%lld", (long long)integer_in(w, frame, 1));
        return 0;
    case 1:
        return write_string(w, find_last(w, frame, 2, &entry) ? kin__pb_text(&w->index, entry)
                                                              : kin_str_of(""));
    default:
        return fail(w, "impossible IntOrString.Type");
    }
}

/* It goes into the text as it is, so it must be one whole value. */
static int write_raw(struct writer *w, const struct frame *frame)
{
    const kin_object *holder = NULL;
    kin_value value;
    size_t entry;
    kin_str text = kin_str_of("");
    int code;

    if (find_last(w, frame, 0, &entry))
        text = kin__pb_text(&w->index, entry);
    if (text.len == 0) {
        put(w, "null");
        return 0;
    }
    code = kin__json_read_value(&holder, &value, text, w->err);
    if (code < 0)
        return code;
    kin_object_unref(holder);
    kin__buf_append(w->out, text);
    return 0;
}

/* --- frames --- */

static struct frame *top(const struct writer *w)
{
    return kin__stack_top(&w->frames);
}

/* Begin the message that the entries from `first` to before `end` are. */
static int push(struct writer *w, unsigned message, size_t first, size_t end, bool is_inline)
{
    const kin__pb_message *m = &kin__pb_messages[message];
    bool has_members = is_inline && top(w)->has_members;
    size_t start = w->index.n;
    struct frame *frame;
    int code;

    code = kin__pb_index_message(&w->index, m, first, end, w->err);
    /* All messages are merged but times, of which the last counts. */
    if (code == 0 && end - first > 1 &&
        (m->form == KIN__PB_TIME || m->form == KIN__PB_MICRO_TIME)) {
        w->index.n = start;
        code = kin__pb_index_message(&w->index, m, end - 1, end, w->err);
    }
    /* The real server reads them with less care: it has no words for it. */
    if (code == KIN_EPARSE && m->form == KIN__PB_ENTRY)
        return fail(w, "proto: an entry of a map is malformed");
    if (code < 0)
        return code;
    if (w->frames.len == KIN__DEPTH_MAX)
        return kin_error_set(w->err, KIN_ELIMIT, "messages are nested deeper than %d",
                             KIN__DEPTH_MAX);
    frame = kin__stack_push(&w->frames);
    if (!frame)
        return kin__error_no_memory(w->err);
    *frame = (struct frame){.first = (uint32_t)start,
                            .end = (uint32_t)w->index.n,
                            .next = (uint32_t)start,
                            .message = (uint16_t)message,
                            .is_inline = is_inline,
                            .is_empty = first == end || w->index.entries[end - 1].len == 0,
                            .has_members = has_members};
    if (m->form == KIN__PB_OBJECT && !is_inline)
        put(w, "{");
    return 0;
}

static void pop(struct writer *w)
{
    struct frame done = *top(w);

    w->index.n = done.first;
    kin__stack_pop(&w->frames);
    if (done.is_inline)
        top(w)->has_members = done.has_members;
}

/* Where the entries of a field end that begin at `next`. */
static size_t run_end(const struct writer *w, const struct frame *frame, size_t field)
{
    size_t end = frame->next;

    while (end < frame->end && w->index.entries[end].field == field)
        end++;
    return end;
}

static int write_scalars(struct writer *w, const kin__pb_field *field, size_t first, size_t end)
{
    int code = 0;

    put(w, "[");
    for (size_t i = first; code == 0 && i < end; i++) {
        if (i > first)
            put(w, ",");
        code = write_scalar(w, field, i);
    }
    put(w, "]");
    return code;
}

/* The value of a field of the frame at the top, or its beginning. */
static int write_value(struct writer *w, const kin__pb_field *field, size_t first, size_t end)
{
    bool is_list = field->flags & (KIN__PB_REPEATED | KIN__PB_MAP);

    if (field->type != KIN__PB_MESSAGE)
        return is_list ? write_scalars(w, field, first, end) : write_scalar(w, field, end - 1);
    if (!is_list)
        return push(w, field->message, first, end, false);
    struct frame *frame = top(w);
    frame->item = (uint32_t)first;
    frame->item_end = (uint32_t)end;
    frame->has_items = false;
    frame->closing = field->flags & KIN__PB_MAP ? '}' : ']';
    put(w, field->flags & KIN__PB_MAP ? "{" : "[");
    return 0;
}

/* The next item of the list that is being written. */
static int step_list(struct writer *w, struct frame *frame)
{
    const kin__pb_field *field;
    size_t item = frame->item;

    if (item == frame->item_end) {
        kin__buf_append_char(w->out, frame->closing);
        frame->closing = '\0';
        return 0;
    }
    field = field_at(frame, w->index.entries[item].field);
    if (frame->has_items)
        put(w, ",");
    frame->has_items = true;
    frame->item++;
    return push(w, field->message, item, item + 1, false);
}

static void write_name(struct writer *w, struct frame *frame, const kin__pb_field *field)
{
    if (frame->has_members)
        put(w, ",");
    frame->has_members = true;
    put(w, "\"");
    put(w, kin__pb_name(field->name));
    put(w, "\":");
}

/* The next field that is there, or is null. False: there is none. */
static bool next_field(const struct writer *w, struct frame *frame, const kin__pb_field **ret)
{
    size_t n_fields = kin__pb_messages[frame->message].n_fields;

    for (; frame->field < n_fields; frame->field++) {
        const kin__pb_field *field = field_at(frame, frame->field);

        if ((frame->next < frame->end && w->index.entries[frame->next].field == frame->field) ||
            (field->flags & KIN__PB_NULL)) {
            *ret = field;
            return true;
        }
    }
    return false;
}

static int step_object(struct writer *w, struct frame *frame)
{
    const kin__pb_field *field;
    size_t first = frame->next;
    size_t end;

    if (!next_field(w, frame, &field)) {
        if (!frame->is_inline)
            put(w, "}");
        pop(w);
        return 0;
    }
    end = run_end(w, frame, frame->field);
    frame->next = (uint32_t)end;
    frame->field++;
    if (first == end) {
        write_name(w, frame, field);
        put(w, "null");
        return 0;
    }
    if (field->flags & KIN__PB_INLINE)
        return push(w, field->message, first, end, true);
    if ((field->flags & KIN__PB_OMIT_ZERO) && is_zero(w, field, first, end))
        return 0;
    write_name(w, frame, field);
    return write_value(w, field, first, end);
}

/* Of a map: the key, then the value, which may be left out if it is zero. */
static int step_entry(struct writer *w, struct frame *frame)
{
    const kin__pb_field *value = field_at(frame, 1);
    size_t key_end = run_end(w, frame, 0);
    kin_str key = kin_str_of("");
    int code;

    if (frame->field > 0) {
        pop(w);
        return 0;
    }
    if (key_end > frame->first)
        key = kin__pb_text(&w->index, key_end - 1);
    code = write_string(w, key);
    if (code < 0)
        return code;
    put(w, ":");
    frame->field = 2;
    if (key_end == frame->end && value->type != KIN__PB_MESSAGE) {
        write_zero(w, value);
        return 0;
    }
    return write_value(w, value, key_end, frame->end);
}

/* Of these, a schema is preferred to whether anything is allowed, and a list to a schema. */
static int step_choice(struct writer *w, struct frame *frame)
{
    size_t first = frame->end;

    if (frame->field > 0) {
        pop(w);
        return 0;
    }
    frame->field = 1;
    if (first == frame->first) {
        const kin__pb_field *field = field_at(frame, 0);

        /* A quantity that is not there is 0. */
        if (field->type == KIN__PB_STRING && !(field->flags & KIN__PB_REPEATED))
            put(w, "\"0\"");
        else
            put(w, field->type == KIN__PB_BOOL ? "false" : "null");
        return 0;
    }
    while (first > frame->first &&
           w->index.entries[first - 1].field == w->index.entries[frame->end - 1].field)
        first--;
    return write_value(w, field_at(frame, w->index.entries[first].field), first, frame->end);
}

/* The rest of them is written at once. */
static int write_leaf(struct writer *w, const struct frame *frame, enum kin__pb_form form)
{
    switch (form) {
    case KIN__PB_TIME:
        return write_time(w, frame, 0);
    case KIN__PB_MICRO_TIME:
        return write_time(w, frame, 6);
    case KIN__PB_INT_OR_STRING:
        return write_int_or_string(w, frame);
    default:
        return write_raw(w, frame);
    }
}

static int step(struct writer *w)
{
    struct frame *frame = top(w);
    enum kin__pb_form form = (enum kin__pb_form)kin__pb_messages[frame->message].form;
    int code;

    if (frame->closing)
        return step_list(w, frame);
    switch (form) {
    case KIN__PB_OBJECT:
        return step_object(w, frame);
    case KIN__PB_ENTRY:
        return step_entry(w, frame);
    case KIN__PB_CHOICE:
        return step_choice(w, frame);
    default:
        code = write_leaf(w, frame, form);
        pop(w);
        return code;
    }
}

/* --- bodies --- */

static const kin__pb_kind *find_kind(const kin__protobuf_type *type)
{
    for (size_t i = 1; i < kin__pb_n_kinds; i++) {
        const kin__pb_kind *kind = &kin__pb_kinds[i];
        kin_str version = kin_str_of(kin__pb_name(kind->api_version));

        if (kin_str_equal(type->kind, kin_str_of(kin__pb_name(kind->kind))) &&
            (version.len == 0 || kin_str_equal(type->api_version, version)))
            return kind;
    }
    return NULL;
}

/* The last text of a field of a message whose entries are the last ones, from `first` on. */
static kin_str last_text(const kin__pb_index *index, size_t first, unsigned field)
{
    for (size_t i = index->n; i > first; i--)
        if (index->entries[i - 1].field == field)
            return kin__pb_text(index, i - 1);
    return kin_str_of("");
}

/*
 * The envelope: what the object is, and its bytes. Afterwards one entry is left, which is the
 * object.
 */
static int open_envelope(struct writer *w, kin__protobuf_type *ret_type)
{
    enum { TYPE, RAW };
    enum { API_VERSION, KIND };
    const kin__pb_message *envelope = &kin__pb_messages[kin__pb_kinds[0].message];
    const kin__pb_message *meta =
        &kin__pb_messages[kin__pb_fields[envelope->first_field + TYPE].message];
    kin__pb_index *index = &w->index;
    kin__protobuf_type type;
    size_t type_end = 1;
    size_t end;
    kin_str raw;
    int code = kin__pb_index_rest(index, sizeof(prefix), w->err);

    if (code == 0)
        code = kin__pb_index_message(index, envelope, 0, 1, w->err);
    if (code < 0)
        return code;
    raw = last_text(index, 1, RAW);
    end = index->n;
    while (type_end < end && index->entries[type_end].field == TYPE)
        type_end++;
    code = kin__pb_index_message(index, meta, 1, type_end, w->err);
    if (code < 0)
        return code;
    type = (kin__protobuf_type){last_text(index, end, API_VERSION), last_text(index, end, KIND)};
    if (!is_text(type.api_version) || !is_text(type.kind))
        return fail(w, not_utf8);
    *ret_type = type;
    index->n = 0;
    if (!raw.data || raw.len == 0)
        raw = kin_str_make(index->data.data + index->data.len, 0);
    index->data.len = (size_t)(raw.data - index->data.data) + raw.len;
    return kin__pb_index_rest(index, (size_t)(raw.data - index->data.data), w->err);
}

static int check_prefix(struct writer *w, kin_str body)
{
    if (body.len == 0)
        return fail(w, "empty data");
    if (body.len < sizeof(prefix) || memcmp(body.data, prefix, sizeof(prefix)) != 0)
        return fail(w, "provided data does not appear to be a protobuf message, expected prefix "
                       "[107 56 115 0]");
    if (body.len == sizeof(prefix))
        return fail(w, "empty body");
    if (body.len > KIN__TEXT_MAX)
        return kin_error_set(w->err, KIN_ELIMIT, "the body is larger than %u bytes", KIN__TEXT_MAX);
    return 0;
}

/* A member that the envelope has, and not the message. */
static int write_type(struct writer *w, const char *name, kin_str value)
{
    struct frame *frame = top(w);

    if (value.len == 0)
        return 0;
    if (frame->has_members)
        put(w, ",");
    frame->has_members = true;
    put(w, name);
    return write_string(w, value);
}

static int write_object(struct writer *w, const kin__protobuf_type *said,
                        const kin__protobuf_type *type)
{
    const kin__pb_kind *kind = find_kind(type);
    /* Of a kind that is not known the envelope's message is as good: nothing lies in it. */
    int code =
        kind ? push(w, kind->message, 0, 1, false) : push(w, kin__pb_kinds[0].message, 0, 0, false);

    if (code == 0)
        code = write_type(w, "\"kind\":", said->kind);
    if (code == 0)
        code = write_type(w, "\"apiVersion\":", said->api_version);
    while (code == 0 && w->out->failed == 0 && w->frames.len > 0)
        code = step(w);
    return code;
}

int kin__protobuf_to_json(kin__buf *out, kin_str body, kin__protobuf_type expected,
                          kin__protobuf_type *ret_type, kin_error *err)
{
    struct writer w = {.out = out, .err = err};
    kin__protobuf_type said = {kin_str_of(""), kin_str_of("")};
    int code;

    *ret_type = (kin__protobuf_type){kin_str_of(""), kin_str_of("")};
    kin__pb_index_init(&w.index, body);
    kin__stack_init(&w.frames, sizeof(struct frame));
    code = check_prefix(&w, body);
    if (code == 0)
        code = open_envelope(&w, &said);
    if (code == 0) {
        *ret_type =
            (kin__protobuf_type){said.api_version.len > 0 ? said.api_version : expected.api_version,
                                 said.kind.len > 0 ? said.kind : expected.kind};
        code = write_object(&w, &said, ret_type);
    }
    if (code == 0 && out->failed == KIN_ELIMIT)
        code = kin_error_set(err, KIN_ELIMIT, "the object is larger than %zu bytes as JSON",
                             out->limit);
    else if (code == 0 && out->failed < 0)
        code = kin__error_no_memory(err);
    kin__stack_done(&w.frames);
    kin__pb_index_done(&w.index);
    return code;
}
