/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of protobuf: see protobuf_reader.h. Each map and array of the document that is open is a frame on a stack:
 * nothing recurses.
 *
 * Go writes numbers and strings also where they are zero. JSON of the same object leaves them out if their tag says
 * so, has null where a list that it does not leave out is nil, and {} for structs that are not pointers. The tables
 * say which.
 *
 * Values of messages that are not objects in JSON (timestamps, quantities, JSON itself) are read at once, without a
 * frame. Messages with fields in an unusual order are rare; they are left to
 * kin__protobuf_order(), so that the loop here reads each byte once.
 */
#include "object/protobuf_reader.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "kinform/time.h"
#include "object/json_scan.h"
#include "object/number.h"
#include "object/protobuf_wire.h"
#include "object/raw_cache.h"

/* The zero value of Go's time, 0001-01-01T00:00:00Z. */
#define ZERO_TIME INT64_C(-62135596800)
/* Microseconds of a second. */
#define MICROS 1000000
/* Documents of fewer values are not refused, however few bytes they come from. */
#define NODES_MIN 1024u
/* The form in the raw cache of the items of a field, with their tags. Others are those of messages. */
#define FORM_ITEMS 0x8000u
#define FORM_MESSAGE 1u
/* Keys of the dictionary that were found, by field. */
#define KEY_IDS 8192u

enum frame_type {
    MESSAGE, /* a map */
    INLINE,  /* a message whose members are those of the frame below */
    LIST,    /* an array of messages */
    MAP,     /* entries */
};

struct kin__protobuf_frame {
    const unsigned char *p; /* what is read next */
    const unsigned char *end;
    const kin__pb_field *first;      /* of a message; of others the field itself */
    const kin__pb_field *field;      /* of a message: the first that may come */
    const kin__pb_field *fields_end; /* of a message */
    const kin__projected *projected; /* of the elements; NULL keeps all */
    uint8_t type;
    uint8_t tag_len; /* of items */
    bool has_nulls;  /* of a message: members may be null because they are not there */
};

/* What the projection says of a value. */
struct fate {
    bool is_kept;
    const kin__projected *below; /* of its elements; NULL keeps all */
};

/*
 * Of entries that another thread may just have learnt: release and acquire, as in the dictionary.
 */
static _Atomic uint16_t key_ids[KEY_IDS]; /* of the name, plus one; 0: not found yet */
static _Atomic uint16_t
    word_ids[KEY_IDS]; /* of the value that was a word last, plus one; 0: none was */

void kin__protobuf_reader_init(kin__protobuf_reader *reader, kin__draft *draft,
                               kin__json_parser *json)
{
    *reader = (kin__protobuf_reader){.draft = draft, .json = json};
    /* Seconds of another slot, which match nothing. */
    for (unsigned i = 0; i < KIN__PROTOBUF_TIMES; i++)
        reader->times[i] = i + 1;
}

void kin__protobuf_reader_done(kin__protobuf_reader *reader)
{
    kin__free(reader->frames);
}

/* --- failures --- */

static uint64_t offset_of(const kin__protobuf_reader *r, const unsigned char *at)
{
    return r->origin + (uint64_t)(at - r->begin);
}

static int fail_code(const kin__protobuf_reader *r, const unsigned char *at, int code,
                     const char *words)
{
    kin_error_set(r->err, code, "%s", words);
    if (r->err && r->err->size >= sizeof(*r->err))
        r->err->offset = offset_of(r, at);
    return code;
}

/* Without " at byte N": the words are those of the real server. */
static int fail(const kin__protobuf_reader *r, const unsigned char *at, const char *words)
{
    return fail_code(r, at, KIN_EPARSE, words);
}

static int disordered(kin__protobuf_reader *r, const unsigned char *at)
{
    r->is_disordered = true;
    return fail(r, at, "fields in an unusual order");
}

static int no_room(const kin__protobuf_reader *r, const unsigned char *at, int code)
{
    if (code == KIN_ENOMEM)
        return kin__error_no_memory(r->err);
    return fail_code(r, at, code, "an object of too many values");
}

static inline bool is_crowded(const kin__protobuf_reader *r)
{
    return r->draft->len > r->nodes_max;
}

/* JSON has no such limit: its text is longer. */
static int fail_crowded(kin__protobuf_reader *r, const unsigned char *at)
{
    r->needs_json = true;
    return fail_code(r, at, KIN_ELIMIT, "an object of too many values for its length");
}

static int push_failed(const kin__protobuf_reader *r, const unsigned char *at)
{
    return no_room(r, at, kin__draft_push_code(r->draft));
}

static int fail_wire(const kin__protobuf_reader *r, const unsigned char *at,
                     const kin__pb_field *field, unsigned wire)
{
    fail(r, at, "");
    return kin__pb_fail_wire(field, wire, r->err);
}

/* --- keys --- */

static kin_str name_of(const kin__pb_field *field)
{
    return kin_str_of(kin__pb_name(field->name));
}

static int set_new_key(kin__protobuf_reader *r, const kin__pb_field *field)
{
    size_t place = (size_t)(field - kin__pb_fields);
    kin_str name = name_of(field);
    uint16_t id = kin__keys_find(name);

    if (id == KIN__KEY_TEXT)
        return kin__draft_key(r->draft, name, r->err);
    if (place < KEY_IDS)
        atomic_store_explicit(&key_ids[place], (uint16_t)(id + 1), memory_order_release);
    kin__draft_set_key(r->draft, id);
    return 0;
}

static inline int set_key(kin__protobuf_reader *r, const kin__pb_field *field)
{
    size_t place = (size_t)(field - kin__pb_fields);
    unsigned id = 0;

    if (kin__likely(place < KEY_IDS))
        id = atomic_load_explicit(&key_ids[place], memory_order_acquire);
    if (kin__unlikely(id == 0))
        return set_new_key(r, field);
    kin__draft_set_key(r->draft, (uint16_t)(id - 1));
    return 0;
}

/* --- the projection --- */

static struct fate decide(enum kin__projection_verdict verdict, const kin__projected *below,
                          bool is_container)
{
    struct fate fate = {true, NULL};

    switch (verdict) {
    case KIN__PROJECTION_KEEP:
        break;
    case KIN__PROJECTION_DROP:
        fate.is_kept = false;
        break;
    case KIN__PROJECTION_DESCEND_ONLY:
        fate.is_kept = is_container;
        fate.below = below;
        break;
    case KIN__PROJECTION_DESCEND:
        fate.below = below;
        break;
    }
    return fate;
}

static inline struct fate fate_of_member(const struct kin__protobuf_frame *f, kin_str key,
                                         bool is_container)
{
    const kin__projected *below = NULL;
    enum kin__projection_verdict verdict;

    if (kin__likely(!f->projected))
        return (struct fate){true, NULL};
    verdict = kin__projection_member(f->projected, key, &below);
    return decide(verdict, below, is_container);
}

static inline struct fate fate_of_item(const kin__projected *projected, bool is_container)
{
    const kin__projected *below = NULL;
    enum kin__projection_verdict verdict;

    if (kin__likely(!projected))
        return (struct fate){true, NULL};
    verdict = kin__projection_item(projected, &below);
    return decide(verdict, below, is_container);
}

/* --- values without elements --- */

static int add_small(kin__protobuf_reader *r, const unsigned char *at, enum kin__node_type type,
                     uint64_t value)
{
    kin__node *node = kin__draft_push(r->draft, type);

    if (kin__unlikely(!node))
        return push_failed(r, at);
    kin__draft_small(r->draft, node, value);
    return 0;
}

static inline bool is_ascii(const unsigned char *p, size_t len)
{
    const uint64_t highs = UINT64_C(0x8080808080808080);
    uint64_t all = 0;
    uint64_t bytes;

    if (len >= 8) {
        for (size_t i = 0; i + 8 <= len; i += 8) {
            memcpy(&bytes, p + i, 8);
            all |= bytes;
        }
        memcpy(&bytes, p + len - 8, 8);
        return ((all | bytes) & highs) == 0;
    }
    while (len > 0)
        all |= p[--len];
    return (all & 0x80) == 0;
}

/* As Go writes it as JSON: each byte that is not of a character becomes U+FFFD. */
static int repair_text(kin__protobuf_reader *r, const unsigned char *at, kin_str *text)
{
    size_t n = text->len;
    const char *from = text->data;
    char *to = n > KIN__TEXT_MAX / 3 ? NULL : kin__draft_alloc(r->draft, 3 * n);
    size_t len = 0;

    if (!to)
        return no_room(r, at, n > KIN__TEXT_MAX / 3 ? KIN_ELIMIT : KIN_ENOMEM);
    while (n > 0) {
        size_t valid = kin__utf8_char_len(from, n);

        memcpy(to + len, valid > 0 ? from : "\xef\xbf\xbd", valid > 0 ? valid : 3);
        len += valid > 0 ? valid : 3;
        from += valid > 0 ? valid : 1;
        n -= valid > 0 ? valid : 1;
    }
    *text = kin_str_make(to, len);
    return 0;
}

/* What a text is in JSON; checked against the limit. */
static inline int take_text(kin__protobuf_reader *r, const unsigned char *p, size_t len,
                            kin_str *ret)
{
    *ret = kin_str_make((const char *)p, len);
    if (kin__unlikely(len > r->json->string_max))
        return fail_code(r, p, KIN_ELIMIT, "string too long");
    if (kin__likely(is_ascii(p, len)) || kin__utf8_check((const char *)p, len))
        return 0;
    return repair_text(r, p, ret);
}

static inline int add_text(kin__protobuf_reader *r, const unsigned char *at, kin_str text)
{
    kin__node *node = kin__draft_push(r->draft, KIN__NODE_STRING);

    if (kin__unlikely(!node))
        return push_failed(r, at);
    kin__draft_text(r->draft, node, text.data, text.len);
    return 0;
}

static inline int add_string(kin__protobuf_reader *r, const unsigned char *p, size_t len)
{
    kin_str text = kin_str_of("");
    int code = take_text(r, p, len, &text);

    return code < 0 ? code : add_text(r, p, text);
}

/* A text that is not in the input. */
static int add_copy(kin__protobuf_reader *r, const unsigned char *at, const char *text, size_t len)
{
    char *copy = kin__draft_alloc(r->draft, len);

    if (!copy)
        return kin__error_no_memory(r->err);
    memcpy(copy, text, len);
    return add_text(r, at, kin_str_make(copy, len));
}

static int add_base64(kin__protobuf_reader *r, const unsigned char *in, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t len = (n + 2) / 3 * 4;

    if (len > r->json->string_max)
        return fail_code(r, in, KIN_ELIMIT, "string too long");

    char *text = kin__draft_alloc(r->draft, len);
    char *p = text;

    if (!text)
        return kin__error_no_memory(r->err);
    for (size_t i = 0; i < n; i += 3) {
        size_t left = n - i;
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
    return add_text(r, in, kin_str_make(text, len));
}

static double double_of(const unsigned char *p)
{
    uint64_t bits = 0;
    double value;

    for (size_t i = 0; i < sizeof(bits); i++)
        bits |= (uint64_t)p[i] << (8 * i);
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static int add_double(kin__protobuf_reader *r, const unsigned char *p)
{
    char text[KIN__NUMBER_DOUBLE_SIZE];
    size_t len = kin__number_format_double(text, sizeof(text), double_of(p));
    char *copy;

    if (len == 0)
        return fail(r, p, "json: unsupported value: a number is not finite");
    copy = kin__draft_alloc(r->draft, len);
    if (!copy)
        return kin__error_no_memory(r->err);
    memcpy(copy, text, len);
    return kin__draft_number(r->draft, kin_str_make(copy, len), r->err);
}

/* 32 bits of a number of 32 bits count. */
static int add_integer(kin__protobuf_reader *r, const unsigned char *at, const kin__pb_field *field,
                       uint64_t value)
{
    if (field->type == KIN__PB_BOOL)
        return add_small(r, at, value ? KIN__NODE_TRUE : KIN__NODE_FALSE, 0);
    if (field->type == KIN__PB_INT32)
        value = (uint64_t)(int64_t)(int32_t)(uint32_t)value;
    return add_small(r, at, KIN__NODE_INTEGER, value);
}

/* A value that is not there, where JSON has one. */
static int add_zero(kin__protobuf_reader *r, const unsigned char *at, const kin__pb_field *field)
{
    switch ((enum kin__pb_type)field->type) {
    case KIN__PB_STRING:
    case KIN__PB_BYTES:
        return add_text(r, at, kin_str_of(""));
    case KIN__PB_MESSAGE:
        return add_small(r, at, KIN__NODE_NULL, 0);
    default:
        return add_integer(r, at, field, 0);
    }
}

/* --- messages without elements --- */

/* Reads a field of one; NULL on failure. */
static const unsigned char *read_part(const kin__protobuf_reader *r, const unsigned char *p,
                                      const unsigned char *end, kin__pb_part *ret)
{
    const unsigned char *at = p;
    const char *why = NULL;

    p = kin__pb_next_field(p, end, ret, &why);
    if (kin__unlikely(!p))
        fail(r, at, why);
    return p;
}

static int fail_unknown(kin__protobuf_reader *r, const unsigned char *at, uint32_t number)
{
    const kin__draft *draft = r->draft;
    char around[64] = "the object";

    if (draft->depth > 1) {
        const kin__node *node = &draft->nodes[draft->frames[draft->depth - 1].node];

        if (node->key < KIN__KEYS_MAX)
            snprintf(around, sizeof(around), "\"%.40s\"", kin__keys_text(node->key).data);
    }
    r->needs_json = true;
    fail(r, at, "");
    return kin_error_set(r->err, KIN_EPROTOCOL,
                         "%s has a protobuf field, number %u, that is newer than this library",
                         around, (unsigned)number);
}

/* A field that the table lacks. */
static int pass_unknown(kin__protobuf_reader *r, const unsigned char *at, uint32_t number,
                        unsigned wire)
{
    if (wire == KIN__PB_END_GROUP)
        return fail(r, at, "proto: wiretype end group for non-group");
    if ((int32_t)number <= 0) {
        fail(r, at, "");
        return kin_error_set(r->err, KIN_EPARSE, "proto: illegal tag %d (wire type %u)",
                             (int)(int32_t)number, wire);
    }
    return r->skips_unknown ? 0 : fail_unknown(r, at, number);
}

/* Reads the fields of a small message in order: numbers from 1 to `n` into parts[0] and so on; wire 7: not there. */
static int read_parts(kin__protobuf_reader *r, unsigned message, const unsigned char *p, size_t len,
                      kin__pb_part *parts, unsigned n)
{
    const kin__pb_field *fields = kin__pb_fields + kin__pb_messages[message].first_field;
    const unsigned char *end = p + len;
    uint32_t last = 0;
    int code = 0;

    for (unsigned i = 0; i < n; i++)
        parts[i] = (kin__pb_part){.wire = 7};
    while (p < end && code == 0) {
        const unsigned char *at = p;
        kin__pb_part part = {.wire = 7};

        p = read_part(r, p, end, &part);
        if (!p)
            return KIN_EPARSE;
        if (part.number == 0 || part.number > n) {
            code = pass_unknown(r, at, part.number, part.wire);
        } else if (part.number <= last) {
            code = disordered(r, at);
        } else if (part.wire != kin__pb_wire_of(&fields[part.number - 1])) {
            code = fail_wire(r, at, &fields[part.number - 1], part.wire);
        } else {
            last = part.number;
            parts[last - 1] = part;
        }
    }
    return code;
}

/* As Go does: nanoseconds of any number, cut to microseconds. */
static kin_time micro_time(int64_t seconds, int32_t nanoseconds)
{
    int32_t micros = nanoseconds / 1000;
    int32_t carry = micros / MICROS - (micros % MICROS < 0);

    /* Seconds for which this overflows are not within the years that have a text. */
    if (carry > 0 ? seconds > INT64_MAX - carry : seconds < INT64_MIN - carry)
        return (kin_time){seconds, 0};
    return (kin_time){seconds + carry, (micros - carry * MICROS) * 1000};
}

/* A timestamp; `is_zero` if JSON has null. Nanoseconds count in those with a fraction only. */
static int read_time(kin__protobuf_reader *r, unsigned message, const unsigned char *p, size_t len,
                     kin_time *ret, bool *ret_is_zero)
{
    kin__pb_part parts[2];
    int code = read_parts(r, message, p, len, parts, 2);

    *ret = (kin_time){(int64_t)parts[0].integer, 0};
    if (kin__pb_messages[message].form == KIN__PB_MICRO_TIME)
        *ret = micro_time(ret->seconds, (int32_t)(uint32_t)parts[1].integer);
    *ret_is_zero = len == 0 || (ret->seconds == ZERO_TIME && ret->nanoseconds == 0);
    return code;
}

/* A timestamp without fraction of the usual length. */
static int add_seconds(kin__protobuf_reader *r, const unsigned char *at, int64_t seconds)
{
    unsigned slot = (unsigned)((uint64_t)seconds % KIN__PROTOBUF_TIMES);
    char text[KIN_TIME_TEXT_SIZE];
    size_t len;

    if (r->times[slot] == seconds)
        return add_copy(r, at, r->time_texts[slot], KIN__PROTOBUF_TIME_LEN);
    len = kin_time_format(text, sizeof(text), (kin_time){seconds, 0}, 0);
    if (len == 0)
        return fail(r, at, "a timestamp is not within the years 0 to 9999");
    if (len == KIN__PROTOBUF_TIME_LEN) {
        r->times[slot] = seconds;
        memcpy(r->time_texts[slot], text, len);
    }
    return add_copy(r, at, text, len);
}

static int add_time(kin__protobuf_reader *r, const unsigned char *at, kin_time time, bool is_zero,
                    unsigned digits)
{
    char text[KIN_TIME_TEXT_SIZE];
    size_t len;

    if (is_zero)
        return add_small(r, at, KIN__NODE_NULL, 0);
    if (digits == 0)
        return add_seconds(r, at, time.seconds);
    len = kin_time_format(text, sizeof(text), time, digits);
    if (len == 0)
        return fail(r, at, "a timestamp is not within the years 0 to 9999");
    return add_copy(r, at, text, len);
}

static int add_int_or_string(kin__protobuf_reader *r, unsigned message, const unsigned char *p,
                             size_t len)
{
    kin__pb_part parts[3];
    int code = read_parts(r, message, p, len, parts, 3);

    if (code < 0)
        return code;
    switch (parts[0].integer) {
    case 0:
        return add_small(r, p, KIN__NODE_INTEGER,
                         (uint64_t)(int64_t)(int32_t)(uint32_t)parts[1].integer);
    case 1:
        return add_string(r, parts[2].data ? parts[2].data : p, parts[2].len);
    default:
        return fail(r, p, "impossible IntOrString.Type");
    }
}

static bool is_json_container(const unsigned char *p, size_t len)
{
    const char *at = kin__json_skip_space((const char *)p, (const char *)p + len);

    return at < (const char *)p + len && (*at == '{' || *at == '[');
}

/* The JSON in a message; empty: null. */
static int read_json(kin__protobuf_reader *r, unsigned message, const unsigned char *p, size_t len,
                     kin_str *ret)
{
    kin__pb_part part;
    int code = read_parts(r, message, p, len, &part, 1);

    *ret = kin_str_make((const char *)part.data, part.data ? part.len : 0);
    return code;
}

/* --- frames --- */

static struct kin__protobuf_frame *push_frame(kin__protobuf_reader *r)
{
    if (kin__unlikely(r->n_frames == r->frames_cap)) {
        void *frames =
            kin__grow_array(r->frames, &r->frames_cap, r->frames_cap < 32 ? 32 : r->frames_cap + 1,
                            sizeof(*r->frames));

        if (!frames) {
            kin__error_no_memory(r->err);
            return NULL;
        }
        r->frames = frames;
    }
    return &r->frames[r->n_frames++];
}

/* Opens a map or array whose bytes begin at `at`. */
static int open_container(kin__protobuf_reader *r, const unsigned char *at,
                          enum kin__node_type type, unsigned form)
{
    kin__draft *draft = r->draft;
    kin__node *node;

    if (kin__unlikely(draft->depth >= draft->depth_max))
        return fail_code(r, at, KIN_ELIMIT, "nested too deep");
    if (kin__unlikely(is_crowded(r)))
        return fail_crowded(r, at);
    if (kin__unlikely(!kin__draft_open(draft, type)))
        return push_failed(r, at);
    node = &draft->nodes[draft->len - 1];
    node->u.container.raw = (uint32_t)(at - r->begin);
    node->u.container.form = (uint16_t)form;
    return 0;
}

static int close_container(kin__protobuf_reader *r, const unsigned char *end, bool is_whole)
{
    kin__draft *draft = r->draft;
    uint32_t index = draft->frames[draft->depth - 1].node;
    int code = kin__draft_close(draft);
    kin__node *node = &draft->nodes[index];

    if (kin__unlikely(code < 0))
        return no_room(r, end, code);
    /* Where a part was left out, the bytes are not those of the value. */
    if (is_whole)
        node->len = (uint32_t)(end - r->begin) - node->u.container.raw;
    return 0;
}

/* Whether the bytes are a subtree that was read before; then it is added. */
static inline int take_known(kin__protobuf_reader *r, unsigned context, unsigned form,
                             const unsigned char *p, size_t len, bool *ret_known)
{
    kin__draft *draft = r->draft;
    struct kin__raw_known known;
    int code;

    *ret_known = false;
    /* compact.c has to see the metadata of the document itself. */
    if (!draft->raw_cache || draft->depth == 0 || len < KIN__RAW_TEXT_MIN ||
        (draft->depth == 1 && draft->key == KIN__KEY_METADATA))
        return 0;
    if (!kin__raw_cache_find_sized(draft->raw_cache, context, form, (const char *)p, len, &known) ||
        draft->depth + known.height > draft->depth_max)
        return 0;
    /* Labels must be readable in place. */
    if (!known.shared ||
        (draft->depth == 2 && draft->key == KIN__KEY_LABELS && known.shared->packed))
        return 0;
    *ret_known = true;
    kin__shared_ref(known.shared);
    code = kin__draft_add_shared(draft, known.shared);
    return kin__likely(code == 0) ? 0 : no_room(r, p, code);
}

static int push_message(kin__protobuf_reader *r, unsigned message, const unsigned char *p,
                        size_t len, const kin__projected *projected, enum frame_type type)
{
    const kin__pb_message *m = &kin__pb_messages[message];
    const kin__pb_field *first = kin__pb_fields + m->first_field;
    struct kin__protobuf_frame *f = push_frame(r);

    if (kin__unlikely(!f))
        return KIN_ENOMEM;
    *f = (struct kin__protobuf_frame){.p = p,
                                      .end = p + len,
                                      .first = first,
                                      .field = first,
                                      .fields_end = first + m->n_fields,
                                      .projected = projected,
                                      .type = (uint8_t)type,
                                      .has_nulls = m->has_nulls};
    return 0;
}

/* A message that is a map in JSON. */
static int open_message(kin__protobuf_reader *r, unsigned context, unsigned message,
                        const unsigned char *p, size_t len, const kin__projected *projected)
{
    unsigned form = FORM_MESSAGE + message;
    bool is_known = false;
    int code = 0;

    if (!projected)
        code = take_known(r, context, form, p, len, &is_known);
    if (code < 0 || is_known)
        return code;
    code = open_container(r, p, KIN__NODE_MAP, form);
    return code < 0 ? code : push_message(r, message, p, len, projected, MESSAGE);
}

/* --- lists --- */

/* Where the items of a list end that begin with the tag at `p`. NULL on failure. */
static const unsigned char *items_end(const kin__protobuf_reader *r, const unsigned char *p,
                                      const unsigned char *end, size_t tag_len)
{
    const unsigned char *tag = p;
    const char *why = NULL;
    size_t len;

    while ((size_t)(end - p) > tag_len && p[0] == tag[0] &&
           (tag_len == 1 || memcmp(p, tag, tag_len) == 0)) {
        const unsigned char *at = p;

        p = kin__pb_length(p + tag_len, end, &len, &why);
        if (kin__unlikely(!p)) {
            fail(r, at, why);
            return NULL;
        }
        p += len;
    }
    return p;
}

static int add_bytes(kin__protobuf_reader *r, const kin__pb_field *field, const unsigned char *p,
                     size_t len)
{
    return field->type == KIN__PB_STRING ? add_string(r, p, len) : add_base64(r, p, len);
}

/* The items of a list of texts: checked by items_end(). */
static int add_texts(kin__protobuf_reader *r, const kin__pb_field *field, const unsigned char *p,
                     const unsigned char *end, size_t tag_len)
{
    const char *why = NULL;
    size_t len = 0;
    int code = 0;

    while (p < end && code == 0) {
        p = kin__pb_length(p + tag_len, end, &len, &why);
        if (kin__unlikely(!p))
            return fail(r, end, why);
        if (kin__unlikely(is_crowded(r)))
            return fail_crowded(r, p);
        code = add_bytes(r, field, p, len);
        p += len;
    }
    return code;
}

/* Messages, maps, texts: each item has a tag and a length. *ret_end is the end of the last one. */
static int add_items(kin__protobuf_reader *r, const kin__pb_field *field, const unsigned char *p,
                     const unsigned char *end, size_t tag_len, const kin__projected *below,
                     const unsigned char **ret_end)
{
    unsigned place = (unsigned)(field - kin__pb_fields);
    bool is_map = field->flags & KIN__PB_MAP;
    bool is_known = false;
    int code = 0;

    end = items_end(r, p, end, tag_len);
    if (kin__unlikely(!end))
        return KIN_EPARSE;
    *ret_end = end;
    if (!below)
        code = take_known(r, place * 2, FORM_ITEMS + place, p, (size_t)(end - p), &is_known);
    if (code < 0 || is_known)
        return code;
    code = open_container(r, p, is_map ? KIN__NODE_MAP : KIN__NODE_ARRAY, FORM_ITEMS + place);
    if (code < 0)
        return code;
    if (field->type == KIN__PB_MESSAGE) {
        struct kin__protobuf_frame *f = push_frame(r);

        if (!f)
            return KIN_ENOMEM;
        *f = (struct kin__protobuf_frame){.p = p,
                                          .end = end,
                                          .first = field,
                                          .projected = below,
                                          .type = is_map ? MAP : LIST,
                                          .tag_len = (uint8_t)tag_len};
        return 0;
    }
    if (fate_of_item(below, false).is_kept)
        code = add_texts(r, field, p, end, tag_len);
    return code < 0 ? code : close_container(r, end, !below);
}

static int add_number_at(kin__protobuf_reader *r, const kin__pb_field *field,
                         const unsigned char **p, const unsigned char *end)
{
    const unsigned char *at = *p;
    const char *why = NULL;
    uint64_t value;

    if (field->type == KIN__PB_DOUBLE) {
        if (end - at < 8)
            return fail(r, at, KIN__PB_EOF);
        *p = at + 8;
        return add_double(r, at);
    }
    *p = kin__pb_varint(at, end, &value, &why);
    return *p ? add_integer(r, at, field, value) : fail(r, at, why);
}

/* A list of numbers: each with a tag, or many that share one. *ret_end is the end of the last one. */
static int add_numbers(kin__protobuf_reader *r, const kin__pb_field *field, const unsigned char *p,
                       const unsigned char *end, const kin__projected *below,
                       const unsigned char **ret_end)
{
    bool is_kept = fate_of_item(below, false).is_kept;
    unsigned place = (unsigned)(field - kin__pb_fields);
    size_t len = 0;
    uint64_t tag;
    const char *why = NULL;
    const unsigned char *at = p;
    int code = open_container(r, p, KIN__NODE_ARRAY, FORM_ITEMS + place);

    while (code == 0) {
        const unsigned char *stop;

        *ret_end = at;
        if (at == end)
            break;
        p = kin__pb_varint(at, end, &tag, &why);
        if (!p)
            return fail(r, at, why);
        if (tag >> 3 != field->number)
            break;
        if ((tag & 7) == KIN__PB_LEN) {
            p = kin__pb_length(p, end, &len, &why);
            if (!p)
                return fail(r, at, why);
            stop = p + len;
        } else if ((tag & 7) == kin__pb_wire_of(field)) {
            stop = kin__pb_skip(p, end, tag & 7, &why);
            if (!stop)
                return fail(r, at, why);
        } else {
            return fail_wire(r, at, field, tag & 7);
        }
        while (code == 0 && is_kept && p < stop)
            code = is_crowded(r) ? fail_crowded(r, p) : add_number_at(r, field, &p, stop);
        at = stop;
    }
    return code < 0 ? code : close_container(r, *ret_end, !below);
}

/* --- values of messages --- */

static int add_json(kin__protobuf_reader *r, unsigned context, const unsigned char *at,
                    kin_str text, const kin__projected *below)
{
    kin__json_parser *json = r->json;
    const kin__projected *projected = json->projected;
    size_t len = 0;
    int code;

    if (text.len == 0)
        return add_small(r, at, KIN__NODE_NULL, 0);
    if (!below && (text.data[0] == '{' || text.data[0] == '[')) {
        bool is_known;

        code = take_known(r, context, KIN__RAW_JSON, (const unsigned char *)text.data, text.len,
                          &is_known);
        if (code < 0 || is_known)
            return code;
    }
    json->projected = below;
    code = kin__json_parse_within(json, (const char *)r->begin, text, &len);
    json->projected = projected;
    if (code == KIN_ENOMEM)
        return kin__error_no_memory(r->err);
    if (code < 0)
        return kin__error_input(r->err, code, r->origin + json->offset, "%s", json->reason);
    if (kin__json_skip_space(text.data + len, text.data + text.len) < text.data + text.len)
        return fail(r, (const unsigned char *)text.data + len, "text behind the value");
    return 0;
}

/*
 * The last field of a message that has any, from its first tag on. `ret_field` is NULL if the message is empty, or else
 * the tag has `ret_tag_len` bytes.
 */
static int find_choice(kin__protobuf_reader *r, unsigned message, const unsigned char *p,
                       size_t len, const kin__pb_field **ret_field, const unsigned char **ret_items,
                       size_t *ret_tag_len)
{
    const kin__pb_message *m = &kin__pb_messages[message];
    const kin__pb_field *fields = kin__pb_fields + m->first_field;
    const unsigned char *end = p + len;
    uint32_t last = 0;
    int code = 0;

    *ret_field = NULL;
    *ret_items = p;
    *ret_tag_len = 0;
    while (p < end && code == 0) {
        const unsigned char *at = p;
        kin__pb_part part = {.wire = 7};

        p = read_part(r, p, end, &part);
        if (!p)
            return KIN_EPARSE;
        if (part.number == 0 || part.number > m->n_fields) {
            code = pass_unknown(r, at, part.number, part.wire);
        } else if (part.number < last ||
                   (part.number == last && !(fields[last - 1].flags & KIN__PB_REPEATED))) {
            code = disordered(r, at);
        } else if (part.wire != kin__pb_wire_of(&fields[part.number - 1])) {
            code = fail_wire(r, at, &fields[part.number - 1], part.wire);
        } else if (part.number != last) {
            last = part.number;
            *ret_field = &fields[last - 1];
            *ret_items = at;
            *ret_tag_len = part.tag_len;
        }
    }
    return code;
}

/* Nothing is chosen: a quantity that is not there is 0. */
static int add_no_choice(kin__protobuf_reader *r, unsigned message, const unsigned char *at)
{
    const kin__pb_field *field = kin__pb_fields + kin__pb_messages[message].first_field;

    if (field->type == KIN__PB_STRING && !(field->flags & KIN__PB_REPEATED))
        return add_text(r, at, kin_str_of("0"));
    return add_small(r, at, field->type == KIN__PB_BOOL ? KIN__NODE_FALSE : KIN__NODE_NULL, 0);
}

/* The value of a CHOICE that is not a message. `items` is the first tag of its field. */
static int add_chosen(kin__protobuf_reader *r, const kin__pb_field *field,
                      const unsigned char *items, size_t tag_len, const unsigned char *end,
                      const kin__projected *below)
{
    kin__pb_part part = {.wire = 7};

    if (field->flags & KIN__PB_REPEATED) {
        const unsigned char *items_end = end;
        int code = add_items(r, field, items, end, tag_len, below, &items_end);

        /* Another field follows, or an item whose tag has another length. */
        return code == 0 && items_end != end ? disordered(r, items_end) : code;
    }
    read_part(r, items, end, &part);
    return part.wire == KIN__PB_LEN ? add_bytes(r, field, part.data, part.len)
                                    : add_integer(r, items, field, part.integer);
}

/* A message that is not a CHOICE. */
static int add_plain_message(kin__protobuf_reader *r, unsigned context, unsigned message,
                             const unsigned char *p, size_t len, const kin__projected *below)
{
    enum kin__pb_form form = (enum kin__pb_form)kin__pb_messages[message].form;
    bool is_zero;
    kin_time time;
    kin_str text;
    int code;

    switch (form) {
    case KIN__PB_OBJECT:
        return open_message(r, context, message, p, len, below);
    case KIN__PB_TIME:
    case KIN__PB_MICRO_TIME:
        code = read_time(r, message, p, len, &time, &is_zero);
        return code < 0 ? code : add_time(r, p, time, is_zero, form == KIN__PB_MICRO_TIME ? 6 : 0);
    case KIN__PB_INT_OR_STRING:
        return add_int_or_string(r, message, p, len);
    case KIN__PB_RAW:
        code = read_json(r, message, p, len, &text);
        return code < 0 ? code : add_json(r, context, p, text, below);
    default:
        return fail(r, p, "an entry of a map outside of a map");
    }
}

/*
 * A message, as an item or a member whose key was set. Of a CHOICE the last field counts: a schema is preferred to
 * whether anything is allowed, and a list to a schema.
 */
static int add_message(kin__protobuf_reader *r, unsigned context, unsigned message,
                       const unsigned char *p, size_t len, const kin__projected *below)
{
    while (kin__pb_messages[message].form == KIN__PB_CHOICE) {
        kin__pb_part part = {.wire = 7};
        const kin__pb_field *field;
        const unsigned char *items;
        size_t tag_len;
        int code = find_choice(r, message, p, len, &field, &items, &tag_len);

        if (code < 0)
            return code;
        if (!field)
            return add_no_choice(r, message, p);
        if (field->type != KIN__PB_MESSAGE || (field->flags & KIN__PB_REPEATED))
            return add_chosen(r, field, items, tag_len, p + len, below);
        read_part(r, items, p + len, &part);
        message = field->message;
        p = part.data;
        len = part.len;
    }
    return add_plain_message(r, context, message, p, len, below);
}

/* See is_container(). */
static bool looks_like_container(kin__protobuf_reader *r, unsigned message, const unsigned char *p,
                                 size_t len)
{
    const kin__pb_field *field;
    const unsigned char *items;
    size_t tag_len;
    kin_str text;

    switch ((enum kin__pb_form)kin__pb_messages[message].form) {
    case KIN__PB_OBJECT:
        return true;
    case KIN__PB_RAW:
        return read_json(r, message, p, len, &text) < 0 ||
               is_json_container((const unsigned char *)text.data, text.len);
    case KIN__PB_CHOICE:
        return find_choice(r, message, p, len, &field, &items, &tag_len) < 0 ||
               (field && ((field->flags & KIN__PB_REPEATED) || field->type == KIN__PB_MESSAGE));
    default:
        return false;
    }
}

/*
 * Whether it is a map or array in JSON. True also for values that cannot be read: a projection must keep them, so
 * that reading them fails. This function itself reports no failure.
 */
static bool is_container(kin__protobuf_reader *r, unsigned message, const unsigned char *p,
                         size_t len)
{
    kin_error *err = r->err;
    bool result;

    r->err = NULL;
    result = looks_like_container(r, message, p, len);
    r->err = err;
    r->needs_json = false;
    r->is_disordered = false;
    return result;
}

/* --- the steps --- */

/* The next item of a list of messages, which items_end() has checked. */
static int step_list(kin__protobuf_reader *r, struct kin__protobuf_frame *f)
{
    const kin__pb_field *field = f->first;
    unsigned place = (unsigned)(field - kin__pb_fields);
    const unsigned char *p = f->p;
    const char *why = NULL;
    struct fate fate = {true, NULL};
    size_t len = 0;

    if (p == f->end) {
        bool is_whole = !f->projected;

        r->n_frames--;
        return close_container(r, p, is_whole);
    }
    p = kin__pb_length(p + f->tag_len, f->end, &len, &why);
    if (kin__unlikely(!p))
        return fail(r, f->end, why);
    f->p = p + len;
    if (kin__unlikely(f->projected != NULL))
        fate = fate_of_item(f->projected, is_container(r, field->message, p, len));
    if (!fate.is_kept)
        return 0;
    return add_message(r, place * 2 + 1, field->message, p, len, fate.below);
}

/* The value of an entry of a map, whose key was set. */
static int add_entry_value(kin__protobuf_reader *r, const kin__pb_field *value, unsigned context,
                           const kin__pb_part *part, const unsigned char *at,
                           const kin__projected *below)
{
    if (value->type == KIN__PB_MESSAGE)
        return add_message(r, context, value->message, part->wire == 7 ? at : part->data,
                           part->wire == 7 ? 0 : part->len, below);
    if (part->wire == 7)
        return add_zero(r, at, value);
    return part->wire == KIN__PB_LEN ? add_bytes(r, value, part->data, part->len)
                                     : add_integer(r, at, value, part->integer);
}

static int step_map(kin__protobuf_reader *r, struct kin__protobuf_frame *f)
{
    const kin__pb_field *field = f->first;
    const kin__pb_field *value = kin__pb_fields + kin__pb_messages[field->message].first_field + 1;
    const unsigned char *p = f->p;
    const char *why = NULL;
    kin__pb_part parts[2];
    struct fate fate;
    kin_str key;
    size_t len = 0;
    int code;

    if (p == f->end) {
        bool is_whole = !f->projected;

        r->n_frames--;
        return close_container(r, p, is_whole);
    }
    p = kin__pb_length(p + f->tag_len, f->end, &len, &why);
    if (kin__unlikely(!p))
        return fail(r, f->end, why);
    f->p = p + len;
    code = read_parts(r, field->message, p, len, parts, 2);
    if (code == KIN_EPARSE && !r->is_disordered)
        return fail(r, p, "proto: an entry of a map is malformed");
    if (code == 0)
        code = take_text(r, parts[0].data ? parts[0].data : p, parts[0].len, &key);
    if (code < 0)
        return code;
    fate = fate_of_member(
        f, key,
        f->projected && value->type == KIN__PB_MESSAGE &&
            is_container(r, value->message, parts[1].data ? parts[1].data : p, parts[1].len));
    if (!fate.is_kept)
        return 0;
    if (kin__unlikely(is_crowded(r)))
        return fail_crowded(r, p);
    code = kin__draft_key(r->draft, key, r->err);
    if (code < 0)
        return code;
    return add_entry_value(r, value, (unsigned)(field - kin__pb_fields) * 2 + 1, &parts[1], p,
                           fate.below);
}

/* JSON has null for those that are not there. */
static int add_nulls(kin__protobuf_reader *r, const struct kin__protobuf_frame *f,
                     const kin__pb_field *field, const kin__pb_field *end)
{
    int code = 0;

    if (kin__likely(!f->has_nulls))
        return 0;
    for (; field < end && code == 0; field++) {
        if (kin__likely(!(field->flags & KIN__PB_NULL)) ||
            !fate_of_member(f, name_of(field), false).is_kept)
            continue;
        code = set_key(r, field);
        if (code == 0)
            code = add_small(r, f->p, KIN__NODE_NULL, 0);
    }
    return code;
}

static bool is_before(const struct kin__protobuf_frame *f, uint32_t number)
{
    for (const kin__pb_field *field = f->first; field < f->field; field++) {
        if (field->number == number)
            return true;
    }
    return false;
}

/* Passes the fields that are not there before one with this number. *ret is NULL if the table lacks it. */
static int find_field(kin__protobuf_reader *r, struct kin__protobuf_frame *f, uint32_t number,
                      unsigned wire, const kin__pb_field **ret)
{
    const kin__pb_field *field = f->field;
    int code;

    while (field < f->fields_end && field->number < number)
        field++;
    *ret = NULL;
    if (field == f->fields_end || field->number != number)
        return is_before(f, number) ? disordered(r, f->p) : pass_unknown(r, f->p, number, wire);
    code = add_nulls(r, f, f->field, field);
    f->field = field;
    *ret = field;
    return code;
}

/* A member that is a message; `p` is behind its length. */
static int add_member_message(kin__protobuf_reader *r, const struct kin__protobuf_frame *f,
                              const kin__pb_field *field, const unsigned char *p, size_t len)
{
    unsigned form = kin__pb_messages[field->message].form;
    struct fate fate = {true, NULL};
    int code;

    if (field->flags & KIN__PB_INLINE)
        return push_message(r, field->message, p, len, f->projected, INLINE);
    if (kin__unlikely(f->projected != NULL))
        fate = fate_of_member(f, name_of(field), is_container(r, field->message, p, len));
    if (!fate.is_kept)
        return 0;
    if (form == KIN__PB_TIME || form == KIN__PB_MICRO_TIME) {
        bool is_zero;
        kin_time time;

        code = read_time(r, field->message, p, len, &time, &is_zero);
        if (code < 0 || (is_zero && (field->flags & KIN__PB_OMIT_ZERO)))
            return code;
        code = set_key(r, field);
        return code < 0 ? code : add_time(r, p, time, is_zero, form == KIN__PB_MICRO_TIME ? 6 : 0);
    }
    code = set_key(r, field);
    return code < 0 ? code
                    : add_message(r, (unsigned)(field - kin__pb_fields) * 2, field->message, p, len,
                                  fate.below);
}

/* A member that is an array or a map of its own; advances the frame past it. */
static int add_member_list(kin__protobuf_reader *r, struct kin__protobuf_frame *f,
                           const kin__pb_field *field, const unsigned char *p, size_t tag_len,
                           unsigned wire)
{
    struct fate fate = fate_of_member(f, name_of(field), true);
    bool has_lengths = kin__pb_wire_of(field) == KIN__PB_LEN;
    const unsigned char *end = f->end;
    int code;

    if (has_lengths && kin__unlikely(wire != KIN__PB_LEN))
        return fail_wire(r, p, field, wire);
    if (!fate.is_kept && has_lengths) {
        f->p = items_end(r, p, end, tag_len);
        return f->p ? 0 : KIN_EPARSE;
    }
    if (!fate.is_kept) {
        const char *why = NULL;

        f->p = kin__pb_skip(p + tag_len, end, wire, &why);
        f->field = field; /* the others follow */
        return f->p ? 0 : fail(r, p, why);
    }
    code = set_key(r, field);
    if (code < 0)
        return code;
    /* The frame may move. */
    size_t index = r->n_frames - 1;
    const unsigned char *stop = p;

    code = has_lengths ? add_items(r, field, p, end, tag_len, fate.below, &stop)
                       : add_numbers(r, field, p, end, fate.below, &stop);
    r->frames[index].p = stop;
    return code;
}

/* Whether texts of the frame's members may be words: those of the object's own metadata are looked at by compact.c. */
static inline bool may_be_words(const kin__draft *draft)
{
    return draft->depth != 2 ||
           draft->nodes[draft->frames[draft->depth - 1].node].key != KIN__KEY_METADATA;
}

/* Adds a text that is the word which the field had the last time. */
static inline bool add_last_word(kin__protobuf_reader *r, size_t place, const unsigned char *p,
                                 size_t len)
{
    unsigned id = atomic_load_explicit(&word_ids[place], memory_order_acquire);
    const struct kin__key_entry *word = &kin__key_entries[id > 0 ? id - 1 : 0];
    kin__node *node;

    if (id == 0 || word->len != len || !kin__same_bytes((const char *)p, word->text, len) ||
        kin__unlikely(len > r->json->string_max) || !may_be_words(r->draft))
        return false;
    node = kin__draft_push(r->draft, KIN__NODE_WORD);
    if (kin__unlikely(!node))
        return false; /* as a text it fails, too */
    node->len = id - 1;
    node->hash = word->hash;
    kin__draft_added(r->draft, node->hash, len + 2);
    return true;
}

/* Looks now and then whether the text that was just added is a word. */
static inline void note_word(kin__protobuf_reader *r, size_t place)
{
    const kin__node *node = &r->draft->nodes[r->draft->len - 1];
    uint16_t id;

    if (node->len > KIN__WORD_MAX || (++r->n_texts & 3) != 0)
        return;
    id = kin__keys_find_hashed(kin_str_make(node->u.text, node->len), node->hash);
    if (id != KIN__KEY_TEXT)
        atomic_store_explicit(&word_ids[place], (uint16_t)(id + 1), memory_order_release);
}

/* A text that is not a message; `p` is behind its length. */
static inline int add_member_text(kin__protobuf_reader *r, const struct kin__protobuf_frame *f,
                                  const kin__pb_field *field, const unsigned char *p, size_t len)
{
    int code;

    if (len == 0 && (field->flags & KIN__PB_OMIT_ZERO))
        return 0;
    if (kin__unlikely(f->projected != NULL) && !fate_of_member(f, name_of(field), false).is_kept)
        return 0;
    code = set_key(r, field);
    if (kin__unlikely(code < 0))
        return code;

    size_t place = (size_t)(field - kin__pb_fields);

    if (field->type != KIN__PB_STRING || place >= KEY_IDS)
        return add_bytes(r, field, p, len);
    if (add_last_word(r, place, p, len))
        return 0;
    code = add_string(r, p, len);
    if (kin__likely(code == 0))
        note_word(r, place);
    return code;
}

static bool is_zero_number(const kin__pb_field *field, const unsigned char *p, uint64_t value)
{
    if (field->type == KIN__PB_DOUBLE)
        return double_of(p) == 0;
    return field->type == KIN__PB_INT32 ? (uint32_t)value == 0 : value == 0;
}

/* A number; advances the frame past it. */
static int add_member_number(kin__protobuf_reader *r, struct kin__protobuf_frame *f,
                             const kin__pb_field *field, const unsigned char *p)
{
    const unsigned char *at = p;
    const char *why = NULL;
    uint64_t value = 0;
    int code;

    if (field->type != KIN__PB_DOUBLE)
        p = kin__pb_varint(p, f->end, &value, &why);
    else if (f->end - p >= 8)
        p += 8;
    else
        return fail(r, at, KIN__PB_EOF);
    if (!p)
        return fail(r, at, why);
    f->p = p;
    if ((field->flags & KIN__PB_OMIT_ZERO) && is_zero_number(field, at, value))
        return 0;
    if (!fate_of_member(f, name_of(field), false).is_kept)
        return 0;
    code = set_key(r, field);
    if (code < 0)
        return code;
    return field->type == KIN__PB_DOUBLE ? add_double(r, at) : add_integer(r, at, field, value);
}

static int end_message(kin__protobuf_reader *r, struct kin__protobuf_frame *f)
{
    bool is_whole = !f->projected;
    bool is_inline = f->type == INLINE;
    const unsigned char *end = f->end;
    int code = add_nulls(r, f, f->field, f->fields_end);

    r->n_frames--;
    return code < 0 || is_inline ? code : close_container(r, end, is_whole);
}

/*
 * The field of the tag at the frame's position, with its wire type and the position after the tag. 1, 0: a field that the
 * table lacks was skipped, or a code.
 */
static inline int take_tag(kin__protobuf_reader *r, struct kin__protobuf_frame *f,
                           const kin__pb_field **ret, unsigned *ret_wire,
                           const unsigned char **ret_after)
{
    const kin__pb_field *field = f->field;
    const char *why = NULL;
    uint64_t tag = 0;
    const unsigned char *p = kin__pb_varint(f->p, f->end, &tag, &why);

    if (kin__unlikely(!p))
        return fail(r, f->p, why);
    if (kin__unlikely(field == f->fields_end || field->number != (uint32_t)(tag >> 3))) {
        int code = find_field(r, f, (uint32_t)(tag >> 3), tag & 7, &field);

        if (kin__unlikely(code < 0))
            return code;
        if (!field) {
            const unsigned char *at = f->p;

            f->p = kin__pb_skip(p, f->end, tag & 7, &why);
            return f->p ? 0 : fail(r, at, why);
        }
    }
    f->field = field + 1;
    *ret = field;
    *ret_wire = tag & 7;
    *ret_after = p;
    return 1;
}

/* A member; `p` is after its tag. Advances the frame past it, unless it fails. */
static inline int add_member(kin__protobuf_reader *r, struct kin__protobuf_frame *f,
                             const kin__pb_field *field, unsigned wire, const unsigned char *p)
{
    const unsigned char *at = f->p;
    const char *why = NULL;
    size_t len;

    if (field->flags & (KIN__PB_REPEATED | KIN__PB_MAP))
        return add_member_list(r, f, field, at, (size_t)(p - at), wire);
    if (kin__unlikely(wire != kin__pb_wire_of(field)))
        return fail_wire(r, at, field, wire);
    if (wire != KIN__PB_LEN)
        return add_member_number(r, f, field, p);
    p = kin__pb_length(p, f->end, &len, &why);
    if (kin__unlikely(!p))
        return fail(r, at, why);
    f->p = p + len;
    return field->type == KIN__PB_MESSAGE ? add_member_message(r, f, field, p, len)
                                          : add_member_text(r, f, field, p, len);
}

/* Reads members until one opens a frame, or the message ends. */
static int step_message(kin__protobuf_reader *r, struct kin__protobuf_frame *f)
{
    while (f->p < f->end) {
        const kin__pb_field *field = f->field;
        const unsigned char *p = f->p;
        size_t n_frames = r->n_frames;
        unsigned wire = 0;
        int code = take_tag(r, f, &field, &wire, &p);

        if (code > 0)
            code = add_member(r, f, field, wire, p);
        /* With a new frame, `f` may have moved. */
        if (kin__unlikely(code < 0) || r->n_frames > n_frames)
            return code;
    }
    return end_message(r, f);
}

static int step(kin__protobuf_reader *r)
{
    struct kin__protobuf_frame *f = &r->frames[r->n_frames - 1];

    switch ((enum frame_type)f->type) {
    case LIST:
        return step_list(r, f);
    case MAP:
        return step_map(r, f);
    default:
        return step_message(r, f);
    }
}

/* --- objects --- */

static int add_type(kin__protobuf_reader *r, const char *name, kin_str value)
{
    kin_str text = kin_str_of("");
    int code;

    if (value.len == 0)
        return 0;
    code = kin__draft_key(r->draft, kin_str_of(name), r->err);
    if (code == 0)
        code = take_text(r, (const unsigned char *)value.data, value.len, &text);
    return code < 0 ? code : add_text(r, r->begin, text);
}

int kin__protobuf_fail_unknown(kin__protobuf_reader *reader, kin_error *err)
{
    reader->needs_json = true;
    return kin_error_set(err, KIN_EPROTOCOL,
                         "the object has a protobuf field that is newer than this library");
}

int kin__protobuf_read(kin__protobuf_reader *reader, const kin__protobuf_message *message,
                       kin_error *err)
{
    /* An empty text may have no address, to which nothing can be added. */
    const unsigned char *begin =
        (const unsigned char *)(message->bytes.data ? message->bytes.data : "");
    size_t len = message->bytes.len;
    int code;

    reader->begin = begin;
    reader->origin = message->origin;
    reader->err = err;
    reader->n_frames = 0;
    reader->is_disordered = false;
    reader->needs_json = false;
    reader->nodes_max = len > NODES_MIN ? len : NODES_MIN;
    reader->draft->raw_text = (const char *)begin;
    code = open_container(reader, begin, KIN__NODE_MAP, FORM_MESSAGE + message->number);
    if (code == 0)
        code = add_type(reader, "kind", message->type.kind);
    if (code == 0)
        code = add_type(reader, "apiVersion", message->type.api_version);
    if (code == 0 && message->member.len > 0) {
        code = kin__draft_key(reader->draft, message->member, err);
        if (code == 0)
            code = open_container(reader, begin, KIN__NODE_MAP, FORM_MESSAGE + message->number);
    }
    if (code == 0)
        code = push_message(reader, message->number, begin, len, reader->json->projected, MESSAGE);
    while (code == 0 && reader->n_frames > 0)
        code = step(reader);
    if (code == 0 && message->member.len > 0)
        code = close_container(reader, begin + len, false);
    return code;
}
