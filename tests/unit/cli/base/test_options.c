/* SPDX-License-Identifier: Apache-2.0 */
/* The command line: options by tables, durations, words that may be meant, kinds and names. */
#include <stdlib.h>
#include <string.h>

#include "cli/base/options.h"
#include "cli/base/text.h"
#include "cli/cluster.h"
#include "kin_test.h"

struct settings {
    const char *text;
    struct option_texts texts;
    int64_t number;
    int64_t duration;
    bool flag;
    bool other;
};

#define AT(field) offsetof(struct settings, field)
static const struct option of_values[] = {
    {"text", 't', OPTION_TEXT, AT(text), "TEXT", "a text", NULL, 0},
    {"texts", 0, OPTION_TEXTS, AT(texts), "TEXT", "texts", NULL, 0},
    {"number", 'n', OPTION_NUMBER, AT(number), "N", "a number", NULL, 65535},
    {"duration", 0, OPTION_DURATION, AT(duration), "TIME", "a time", NULL, 0},
};
static const struct option of_flags[] = {
    {"flag", 'f', OPTION_FLAG, 0, NULL, "a flag", NULL, 0},
    {"other", 'o', OPTION_FLAG, AT(other) - AT(flag), NULL, "another", NULL, 0},
};
/* The second group's settings lie somewhere in the command's. */
static const struct option_group groups[] = {
    {"Values", of_values, 4, 0},
    {"Flags", of_flags, 2, AT(flag)},
};

enum { WORDS_MAX = 8 };

static int parse(struct settings *settings, struct arguments *arguments, const char *const *words,
                 bool takes_program, kin_error *err)
{
    memset(settings, 0, sizeof(*settings));
    memset(arguments, 0, sizeof(*arguments));
    return options_parse(arguments, settings, groups, 2, words, takes_program, err);
}

static void done(struct settings *settings, struct arguments *arguments)
{
    free(settings->texts.items);
    free(arguments->items);
}

static void options_are_spelled_as_kubectls(void **state)
{
    static const struct {
        const char *words[WORDS_MAX];
        const char *text;
        int64_t number;
        bool flag;
        bool other;
        size_t n_arguments;
    } cases[] = {
        {{NULL}, NULL, 0, false, false, 0},
        {{"a", "--text", "x", "b"}, "x", 0, false, false, 2},
        {{"--text=x"}, "x", 0, false, false, 0},
        {{"--text="}, "", 0, false, false, 0},
        {{"--text", "--flag"}, "--flag", 0, false, false, 0},
        {{"-t", "x"}, "x", 0, false, false, 0},
        {{"-tx"}, "x", 0, false, false, 0},
        {{"-t=x"}, "x", 0, false, false, 0},
        {{"-fo"}, NULL, 0, true, true, 0},
        {{"-fotx", "a"}, "x", 0, true, true, 1},
        {{"-fn", "7"}, NULL, 7, true, false, 0},
        {{"--flag", "--flag=false", "--other=true"}, NULL, 0, false, true, 0},
        {{"--flag=1", "--flag=0"}, NULL, 0, false, false, 0},
        {{"-f=false"}, NULL, 0, false, false, 0},
        {{"--number", "65535"}, NULL, 65535, false, false, 0},
        {{"--text", "x", "--text", "y"}, "y", 0, false, false, 0},
        {{"-"}, NULL, 0, false, false, 1},
        {{"a", "--", "--text", "b"}, NULL, 0, false, false, 3},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        kin_error err = KIN_ERROR_INIT;
        struct settings settings;
        struct arguments arguments;

        if (parse(&settings, &arguments, cases[i].words, false, &err) < 0)
            fail_msg("case %zu: %s", i, err.message);
        if (cases[i].text)
            assert_string_equal(settings.text, cases[i].text);
        else
            assert_null(settings.text);
        assert_int_equal(settings.number, cases[i].number);
        assert_int_equal(settings.flag, cases[i].flag);
        assert_int_equal(settings.other, cases[i].other);
        assert_int_equal(arguments.len, cases[i].n_arguments);
        assert_null(arguments.behind);
        assert_false(arguments.help);
        done(&settings, &arguments);
    }
}

static void options_that_collect(void **state)
{
    static const char *const words[] = {"--texts", "a", "--texts=b", "x", NULL};
    struct settings settings;
    struct arguments arguments;

    (void)state;
    assert_code(parse(&settings, &arguments, words, false, NULL), 0);
    assert_int_equal(settings.texts.len, 2);
    assert_string_equal(settings.texts.items[0], "a");
    assert_string_equal(settings.texts.items[1], "b");
    assert_int_equal(arguments.len, 1);
    done(&settings, &arguments);
}

static void a_program_stands_behind_two_dashes(void **state)
{
    static const char *const words[] = {"-f", "--", "ls", "--text", NULL};
    struct settings settings;
    struct arguments arguments;

    (void)state;
    assert_code(parse(&settings, &arguments, words, true, NULL), 0);
    assert_true(settings.flag);
    assert_int_equal(arguments.len, 0);
    assert_ptr_equal(arguments.behind, words + 2);
    done(&settings, &arguments);
}

static void help_is_all_that_matters(void **state)
{
    static const char *const words[][3] = {{"--help", "--nosuch"}, {"-h"}, {"-fh"}};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct settings settings;
        struct arguments arguments;

        assert_code(parse(&settings, &arguments, words[i], false, NULL), 0);
        assert_true(arguments.help);
        done(&settings, &arguments);
    }
}

static void mistakes_are_told(void **state)
{
    static const struct {
        const char *words[WORDS_MAX];
        const char *why;
    } cases[] = {
        {{"--nosuch"}, "unknown option --nosuch"},
        {{"--txet=1"}, "perhaps --text"},
        {{"--nubmer"}, "perhaps --number"},
        {{"-fx"}, "unknown option -x"},
        {{"--text"}, "--text wants a value: --text TEXT"},
        {{"-n"}, "-n wants a value: -n N"},
        {{"--number", "65536"}, "--number wants a number up to 65535, not 65536"},
        {{"--number=-1"}, "not -1"},
        {{"--number", "1x"}, "not 1x"},
        {{"--number="}, "--number wants a number"},
        {{"--number", "99999999999999999999999"}, "up to 65535"},
        {{"--flag=maybe"}, "--flag is true or false, not maybe"},
        {{"--duration", "36526d"}, "--duration: 36526d is longer than 100 years"},
        {{"--duration", "1e300d"}, "--duration: 1e300d is longer than 100 years"},
        {{"--duration", "soon"}, "--duration: soon is no duration"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        kin_error err = KIN_ERROR_INIT;
        struct settings settings;
        struct arguments arguments;

        assert_code(parse(&settings, &arguments, cases[i].words, false, &err), KIN_EINVAL);
        if (!strstr(err.message, cases[i].why))
            fail_msg("%s instead of %s", err.message, cases[i].why);
        done(&settings, &arguments);
    }
}

static void durations(void **state)
{
    static const struct {
        const char *text;
        int64_t ms; /* -1: it is none */
    } cases[] = {
        {"20s", 20000},    {"5", 5000},       {"0", 0},
        {"1.5", 1500},     {"1m30s", 90000},  {"250ms", 250},
        {"1.5h", 5400000}, {"2d", 172800000}, {"", -1},
        {"s", -1},         {"-5s", -1},       {"5x", -1},
        {"1m 30s", -1},    {"1e30", -1},      {"nan", -1},
        {"inf", -1},       {"5s3", -1},       {"99999999999999999999h", -1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int64_t ms = -1;
        int code = duration_parse(&ms, cases[i].text, NULL);

        if (code != (cases[i].ms < 0 ? KIN_EINVAL : 0) || ms != cases[i].ms)
            fail_msg("%s: %d, %lld ms", cases[i].text, code, (long long)ms);
    }
}

static void words_that_may_be_meant(void **state)
{
    static const char *const words[] = {"get", "watch", "version"};

    (void)state;
    assert_string_equal(nearest_word("wacth", words, 3), "watch");
    assert_string_equal(nearest_word("gte", words, 3) ? "something" : "nothing", "nothing");
    assert_string_equal(nearest_word("get1", words, 3), "get");
    assert_string_equal(nearest_word("verison", words, 3), "version");
    assert_null(nearest_word("serve", words, 3));
    assert_null(nearest_word("a-word-that-is-longer-than-all-that-are-compared", words, 3));
    assert_null(nearest_word("", words, 0));
}

/* --- kinds and names --- */

static void expect_wanted(const char *const *words, const char *expected)
{
    struct arguments arguments = {memory_zeroed(WORDS_MAX, sizeof(char *)), 0, NULL, false};
    struct wanted_list list = {NULL, 0};
    kin_error err = KIN_ERROR_INIT;
    struct text text = TEXT_INIT;

    while (words[arguments.len]) {
        arguments.items[arguments.len] = words[arguments.len];
        arguments.len++;
    }
    if (wanted_parse(&list, &arguments, &err) < 0)
        text_format(&text, "! %s", err.message);
    for (size_t i = 0; i < list.len && err.code == 0; i++)
        text_format(&text, "%s%s%s%s%s", i > 0 ? " " : "", list.items[i].kind,
                    list.items[i].name ? "/" : "", list.items[i].name ? list.items[i].name : "",
                    list.items[i].is_optional ? "?" : "");
    if (strncmp(text_string(&text), expected, strlen(expected)) != 0 ||
        (expected[0] != '!' && text.len != strlen(expected)))
        fail_msg("%s instead of %s", text_string(&text), expected);
    text_done(&text);
    wanted_done(&list);
    free(arguments.items);
}

static void kinds_and_names(void **state)
{
    (void)state;
    expect_wanted((const char *[]){"pods", NULL}, "pods");
    expect_wanted((const char *[]){"pods,svc", NULL}, "pods svc");
    expect_wanted((const char *[]){"pods", "a", "b", NULL}, "pods/a pods/b");
    expect_wanted((const char *[]){"pods,svc", "a", NULL}, "pods/a svc/a");
    expect_wanted((const char *[]){"pods/a", "svc/b", NULL}, "pods/a svc/b");
    expect_wanted((const char *[]){"deployments.v1.apps/a", NULL}, "deployments.v1.apps/a");
    expect_wanted((const char *[]){"nodes,all", NULL},
                  "nodes all"); /* the server knows what that is */
    expect_wanted((const char *[]){NULL}, "! say of which kind");
    expect_wanted((const char *[]){"pods,", NULL}, "! an empty kind");
    expect_wanted((const char *[]){"", NULL}, "! an empty kind");
    expect_wanted((const char *[]){"/a", NULL}, "! write KIND/NAME");
    expect_wanted((const char *[]){"pods/", NULL}, "! write KIND/NAME");
    expect_wanted((const char *[]){"pods/a", "b", NULL}, "! write KIND/NAME");
    expect_wanted((const char *[]){"pods/a/b", NULL}, "! write KIND/NAME");
    expect_wanted((const char *[]){"all", "a", NULL}, "! all has no names");
}

static void a_kind_is_removed(void **state)
{
    const char *words[] = {"a,b,c"};
    const struct arguments arguments = {words, 1, NULL, false};
    struct wanted_list list = {NULL, 0};

    (void)state;
    assert_code(wanted_parse(&list, &arguments, NULL), 0);
    wanted_remove(&list, 1);
    assert_int_equal(list.len, 2);
    assert_string_equal(list.items[0].kind, "a");
    assert_string_equal(list.items[1].kind, "c");
    wanted_remove(&list, 1);
    wanted_remove(&list, 0);
    assert_int_equal(list.len, 0);
    wanted_done(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_are_spelled_as_kubectls),
        cmocka_unit_test(options_that_collect),
        cmocka_unit_test(a_program_stands_behind_two_dashes),
        cmocka_unit_test(help_is_all_that_matters),
        cmocka_unit_test(mistakes_are_told),
        cmocka_unit_test(durations),
        cmocka_unit_test(words_that_may_be_meant),
        cmocka_unit_test(kinds_and_names),
        cmocka_unit_test(a_kind_is_removed),
    };

    return cmocka_run_group_tests_name("cli options", tests, NULL, NULL);
}
