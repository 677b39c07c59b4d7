/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinform completion: scripts for shells, from the tables of commands and options.
 *
 * They know commands, options and the values of those that have a few. Kinds are those that every
 * cluster has: a script that asked the server at each Tab would wait for it.
 */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/report.h"

static const char kinds[] =
    "bindings componentstatuses configmaps cronjobs customresourcedefinitions daemonsets "
    "deployments endpoints endpointslices events horizontalpodautoscalers ingresses jobs leases "
    "limitranges namespaces networkpolicies nodes persistentvolumeclaims persistentvolumes "
    "poddisruptionbudgets pods priorityclasses replicasets resourcequotas rolebindings roles "
    "secrets serviceaccounts services statefulsets storageclasses";

static const char *words_of(const char *words)
{
    return words && strcmp(words, "<kind>") == 0 ? kinds : words;
}

static bool is_file(const char *words)
{
    return words && strcmp(words, "<file>") == 0;
}

/* ---- what all shells need ---- */

typedef void option_fn(const struct command *command, const struct option *option);

static void each_option(const struct command *command, option_fn *fn)
{
    for (size_t g = 0; g < command->n_groups; g++) {
        for (size_t i = 0; i < command->groups[g].len; i++)
            fn(command, &command->groups[g].options[i]);
    }
}

static void print_command_names(void)
{
    for (size_t i = 0; i < n_commands; i++)
        printf("%s%s", i ? " " : "", commands[i]->name);
}

/* Text inside single quotes of a shell; `also` are characters that get a backslash. */
static void print_quoted(const char *s, const char *also)
{
    for (; *s; s++) {
        if (*s == '\'')
            fputs("'\\''", stdout);
        else
            printf("%s%c", strchr(also, *s) ? "\\" : "", *s);
    }
}

/* ---- bash ---- */

static void bash_name(const struct command *command, const struct option *option)
{
    (void)command;
    printf(" --%s", option->name);
    if (option->letter)
        printf(" -%c", option->letter);
}

/* Options with a value: what may stand behind them. */
static void bash_value(const struct command *command, const struct option *option)
{
    (void)command;
    if (option->type == OPTION_FLAG)
        return;
    printf("        --%s", option->name);
    if (option->letter)
        printf("|-%c", option->letter);
    if (is_file(option->words))
        puts(") COMPREPLY=($(compgen -f -- \"$word\")); return ;;");
    else
        printf(") COMPREPLY=($(compgen -W '%s' -- \"$word\")); return ;;\n",
               option->words ? words_of(option->words) : "");
}

static void bash_command(const struct command *command)
{
    printf("    %s)\n        case $before in\n", command->name);
    each_option(command, bash_value);
    puts("        esac\n        case $word in");
    fputs("        -*) COMPREPLY=($(compgen -W '--help", stdout);
    each_option(command, bash_name);
    puts("' -- \"$word\")) ;;");
    printf("        *) COMPREPLY=($(compgen -W '%s' -- \"$word\")) ;;\n",
           command->words ? words_of(command->words) : "");
    puts("        esac ;;");
}

/* bash takes `--output=json` for three words. */
static void print_bash(void)
{
    puts("# kinform completion bash\n"
         "_kinform()\n{\n"
         "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
         "    COMPREPLY=()\n"
         "    if [[ $word == = ]]; then\n"
         "        word=\n"
         "    elif [[ $before == = ]]; then\n"
         "        before=${COMP_WORDS[COMP_CWORD-2]}\n"
         "    fi");
    fputs("    if ((COMP_CWORD == 1)); then\n        COMPREPLY=($(compgen -W '", stdout);
    print_command_names();
    puts(" help' -- \"$word\"))\n        return\n    fi\n    case ${COMP_WORDS[1]} in");
    fputs("    help) COMPREPLY=($(compgen -W '", stdout);
    print_command_names();
    puts("' -- \"$word\")) ;;");
    for (size_t i = 0; i < n_commands; i++)
        bash_command(commands[i]);
    puts("    esac\n}\ncomplete -F _kinform kinform");
}

/* ---- zsh ---- */

static void zsh_action(const char *value, const char *words)
{
    printf(":%s:", value);
    if (is_file(words))
        fputs("_files", stdout);
    else if (words)
        printf("(%s)", words_of(words));
}

static void zsh_option(const struct command *command, const struct option *option)
{
    const char *takes = option->type == OPTION_FLAG ? "" : "=";

    (void)command;
    fputs("            '", stdout);
    if (option->type == OPTION_TEXTS)
        putchar('*');
    else if (option->letter)
        printf("(-%c --%s)", option->letter, option->name);
    if (option->letter)
        printf("'{-%c%s,--%s%s}'", option->letter, *takes ? "+" : "", option->name, takes);
    else
        printf("--%s%s", option->name, takes);
    putchar('[');
    print_quoted(option->help, "[]:\\");
    putchar(']');
    if (*takes)
        zsh_action(option->value, option->words);
    puts("' \\");
}

static void print_zsh(void)
{
    puts("#compdef kinform\n# kinform completion zsh\n_kinform()\n{\n"
         "    local -a list\n"
         "    if ((CURRENT == 2)); then\n        list=(");
    for (size_t i = 0; i < n_commands; i++) {
        printf("            '%s:", commands[i]->name);
        print_quoted(commands[i]->summary, ":\\");
        puts("'");
    }
    puts("            'help:Tell more of a command'\n        )\n"
         "        _describe command list\n        return\n    fi\n"
         "    local command=$words[2]\n    shift words\n    ((CURRENT--))\n"
         "    case $command in");
    for (size_t i = 0; i < n_commands; i++) {
        printf("    %s)\n        _arguments \\\n            '--help[Tell more]' \\\n",
               commands[i]->name);
        each_option(commands[i], zsh_option);
        fputs("            '*", stdout);
        zsh_action("argument", commands[i]->words);
        puts("' ;;");
    }
    puts("    esac\n}\n"
         "if [ \"$funcstack[1]\" = _kinform ]; then\n    _kinform \"$@\"\nelse\n"
         "    compdef _kinform kinform\nfi");
}

/* ---- fish ---- */

static void fish_option(const struct command *command, const struct option *option)
{
    printf("complete -c kinform -n '__fish_seen_subcommand_from %s' -l %s", command->name,
           option->name);
    if (option->letter)
        printf(" -s %c", option->letter);
    if (option->type != OPTION_FLAG)
        fputs(is_file(option->words) ? " -r -F" : " -x", stdout);
    if (option->words && !is_file(option->words))
        printf(" -a '%s'", words_of(option->words));
    fputs(" -d '", stdout);
    print_quoted(option->help, "");
    puts("'");
}

static void print_fish(void)
{
    puts("# kinform completion fish\ncomplete -c kinform -f");
    for (size_t i = 0; i < n_commands; i++) {
        const struct command *command = commands[i];

        printf("complete -c kinform -n __fish_use_subcommand -a %s -d '", command->name);
        print_quoted(command->summary, "");
        puts("'");
        if (command->words)
            printf("complete -c kinform -n '__fish_seen_subcommand_from %s' -a '%s'\n",
                   command->name, words_of(command->words));
        each_option(command, fish_option);
    }
}

static int run(void *settings, const struct arguments *arguments)
{
    static const struct {
        const char *shell;
        void (*print)(void);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};

    (void)settings;
    for (size_t i = 0; arguments->len == 1 && i < sizeof(shells) / sizeof(shells[0]); i++) {
        if (strcmp(arguments->items[0], shells[i].shell) == 0) {
            shells[i].print();
            return EXIT_OK;
        }
    }
    return report_usage("completion", "name a shell: bash, zsh or fish");
}

const struct command command_completion = {
    .name = "completion",
    .summary = "Print a script that completes words in a shell",
    .usage = "bash|zsh|fish",
    .examples = "  source <(kinform completion bash)\n"
                "  kinform completion zsh > \"${fpath[1]}/_kinform\"\n"
                "  kinform completion fish > ~/.config/fish/completions/kinform.fish\n",
    .words = "bash zsh fish",
    .settings_size = 1,
    .run = run,
};
