/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser. It looks at one word after the other; `struct parse` is where it is. An option that
 * is given again replaces what was said before, except for those that collect.
 */
#include "cli/base/options.h"

#include <stdlib.h>
#include <string.h>

#include "cli/base/text.h"

struct parse {
    struct arguments *arguments;
    char *settings;
    const struct option_group *groups;
    size_t n_groups;
    const char *const *next; /* the words that are left, ended by NULL */
    kin_error *err;
};

/* An option, where what it sets lies, and how the user has spelled it. */
struct found {
    const struct option *option;
    void *into;
    char spelling[64];
};

/* Find an option by its name, or by its letter if that is not 0. NULL if no group has it. */
static const struct option *find_in(const struct option_group *groups, size_t n_groups,
                                    kin_str name, char letter,
                                    const struct option_group **ret_group)
{
    for (size_t g = 0; g < n_groups; g++) {
        for (size_t i = 0; i < groups[g].len; i++) {
            const struct option *option = &groups[g].options[i];

            if (letter ? option->letter != letter : !kin_str_equal(kin_str_of(option->name), name))
                continue;
            *ret_group = &groups[g];
            return option;
        }
    }
    return NULL;
}

static int find_by(const struct parse *p, struct found *ret, kin_str name, char letter)
{
    const struct option_group *group = NULL;
    const struct option *option = find_in(p->groups, p->n_groups, name, letter, &group);

    if (!option)
        return KIN_ENOTFOUND;
    ret->option = option;
    ret->into = p->settings + group->offset + option->offset;
    return 0;
}

bool option_is_flag(const struct option_group *groups, size_t n_groups, const char *word)
{
    const struct option_group *group = NULL;

    if (strncmp(word, "--", 2) == 0) {
        const struct option *option = find_in(groups, n_groups, kin_str_of(word + 2), 0, &group);

        return option && option->type == OPTION_FLAG;
    }
    for (size_t i = 1; word[i]; i++) {
        const struct option *option =
            find_in(groups, n_groups, kin_str_make(NULL, 0), word[i], &group);

        if (!option || option->type != OPTION_FLAG)
            return false;
    }
    return word[0] == '-' && word[1];
}

const struct option *option_with_value(const struct option_group *groups, size_t n_groups,
                                       const char *word, size_t *ret_len)
{
    const struct option_group *group = NULL;
    size_t len = strcspn(word, "=");

    *ret_len = 0;
    if (strncmp(word, "--", 2) == 0) {
        const struct option *option =
            len > 2 ? find_in(groups, n_groups, kin_str_make(word + 2, len - 2), 0, &group) : NULL;

        if (option && word[len] == '=')
            *ret_len = len + 1;
        return option && (option->type != OPTION_FLAG || *ret_len > 0) ? option : NULL;
    }
    for (size_t i = 1; word[0] == '-' && word[i]; i++) {
        const struct option *option =
            find_in(groups, n_groups, kin_str_make(NULL, 0), word[i], &group);

        if (!option)
            return NULL;
        if (option->type != OPTION_FLAG) {
            *ret_len = word[i + 1] ? i + 1 + (word[i + 1] == '=') : 0;
            return option;
        }
    }
    return NULL;
}

/* --- words that may have been meant --- */

enum { WORD_MAX = 32 };

static size_t least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;

    return ab < c ? ab : c;
}

/* How many characters have to be put in, left out or changed. */
static size_t distance(const char *a, const char *b)
{
    size_t row[WORD_MAX + 1];
    size_t len = strlen(b);

    if (len > WORD_MAX || strlen(a) > WORD_MAX)
        return WORD_MAX;
    for (size_t j = 0; j <= len; j++)
        row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];

        row[0] = i + 1;
        for (size_t j = 0; j < len; j++) {
            size_t changed = diagonal + (a[i] != b[j]);

            diagonal = row[j + 1];
            row[j + 1] = least(changed, row[j] + 1, diagonal + 1);
        }
    }
    return row[len];
}

const char *nearest_word(const char *word, const char *const *words, size_t n)
{
    const char *best = NULL;
    size_t best_distance = 1 + strlen(word) / 4; /* a short word has no room for mistakes */

    for (size_t i = 0; i < n; i++) {
        size_t d = distance(word, words[i]);

        if (d <= best_distance && (!best || d < best_distance)) {
            best = words[i];
            best_distance = d;
        }
    }
    return best;
}

static int unknown_option(const struct parse *p, const char *name)
{
    const char *names[64];
    size_t n = 0;

    for (size_t g = 0; g < p->n_groups; g++) {
        for (size_t i = 0; i < p->groups[g].len && n < 64; i++)
            names[n++] = p->groups[g].options[i].name;
    }
    const char *near = nearest_word(name, names, n);
    if (near)
        return kin_error_set(p->err, KIN_EINVAL, "unknown option --%s, perhaps --%s", name, near);
    return kin_error_set(p->err, KIN_EINVAL, "unknown option --%s", name);
}

/* --- values --- */

/* A number with its unit, and how many milliseconds the unit has. */
static int take_part(const char **text, double *ret_ms)
{
    static const struct {
        const char *name;
        double ms;
    } units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {"d", 86400000}};
    char *end;

    if (**text < '0' || **text > '9')
        return KIN_EINVAL;
    double number = strtod(*text, &end);
    size_t len = strspn(end, "abcdefghijklmnopqrstuvwxyz");
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strlen(units[i].name) == len && strncmp(end, units[i].name, len) == 0) {
            *ret_ms = number * units[i].ms;
            *text = end + len;
            return 0;
        }
    }
    return KIN_EINVAL;
}

/* In milliseconds; so much fits into nanoseconds, too, with a clock's time added. */
static const double duration_max = 100 * 365.25 * 86400 * 1000;

int duration_parse(int64_t *ret_ms, const char *text, kin_error *err)
{
    const char *at = text;
    char *end;
    double sum = 0;

    double seconds = strtod(text, &end);
    if (text[0] >= '0' && text[0] <= '9' && *end == '\0') {
        sum = seconds * 1000;
        at = end;
    }
    while (*at) {
        double ms = 0;

        if (take_part(&at, &ms) < 0)
            return kin_error_set(err, KIN_EINVAL, "%s is no duration, write 20s or 1m30s", text);
        sum += ms;
    }
    if (at == text)
        return kin_error_set(err, KIN_EINVAL, "%s is no duration, write 20s or 1m30s",
                             text[0] ? text : "an empty text");
    if (!(sum <= duration_max))
        return kin_error_set(err, KIN_EINVAL, "%s is longer than 100 years", text);
    *ret_ms = (int64_t)sum;
    return 0;
}

static int set_number(const struct found *f, const char *value, kin_error *err)
{
    char *end;
    unsigned long long number = strtoull(value, &end, 10);

    bool is_count = f->option->type == OPTION_COUNT;
    if (value[0] < '0' || value[0] > '9' || *end || strlen(value) > 18 ||
        number > (unsigned long long)f->option->max || (is_count && number == 0))
        return kin_error_set(err, KIN_EINVAL, "%s wants a number %sup to %lld, not %s", f->spelling,
                             is_count ? "from 1 " : "", (long long)f->option->max, value);
    *(int64_t *)f->into = (int64_t)number;
    return 0;
}

static int set_flag(const struct found *f, const char *value, kin_error *err)
{
    bool is_true = strcmp(value, "true") == 0 || strcmp(value, "1") == 0;

    if (!is_true && strcmp(value, "false") != 0 && strcmp(value, "0") != 0)
        return kin_error_set(err, KIN_EINVAL, "%s is true or false, not %s", f->spelling, value);
    *(bool *)f->into = is_true;
    return 0;
}

static int set_value(const struct found *f, const char *value, kin_error *err)
{
    struct option_texts *texts = f->into;

    switch (f->option->type) {
    case OPTION_TEXT:
        *(const char **)f->into = value;
        return 0;
    case OPTION_TEXTS:
        texts->items = memory_resize(texts->items, texts->len + 1, sizeof(*texts->items));
        texts->items[texts->len++] = value;
        return 0;
    case OPTION_NUMBER:
    case OPTION_COUNT:
        return set_number(f, value, err);
    case OPTION_DURATION:
        if (duration_parse(f->into, value, err) < 0)
            return kin_error_set(err, KIN_EINVAL, "%s: %s", f->spelling, err->message);
        return 0;
    default:
        return set_flag(f, value, err);
    }
}

/* The word behind the option. */
static int take_value(struct parse *p, const struct found *f)
{
    if (!*p->next)
        return kin_error_set(p->err, KIN_EINVAL, "%s wants a value: %s %s", f->spelling,
                             f->spelling, f->option->value);
    return set_value(f, *p->next++, p->err);
}

/* --- words --- */

/* Behind the two dashes. */
static int take_long(struct parse *p, const char *word)
{
    size_t len = strcspn(word, "=");
    struct found f = {NULL, NULL, ""};

    if (strcmp(word, "help") == 0) {
        p->arguments->help = true;
        return 0;
    }
    if (find_by(p, &f, kin_str_make(word, len), 0) < 0) {
        char *name = memory_copy(kin_str_make(word, len));
        int code = unknown_option(p, name);

        free(name);
        return code;
    }
    strcpy(f.spelling, "--");
    strncat(f.spelling, f.option->name, sizeof(f.spelling) - 3);
    if (f.option->type == OPTION_MISSING)
        return kin_error_set(p->err, KIN_ENOTFOUND,
                             "%s is not in this build, which was made without %s", f.spelling,
                             f.option->words);
    if (word[len] == '=')
        return set_value(&f, word + len + 1, p->err);
    if (f.option->type == OPTION_FLAG)
        return set_flag(&f, "true", p->err);
    return take_value(p, &f);
}

/* Behind one dash: flags, of which the last may be an option with its value. */
static int take_short(struct parse *p, const char *word)
{
    for (; *word; word++) {
        struct found f = {NULL, NULL, {'-', *word, '\0'}};

        if (*word == 'h') {
            p->arguments->help = true;
            return 0;
        }
        if (find_by(p, &f, kin_str_make(NULL, 0), *word) < 0)
            return kin_error_set(p->err, KIN_EINVAL, "unknown option -%c", *word);
        if (word[1] == '=')
            return set_value(&f, word + 2, p->err);
        if (f.option->type != OPTION_FLAG)
            return word[1] ? set_value(&f, word + 1, p->err) : take_value(p, &f);
        *(bool *)f.into = true;
    }
    return 0;
}

static void take_argument(struct arguments *arguments, const char *word)
{
    arguments->items =
        memory_resize(arguments->items, arguments->len + 1, sizeof(*arguments->items));
    arguments->items[arguments->len++] = word;
}

static void take_rest(struct parse *p, bool takes_program)
{
    if (takes_program) {
        p->arguments->behind = p->next;
        return;
    }
    while (*p->next)
        take_argument(p->arguments, *p->next++);
}

int options_parse(struct arguments *ret, void *settings, const struct option_group *groups,
                  size_t n_groups, const char *const *argv, bool takes_program, kin_error *err)
{
    struct parse p = {ret, settings, groups, n_groups, argv, err};
    int code = 0;

    while (*p.next && code == 0 && !ret->help) {
        const char *word = *p.next++;

        if (strcmp(word, "--") == 0) {
            take_rest(&p, takes_program);
            break;
        }
        if (strncmp(word, "--", 2) == 0)
            code = take_long(&p, word + 2);
        else if (word[0] == '-' && word[1])
            code = take_short(&p, word + 1);
        else
            take_argument(ret, word);
    }
    return code;
}
