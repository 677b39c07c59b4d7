/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a label's key and value may be.
 *
 * Each check is one pass that stops at the first byte that cannot stand where it does, so
 * that the place it reports is exact, and input of any length costs no more than the longest
 * that is allowed. Bytes are compared as such: no locale, nothing beyond ASCII.
 */
#include "object/selector_label.h"

#include <stdio.h>

#include "base/error.h"
#include "base/str.h"

static bool is_lower_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool is_letter_or_digit(char c)
{
    return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z');
}

static bool fault_at(kin__label_fault *ret, size_t offset, const char *expected)
{
    ret->offset = offset;
    ret->expected = expected;
    return false;
}

/* A name that is not empty, `base` bytes into what is checked. */
static bool check_name(kin_str name, size_t base, kin__label_fault *ret)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];

        if (i == KIN_LABEL_MAX_LENGTH)
            return fault_at(ret, base + i, "no more than 63 bytes");
        if (is_letter_or_digit(c))
            continue;
        if (i == 0)
            return fault_at(ret, base, "a letter or digit at the beginning");
        if (c != '-' && c != '_' && c != '.')
            return fault_at(ret, base + i, "letters, digits, '-', '_' or '.'");
    }
    if (!is_letter_or_digit(name.data[name.len - 1]))
        return fault_at(ret, base + name.len - 1, "a letter or digit at the end");
    return true;
}

/* A DNS subdomain. Its parts have no limit of their own: Kubernetes sets none. */
static bool check_prefix(kin_str prefix, kin__label_fault *ret)
{
    bool at_start = true; /* of a part */

    for (size_t i = 0; i < prefix.len; i++) {
        char c = prefix.data[i];

        if (i == KIN_LABEL_PREFIX_MAX_LENGTH)
            return fault_at(ret, i, "no more than 253 bytes before the '/'");
        if (at_start && !is_lower_or_digit(c))
            return fault_at(ret, i, "a lower-case letter or digit at the beginning of a DNS label");
        if (c == '.' && prefix.data[i - 1] == '-')
            return fault_at(ret, i - 1, "a lower-case letter or digit at the end of a DNS label");
        if (c != '.' && c != '-' && !is_lower_or_digit(c))
            return fault_at(ret, i, "lower-case letters, digits, '-' or '.' before the '/'");
        at_start = c == '.';
    }
    if (at_start)
        return fault_at(ret, prefix.len, "a DNS label before the '/'");
    if (prefix.data[prefix.len - 1] == '-')
        return fault_at(ret, prefix.len - 1, "a lower-case letter or digit before the '/'");
    return true;
}

bool kin__label_key_check(kin_str key, kin__label_fault *ret)
{
    size_t slash = kin__str_find(key, '/');
    size_t start = 0;

    if (slash < key.len) {
        if (!check_prefix(kin_str_make(key.data, slash), ret))
            return false;
        start = slash + 1;
    }
    if (start == key.len)
        return fault_at(ret, start, "a name");
    return check_name(kin_str_make(key.data + start, key.len - start), start, ret);
}

bool kin__label_value_check(kin_str value, kin__label_fault *ret)
{
    return value.len == 0 || check_name(value, 0, ret);
}

int kin__label_fault_report(kin_error *err, int code, size_t base, const char *what, kin_str text,
                            const kin__label_fault *fault)
{
    char found[16] = "its end";

    if (fault->offset < text.len) {
        unsigned char c = (unsigned char)text.data[fault->offset];

        snprintf(found, sizeof(found), c > ' ' && c < 0x7f ? "'%c'" : "byte 0x%02x", c);
    }
    if (code == KIN_EPARSE)
        return kin__error_parse(err, base + fault->offset, "%s: expected %s, found %s", what,
                                fault->expected, found);
    return kin_error_set(err, code, "%s: expected %s, found %s", what, fault->expected, found);
}

int kin_label_key_validate(kin_str key, kin_error *err)
{
    kin__label_fault fault;

    if (kin__label_key_check(key, &fault))
        return 0;
    return kin__label_fault_report(err, KIN_EPARSE, 0, "label key", key, &fault);
}

int kin_label_value_validate(kin_str value, kin_error *err)
{
    kin__label_fault fault;

    if (kin__label_value_check(value, &fault))
        return 0;
    return kin__label_fault_report(err, KIN_EPARSE, 0, "label value", value, &fault);
}
