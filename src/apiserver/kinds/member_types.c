/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of members. Pure but for the failure; memory is asked for to write a number that does not
 * fit, and its words are left out if there is none.
 */
#include "apiserver/kinds/member_types.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "kinform/time.h"
#include "object/json.h"

const char *kin__found_type(kin_value value)
{
    switch (kin_value_type(value)) {
    case KIN_BOOL:
        return "bool";
    case KIN_INTEGER:
    case KIN_NUMBER:
        return "number";
    case KIN_STRING:
        return "string";
    case KIN_ARRAY:
        return "array";
    default:
        return "object";
    }
}

bool kin__is_type(kin_value value, enum kin_type type)
{
    enum kin_type found = kin_value_type(value);

    return found == type || found == KIN_NONE || found == KIN_NULL;
}

static bool fail(const kin__decoding *d, const char *found, const char *where, const char *type)
{
    return kin__fail_bad_request(d->failure,
                                 "%s in version \"%" KIN_STR_FMT
                                 "\" cannot be handled as a %s: json: cannot unmarshal %s into Go "
                                 "%s%s of type %s",
                                 d->kind, KIN_STR_ARG(d->version), d->kind, found,
                                 *where ? "struct field " : "value", where, type);
}

bool kin__fail_type(const kin__decoding *decoding, kin_value found, const char *where,
                    const char *type)
{
    return fail(decoding, kin__found_type(found), where, type);
}

/* A number that is no integer, or of more than 64 bits, is told, too. */
static bool fail_number(const kin__decoding *d, kin_value found, const char *where,
                        const char *type)
{
    char words[128];
    kin__buf text;

    kin__buf_init(&text, 4096);
    kin__json_write(&text, found, KIN_JSON_COMPACT);
    snprintf(words, sizeof(words), "number %.*s", (int)(text.len < 100 ? text.len : 100),
             text.data ? text.data : "");
    kin__buf_done(&text);
    return fail(d, words, where, type);
}

/* The first item that is of another type; KIN_NONE if there is none. */
static kin_value wrong_item(kin_value value, enum kin_type type)
{
    kin_iter it;

    for (kin_iter_init(&it, value); kin_iter_next(&it);)
        if (!kin__is_type(it.value, type))
            return it.value;
    return (kin_value){NULL, NULL};
}

static bool check_time(const kin__decoding *d, kin_value value)
{
    char quoted[256];
    kin__cutline line;
    kin_scratch scratch;
    kin_str text;
    kin_time when;

    if (kin_value_string(&text, value, &scratch) < 0 || kin_time_parse(&when, text, NULL) == 0)
        return true;
    /* Which part cannot be parsed depends on how far Go came; told is that it is the first. */
    kin__cutline_init(&line, quoted, sizeof(quoted));
    kin__cutline_append_quoted(&line, text);
    return kin__fail_bad_request(d->failure,
                                 "%s in version \"%" KIN_STR_FMT
                                 "\" cannot be handled as a %s: parsing time %s as "
                                 "\"2006-01-02T15:04:05Z07:00\": cannot parse %s as \"2006\"",
                                 d->kind, KIN_STR_ARG(d->version), d->kind, quoted, quoted);
}

/* What is of a wrong type in a member: itself, or an item; KIN_NONE if nothing is. */
static kin_value find_wrong(kin_value value, const kin__member *member)
{
    static const enum kin_type types[] = {KIN_STRING, KIN_STRING, KIN_INTEGER, KIN_BOOL,
                                          KIN_MAP,    KIN_MAP,    KIN_ARRAY,   KIN_ARRAY};
    int64_t number;

    if (!kin__is_type(value, types[member->shape]))
        return value;
    if (member->shape == KIN__SHAPE_INTEGER && kin_value_type(value) == KIN_INTEGER &&
        kin_value_int64(&number, value) < 0)
        return value;
    if (!member->item_type)
        return (kin_value){NULL, NULL};
    return wrong_item(value, member->shape == KIN__SHAPE_MAPS ? KIN_MAP : KIN_STRING);
}

static bool fail_member(const kin__decoding *d, kin_value value, kin_value wrong,
                        const kin__member *member, const char *place)
{
    char where[160];
    bool is_item = wrong.at != value.at;

    snprintf(where, sizeof(where), "%s.%s", place, member->name);
    if (member->shape == KIN__SHAPE_INTEGER &&
        (kin_value_type(wrong) == KIN_NUMBER || kin_value_type(wrong) == KIN_INTEGER))
        return fail_number(d, wrong, where, member->type);
    return kin__fail_type(d, wrong, where, is_item ? member->item_type : member->type);
}

/* Every body comes by here: words are made only where something is wrong. */
bool kin__members_check(const kin__decoding *decoding, kin_value map, const kin__member *members,
                        size_t n, const char *where)
{
    for (size_t i = 0; i < n; i++) {
        kin_value value = kin_value_get(map, kin_str_of(members[i].name));
        kin_value wrong = find_wrong(value, &members[i]);

        if (kin_value_type(wrong) != KIN_NONE)
            return fail_member(decoding, value, wrong, &members[i], where);
        if (members[i].shape == KIN__SHAPE_TIME && !check_time(decoding, value))
            return false;
    }
    return true;
}
