/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names and labels: what is accepted, and the words for what is not.
 */
#include "apiserver_support.h"

#include "apiserver/kinds/names.h"
#include "base/compiler.h"
#include "kinform/selector.h"

#define SUBDOMAIN                                                                                  \
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "   \
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "  \
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
#define LABEL                                                                                      \
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "   \
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex "     \
    "used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
#define LABEL_1035                                                                                 \
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "   \
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "           \
    "'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
#define KEY                                                                                        \
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "    \
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "         \
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
#define VALUE                                                                                      \
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "    \
    "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value', " \
    " or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"

#define A10 "aaaaaaaaaa"
#define A60 A10 A10 A10 A10 A10 A10
#define A240 A60 A60 A60 A60

static void assert_problems(kin__problems found, const char *text, const char *first,
                            const char *second)
{
    size_t n = (first != NULL) + (second != NULL);

    if (found.n != n)
        fail_msg("%s: %zu problems, not %zu", text, found.n, n);
    if (first)
        assert_string_equal(found.items[0], first);
    if (second)
        assert_string_equal(found.items[1], second);
}

static void judges_names(void **state)
{
    static const struct {
        enum kin__name_rule rule;
        const char *name;
        bool is_prefix;
        const char *first;
        const char *second;
    } cases[] = {
        {KIN__NAME_SUBDOMAIN, "a", false, NULL, NULL},
        {KIN__NAME_SUBDOMAIN, "0.a-b.c", false, NULL, NULL},
        {KIN__NAME_SUBDOMAIN, A240 A10 "aaa", false, NULL, NULL},
        {KIN__NAME_SUBDOMAIN, A240 A10 "aaaa", false, "must be no more than 253 characters", NULL},
        {KIN__NAME_SUBDOMAIN, A240 A10 "aaaA", false, "must be no more than 253 characters",
         SUBDOMAIN},
        {KIN__NAME_SUBDOMAIN, "", false, SUBDOMAIN, NULL},
        {KIN__NAME_SUBDOMAIN, "A", false, SUBDOMAIN, NULL},
        {KIN__NAME_SUBDOMAIN, "-a", false, SUBDOMAIN, NULL},
        {KIN__NAME_SUBDOMAIN, "a-", false, SUBDOMAIN, NULL},
        {KIN__NAME_SUBDOMAIN, "a.", false, SUBDOMAIN, NULL},
        {KIN__NAME_SUBDOMAIN, ".a", false, SUBDOMAIN, NULL},
        {KIN__NAME_SUBDOMAIN, "a..b", false, SUBDOMAIN, NULL},
        {KIN__NAME_SUBDOMAIN, "a-.b", false, SUBDOMAIN, NULL},
        {KIN__NAME_SUBDOMAIN, "a.-b", false, SUBDOMAIN, NULL},
        {KIN__NAME_SUBDOMAIN, "a_b", false, SUBDOMAIN, NULL},
        {KIN__NAME_SUBDOMAIN, "a\n", false, SUBDOMAIN, NULL},
        {KIN__NAME_SUBDOMAIN, "\xc3\xa4", false, SUBDOMAIN, NULL},
        {KIN__NAME_SUBDOMAIN, "web-", true, NULL, NULL},
        {KIN__NAME_SUBDOMAIN, "web.-", true, NULL, NULL}, /* as the real one: "web" and an 'a' */
        {KIN__NAME_SUBDOMAIN, "web--", true, NULL, NULL},
        {KIN__NAME_SUBDOMAIN, "web---", true, NULL, NULL},
        {KIN__NAME_SUBDOMAIN, "-", true, SUBDOMAIN, NULL},
        {KIN__NAME_SUBDOMAIN, "web.", true, SUBDOMAIN, NULL},
        {KIN__NAME_SUBDOMAIN, A240 A10 "aaa-", true, NULL, NULL},
        {KIN__NAME_LABEL, "0-a", false, NULL, NULL},
        {KIN__NAME_LABEL, "a.b", false, "must not contain dots", NULL},
        {KIN__NAME_LABEL, "a b", false, LABEL, NULL},
        {KIN__NAME_LABEL, A60 "aaa", false, NULL, NULL},
        {KIN__NAME_LABEL, A60 "aaaa", false, "must be no more than 63 characters", NULL},
        {KIN__NAME_LABEL, A60 "aaa.a", false, "must be no more than 63 characters",
         "must not contain dots"},
        {KIN__NAME_LABEL_1035, "a0-b", false, NULL, NULL},
        {KIN__NAME_LABEL_1035, A60 "aaa", false, NULL, NULL},
        {KIN__NAME_LABEL_1035, A60 "aaaa", false, "must be no more than 63 characters", NULL},
        {KIN__NAME_LABEL_1035, "0a", false, LABEL_1035, NULL},
        {KIN__NAME_LABEL_1035, "a.b", false, LABEL_1035, NULL},
        {KIN__NAME_LABEL_1035, "", false, LABEL_1035, NULL},
        {KIN__NAME_LABEL_1035, "a-", true, NULL, NULL},
        {KIN__NAME_PATH_SEGMENT, "system:node", false, NULL, NULL},
        {KIN__NAME_PATH_SEGMENT, "A b", false, NULL, NULL},
        {KIN__NAME_PATH_SEGMENT, ".", false, "may not be '.'", NULL},
        {KIN__NAME_PATH_SEGMENT, "..", false, "may not be '..'", NULL},
        {KIN__NAME_PATH_SEGMENT, "..", true, NULL, NULL},
        {KIN__NAME_PATH_SEGMENT, "a/b%c", false, "may not contain '/'", "may not contain '%'"},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin__problems found =
            kin__name_problems(cases[i].rule, kin_str_of(cases[i].name), cases[i].is_prefix);

        assert_problems(found, cases[i].name, cases[i].first, cases[i].second);
    }
}

static void judges_label_keys(void **state)
{
    static const struct {
        const char *key;
        bool any_case;
        const char *first;
        const char *second;
    } cases[] = {
        {"app", false, NULL, NULL},
        {"App_1.x-y", false, NULL, NULL},
        {"example.com/App", false, NULL, NULL},
        {"Example.com/App", true, NULL, NULL},
        {"Example.com/App", false, "prefix part " SUBDOMAIN, NULL},
        {"a/b/c", false,
         "a valid label key " KEY
         " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
         NULL},
        {"/b", false, "prefix part must be non-empty", NULL},
        {"a/", false, "name part must be non-empty", "name part " KEY},
        {"", false, "name part must be non-empty", "name part " KEY},
        {"-a", false, "name part " KEY, NULL},
        {"a_", false, "name part " KEY, NULL},
        {"a b", false, "name part " KEY, NULL},
        {A60 "aaaa", false, "name part must be no more than 63 bytes", NULL},
        {A240 A10 "aaa/a", false, NULL, NULL},
        {A240 A10 "aaaa/a", false, "prefix part must be no more than 253 bytes", NULL},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++)
        assert_problems(kin__label_key_problems(kin_str_of(cases[i].key), cases[i].any_case),
                        cases[i].key, cases[i].first, cases[i].second);
}

static void judges_label_values(void **state)
{
    (void)state;
    assert_problems(kin__label_value_problems(kin_str_of("")), "", NULL, NULL);
    assert_problems(kin__label_value_problems(kin_str_of("A.b_c-1")), "", NULL, NULL);
    assert_problems(kin__label_value_problems(kin_str_of("a/b")), "a/b", VALUE, NULL);
    assert_problems(kin__label_value_problems(kin_str_of("-")), "-", VALUE, NULL);
    assert_problems(kin__label_value_problems(kin_str_of(A60 "aaaa")), "long",
                    "must be no more than 63 bytes", NULL);
    assert_problems(kin__label_value_problems(kin_str_of(A60 "aaa-")), "long",
                    "must be no more than 63 bytes", VALUE);
}

/* Nothing that is accepted is refused by kinform's own check of labels, nor the other way round. */
static void agrees_with_kinform(void **state)
{
    static const char bytes[] = "aZ0-_./ \xc3";
    char text[5] = "";
    size_t n = sizeof(bytes) - 1;

    (void)state;
    for (size_t i = 0; i < n * n * n * n; i++) {
        size_t rest = i;

        for (size_t k = 0; k < 4; k++, rest /= n)
            text[k] = bytes[rest % n];
        kin_str s = kin_str_make(text, 1 + i % 4);
        assert_int_equal(kin__label_key_problems(s, false).n == 0,
                         kin_label_key_validate(s, NULL) == 0);
        assert_int_equal(kin__label_value_problems(s).n == 0,
                         kin_label_value_validate(s, NULL) == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judges_names),
        cmocka_unit_test(judges_label_keys),
        cmocka_unit_test(judges_label_values),
        cmocka_unit_test(agrees_with_kinform),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
