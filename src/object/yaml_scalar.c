/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plain scalars of YAML.
 *
 * The rules are those of go-yaml v2, on which Kubernetes stands: what the first character
 * allows is tried in the order words, integers with a prefix, decimal numbers. Underscores are
 * skipped wherever they are in a number that begins with a sign or a digit. Two things are wider
 * here: integers that do not fit 64 bits, and numbers that no double can hold, are numbers.
 *
 * Numbers are walked with a cursor that does not see underscores, so that no copy is
 * needed and the length of the text does not matter.
 */
#include "object/yaml.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "base/locale.h"
#include "base/str.h"

/* --- words --- */

struct word {
    kin_str text;
    enum kin__yaml_kind kind;
};

static const struct word words[] = {
    {KIN__STR("~"), KIN__YAML_NULL},         {KIN__STR("null"), KIN__YAML_NULL},
    {KIN__STR("Null"), KIN__YAML_NULL},      {KIN__STR("NULL"), KIN__YAML_NULL},
    {KIN__STR("true"), KIN__YAML_TRUE},      {KIN__STR("True"), KIN__YAML_TRUE},
    {KIN__STR("TRUE"), KIN__YAML_TRUE},      {KIN__STR("false"), KIN__YAML_FALSE},
    {KIN__STR("False"), KIN__YAML_FALSE},    {KIN__STR("FALSE"), KIN__YAML_FALSE},
    {KIN__STR("y"), KIN__YAML_TRUE},         {KIN__STR("Y"), KIN__YAML_TRUE},
    {KIN__STR("yes"), KIN__YAML_TRUE},       {KIN__STR("Yes"), KIN__YAML_TRUE},
    {KIN__STR("YES"), KIN__YAML_TRUE},       {KIN__STR("on"), KIN__YAML_TRUE},
    {KIN__STR("On"), KIN__YAML_TRUE},        {KIN__STR("ON"), KIN__YAML_TRUE},
    {KIN__STR("n"), KIN__YAML_FALSE},        {KIN__STR("N"), KIN__YAML_FALSE},
    {KIN__STR("no"), KIN__YAML_FALSE},       {KIN__STR("No"), KIN__YAML_FALSE},
    {KIN__STR("NO"), KIN__YAML_FALSE},       {KIN__STR("off"), KIN__YAML_FALSE},
    {KIN__STR("Off"), KIN__YAML_FALSE},      {KIN__STR("OFF"), KIN__YAML_FALSE},
    {KIN__STR(".inf"), KIN__YAML_INFINITE},  {KIN__STR(".Inf"), KIN__YAML_INFINITE},
    {KIN__STR(".INF"), KIN__YAML_INFINITE},  {KIN__STR("+.inf"), KIN__YAML_INFINITE},
    {KIN__STR("+.Inf"), KIN__YAML_INFINITE}, {KIN__STR("+.INF"), KIN__YAML_INFINITE},
    {KIN__STR("-.inf"), KIN__YAML_INFINITE}, {KIN__STR("-.Inf"), KIN__YAML_INFINITE},
    {KIN__STR("-.INF"), KIN__YAML_INFINITE}, {KIN__STR(".nan"), KIN__YAML_INFINITE},
    {KIN__STR(".NaN"), KIN__YAML_INFINITE},  {KIN__STR(".NAN"), KIN__YAML_INFINITE},
};

#define WORD_LEN_MAX 5

static enum kin__yaml_kind find_word(kin_str text)
{
    if (text.len == 0)
        return KIN__YAML_NULL;
    if (text.len > WORD_LEN_MAX)
        return KIN__YAML_STRING;
    for (size_t i = 0; i < kin__array_len(words); i++) {
        if (kin_str_equal(words[i].text, text))
            return words[i].kind;
    }
    return KIN__YAML_STRING;
}

/* --- numbers --- */

/* Sees no underscores. At the end the character is 0, which no number contains. */
struct cursor {
    const char *at;
    const char *end;
};

static char peek(struct cursor *c)
{
    while (c->at < c->end && *c->at == '_')
        c->at++;
    if (c->at == c->end)
        return '\0';
    return *c->at;
}

static char take(struct cursor *c)
{
    char found = peek(c);

    if (c->at < c->end)
        c->at++;
    return found;
}

static bool at_end(struct cursor *c)
{
    peek(c);
    return c->at == c->end;
}

static struct cursor cursor_of(kin_str text)
{
    return (struct cursor){text.data, text.data + text.len};
}

/* Steps over digits; how many. */
static size_t skip_digits(struct cursor *c)
{
    size_t n = 0;

    for (; kin__is_digit(peek(c)); n++)
        c->at++;
    return n;
}

static bool skip_one_of(struct cursor *c, char a, char b)
{
    char found = peek(c);

    if (found == '\0' || (found != a && found != b))
        return false;
    c->at++;
    return true;
}

/* The value of a digit in bases up to 16; 16 if it is none. */
static unsigned digit_value(char c)
{
    if (kin__is_digit(c))
        return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'f')
        return (unsigned)(c - 'a') + 10;
    if (c >= 'A' && c <= 'F')
        return (unsigned)(c - 'A') + 10;
    return 16;
}

/* All that is left, at least one digit, in this base. */
static bool read_digits(uint64_t *ret, struct cursor *c, unsigned base)
{
    uint64_t value = 0;
    bool any = false;

    while (!at_end(c)) {
        unsigned digit = digit_value(take(c));

        if (digit >= base || value > (UINT64_MAX - digit) / base)
            return false;
        value = value * base + digit;
        any = true;
    }
    *ret = value;
    return any;
}

/* The base that stands behind a leading 0; steps over the letter that says so. */
static unsigned base_of(struct cursor *c)
{
    if (skip_one_of(c, 'x', 'X'))
        return 16;
    if (skip_one_of(c, 'o', 'O'))
        return 8;
    if (skip_one_of(c, 'b', 'B'))
        return 2;
    return 8;
}

/* 0x1F, 0o17, 017, 0b11, with a sign before it. "0" alone is decimal. */
static bool read_prefixed(kin__yaml_plain *ret, kin_str text)
{
    struct cursor c = cursor_of(text);
    bool negative = peek(&c) == '-';
    bool has_sign = skip_one_of(&c, '+', '-');

    if (take(&c) != '0' || at_end(&c))
        return false;
    unsigned base = base_of(&c);
    /* "0b-11" is what go-yaml reads too: its second try for binary takes a sign there. */
    if (base == 2 && !has_sign && c.at[-1] == 'b') {
        negative = peek(&c) == '-';
        has_sign = skip_one_of(&c, '+', '-');
    }
    uint64_t magnitude;
    if (!read_digits(&magnitude, &c, base))
        return false;
    /* Only a number without sign may use the 64th bit, and the least int64. */
    if (has_sign && magnitude > (uint64_t)INT64_MAX + negative)
        return false;
    ret->kind = KIN__YAML_INTEGER;
    ret->negative = negative && magnitude > 0;
    ret->is_whole = true;
    ret->magnitude = magnitude;
    return true;
}

/* [-+]? (\.[0-9]+ | [0-9]+ (\.[0-9]*)?) ([eE] [-+]? [0-9]+)? */
static bool read_decimal(kin__yaml_plain *ret, kin_str text)
{
    struct cursor c = cursor_of(text);

    skip_one_of(&c, '+', '-');
    bool zero = peek(&c) == '0';
    size_t before = skip_digits(&c);
    bool point = skip_one_of(&c, '.', '.');
    size_t behind = point ? skip_digits(&c) : 0;
    if (before + behind == 0)
        return false;
    bool exponent = skip_one_of(&c, 'e', 'E');
    if (exponent) {
        skip_one_of(&c, '+', '-');
        if (skip_digits(&c) == 0)
            return false;
    }
    if (!at_end(&c))
        return false;
    ret->kind = KIN__YAML_DECIMAL;
    /* What begins with a zero and is not octal is a float to go-yaml: 08. */
    ret->is_whole = !point && !exponent && !(zero && before > 1);
    return true;
}

/* Whether underscores stand between digits only, which a number that begins with a point needs. */
static bool underscores_separate_digits(kin_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] != '_')
            continue;
        if (i == 0 || i + 1 == text.len || !kin__is_digit(text.data[i - 1]) ||
            !kin__is_digit(text.data[i + 1]))
            return false;
    }
    return true;
}

kin__yaml_plain kin__yaml_resolve(kin_str text)
{
    kin__yaml_plain plain = {find_word(text), false, false, 0};

    if (plain.kind != KIN__YAML_STRING)
        return plain;
    char first = text.data[0];
    if (kin__is_digit(first) || first == '+' || first == '-') {
        if (!read_prefixed(&plain, text))
            read_decimal(&plain, text);
    } else if (first == '.' && underscores_separate_digits(text)) {
        read_decimal(&plain, text);
    }
    return plain;
}

size_t kin__yaml_decimal(char *out, kin_str text)
{
    struct cursor c = cursor_of(text);
    size_t len = 0;

    if (peek(&c) == '-')
        out[len++] = '-';
    skip_one_of(&c, '+', '-');
    while (peek(&c) == '0')
        c.at++;
    if (!kin__is_digit(peek(&c)))
        out[len++] = '0';
    while (kin__is_digit(peek(&c)))
        out[len++] = take(&c);
    if (skip_one_of(&c, '.', '.') && kin__is_digit(peek(&c))) {
        out[len++] = '.';
        while (kin__is_digit(peek(&c)))
            out[len++] = take(&c);
    }
    while (!at_end(&c))
        out[len++] = take(&c);
    return len;
}

/* --- what other readers see --- */

/* Between min and max digits at *at. */
static bool pass_digits(kin_str text, size_t *at, size_t min, size_t max)
{
    size_t n = 0;

    while (n < max && *at < text.len && kin__is_digit(text.data[*at])) {
        ++*at;
        n++;
    }
    return n >= min;
}

static bool pass_char(kin_str text, size_t *at, char c)
{
    if (*at == text.len || text.data[*at] != c)
        return false;
    ++*at;
    return true;
}

static bool pass_blanks(kin_str text, size_t *at)
{
    size_t before = *at;

    while (pass_char(text, at, ' ') || pass_char(text, at, '\t')) {
    }
    return *at > before;
}

/* Z, +1, +01, +0100, +01:00, or nothing. */
static bool is_zone(kin_str text, size_t at)
{
    pass_blanks(text, &at);
    if (at == text.len)
        return true;
    if (pass_char(text, &at, 'Z'))
        return at == text.len;
    if (!pass_char(text, &at, '+') && !pass_char(text, &at, '-'))
        return false;
    if (!pass_digits(text, &at, 1, 2))
        return false;
    if (at == text.len)
        return true;
    pass_char(text, &at, ':');
    return pass_digits(text, &at, 2, 2) && at == text.len;
}

bool kin__yaml_is_time(kin_str text)
{
    size_t at = 0;

    if (!pass_digits(text, &at, 4, 4) || !pass_char(text, &at, '-') ||
        !pass_digits(text, &at, 1, 2) || !pass_char(text, &at, '-') ||
        !pass_digits(text, &at, 1, 2))
        return false;
    if (at == text.len)
        return true;
    if (!pass_char(text, &at, 'T') && !pass_char(text, &at, 't') && !pass_blanks(text, &at))
        return false;
    if (!pass_digits(text, &at, 1, 2) || !pass_char(text, &at, ':') ||
        !pass_digits(text, &at, 1, 2) || !pass_char(text, &at, ':') ||
        !pass_digits(text, &at, 1, 2))
        return false;
    if (pass_char(text, &at, '.'))
        pass_digits(text, &at, 0, text.len);
    return is_zone(text, at);
}

/* :00 to :59, with one digit or two. */
static bool pass_sixtieth(kin_str text, size_t *at)
{
    size_t first = *at + 1;

    if (!pass_char(text, at, ':') || !pass_digits(text, at, 1, 2))
        return false;
    return *at - first == 1 || text.data[first] <= '5';
}

static void pass_digits_and_underscores(kin_str text, size_t *at)
{
    while (pass_digits(text, at, 1, text.len) || pass_char(text, at, '_')) {
    }
}

/* 1:30 and 20:30.15, which are numbers of base 60 to some. */
static bool is_base_60(kin_str text)
{
    size_t at = 0;

    if (!pass_char(text, &at, '+'))
        pass_char(text, &at, '-');
    if (!pass_digits(text, &at, 1, 1))
        return false;
    pass_digits_and_underscores(text, &at);
    do {
        if (!pass_sixtieth(text, &at))
            return false;
    } while (at < text.len && text.data[at] == ':');
    if (pass_char(text, &at, '.'))
        pass_digits_and_underscores(text, &at);
    return at == text.len;
}

/* Numbers that begin with a point, with underscores anywhere. */
static bool is_pointed(kin_str text)
{
    kin__yaml_plain plain = {KIN__YAML_STRING, false, false, 0};

    return text.len > 1 && text.data[0] == '.' && kin__is_digit(text.data[1]) &&
           read_decimal(&plain, text);
}

bool kin__yaml_stays_string(kin_str text)
{
    static const kin_str merge = KIN__STR("<<");
    static const kin_str value = KIN__STR("="); /* YAML 1.1's "default value" */

    return kin__yaml_resolve(text).kind == KIN__YAML_STRING && !kin__yaml_is_time(text) &&
           !is_base_60(text) && !is_pointed(text) && !kin_str_equal(text, merge) &&
           !kin_str_equal(text, value);
}

/* --- values that need work --- */

/* The six bits of a base64 character, or 64. */
static unsigned base64_value(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (unsigned)(c - 'A');
    if (c >= 'a' && c <= 'z')
        return (unsigned)(c - 'a') + 26;
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0') + 52;
    if (c == '+')
        return 62;
    return c == '/' ? 63 : 64;
}

size_t kin__yaml_base64(char *out, kin_str text)
{
    uint32_t bits = 0;
    size_t digits = 0;
    size_t padding = 0;
    size_t len = 0;

    for (size_t i = 0; i < text.len; i++) {
        unsigned value = base64_value(text.data[i]);

        if (text.data[i] == '\n' || text.data[i] == '\r')
            continue;
        if (text.data[i] == '=') {
            padding++;
            continue;
        }
        if (value > 63 || padding)
            return SIZE_MAX;
        bits = bits << 6 | value;
        if (++digits % 4 != 1) /* the first digit of four completes no byte */
            out[len++] = (char)(unsigned char)(bits >> (8 - digits % 4 * 2) % 8);
    }
    if ((digits + padding) % 4 != 0 || padding > 2 || digits % 4 == 1)
        return SIZE_MAX;
    return len;
}

size_t kin__yaml_float_key(char *buf, size_t size, double number)
{
    static const double infinite = 0x1.ffffffp+127; /* what rounds to no float */
    kin__locale_scope scope;
    int precision = 0;
    int len;

    if (number >= infinite || number <= -infinite)
        return (size_t)snprintf(buf, size, "%s", number > 0 ? ".inf" : "-.inf");
    float value = FLT_MAX;
    if (number < -(double)FLT_MAX)
        value = -FLT_MAX;
    else if (number <= (double)FLT_MAX)
        value = (float)number;
    kin__c_locale_begin(&scope);
    for (;; precision++) {
        len = snprintf(buf, size, "%.*e", precision, (double)value);
        if (precision >= 8 || strtof(buf, NULL) == value)
            break;
    }
    const char *e = strchr(buf, 'e');
    long exponent = e ? strtol(e + 1, NULL, 10) : 0;
    if (exponent >= -4 && exponent < 6) {
        int behind = precision - (int)exponent;

        len = snprintf(buf, size, "%.*f", behind > 0 ? behind : 0, (double)value);
    }
    kin__c_locale_end(&scope);
    return (size_t)len;
}
