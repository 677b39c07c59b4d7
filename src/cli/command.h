/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands of `kinform`, and what each of them is to the parser, to --help and to completions.
 *
 * The command stands on the public headers alone: what it can do, every program can.
 */
#ifndef KIN_CLI_COMMAND_H
#define KIN_CLI_COMMAND_H

#include "cli/base/exit_status.h"
#include "cli/base/options.h"

struct command {
    const char *name;
    const char *summary;  /* one line */
    const char *usage;    /* behind the name: "KIND[/NAME] [NAME…] [OPTION…]" */
    const char *details;  /* paragraphs for --help; may be NULL */
    const char *examples; /* lines for --help */
    const char *words;    /* for completions of arguments, as struct option has it; may be NULL */
    const struct option_group *groups;
    size_t n_groups;
    size_t settings_size; /* what the options are written into, all zero before */
    bool takes_program;   /* what stands behind "--" is a program with its arguments */
    const char *missing;  /* what this build would need for it; NULL: it can be run */
    /* The exit status. Everything is BORROWED for the call. */
    int (*run)(void *settings, const struct arguments *arguments);
};

/* All of them, in the order of --help. */
extern const struct command *const commands[];
extern const size_t n_commands;

extern const struct command command_completion;
extern const struct command command_demo;
extern const struct command command_get;
extern const struct command command_serve;
extern const struct command command_version;
extern const struct command command_watch;

/*
 * Count the words before the command that are options of the cluster or the namespace, as kubectl allows them there,
 * with their values. It ends at the first other word.
 */
size_t early_options(const char *const *words, size_t n);

/* NULL: there is none of that name. */
const struct command *command_find(const char *name);

/* --help of one, or of all. */
void help_print_command(const struct command *command);
void help_print(void);

#endif
