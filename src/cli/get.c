/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinform get: objects of a cluster, or of a snapshot without any server.
 *
 * Lists come page by page, and only what is to be shown is kept: what --where refuses is let go as soon
 * as it has come. A signal ends it at once, as there is nothing to tidy up.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/base/report.h"
#include "cli/cluster.h"
#include "cli/command.h"
#include "cli/condition.h"
#include "cli/fields.h"
#include "cli/get_snapshot.h"
#include "cli/jsonpath/jsonpath.h"
#include "cli/print/columns.h"
#include "cli/print/printer.h"
#include "cli/watch_inside.h"

struct settings {
    struct cluster_settings cluster;
    struct selection_settings selection;
    struct output_settings output;
    const char *sort_by;
    const char *snapshot;
    bool ignore_not_found;
    bool watch;
    bool watch_only;
};

#define AT(field) offsetof(struct settings, field)
static const struct option own_options[] = {
    {"sort-by", 0, OPTION_TEXT, AT(sort_by), "PATH",
     "in the order of what is there: .spec.replicas", NULL, 0},
    {"ignore-not-found", 0, OPTION_FLAG, AT(ignore_not_found), NULL,
     "names that are not there are no error", NULL, 0},
    {"watch", 'w', OPTION_FLAG, AT(watch), NULL,
     "then go on with a row for each change; kinform watch shows the fields that changed", NULL, 0},
    {"watch-only", 0, OPTION_FLAG, AT(watch_only), NULL, "the changes, without what is there", NULL,
     0},
#if KIN_CLI_SNAPSHOT
    {"snapshot", 0, OPTION_TEXT, AT(snapshot), "FILE",
     "from this snapshot, without any server; KIND may be left out", "<file>", 0},
#else
    {"snapshot", 0, OPTION_MISSING, 0, "FILE", "from this snapshot, without any server",
     "snapshots (KIN_SNAPSHOT=OFF)", 0},
#endif
};
static const struct option_group groups_of_options[] = {
    {"Which objects", selection_options, N_SELECTION_OPTIONS, AT(selection)},
    {"Order and source", own_options, sizeof(own_options) / sizeof(own_options[0]), 0},
    {"Output", output_options, N_OUTPUT_OPTIONS, AT(output)},
    {"Which cluster", cluster_options, N_CLUSTER_OPTIONS, AT(cluster)},
};

struct get {
    const struct settings *settings;
    struct wanted_list wanted;
    struct conditions conditions;
    struct printer printer;
    struct jsonpath *order; /* of --sort-by; NULL: none */
    const kin_projection *projection;
    kin_decode_options decode;
    kin_client *client;
    struct groups groups;
    int status; /* the worst so far */
};

static void fail(struct get *g, int status)
{
    if (g->status == EXIT_OK)
        g->status = status;
}

/* --- from a server --- */

/* What is being listed. */
struct listing {
    struct get *get;
    struct objects *into;
    size_t before; /* how many there were when the list began */
};

static int take_item(const kin_object *object, void *arg, kin_error *err)
{
    struct listing *listing = arg;

    (void)err;
    if (conditions_hold(&listing->get->conditions, object))
        objects_add(listing->into, object);
    return 0;
}

static int begin_again(void *arg, kin_error *err)
{
    struct listing *listing = arg;

    (void)err;
    while (listing->into->len > listing->before)
        kin_object_unref(listing->into->items[--listing->into->len]);
    return 0;
}

static kin_request_options request_options(const struct get *g)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;

    options.decode = &g->decode;
    if (!printer_is_table(&g->printer))
        options.encoding = KIN_ENCODING_JSON;
    return options;
}

static const char *namespace_of(const struct get *g, const kin_resource *resource)
{
    if (!kin_resource_is_namespaced(resource) || g->settings->selection.all_namespaces)
        return NULL;
    return kin_client_namespace(g->client);
}

static void get_columns(struct get *g, struct group *group)
{
    if (!printer_is_table(&g->printer) || g->printer.n_fields > 0 || group->objects.len == 0 ||
        group->has_asked_columns)
        return;
    group->has_asked_columns = true;
    crd_columns_ask(&group->columns, g->client, group->resource);
}

static int get_list(struct get *g, kin_resource *resource, struct group *group, kin_error *err)
{
    struct listing listing = {g, &group->objects, group->objects.len};
    kin_request_options options = request_options(g);

    options.label_selector = g->settings->selection.label_selector;
    options.field_selector = g->settings->selection.field_selector;
    return kin_client_list_all(g->client, NULL, resource, namespace_of(g, resource), take_item,
                               begin_again, &listing, &options, err);
}

static int get_named(struct get *g, kin_resource *resource, struct group *group, const char *name,
                     kin_error *err)
{
    kin_request_options options = request_options(g);
    const kin_object *object = NULL;
    int code = kin_client_get(g->client, &object, resource, namespace_of(g, resource), name,
                              &options, err);

    if (code == KIN_ENOTFOUND && g->settings->ignore_not_found)
        return 0;
    if (code == 0 && conditions_hold(&g->conditions, object))
        objects_add(&group->objects, object);
    kin_object_unref(object);
    return code;
}

static int get_wanted(struct get *g, const struct wanted *wanted, kin_error *err)
{
    kin_resource *resource = NULL;
    int code = kin_client_resolve(g->client, &resource, wanted->kind, err);

    if (code == KIN_ENOTFOUND && wanted->is_optional)
        return 0;
    if (code < 0)
        return code;
    /* `pods,po` is one kind, and so is what `all` has, too. */
    if (wanted->name || !groups_have(&g->groups, resource)) {
        struct group *group = groups_add(&g->groups, resource);

        code = wanted->name ? get_named(g, resource, group, wanted->name, err)
                            : get_list(g, resource, group, err);
        get_columns(g, group);
    }
    kin_resource_unref(resource);
    return code;
}

/* Whether others of what is asked for may fare better: the server is there, and lets us in. */
static bool is_about_one(const kin_error *err)
{
    return err->code == KIN_ENOTFOUND || err->code == KIN_EREFUSED ||
           (err->code == KIN_EDENIED && err->http_status == 403);
}

/* What failed is told, and the rest is shown all the same. */
static int get_from_server(struct get *g, kin_error *err)
{
    int code = cluster_connect(&g->client, &g->settings->cluster, &g->settings->selection, err);

    if (code == 0)
        code = wanted_expand(&g->wanted, g->client, err);
    if (code < 0)
        return code;
    for (size_t i = 0; i < g->wanted.len; i++) {
        code = get_wanted(g, &g->wanted.items[i], err);
        if (code < 0 && !is_about_one(err))
            return code;
        if (code < 0)
            fail(g, report_error(err));
    }
    return 0;
}

/* --- what is shown --- */

static void say_nothing_was_found(const struct get *g)
{
    const char *space = g->client && !g->settings->selection.all_namespaces
                            ? kin_client_namespace(g->client)
                            : NULL;
    bool has_namespace = false;

    for (size_t i = 0; i < g->groups.len; i++) {
        if (g->groups.items[i].objects.len > 0)
            return;
        has_namespace |= kin_resource_is_namespaced(g->groups.items[i].resource);
    }
    if (g->status != EXIT_OK || g->settings->ignore_not_found)
        return;
    if (space && has_namespace)
        tell("No resources found in %s namespace.", space);
    else
        tell("No resources found.");
}

static bool shows_namespaces(const struct get *g)
{
    return g->settings->selection.all_namespaces ||
           (g->settings->snapshot && !g->settings->selection.namespace_);
}

static size_t count_objects(const struct get *g)
{
    size_t n = 0;

    for (size_t i = 0; i < g->groups.len; i++)
        n += g->groups.items[i].objects.len;
    return n;
}

/* One object was asked for by its name. */
static bool is_single(const struct get *g)
{
    return g->wanted.len == 1 && g->wanted.items[0].name;
}

static void sort(struct get *g)
{
    size_t n_with_value = 0;

    for (size_t i = 0; i < g->groups.len && g->order; i++)
        n_with_value += objects_sort_by_path(&g->groups.items[i].objects, g->order);
    if (g->order && n_with_value == 0 && count_objects(g) > 0)
        tell(
            "Warning: --sort-by %s: no object has anything there, so they are in the order of the server",
            g->settings->sort_by);
}

static int show(struct get *g, kin_error *err)
{
    sort(g);
    g->printer.now = (int64_t)time(NULL);
    g->printer.with_namespace = shows_namespaces(g);
    g->printer.with_kind = g->groups.len > 1;
    g->printer.is_single = is_single(g);
    if (printer_is_table(&g->printer))
        say_nothing_was_found(g);
    /* What is not there is told, or asked not to be an error: no empty list. */
    if ((g->status != EXIT_OK || g->settings->ignore_not_found) && count_objects(g) == 0)
        return 0;
    return printer_print(&g->printer, &g->groups, err);
}

/* --- the command line --- */

static int parse_order(struct get *g, kin_error *err)
{
    const char *path = g->settings->sort_by;

    if (path && jsonpath_parse_relaxed(&g->order, kin_str_of(path), err) < 0)
        return kin_error_set(err, KIN_EINVAL, "--sort-by %s: %s", path, err->message);
    return 0;
}

/* Everything that can be wrong before anybody is asked. */
static int prepare(struct get *g, const struct arguments *arguments, kin_error *err)
{
    const struct settings *s = g->settings;
    int code = printer_init(&g->printer, &s->output, err);

    if (code == 0)
        code = parse_order(g, err);
    if (code == 0)
        code = selection_check(&s->selection, err);
    if (code == 0)
        code = cluster_check(&s->cluster, err);
    if (code == 0 && (arguments->len > 0 || !s->snapshot))
        code = wanted_parse(&g->wanted, arguments, err);
    if (code == 0)
        code = conditions_parse(&g->conditions, &s->selection.where, err);
    const struct fields_use use = {.conditions = &g->conditions,
                                   .order = g->order,
                                   .is_list = !is_single(g),
                                   .selects = s->snapshot != NULL};
    if (code == 0)
        code = fields_apply(&g->projection, &g->printer, &s->selection, &use, err);
    g->decode = (kin_decode_options)KIN_DECODE_OPTIONS_INIT;
    g->decode.projection = g->projection;
    if (code < 0)
        return code;
    if (wanted_check(&g->wanted, &s->selection, s->snapshot != NULL, err) < 0)
        return KIN_EINVAL;
    conditions_warn(&g->conditions, &s->selection.where);
    return 0;
}

static int get(struct get *g, kin_error *err)
{
    int code = 0;

#if KIN_CLI_SNAPSHOT
    const struct settings *s = g->settings;
    const struct snapshot_query query = {s->snapshot,    &g->wanted, &s->selection,
                                         &g->conditions, &g->decode, s->ignore_not_found};
    if (s->snapshot)
        code = get_from_snapshot(&g->groups, &g->status, &query, err);
    else
#endif
        code = get_from_server(g, err);
    return code < 0 ? code : show(g, err);
}

static int get_and_watch(const struct settings *s, const struct arguments *arguments)
{
    struct watch_settings settings = {.cluster = s->cluster,
                                      .selection = s->selection,
                                      .output = s->output,
                                      .initial = !s->watch_only,
                                      .as_get = true,
                                      .sort_by = s->sort_by,
                                      .ignore_not_found = s->ignore_not_found};

    if (s->snapshot)
        return report_usage("get", "a snapshot does not change: leave out --watch");
    return watch_run(&settings, arguments);
}

static int get_run(void *arg, const struct arguments *arguments)
{
    struct settings *s = arg;
    struct get g = {.settings = s};
    kin_error err = KIN_ERROR_INIT;

    if (s->watch || s->watch_only)
        return get_and_watch(s, arguments);
    if (prepare(&g, arguments, &err) < 0) {
        g.status = report_usage("get", "%s", err.message);
    } else {
        int code = get(&g, &err);

        if (code < 0) /* what the printer could not write is told already */
            g.status = err.code == code ? report_error(&err) : EXIT_FAILED;
    }
    groups_done(&g.groups);
    kin_client_free(g.client);
    kin_projection_unref(g.projection);
    conditions_done(&g.conditions);
    jsonpath_free(g.order);
    printer_done(&g.printer);
    wanted_done(&g.wanted);
    free(s->selection.where.items);
    free(s->cluster.as_groups.items);
    free(s->output.label_columns.items);
    return g.status;
}

const struct command command_get = {
    .name = "get",
    .summary = "Show objects of a cluster, or of a snapshot",
    .usage = "KIND[,KIND…] [NAME…] [OPTION…]\n  kinform get KIND/NAME… [OPTION…]",
    .details =
        "Kinds are written as for kubectl: pods, po, deploy, deployments.apps; all is Pods,\n"
        "Services, what makes Pods, and what else the server counts among them. A condition is PATH,\n"
        "or PATH and one of == != < <= > >= =~ and a value.\n",
    .examples = "  kinform get pods -A -o wide\n"
                "  kinform get deploy,rs -n shop -l app=web\n"
                "  kinform get pods -w -L app\n"
                "  kinform get pods -A --where '.status.containerStatuses[*].restartCount>3'\n"
                "  kinform get nodes --sort-by .status.capacity.memory\n"
                "  kinform get pods -o jsonpath='{range .items[*]}{.metadata.name}{\"\\n\"}{end}'\n"
#if KIN_CLI_SNAPSHOT
                "  kinform get --snapshot pods.kin --where .status.phase!=Running\n"
#endif
    ,
    .words = "<kind>",
    .groups = groups_of_options,
    .n_groups = sizeof(groups_of_options) / sizeof(groups_of_options[0]),
    .settings_size = sizeof(struct settings),
    .run = get_run,
};
