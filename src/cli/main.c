/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinform, the command: finds the subcommand, reads its options, and runs it.
 *
 * A signal ends it as it ends any program, unless a subcommand has something to tidy up. A pipe that
 * nobody reads any more does the same, quietly, whatever was inherited from whoever started it.
 */
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/report.h"
#include "cli/text.h"

const struct command *const commands[] = {
    &command_demo,  &command_get,        &command_watch,
    &command_serve, &command_completion, &command_version,
};
const size_t n_commands = sizeof(commands) / sizeof(commands[0]);

const struct command *command_find(const char *name)
{
    for (size_t i = 0; i < n_commands; i++) {
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    }
    return NULL;
}

static int unknown_command(const char *name)
{
    const char *names[sizeof(commands) / sizeof(commands[0])];

    for (size_t i = 0; i < n_commands; i++)
        names[i] = commands[i]->name;
    const char *near = nearest_word(name, names, n_commands);
    if (near)
        return report_usage(NULL, "there is no command %s, perhaps %s", name, near);
    return report_usage(NULL, "there is no command %s", name);
}

static int run(const struct command *command, const char *const *argv)
{
    kin_error err = KIN_ERROR_INIT;
    struct arguments arguments = {NULL, 0, NULL, false};
    void *settings = NULL;
    int status = EXIT_OK;

    if (command->missing)
        return report(EXIT_FAILED, "kinform %s is not in this build, which was made without %s",
                      command->name, command->missing);
    settings = memory_zeroed(1, command->settings_size);
    if (options_parse(&arguments, settings, command->groups, command->n_groups, argv,
                      command->takes_program, &err) < 0)
        status = report_usage(command->name, "%s", err.message);
    else if (arguments.help)
        help_print_command(command);
    else
        status = command->run(settings, &arguments);
    free(arguments.items);
    free(settings);
    return status;
}

/* `kinform help get` is `kinform get --help`. */
static int help(const char *name)
{
    if (!name) {
        help_print();
        return EXIT_OK;
    }
    const struct command *command = command_find(name);
    if (!command)
        return unknown_command(name);
    help_print_command(command);
    return EXIT_OK;
}

static int dispatch(const char *const *argv)
{
    if (!argv[0]) {
        help_print();
        return EXIT_USAGE;
    }
    if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)
        return help(NULL);
    if (strcmp(argv[0], "help") == 0)
        return help(argv[1]);
    if (strcmp(argv[0], "--version") == 0)
        return run(&command_version, argv + 1);
    if (argv[0][0] == '-')
        return report_usage(NULL, "options stand behind the command, as in kinform get pods %s",
                            argv[0]);
    const struct command *command = command_find(argv[0]);
    return command ? run(command, argv + 1) : unknown_command(argv[0]);
}

int main(int argc, char **argv)
{
    /* Widths of characters; UTF-8 is what servers send, whatever the user's locale is. */
    if (!setlocale(LC_CTYPE, "C.UTF-8"))
        setlocale(LC_CTYPE, "");
    signal(SIGPIPE, SIG_DFL);
    return output_end(dispatch((const char *const *)argv + (argc > 0)));
}
