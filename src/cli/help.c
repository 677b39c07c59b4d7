/* SPDX-License-Identifier: Apache-2.0 */
/* --help, from the tables of options. */
#include <stdio.h>
#include <string.h>

#include "cli/base/text.h"
#include "cli/command.h"

/* "-n, --namespace NAME" */
static void add_spelling(struct text *out, const struct option *option)
{
    if (option->letter)
        text_format(out, "-%c, ", option->letter);
    else
        text_add_n(out, ' ', 4);
    text_format(out, "--%s", option->name);
    if (option->value)
        text_format(out, " %s", option->value);
}

static void print_group(const struct option_group *group)
{
    size_t width = 0;

    for (size_t i = 0; i < group->len; i++) {
        struct text spelling = TEXT_INIT;

        add_spelling(&spelling, &group->options[i]);
        width = spelling.len > width ? spelling.len : width;
        text_done(&spelling);
    }
    printf("\n%s:\n", group->title);
    for (size_t i = 0; i < group->len; i++) {
        struct text spelling = TEXT_INIT;

        add_spelling(&spelling, &group->options[i]);
        printf("  %-*s  %s%s\n", (int)width, text_string(&spelling), group->options[i].help,
               group->options[i].type == OPTION_MISSING ? " (not in this build)" : "");
        text_done(&spelling);
    }
}

void help_print_command(const struct command *command)
{
    printf("%s\n\nUsage:\n  kinform %s %s\n", command->summary, command->name, command->usage);
    if (command->missing)
        printf("\nThis build was made without %s.\n", command->missing);
    if (command->details)
        printf("\n%s", command->details);
    for (size_t g = 0; g < command->n_groups; g++)
        print_group(&command->groups[g]);
    printf("\nExamples:\n%s", command->examples);
}

void help_print(void)
{
    static const struct {
        int value;
        const char *what;
    } statuses[] = {
#define EXIT_ROW(name, value, what) {value, what},
        EXIT_MAP(EXIT_ROW)
#undef EXIT_ROW
    };

    puts("Look at Kubernetes clusters through informers, and serve an API to try things on.\n\n"
         "Usage:\n  kinform COMMAND [ARGUMENT…] [OPTION…]\n\nCommands:");
    for (size_t i = 0; i < n_commands; i++)
        printf("  %-11s %s%s\n", commands[i]->name, commands[i]->summary,
               commands[i]->missing ? " (not in this build)" : "");
    puts(
        "\n`kinform COMMAND --help` tells more of one. Options that say which cluster, and -n, may come\n"
        "before the command.\n\nExit status:");
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
        printf("  %-3d %s\n", statuses[i].value, statuses[i].what);
    puts("  130 ended by Ctrl-C; 128 and its number for other signals");
}
