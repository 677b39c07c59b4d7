/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options of the command line, by tables: one table is read by the parser, by --help and by the
 * completions of the shells.
 *
 * They are written as kubectl's are: `--name value`, `--name=value`, `-n value`, `-nvalue`,
 * `-n=value`, `--flag`, `--flag=false`, flags together as `-Aw`, anywhere between the arguments.
 * Behind `--` nothing is an option.
 */
#ifndef KIN_CLI_BASE_OPTIONS_H
#define KIN_CLI_BASE_OPTIONS_H

#include "kinform/error.h"

enum option_type {
    OPTION_FLAG,     /* bool */
    OPTION_TEXT,     /* const char *, of the command line */
    OPTION_TEXTS,    /* struct option_texts: may be given again */
    OPTION_NUMBER,   /* int64_t, from 0 to `max` */
    OPTION_COUNT,    /* the same from 1 */
    OPTION_DURATION, /* int64_t, milliseconds: "20s", "1m30s", "500ms"; a bare number is seconds */
    OPTION_MISSING,  /* not in this build: `words` says what that was made without */
};

/* What OPTION_TEXTS collects. `items` is OWNED, free(); the texts are of the command line. */
struct option_texts {
    const char **items;
    size_t len;
};

struct option {
    const char *name;
    char letter; /* 0: none */
    enum option_type type;
    size_t offset;     /* of what it sets, in the settings of its group */
    const char *value; /* what --help calls the value; NULL for flags */
    const char *help;  /* one line */
    const char
        *words;  /* for completions: "json yaml", "<file>", "<@file>", "<kind>"; NULL: anything */
    int64_t max; /* of numbers */
};

/* Options that several commands have. */
struct option_group {
    const char *title; /* "Which cluster" */
    const struct option *options;
    size_t len;
    size_t offset; /* of the group's settings in the command's */
};

struct arguments {
    const char **items; /* OWNED, free(); what was no option. The texts are of the command line */
    size_t len;
    const char *const *behind; /* what stood behind "--", ended by NULL; NULL: there was none */
    bool help;                 /* --help or -h was given, and nothing else matters */
};

/* Whether it is one flag, `--name`, or several with letters, `-Av`. */
bool option_is_flag(const struct option_group *groups, size_t n_groups, const char *word);
/*
 * The option whose value begins in this word, or is the next one. NULL: the word is not an option that takes a value.
 * `ret_len`: where in the word the value begins, 0 if it is the next one.
 */
const struct option *option_with_value(const struct option_group *groups, size_t n_groups,
                                       const char *word, size_t *ret_len);

/*
 * Take the command line apart. `takes_program`: what is behind "--" is kept apart; else it is
 * arguments. 0, or with a line for the user KIN_EINVAL, or KIN_ENOTFOUND for an option that is not
 * in this build.
 */
int options_parse(struct arguments *ret, void *settings, const struct option_group *groups,
                  size_t n_groups, const char *const *argv, bool takes_program, kin_error *err);

/* "20s", "1h30m", "250ms", "5"; 100 years at most. 0, or KIN_EINVAL. */
int duration_parse(int64_t *ret_ms, const char *text, kin_error *err);

/* Of `n` words the one that is so near to `word` that it may be meant; NULL: none. BORROWED. */
const char *nearest_word(const char *word, const char *const *words, size_t n);

#endif
