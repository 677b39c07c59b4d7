/* SPDX-License-Identifier: Apache-2.0 */
#include "real_support.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

/* As long as the tool gives the server to get ready, and a bit. */
enum { READY_MS = 150000 };

static const char tool[] = KIN_TEST_KUBE_APISERVER;

static kin_test_program program;
static char kubeconfig[512]; /* "": there is no server */
static const char *why_not;

/* --- the server --- */

/* The exit status of the tool, or -1: it cannot be run. */
static int run_tool(const char *option)
{
    const char *const arguments[] = {tool, option, NULL};
    posix_spawn_file_actions_t quiet;
    pid_t pid = 0;
    int status = 0;
    int os_error;

    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    os_error = posix_spawn(&pid, tool, &quiet, NULL, (char **)(uintptr_t)arguments, environ);
    posix_spawn_file_actions_destroy(&quiet);
    if (os_error != 0)
        return -1;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const char *find_server(void)
{
    const char *wish = getenv("KIN_KUBE_APISERVER");

    if (!wish || !wish[0] || strcmp(wish, "0") == 0)
        return "nobody has asked for it: make cluster, or KIN_KUBE_APISERVER=1";
    return run_tool("--build") == 0 ? NULL : "kube-apiserver could not be built";
}

int real_setup_with(const char *flag)
{
    const char *const arguments[] = {tool, "--cached", "--", flag, NULL};
    struct pollfd from = {.events = POLLIN};

    why_not = find_server();
    if (why_not)
        return 0;
    kin_test_program_start(&program, arguments);
    from.fd = program.from;
    if (poll(&from, 1, READY_MS) != 1)
        return -1;
    snprintf(kubeconfig, sizeof(kubeconfig), "%s", kin_test_program_hear(&program));
    return 0;
}

int real_setup(void **state)
{
    (void)state;
    return real_setup_with(NULL);
}

int real_teardown(void **state)
{
    (void)state;
    if (kubeconfig[0])
        kin_test_program_stop(&program);
    return 0;
}

const char *real_kubeconfig(void)
{
    if (!kubeconfig[0]) {
        print_message("skipped: %s\n", why_not);
        skip();
    }
    return kubeconfig;
}

char *real_file(const char *name)
{
    char folder[sizeof(kubeconfig)];
    char path[sizeof(kubeconfig) + 64];
    char *text = calloc(1, 65536);

    assert_non_null(text);
    snprintf(folder, sizeof(folder), "%s", real_kubeconfig());
    snprintf(path, sizeof(path), "%s/%s", dirname(folder), name);
    FILE *file = fopen(path, "re");

    assert_non_null(file);
    assert_true(fread(text, 1, 65535, file) > 0);
    fclose(file);
    return text;
}

/* A server that is restarted takes its time, too. */
void real_order(const char *order)
{
    struct pollfd from = {.fd = program.from, .events = POLLIN};

    kin_test_program_tell(&program, order, NULL);
    assert_int_equal(poll(&from, 1, READY_MS), 1);
    assert_string_equal(kin_test_program_hear(&program), "ok");
}

/* --- clients --- */

kin_client *real_client(const char *context, const kin_client_options *options)
{
    kin_config_options where = KIN_CONFIG_OPTIONS_INIT;
    kin_client_options all = KIN_CLIENT_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    kin_config *config = NULL;
    kin_client *client = NULL;

    if (options)
        all = *options;
    where.kubeconfig = real_kubeconfig();
    where.context = context;
    if (!all.config) {
        assert_good(kin_config_load(&config, &where, &err), &err);
        all.config = config;
    }
    all.qps = -1;
    assert_good(kin_client_new(&client, &all, &err), &err);
    kin_config_unref(config);
    return client;
}

kin_resource *real_resource(kin_client *client, const char *name)
{
    kin_error err = KIN_ERROR_INIT;
    kin_resource *resource = NULL;

    assert_good(kin_client_resolve(client, &resource, name, &err), &err);
    return resource;
}

void real_open(real *r, const char *namespace_)
{
    const kin_object *object;
    kin_resource *namespaces;

    memset(r, 0, sizeof(*r));
    r->client = real_client("admin", NULL);
    r->configmaps = real_resource(r->client, "configmaps");
    namespaces = real_resource(r->client, "namespaces");
    object =
        real_create(r, namespaces,
                    "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"%s\"}}",
                    namespace_);
    r->namespace_ = namespace_;
    kin_object_unref(object);
    kin_resource_unref(namespaces);
}

void real_close(real *r)
{
    kin_resource_unref(r->configmaps);
    kin_client_free(r->client);
}

/* --- objects --- */

__attribute__((format(printf, 1, 0))) static const kin_object *read_object(const char *format,
                                                                           va_list args)
{
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;
    char *text = NULL;

    assert_true(vasprintf(&text, format, args) > 0);
    assert_good(kin_object_from_json(&object, kin_str_of(text), NULL, &err), &err);
    free(text);
    return object;
}

const kin_object *real_object(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    const kin_object *object = read_object(format, args);
    va_end(args);
    return object;
}

const kin_object *real_create(real *r, kin_resource *resource, const char *format, ...)
{
    const kin_object *made = NULL;
    kin_error err = KIN_ERROR_INIT;
    va_list args;

    va_start(args, format);
    const kin_object *object = read_object(format, args);
    va_end(args);
    assert_good(kin_client_create(r->client, &made, resource,
                                  kin_resource_is_namespaced(resource) ? r->namespace_ : NULL,
                                  object, NULL, &err),
                &err);
    kin_object_unref(object);
    return made;
}

void real_create_configmap(real *r, const char *name, const char *value)
{
    kin_object_unref(
        real_create(r, r->configmaps,
                    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":"
                    "{\"name\":\"%s\",\"labels\":{\"a\":\"%s\"}},\"data\":{\"a\":\"%s\"}}",
                    name, value, value));
}

void real_set_configmap(real *r, const char *name, const char *value)
{
    kin_error err = KIN_ERROR_INIT;
    char patch[256];

    snprintf(patch, sizeof(patch),
             "{\"metadata\":{\"labels\":{\"a\":\"%s\"}},\"data\":{\"a\":\"%s\"}}", value, value);
    assert_good(kin_client_patch(r->client, NULL, r->configmaps, r->namespace_, name,
                                 KIN_PATCH_MERGE, kin_str_of(patch), NULL, &err),
                &err);
}

void real_delete_configmap(real *r, const char *name)
{
    kin_error err = KIN_ERROR_INIT;

    assert_good(kin_client_delete(r->client, NULL, r->configmaps, r->namespace_, name, NULL, &err),
                &err);
}

const char *real_text(const kin_object *object, const char *path)
{
    static char texts[8][256];
    static unsigned next;
    char *text = texts[next++ % 8];
    kin_value value = kin_object_find(object, path);
    kin_scratch scratch;
    kin_str found = {"", 0};

    if (kin_value_string(&found, value, &scratch) < 0)
        kin_value_number(&found, value, &scratch);
    snprintf(text, sizeof(texts[0]), "%" KIN_STR_FMT, KIN_STR_ARG(found));
    return text;
}

const char *real_version(const kin_object *object)
{
    return real_text(object, "metadata.resourceVersion");
}

/* --- callbacks --- */

void real_seen_init(real_seen *seen)
{
    memset(seen, 0, sizeof(*seen));
    kin_test_latch_init(&seen->told);
}

void real_seen_done(real_seen *seen)
{
    kin_test_latch_done(&seen->told);
}

static int see(real_seen *seen, const char *type, const kin_object *object, kin_error *err)
{
    size_t len = strlen(seen->text);
    kin_str name = kin_object_name(object);

    snprintf(seen->text + len, sizeof(seen->text) - len, "%s%s%s%" KIN_STR_FMT, len ? " " : "",
             type, *type ? ":" : "", KIN_STR_ARG(name));
    seen->n++;
    kin_test_latch_raise(&seen->told);
    return seen->n == seen->stop_at ? kin_error_set(err, KIN_ERANGE, "enough") : 0;
}

int real_see_item(const kin_object *object, void *seen, kin_error *err)
{
    return see(seen, "", object, err);
}

int real_see_event(enum kin_watch_type type, const kin_object *object, void *seen, kin_error *err)
{
    kin_scratch scratch;
    kin_str end;

    if (type == KIN_WATCH_BOOKMARK &&
        kin_object_annotation(&end, object, kin_str_of("k8s.io/initial-events-end"), &scratch) == 0)
        return see(seen, "END", object, err);
    return see(seen, kin_watch_type_name(type), object, err);
}

kin_call *real_watch(real *r, real_seen *seen, const kin_request_options *options)
{
    kin_call_handlers handlers = KIN_CALL_HANDLERS_INIT;
    kin_request request = KIN_REQUEST_INIT;
    kin_error err = KIN_ERROR_INIT;
    kin_call *call = NULL;

    request.verb = KIN_VERB_WATCH;
    request.resource = r->configmaps;
    request.namespace_ = r->namespace_;
    request.options = options;
    handlers.event = real_see_event;
    handlers.arg = seen;
    assert_good(kin_client_start(r->client, &call, &request, &handlers, &err), &err);
    return call;
}

void real_assert(int actual, int expected, const kin_error *err, const char *expression,
                 const char *file, int line)
{
    if (actual != expected)
        print_error("%s: HTTP %d, %s: %s\n", kin_error_name(actual), err->http_status, err->reason,
                    err->message);
    kin_test_assert_code(actual, expected, expression, file, line);
}
