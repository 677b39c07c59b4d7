/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinform, the command: finds the subcommand, reads its options, and runs it.
 *
 * A signal ends it as it ends any program, unless a subcommand has something to tidy up. A pipe that
 * nobody reads any more does the same, quietly, whatever was inherited from whoever started it.
 */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kinform/memory.h"

#include "cli/base/report.h"
#include "cli/base/text.h"
#include "cli/cluster.h"
#include "cli/command.h"

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

static int run_command(const struct command *command, const char *const *argv)
{
    kin_error err = KIN_ERROR_INIT;
    struct arguments arguments = {NULL, 0, NULL, false};
    void *settings = NULL;
    int status = EXIT_OK;
    int code;

    if (command->missing)
        return report(EXIT_FAILED, "kinform %s is not in this build, which was made without %s",
                      command->name, command->missing);
    settings = memory_zeroed(1, command->settings_size);
    code = options_parse(&arguments, settings, command->groups, command->n_groups, argv,
                         command->takes_program, &err);
    if (code == KIN_ENOTFOUND) /* not the fault of who typed it */
        status = report(EXIT_FAILED, "%s", err.message);
    else if (code < 0)
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

/* The first command that has such an option; NULL: none has. */
static const struct command *command_with(const char *word)
{
    kin_str name = kin_str_of(word + strspn(word, "-"));

    name.len = strcspn(name.data, "=");
    for (size_t c = 0; c < n_commands; c++) {
        for (size_t g = 0; g < commands[c]->n_groups; g++) {
            const struct option_group *group = &commands[c]->groups[g];

            for (size_t i = 0; i < group->len; i++) {
                if (word[1] == '-' ? kin_str_equal(kin_str_of(group->options[i].name), name)
                                   : group->options[i].letter == word[1])
                    return commands[c];
            }
        }
    }
    return NULL;
}

static int early_option(const char *word)
{
    const struct command *command = word[1] ? command_with(word) : NULL;

    if (!command)
        return report_usage(NULL, "no command has an option %s", word);
    if (early_options(&word, 1) > 0)
        return report_usage(NULL, "a command is missing after %s", word);
    return report_usage(NULL, "%s is written after the command, as in kinform %s %s", word,
                        command->name, word);
}

size_t early_options(const char *const *words, size_t n)
{
    const struct option_group groups[] = {{NULL, cluster_options, N_CLUSTER_OPTIONS, 0},
                                          {NULL, &namespace_option, 1, 0}};
    size_t i = 0;

    while (i < n && words[i][0] == '-' && words[i][1]) {
        size_t len = 0;

        if (option_with_value(groups, 2, words[i], &len))
            i += len > 0 ? 1 : 2;
        else if (option_is_flag(groups, 2, words[i]))
            i++;
        else
            break;
    }
    return i < n ? i : n;
}

/* `kinform -n shop get pods` is `kinform get -n shop pods`. */
static int run_later(const char *const *argv, size_t n_early, size_t n)
{
    const struct command *command = command_find(argv[n_early]);

    /* These two do not use a cluster, as kubectl's do not. */
    if (command == &command_version || command == &command_completion)
        return run_command(command, argv + n_early + 1);
    const char **words = memory_zeroed(n + 1, sizeof(*words));
    int status = EXIT_OK;
    memcpy(words, argv, n_early * sizeof(*words));
    memcpy(words + n_early, argv + n_early + 1, (n - n_early - 1) * sizeof(*words));
    status = command ? run_command(command, words) : unknown_command(argv[n_early]);
    free(words);
    return status;
}

static int dispatch(const char *const *argv)
{
    if (!argv[0]) {
        help_print();
        return EXIT_USAGE;
    }
    size_t n = 0;
    while (argv[n])
        n++;
    size_t n_early = early_options(argv, n);
    const char *word = n_early < n ? argv[n_early] : "";
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return help(NULL);
    if (strcmp(word, "help") == 0)
        return help(argv[n_early + 1]);
    if (strcmp(word, "--version") == 0)
        return run_command(&command_version, argv + n_early + 1);
    if (n_early < n && n_early > 0 && word[0] != '-')
        return run_later(argv, n_early, n);
    if (argv[0][0] == '-')
        return early_option(argv[n_early < n ? n_early : 0]);
    const struct command *command = command_find(argv[0]);
    return command ? run_command(command, argv + 1) : unknown_command(argv[0]);
}

/*
 * Whoever closes these does not mean that a connection or a database gets their numbers, and lines of ours. An
 * output that was closed is still an error when something is written: this one cannot be.
 */
static void fill_standard_descriptors(void)
{
    static const int flags[] = {
        [STDIN_FILENO] = O_RDONLY, [STDOUT_FILENO] = O_RDONLY, [STDERR_FILENO] = O_WRONLY};

    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", flags[fd]); /* gets the lowest number that is free: this one */
    }
}

int main(int argc, char **argv)
{
    fill_standard_descriptors();
    /* Widths of characters; UTF-8 is what servers send, whatever the user's locale is. */
    if (!setlocale(LC_CTYPE, "C.UTF-8"))
        setlocale(LC_CTYPE, "");
    signal(SIGPIPE, SIG_DFL);
    /* The process is ours: no thread of a host program waits for a trim. */
    kin_set_memory_trim(true);
    return output_end(dispatch((const char *const *)argv + (argc > 0)));
}
