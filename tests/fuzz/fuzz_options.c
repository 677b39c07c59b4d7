/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command lines, a word per line: they are taken apart or refused with a line for the user; what was set is
 * within its limits and of the command line; an option and its value may be one word or two. And durations.
 */
#include "cli/base/options.h"
#include "cli/base/text.h"
#include "cli/cluster.h"
#include "fuzz_show.h"

enum { WORDS_MAX = 40, NUMBER_MAX = 1000 };

struct settings {
    struct cluster_settings cluster;
    struct selection_settings selection;
    int64_t number;
};

static const struct option own_options[] = {
    {"number", 'N', OPTION_NUMBER, offsetof(struct settings, number), "N", "a number", NULL,
     NUMBER_MAX},
};
static const struct option_group groups[] = {
    {"Cluster", cluster_options, N_CLUSTER_OPTIONS, offsetof(struct settings, cluster)},
    {"Objects", selection_options, N_SELECTION_OPTIONS, offsetof(struct settings, selection)},
    {"Own", own_options, 1, 0},
};

static int parse(struct settings *settings, struct arguments *arguments, const char *const *words,
                 bool takes_program)
{
    kin_error err = KIN_ERROR_INIT;
    int code = options_parse(arguments, settings, groups, 3, words, takes_program, &err);

    FUZZ_CHECK(code == 0 || (code == KIN_EINVAL && err.message[0]));
    return code;
}

static void done(struct settings *settings, struct arguments *arguments)
{
    free(settings->cluster.as_groups.items);
    free(settings->selection.where.items);
    free(arguments->items);
}

static void check_set(const struct settings *s, const struct arguments *a)
{
    FUZZ_CHECK(s->number >= 0 && s->number <= NUMBER_MAX);
    FUZZ_CHECK(s->cluster.request_timeout_ms >= 0);
    FUZZ_CHECK(a->len <= WORDS_MAX);
    for (size_t i = 0; i < s->selection.where.len; i++)
        FUZZ_CHECK(s->selection.where.items[i]);
}

/* `--context=X` is `--context X`; the last word alone, so that it is nobody's value. */
static void check_two_words(const char *value)
{
    struct text joined = TEXT_INIT;
    struct settings one = {0};
    struct settings two = {0};
    struct arguments one_rest = {0};
    struct arguments two_rest = {0};

    text_format(&joined, "--context=%s", value);
    FUZZ_CHECK(parse(&one, &one_rest, (const char *const[]){joined.data, NULL}, false) == 0);
    FUZZ_CHECK(parse(&two, &two_rest, (const char *const[]){"--context", value, NULL}, false) == 0);
    FUZZ_CHECK(strcmp(one.cluster.context, value) == 0 && two.cluster.context == value);
    done(&one, &one_rest);
    done(&two, &two_rest);
    text_done(&joined);
}

static void check_duration(const char *text)
{
    char again[32];
    int64_t ms = -1;
    int64_t same = -1;

    if (duration_parse(&ms, text, NULL) < 0) {
        FUZZ_CHECK(ms == -1);
        return;
    }
    FUZZ_CHECK(ms >= 0 && ms <= 1000000000000000);
    snprintf(again, sizeof(again), "%lldms", (long long)ms);
    FUZZ_CHECK(duration_parse(&same, again, NULL) == 0 && same == ms);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    bool takes_program = fuzz_byte(&in) & 1;
    char *text = fuzz_text(&in);
    const char *words[WORDS_MAX + 1];
    struct settings settings = {0};
    struct arguments arguments = {0};
    size_t n = 0;

    for (char *at = text; at && n < WORDS_MAX;) {
        char *end = strchr(at, '\n');

        if (end)
            *end++ = '\0';
        words[n++] = at;
        at = end;
    }
    words[n] = NULL;
    if (parse(&settings, &arguments, words, takes_program) == 0)
        check_set(&settings, &arguments);
    done(&settings, &arguments);
    check_two_words(words[n - 1]);
    for (size_t i = 0; i < n; i++)
        check_duration(words[i]);
    free(text);
    return 0;
}
