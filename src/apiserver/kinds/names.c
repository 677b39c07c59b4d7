/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names and labels. apimachinery has regular expressions, and says which; here are loops that
 * accept the same texts.
 */
#include "apiserver/kinds/names.h"

#include "base/str.h"

#define LABEL_REGEX "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
#define SUBDOMAIN_REGEX LABEL_REGEX "(\\." LABEL_REGEX ")*"
#define KEY_REGEX "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"

#define SUBDOMAIN_WORDS                                                                            \
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "   \
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "  \
    "for validation is '" SUBDOMAIN_REGEX "')"
#define LABEL_WORDS                                                                                \
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "   \
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex "     \
    "used for validation is '" LABEL_REGEX "')"
#define LABEL_1035_WORDS                                                                           \
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "   \
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "           \
    "'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
#define KEY_WORDS                                                                                  \
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "    \
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "         \
    "validation is '" KEY_REGEX "')"

/*
 * A text, or one whose end is taken for an 'a': the dash of a generateName with what stands before
 * it.
 */
struct text {
    kin_str s;
    size_t len;
    bool is_masked;
};

static struct text text_of(kin_str s, bool is_prefix)
{
    bool is_masked = is_prefix && s.len > 1 && s.data[s.len - 1] == '-';

    return (struct text){s, is_masked ? s.len - 1 : s.len, is_masked};
}

static char at(const struct text *text, size_t i)
{
    if (text->is_masked && i == text->len - 1)
        return 'a';
    return text->s.data[i];
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_alphanumeric(char c)
{
    return kin__is_digit(c) || is_lower(c) || (c >= 'A' && c <= 'Z');
}

static bool is_lower_or_digit(char c)
{
    return kin__is_digit(c) || is_lower(c);
}

/* Whether labels are joined by dots; `any_case`: upper case counts as lower case. */
static bool is_subdomain(const struct text *text, bool any_case)
{
    char before = '.';

    for (size_t i = 0; i < text->len; i++) {
        char c = at(text, i);
        bool is_plain = any_case ? is_alphanumeric(c) : is_lower_or_digit(c);

        if (is_plain) {
            before = 'a';
            continue;
        }
        if ((c != '-' && c != '.') || before == '.' || (c == '.' && before == '-'))
            return false;
        before = c;
    }
    return before == 'a';
}

static bool has_dot(const struct text *text)
{
    for (size_t i = 0; i < text->len; i++)
        if (at(text, i) == '.')
            return true;
    return false;
}

static void add(kin__problems *problems, const char *words)
{
    problems->items[problems->n++] = words;
}

static void judge_label(kin__problems *ret, const struct text *text)
{
    if (text->len > 63)
        add(ret, "must be no more than 63 characters");
    if (!is_subdomain(text, false))
        add(ret, LABEL_WORDS);
    else if (has_dot(text))
        add(ret, "must not contain dots");
}

static void judge_label_1035(kin__problems *ret, const struct text *text)
{
    if (text->len > 63)
        add(ret, "must be no more than 63 characters");
    if (!is_subdomain(text, false) || has_dot(text) || kin__is_digit(at(text, 0)))
        add(ret, LABEL_1035_WORDS);
}

static void judge_path_segment(kin__problems *ret, kin_str name, bool is_prefix)
{
    if (!is_prefix && kin_str_equal(name, kin_str_of("."))) {
        add(ret, "may not be '.'");
        return;
    }
    if (!is_prefix && kin_str_equal(name, kin_str_of(".."))) {
        add(ret, "may not be '..'");
        return;
    }
    if (kin__str_find(name, '/') < name.len)
        add(ret, "may not contain '/'");
    if (kin__str_find(name, '%') < name.len)
        add(ret, "may not contain '%'");
}

kin__problems kin__name_problems(enum kin__name_rule rule, kin_str name, bool is_prefix)
{
    struct text text = text_of(name, is_prefix);
    kin__problems found = {.n = 0};

    switch (rule) {
    case KIN__NAME_SUBDOMAIN:
        if (text.len > 253)
            add(&found, "must be no more than 253 characters");
        if (!is_subdomain(&text, false))
            add(&found, SUBDOMAIN_WORDS);
        break;
    case KIN__NAME_LABEL:
        judge_label(&found, &text);
        break;
    case KIN__NAME_LABEL_1035:
        judge_label_1035(&found, &text);
        break;
    case KIN__NAME_PATH_SEGMENT:
        judge_path_segment(&found, name, is_prefix);
        break;
    }
    return found;
}

/* --- labels --- */

/* What the name in a key and the value of a label have in common. */
static bool is_label_text(kin_str s)
{
    if (s.len == 0 || !is_alphanumeric(s.data[0]) || !is_alphanumeric(s.data[s.len - 1]))
        return false;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.data[i];

        if (!is_alphanumeric(c) && c != '-' && c != '_' && c != '.')
            return false;
    }
    return true;
}

static void judge_prefix(kin__problems *ret, kin_str prefix, bool any_case)
{
    struct text text = text_of(prefix, false);

    if (prefix.len == 0) {
        add(ret, "prefix part must be non-empty");
        return;
    }
    if (prefix.len > 253)
        add(ret, "prefix part must be no more than 253 bytes");
    if (!is_subdomain(&text, any_case))
        add(ret, "prefix part " SUBDOMAIN_WORDS);
}

kin__problems kin__label_key_problems(kin_str key, bool any_case)
{
    kin__problems found = {.n = 0};
    size_t slash = kin__str_find(key, '/');
    kin_str name = key;

    if (slash < key.len) {
        name = kin_str_make(key.data + slash + 1, key.len - slash - 1);
        if (kin__str_find(name, '/') < name.len) {
            add(&found, "a valid label key " KEY_WORDS
                        " with an optional DNS subdomain prefix and '/' (e.g. "
                        "'example.com/MyName')");
            return found;
        }
        judge_prefix(&found, kin_str_make(key.data, slash), any_case);
    }
    if (name.len == 0)
        add(&found, "name part must be non-empty");
    else if (name.len > 63)
        add(&found, "name part must be no more than 63 bytes");
    if (!is_label_text(name))
        add(&found, "name part " KEY_WORDS);
    return found;
}

kin__problems kin__label_value_problems(kin_str value)
{
    kin__problems found = {.n = 0};

    if (value.len > 63)
        add(&found, "must be no more than 63 bytes");
    if (value.len > 0 && !is_label_text(value))
        add(&found, "a valid label must be an empty string or consist of alphanumeric characters, "
                    "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. "
                    "'MyValue',  or 'my_value',  or '12345', regex used for validation is "
                    "'(" KEY_REGEX ")?')");
    return found;
}

/* --- telling --- */

void kin__problems_add(const kin__problems *problems, kin__failure *failure, kin_str field,
                       kin_str value)
{
    for (size_t i = 0; i < problems->n; i++)
        kin__cause_invalid(failure, field, value, problems->items[i]);
}

void kin__problems_join(const kin__problems *problems, kin__cutline *line, const char *separator)
{
    for (size_t i = 0; i < problems->n; i++) {
        if (i > 0)
            kin__cutline_append(line, kin_str_of(separator));
        kin__cutline_append(line, kin_str_of(problems->items[i]));
    }
}
