/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of protobuf: see protobuf_reader.h. Each map and array of the document that is open is a frame on a stack:
 * nothing recurses.
 *
 * In protobuf, Go writes numbers, strings and structs that are not pointers also if they are zero. In JSON it leaves out
 * such a number or string if its tag says so, and writes {} for such a struct. Protobuf has nothing for a nil list; JSON
 * has null unless its tag says otherwise. The tables say which. A struct that is absent here is absent in JSON.
 *
 * Values of messages that are not objects in JSON (timestamps, quantities, JSON itself) are read at once, without a
 * frame: see protobuf_parts.h. Messages with fields in an unusual order are rare. kin__protobuf_order() puts them in order,
 * so that the loop here reads each byte once.
 */
#include "object/protobuf_reader.h"

#include <stdatomic.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "object/json_scan.h"
#include "object/protobuf_parts.h"
#include "object/raw_cache.h"

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
        return kin__pb_fail_code(r, at, KIN_ELIMIT, "nested too deep");
    if (kin__unlikely(kin__pb_is_crowded(r)))
        return kin__pb_fail_crowded(r, at);
    if (kin__unlikely(!kin__draft_open(draft, type)))
        return kin__pb_push_failed(r, at);
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
        return kin__pb_no_room(r, end, code);
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
    return kin__likely(code == 0) ? 0 : kin__pb_no_room(r, p, code);
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
            kin__pb_fail(r, at, why);
            return NULL;
        }
        p += len;
    }
    return p;
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
            return kin__pb_fail(r, end, why);
        if (kin__unlikely(kin__pb_is_crowded(r)))
            return kin__pb_fail_crowded(r, p);
        code = kin__pb_add_bytes(r, field, p, len);
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
    const unsigned char *next;
    const char *why = NULL;
    uint64_t value;

    if (field->type == KIN__PB_DOUBLE) {
        if (end - at < 8)
            return kin__pb_fail(r, at, KIN__PB_EOF);
        *p = at + 8;
        return kin__pb_add_double(r, at);
    }
    next = kin__pb_varint(at, end, &value, &why);
    if (!next)
        return kin__pb_fail(r, at, why);
    *p = next;
    return kin__pb_add_integer(r, at, field, value);
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
            return kin__pb_fail(r, at, why);
        if (tag >> 3 != field->number)
            break;
        if ((tag & 7) == KIN__PB_LEN) {
            p = kin__pb_length(p, end, &len, &why);
            if (!p)
                return kin__pb_fail(r, at, why);
            stop = p + len;
        } else if ((tag & 7) == kin__pb_wire_of(field)) {
            stop = kin__pb_skip(p, end, tag & 7, &why);
            if (!stop)
                return kin__pb_fail(r, at, why);
        } else {
            return kin__pb_fail_wire_at(r, at, field, tag & 7);
        }
        while (code == 0 && is_kept && p < stop)
            code = kin__pb_is_crowded(r) ? kin__pb_fail_crowded(r, p)
                                         : add_number_at(r, field, &p, stop);
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
        return kin__pb_add_small(r, at, KIN__NODE_NULL, 0);
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
        return kin__pb_fail(r, (const unsigned char *)text.data + len, "text after the value");
    return 0;
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
        return code == 0 && items_end != end ? kin__pb_disordered(r, items_end) : code;
    }
    kin__pb_read_part(r, items, end, &part);
    return part.wire == KIN__PB_LEN ? kin__pb_add_bytes(r, field, part.data, part.len)
                                    : kin__pb_add_integer(r, items, field, part.integer);
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
        code = kin__pb_read_time(r, message, p, len, &time, &is_zero);
        return code < 0 ? code
                        : kin__pb_add_time(r, p, time, is_zero, form == KIN__PB_MICRO_TIME ? 6 : 0);
    case KIN__PB_INT_OR_STRING:
        return kin__pb_add_int_or_string(r, message, p, len);
    case KIN__PB_RAW:
        code = kin__pb_read_json(r, message, p, len, &text);
        return code < 0 ? code : add_json(r, context, p, text, below);
    default:
        return kin__pb_fail(r, p, "an entry of a map outside of a map");
    }
}

/*
 * A message, as an item or a member whose key was set. The last field of a CHOICE counts, as in Go's JSON: if it has a
 * schema and a bool, the schema; if it has a schema and a list, the list.
 */
static int add_message(kin__protobuf_reader *r, unsigned context, unsigned message,
                       const unsigned char *p, size_t len, const kin__projected *below)
{
    while (kin__pb_messages[message].form == KIN__PB_CHOICE) {
        kin__pb_part part = {.wire = 7};
        const kin__pb_field *field;
        const unsigned char *items;
        size_t tag_len;
        int code = kin__pb_find_choice(r, message, p, len, &field, &items, &tag_len);

        if (code < 0)
            return code;
        if (!field)
            return kin__pb_add_no_choice(r, message, p);
        if (field->type != KIN__PB_MESSAGE || (field->flags & KIN__PB_REPEATED))
            return add_chosen(r, field, items, tag_len, p + len, below);
        kin__pb_read_part(r, items, p + len, &part);
        message = field->message;
        p = part.data;
        len = part.len;
    }
    return add_plain_message(r, context, message, p, len, below);
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
        return kin__pb_fail(r, f->end, why);
    f->p = p + len;
    if (kin__unlikely(f->projected != NULL))
        fate = fate_of_item(f->projected, kin__pb_is_container(r, field->message, p, len));
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
        return kin__pb_add_zero(r, at, value);
    return part->wire == KIN__PB_LEN ? kin__pb_add_bytes(r, value, part->data, part->len)
                                     : kin__pb_add_integer(r, at, value, part->integer);
}

static int step_map(kin__protobuf_reader *r, struct kin__protobuf_frame *f)
{
    const kin__pb_field *field = f->first;
    const kin__pb_field *value = kin__pb_fields + kin__pb_messages[field->message].first_field + 1;
    const unsigned char *p = f->p;
    const char *why = NULL;
    kin__pb_part parts[2];
    struct fate fate;
    kin_str key = {NULL, 0};
    size_t len = 0;
    int code;

    if (p == f->end) {
        bool is_whole = !f->projected;

        r->n_frames--;
        return close_container(r, p, is_whole);
    }
    p = kin__pb_length(p + f->tag_len, f->end, &len, &why);
    if (kin__unlikely(!p))
        return kin__pb_fail(r, f->end, why);
    f->p = p + len;
    code = kin__pb_read_parts(r, field->message, p, len, parts, 2);
    if (code == KIN_EPARSE && !r->is_disordered)
        return kin__pb_fail(r, p, "proto: an entry of a map is malformed");
    if (code == 0)
        code = kin__pb_take_text(r, parts[0].data ? parts[0].data : p, parts[0].len, &key);
    if (code < 0)
        return code;
    fate =
        fate_of_member(f, key,
                       f->projected && value->type == KIN__PB_MESSAGE &&
                           kin__pb_is_container(r, value->message,
                                                parts[1].data ? parts[1].data : p, parts[1].len));
    if (!fate.is_kept)
        return 0;
    if (kin__unlikely(kin__pb_is_crowded(r)))
        return kin__pb_fail_crowded(r, p);
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
            code = kin__pb_add_small(r, f->p, KIN__NODE_NULL, 0);
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
        return is_before(f, number) ? kin__pb_disordered(r, f->p)
                                    : kin__pb_pass_unknown(r, f->p, number, wire);
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
        fate = fate_of_member(f, name_of(field), kin__pb_is_container(r, field->message, p, len));
    if (!fate.is_kept)
        return 0;
    if (form == KIN__PB_TIME || form == KIN__PB_MICRO_TIME) {
        bool is_zero;
        kin_time time;

        code = kin__pb_read_time(r, field->message, p, len, &time, &is_zero);
        if (code < 0 || (is_zero && (field->flags & KIN__PB_OMIT_ZERO)))
            return code;
        code = set_key(r, field);
        return code < 0 ? code
                        : kin__pb_add_time(r, p, time, is_zero, form == KIN__PB_MICRO_TIME ? 6 : 0);
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
        return kin__pb_fail_wire_at(r, p, field, wire);
    if (!fate.is_kept && has_lengths) {
        f->p = items_end(r, p, end, tag_len);
        return f->p ? 0 : KIN_EPARSE;
    }
    if (!fate.is_kept) {
        const char *why = NULL;

        f->p = kin__pb_skip(p + tag_len, end, wire, &why);
        f->field = field; /* the others follow */
        return f->p ? 0 : kin__pb_fail(r, p, why);
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
        return kin__pb_add_bytes(r, field, p, len);
    if (add_last_word(r, place, p, len))
        return 0;
    code = kin__pb_add_string(r, p, len);
    if (kin__likely(code == 0))
        note_word(r, place);
    return code;
}

static bool is_zero_number(const kin__pb_field *field, const unsigned char *p, uint64_t value)
{
    if (field->type == KIN__PB_DOUBLE)
        return kin__pb_double_of(p) == 0;
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
        return kin__pb_fail(r, at, KIN__PB_EOF);
    if (!p)
        return kin__pb_fail(r, at, why);
    f->p = p;
    if ((field->flags & KIN__PB_OMIT_ZERO) && is_zero_number(field, at, value))
        return 0;
    if (!fate_of_member(f, name_of(field), false).is_kept)
        return 0;
    code = set_key(r, field);
    if (code < 0)
        return code;
    return field->type == KIN__PB_DOUBLE ? kin__pb_add_double(r, at)
                                         : kin__pb_add_integer(r, at, field, value);
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
        return kin__pb_fail(r, f->p, why);
    if (kin__unlikely(field == f->fields_end || field->number != (uint32_t)(tag >> 3))) {
        int code = find_field(r, f, (uint32_t)(tag >> 3), tag & 7, &field);

        if (kin__unlikely(code < 0))
            return code;
        if (!field) {
            const unsigned char *at = f->p;

            f->p = kin__pb_skip(p, f->end, tag & 7, &why);
            return f->p ? 0 : kin__pb_fail(r, at, why);
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
        return kin__pb_fail_wire_at(r, at, field, wire);
    if (wire != KIN__PB_LEN)
        return add_member_number(r, f, field, p);
    p = kin__pb_length(p, f->end, &len, &why);
    if (kin__unlikely(!p))
        return kin__pb_fail(r, at, why);
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
        code = kin__pb_take_text(r, (const unsigned char *)value.data, value.len, &text);
    return code < 0 ? code : kin__pb_add_text(r, r->begin, text);
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
