/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading documents: the public handle over the tape. A kin_value's owner is the tape that its
 * bytes are in; shared values are followed when they are looked at, so a handle made from a member
 * may still be at the reference.
 */
#include "kinform/value.h"

#include "object/document.h"
#include "object/number.h"
#include "object/tape.h"

kin_value kin_object_root(const kin_object *object)
{
    const kin__document *document = kin__document_of(object);

    if (!document)
        return (kin_value){NULL, NULL};
    return (kin_value){&document->tape, kin__document_root(document)};
}

enum kin_type kin_value_type(kin_value value)
{
    return kin__tape_type(kin__value_at(value));
}

const char *kin_type_name(enum kin_type type)
{
    static const char *const names[] = {"none",   "null",   "bool",  "integer",
                                        "number", "string", "array", "map"};

    return (unsigned)type < kin__array_len(names) ? names[type] : "?";
}

kin_value kin_value_get(kin_value map, kin_str key)
{
    if (!map.at)
        return map;
    return kin__value_get_key(map, kin__keys_find(key), key);
}

kin_value kin_value_at(kin_value array, size_t index)
{
    kin__at at = kin__value_at(array);
    const uint8_t *p;

    if (!at.at || *at.at != KIN__TAG_ARRAY)
        return (kin_value){NULL, NULL};
    for (const uint8_t *end = kin__tape_elements(at.at, &p); p < end; p = kin__tape_skip(p)) {
        if (index-- == 0)
            return (kin_value){at.tape, p};
    }
    return (kin_value){NULL, NULL};
}

size_t kin_value_len(kin_value value)
{
    kin_iter it;
    size_t len = 0;

    for (kin_iter_init(&it, value); kin_iter_next(&it);)
        len++;
    return len;
}

void kin_iter_init(kin_iter *it, kin_value value)
{
    kin__walk walk;

    if (!it)
        return;
    memset(it, 0, sizeof(*it));
    it->index = SIZE_MAX; /* the first step makes it 0 */
    if (kin__walk_init(&walk, kin__value_at(value))) {
        it->owner = walk.tape;
        it->next = walk.next;
        it->end = walk.end;
        it->is_map = walk.is_map;
    }
}

bool kin_iter_next(kin_iter *it)
{
    kin__walk walk;
    kin__at value;
    uint16_t id;

    if (!it)
        return false;
    walk = (kin__walk){(const kin__tape *)it->owner, it->next, it->end, it->is_map};
    if (!kin__walk_next(&walk, &id, &it->key, &value))
        return false;
    it->value = (kin_value){value.tape, value.at};
    it->index++;
    it->next = walk.next;
    return true;
}

/* 0 if the value has the type, else the code that says what it is instead. */
static int expect(kin__at at, enum kin_type type)
{
    if (!at.at)
        return KIN_ENOTFOUND;
    return kin__tape_type(at) == type ? 0 : KIN_ETYPE;
}

int kin_value_string(kin_str *ret, kin_value value, kin_scratch *scratch)
{
    if (!ret || !scratch)
        return KIN_EINVAL;

    kin__at at = kin__value_at(value);
    int code = expect(at, KIN_STRING);

    if (code == 0)
        *ret = kin__tape_string(at, scratch);
    return code;
}

static int expect_number(kin__at at)
{
    int code = expect(at, KIN_INTEGER);

    return code == KIN_ETYPE ? expect(at, KIN_NUMBER) : code;
}

int kin_value_int64(int64_t *ret, kin_value value)
{
    if (!ret)
        return KIN_EINVAL;

    kin__at at = kin__value_at(value);
    int code = expect_number(at);
    kin_str text;

    if (code < 0 || kin__tape_integer(at, ret, &text))
        return code;
    return kin__number_to_int64(text.data, text.len, ret) ? 0 : KIN_ERANGE;
}

int kin_value_double(double *ret, kin_value value)
{
    if (!ret)
        return KIN_EINVAL;

    kin__at at = kin__value_at(value);
    int code = expect_number(at);
    int64_t integer;
    kin_str text;

    if (code < 0)
        return code;
    if (kin__tape_integer(at, &integer, &text)) {
        *ret = (double)integer;
        return 0;
    }
    bool overflow;
    double number = kin__number_to_double(text.data, text.len, &overflow);

    if (overflow)
        return KIN_ERANGE;
    *ret = number;
    return 0;
}

int kin_value_number(kin_str *ret, kin_value value, kin_scratch *scratch)
{
    if (!ret || !scratch)
        return KIN_EINVAL;

    kin__at at = kin__value_at(value);
    int code = expect_number(at);
    int64_t integer;

    if (code == 0 && kin__tape_integer(at, &integer, ret))
        *ret = kin__integer_text(integer, scratch->bytes + sizeof(scratch->bytes));
    return code;
}

int kin_value_bool(bool *ret, kin_value value)
{
    if (!ret)
        return KIN_EINVAL;

    kin__at at = kin__value_at(value);
    int code = expect(at, KIN_BOOL);

    if (code == 0)
        *ret = *at.at == KIN__TAG_TRUE;
    return code;
}

int kin_value_time(kin_time *ret, kin_value value)
{
    if (!ret)
        return KIN_EINVAL;

    kin_scratch scratch;
    kin_str text;
    int code = kin_value_string(&text, value, &scratch);

    return code == 0 ? kin_time_parse(ret, text, NULL) : code;
}

int kin_value_quantity(kin_quantity *ret, kin_value value)
{
    if (!ret)
        return KIN_EINVAL;

    kin_scratch scratch;
    kin_str text;
    int code = kin_value_string(&text, value, &scratch);

    if (code == KIN_ETYPE)
        code = kin_value_number(&text, value, &scratch);
    return code == 0 ? kin_quantity_parse(ret, text, NULL) : code;
}
