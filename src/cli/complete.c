/* SPDX-License-Identifier: Apache-2.0 */
/*
 * First it is found out what the last word is: an option, the value of one, an argument, or of a program. Then
 * who knows what it may be: a table, the kubeconfig, or the cluster that the options on the line name.
 */
#include "cli/complete.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli/base/file.h"
#include "cli/base/text.h"
#include "cli/cluster.h"
#include "cli/command.h"
#include "kinform/metadata.h"
#include "kinform/path.h"
#include "kinform/yaml.h"

enum { TIMEOUT_MS = 2000, NAMES_MAX = 500 };

/* Kinds that every cluster has; those that somebody has added are asked for. */
static const char kinds[] =
    "bindings componentstatuses configmaps cronjobs customresourcedefinitions daemonsets "
    "deployments endpoints endpointslices events horizontalpodautoscalers ingresses jobs leases "
    "limitranges namespaces networkpolicies nodes persistentvolumeclaims persistentvolumes "
    "poddisruptionbudgets pods priorityclasses replicasets resourcequotas rolebindings roles "
    "secrets serviceaccounts services statefulsets storageclasses";

/* Where the user is. */
struct place {
    const struct command *command;
    struct arguments arguments;  /* complete ones, before the word */
    char *settings;              /* of the command, as far as they are on the line */
    const struct option *option; /* the word is its value; NULL: it is not */
    const char *prefix;          /* of the word, which stays as it is: "--output=", "pods," */
    size_t prefix_len;
    const char *word; /* what is behind it, and may go on */
    struct text out;
    bool has_tail; /* one of what is offered wants more behind it */
    bool is_begun; /* some of it was written already */
};

/* --- what is offered --- */

/*
 * Shells put words on the line as they are: one that a server, or whoever wrote a kubeconfig, has made up must not be
 * able to run something there, nor to be two.
 */
static bool is_harmless(kin_str word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:/@=,+%";

    for (size_t i = 0; i < word.len; i++) {
        if (!word.data[i] || !strchr(plain, word.data[i]))
            return false;
    }
    return word.len > 0;
}

static void offer(struct place *p, kin_str word, const char *meaning)
{
    size_t len = strlen(p->word);

    if (word.len < len || memcmp(word.data, p->word, len) != 0 || !is_harmless(word))
        return;
    text_add(&p->out, kin_str_make(p->prefix, p->prefix_len));
    text_add(&p->out, word);
    if (meaning)
        text_format(&p->out, "\t%s", meaning);
    text_add_char(&p->out, '\n');
    p->has_tail = p->has_tail || (word.len > 0 && word.data[word.len - 1] == '=');
}

static void offer_list(struct place *p, const char *words)
{
    while (*words) {
        size_t len = strcspn(words, " ");

        offer(p, kin_str_make(words, len), NULL);
        words += len + (words[len] == ' ');
    }
}

static void say(struct place *p)
{
    if (!p->is_begun)
        puts(p->has_tail ? "nospace" : "words");
    fputs(text_string(&p->out), stdout);
    text_clear(&p->out);
    p->is_begun = true;
}

/* `more` of the word is prefix, too. */
static void say_files(const struct place *p, const char *more)
{
    printf("files %.*s%s\t%s\n", (int)p->prefix_len, p->prefix, more, p->word + strlen(more));
}

/* --- who is asked --- */

/* The settings of a group that several commands have; NULL: this one has not. */
static void *settings_of(const struct place *p, const struct option *options)
{
    for (size_t g = 0; g < p->command->n_groups; g++) {
        if (p->command->groups[g].options == options)
            return p->settings + p->command->groups[g].offset;
    }
    return NULL;
}

/* How long all of it may take: at least a millisecond for each of two requests. */
static int64_t timeout_ms(void)
{
    const char *wanted = getenv("KINFORM_COMPLETION_TIMEOUT");
    int64_t ms = 0;

    if (!wanted || duration_parse(&ms, wanted, NULL) < 0 || ms < 2)
        return TIMEOUT_MS;
    return ms;
}

static kin_client *connect(const struct place *p)
{
    struct cluster_settings *cluster = settings_of(p, cluster_options);
    const struct selection_settings *selection = settings_of(p, selection_options);
    kin_error err = KIN_ERROR_INIT;
    kin_client *client = NULL;

    if (!cluster || !selection)
        return NULL;
    cluster->request_timeout_ms = timeout_ms() / 2;
    cluster->verbose = false;
    return cluster_connect(&client, cluster, selection, &err) == 0 ? client : NULL;
}

static bool is_given(const struct place *p, kin_str name)
{
    for (size_t i = 1; i < p->arguments.len; i++) {
        if (kin_str_equal(kin_str_of(p->arguments.items[i]), name))
            return true;
    }
    return false;
}

static int offer_name(const kin_object *object, void *arg, kin_error *err)
{
    struct place *p = arg;

    (void)err;
    if (!is_given(p, kin_object_name(object)))
        offer(p, kin_object_name(object), NULL);
    return 0;
}

static int offer_custom(const kin_object *object, void *arg, kin_error *err)
{
    kin_str plural = {"", 0};
    kin_scratch scratch;

    (void)err;
    if (kin_value_string(&plural, kin_object_find(object, "spec.names.plural"), &scratch) == 0)
        offer(arg, plural, NULL);
    return 0;
}

static void list(struct place *p, kin_client *client, const char *kind, kin_list_item_fn *fn)
{
    const struct selection_settings *selection = settings_of(p, selection_options);
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_resource *resource = NULL;

    if (kin_client_resolve(client, &resource, kind, NULL) < 0)
        return;
    options.limit = NAMES_MAX;
    options.metadata_only = fn == offer_name;
    (void)kin_client_list(client, NULL, resource,
                          kin_resource_is_namespaced(resource) && !selection->all_namespaces
                              ? kin_client_namespace(client)
                              : NULL,
                          fn, p, &options, NULL);
    kin_resource_unref(resource);
}

static void offer_objects(struct place *p, const char *kind, kin_list_item_fn *fn)
{
    kin_client *client = connect(p);

    if (client)
        list(p, client, kind, fn);
    kin_client_free(client);
}

static void offer_kinds(struct place *p)
{
    offer_list(p, kinds);
    /* Who has to wait too long for the cluster has at least these. */
    say(p);
    fflush(stdout);
    offer_objects(p, "customresourcedefinitions", offer_custom);
}

/* "contexts", "clusters" or "users" of one kubeconfig. */
static void offer_of_file(struct place *p, const char *path, const char *list_name)
{
    struct text content = TEXT_INIT;
    kin_error err = KIN_ERROR_INIT;
    const kin_object *object = NULL;
    kin_iter it;

    if (file_read(&content, path, &err) == 0 &&
        kin_object_from_yaml(&object, text_view(&content), NULL, NULL) == 0) {
        kin_iter_init(&it, kin_object_find(object, list_name));
        while (kin_iter_next(&it)) {
            kin_str name = {"", 0};
            kin_scratch scratch;

            if (kin_value_string(&name, kin_value_get(it.value, kin_str_of("name")), &scratch) == 0)
                offer(p, name, NULL);
        }
    }
    kin_object_unref(object);
    text_done(&content);
}

static void offer_of_kubeconfigs(struct place *p, const char *list_name)
{
    const struct cluster_settings *cluster = settings_of(p, cluster_options);
    const char *paths = cluster && cluster->kubeconfig ? NULL : getenv("KUBECONFIG");
    const char *home = getenv("HOME");
    struct text path = TEXT_INIT;

    if (cluster && cluster->kubeconfig) {
        offer_of_file(p, cluster->kubeconfig, list_name);
    } else if (paths && paths[0]) {
        for (; *paths; paths += *paths == ':') {
            size_t len = strcspn(paths, ":");

            text_clear(&path);
            text_add(&path, kin_str_make(paths, len));
            if (len > 0)
                offer_of_file(p, text_string(&path), list_name);
            paths += len;
        }
    } else if (home) {
        text_format(&path, "%s/.kube/config", home);
        offer_of_file(p, text_string(&path), list_name);
    }
    text_done(&path);
}

/* --- what the word is --- */

static void move_prefix(struct place *p, size_t len)
{
    p->prefix_len += len;
    p->word += len;
}

static void complete_option(struct place *p)
{
    for (size_t g = 0; g < p->command->n_groups; g++) {
        for (size_t i = 0; i < p->command->groups[g].len; i++) {
            const struct option *option = &p->command->groups[g].options[i];
            struct text spelling = TEXT_INIT;

            if (option->type == OPTION_MISSING)
                continue;
            text_format(&spelling, "--%s", option->name);
            offer(p, text_view(&spelling), option->help);
            text_clear(&spelling);
            text_format(&spelling, "-%c", option->letter);
            if (option->letter)
                offer(p, text_view(&spelling), option->help);
            text_done(&spelling);
        }
    }
    offer(p, kin_str_of("--help"), "tell more");
    say(p);
}

static void complete_value(struct place *p)
{
    static const char *const lists[][2] = {
        {"context", "contexts"}, {"cluster", "clusters"}, {"user", "users"}};
    const struct option *option = p->option;
    const char *words = option->words ? option->words : "";

    if (strcmp(words, "<file>") == 0) {
        say_files(p, "");
        return;
    }
    if (strcmp(words, "<@file>") == 0 && p->word[0] == '@') {
        say_files(p, "@");
        return;
    }
    if (strcmp(words, "<@file>") == 0)
        words = "";
    if (option->type == OPTION_FLAG)
        words = "true false";
    offer_list(p, words);
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        if (settings_of(p, cluster_options) && strcmp(option->name, lists[i][0]) == 0)
            offer_of_kubeconfigs(p, lists[i][1]);
    }
    if (strcmp(option->name, "namespace") == 0)
        offer_objects(p, "namespaces", offer_name);
    say(p);
}

/* `pods,de`, `pods/web`, or a name behind `pods` */
static void complete_kind(struct place *p)
{
    const char *slash = strchr(p->word, '/');
    const char *comma = strrchr(p->word, ',');

    if (slash) {
        char *kind = memory_copy(kin_str_make(p->word, (size_t)(slash - p->word)));

        move_prefix(p, (size_t)(slash - p->word) + 1);
        offer_objects(p, kind, offer_name);
        free(kind);
    } else if (p->arguments.len > 0 && !strchr(p->arguments.items[0], '/')) {
        if (!strchr(p->arguments.items[0], ','))
            offer_objects(p, p->arguments.items[0], offer_name);
    } else {
        if (comma)
            move_prefix(p, (size_t)(comma - p->word) + 1);
        offer_kinds(p);
    }
    say(p);
}

static void complete_argument(struct place *p)
{
    const char *words = p->command->words;

    if (words && strcmp(words, "<kind>") == 0) {
        complete_kind(p);
        return;
    }
    if (words && p->arguments.len == 0)
        offer_list(p, words);
    say(p);
}

/* --- where it is --- */

static void offer_commands(struct place *p, bool with_help)
{
    for (size_t i = 0; i < n_commands; i++)
        offer(p, kin_str_of(commands[i]->name), commands[i]->summary);
    if (with_help) {
        offer(p, kin_str_of("help"), "Tell more of a command");
        if (p->word[0] == '-') {
            offer(p, kin_str_of("--help"), "tell more");
            offer(p, kin_str_of("--version"), "say which version this is");
        }
    }
    say(p);
}

/* All options that are on the line. One whose value is missing yet is left out. */
static void read_options(struct place *p, const char *const *words, size_t n)
{
    const char **before = memory_zeroed(n + 1, sizeof(*before));
    kin_error err = KIN_ERROR_INIT;

    memcpy(before, words, n * sizeof(*before));
    p->settings = memory_zeroed(1, p->command->settings_size);
    (void)options_parse(&p->arguments, p->settings, p->command->groups, p->command->n_groups,
                        before, p->command->takes_program, &err);
    free(before);
}

/* The words behind the command, of which the last is ours. */
static void complete_command(struct place *p, const char *const *words, size_t n)
{
    size_t len = 0;

    for (size_t i = 0; i + 1 < n; i++) {
        if (strcmp(words[i], "--") == 0 && p->command->takes_program) {
            printf("program %zu\n", i + 3);
            return;
        }
        if (!option_with_value(p->command->groups, p->command->n_groups, words[i], &len) || len > 0)
            continue;
        if (i + 2 == n) {
            p->option = option_with_value(p->command->groups, p->command->n_groups, words[i], &len);
            n--; /* its value is not on the line */
        }
        i++;
    }
    if (n > 1)
        read_options(p, words, n - 1);
    else
        read_options(p, words, 0);
    if (!p->option && p->word[0] == '-') {
        p->option = option_with_value(p->command->groups, p->command->n_groups, p->word, &len);
        if (len > 0)
            move_prefix(p, len);
        else
            p->option = NULL;
    }
    if (p->option)
        complete_value(p);
    else if (p->word[0] == '-')
        complete_option(p);
    else
        complete_argument(p);
}

/* A word without the quotes and backslashes with which it was typed. OWNED, free(). */
static char *unquote(const char *word)
{
    struct text out = TEXT_INIT;
    char quote = 0;

    for (; *word; word++) {
        if (*word == quote)
            quote = 0;
        else if (!quote && (*word == '\'' || *word == '"'))
            quote = *word;
        else if (*word == '\\' && word[1] && quote != '\'')
            text_add_char(&out, *++word);
        else
            text_add_char(&out, *word);
    }
    text_add_string(&out, "");
    return out.data ? out.data : memory_copy(kin_str_of(""));
}

static void give_up(int number)
{
    (void)number;
    _exit(EXIT_TIMEOUT);
}

/* Nobody who has pressed Tab wants to read anything, to be asked for a password, or to wait. */
static void be_silent(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (null >= 0) {
        dup2(null, STDIN_FILENO);
        dup2(null, STDERR_FILENO);
        close(null);
    }
    signal(SIGALRM, give_up);
    struct itimerval timer = {{0, 0}, {timeout_ms() / 1000, timeout_ms() % 1000 * 1000}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

void complete_words(const char *const *words, size_t n, bool is_raw)
{
    struct place p = {.out = TEXT_INIT};
    char **own = memory_zeroed(n + 1, sizeof(*own));

    be_silent();
    for (size_t i = 0; i < n; i++)
        own[i] = is_raw ? unquote(words[i]) : memory_copy(kin_str_of(words[i]));
    p.word = n > 0 ? own[n - 1] : "";
    p.prefix = p.word;
    size_t n_early = n > 0 ? early_options((const char *const *)own, n - 1) : 0;
    size_t n_words = n - n_early;
    size_t len = 0;
    if (n_early > 0 && n_words == 1 &&
        option_with_value(command_get.groups, command_get.n_groups, own[n_early - 1], &len) &&
        len == 0) {
        p.command = &command_get; /* which has all of them */
        complete_command(&p, (const char *const *)own, n);
    } else if (n_words < 2) {
        offer_commands(&p, true);
    } else if (strcmp(own[n_early], "help") == 0 && n_words == 2) {
        offer_commands(&p, false);
    } else if ((p.command = command_find(own[n_early])) && !p.command->missing) {
        char *name = own[n_early];

        /* As if the options were after the command; words after it keep their numbers. */
        memmove(own + 1, own, n_early * sizeof(*own));
        own[0] = name;
        complete_command(&p, (const char *const *)own + 1, n - 1);
    }
    for (size_t i = 0; i < n; i++)
        free(own[i]);
    free(own);
    free(p.arguments.items);
    free(p.settings);
    text_done(&p.out);
}
