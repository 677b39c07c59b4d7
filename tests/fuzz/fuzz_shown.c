/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects of any server as kinform get and kinform watch show them: whatever is in an object, tables, changes and diffs
 * have nothing that makes a terminal do things, and a table has a line per object.
 *
 * The input is two bytes, the definition of custom columns up to a line's end, and objects, one per line.
 */
#include "cli/print/printer.h"
#include "cli/watch_event.h"
#include "fuzz_show.h"

static const char *const resources[][2] = {
    {"", "pods"},
    {"", "nodes"},
    {"apps", "deployments"},
    {"apps", "replicasets"},
    {"apps", "daemonsets"},
    {"batch", "jobs"},
    {"batch", "cronjobs"},
    {"", "services"},
    {"", "events"},
    {"", "configmaps"},
    {"", "namespaces"},
    {"x.y", "things"},
    {"", "persistentvolumeclaims"},
    {"coordination.k8s.io", "leases"},
    {"apps", "statefulsets"},
    {"", "secrets"},
    {"networking.k8s.io", "ingresses"},
    {"networking.k8s.io", "networkpolicies"},
    {"networking.k8s.io", "ipaddresses"},
    {"", "endpoints"},
    {"discovery.k8s.io", "endpointslices"},
    {"", "persistentvolumes"},
    {"storage.k8s.io", "storageclasses"},
    {"storage.k8s.io", "csidrivers"},
    {"resource.k8s.io", "resourceclaims"},
    {"autoscaling", "horizontalpodautoscalers"},
    {"", "resourcequotas"},
    {"rbac.authorization.k8s.io", "rolebindings"},
    {"certificates.k8s.io", "certificatesigningrequests"},
    {"admissionregistration.k8s.io", "validatingadmissionpolicybindings"},
    {"apiregistration.k8s.io", "apiservices"},
    {"", "componentstatuses"},
};

static kin_resource *resource_of(unsigned which)
{
    kin_resource_spec spec = KIN_RESOURCE_SPEC_INIT;
    kin_resource *resource = NULL;

    spec.group = resources[which][0];
    spec.version = "v1";
    spec.resource = resources[which][1];
    spec.kind = "Ki\033nd\302\233"; /* as a server may call it */
    FUZZ_CHECK(kin_resource_new(&resource, &spec, NULL) == 0);
    return resource;
}

/* What is printed meanwhile. OWNED, free(). */
static char *printed(const struct printer *p, const struct groups *groups, size_t *ret_len)
{
    FILE *real = stdout;
    char *said = NULL;

    stdout = open_memstream(&said, ret_len);
    FUZZ_CHECK(stdout);
    kin_error err = KIN_ERROR_INIT;
    int code = printer_print(p, groups, &err);
    FUZZ_CHECK(code == 0 || (code == KIN_EINVAL && err.message[0]));
    fclose(stdout);
    stdout = real;
    return said;
}

static void check_printed(const struct printer *p, const struct groups *groups, bool custom)
{
    size_t len = 0;
    size_t n_lines = 0;
    char *said = printed(p, groups, &len);

    fuzz_check_shown(kin_str_make(said, len), true);
    for (size_t i = 0; i < len; i++)
        n_lines += said[i] == '\n';
    FUZZ_CHECK(n_lines == groups->items[0].objects.len + 1 || (custom && n_lines == 0) ||
               groups->items[0].objects.len == 0);
    free(said);
}

static void check_changes(struct watch_view *view, const struct group *group)
{
    for (size_t i = 0; i < group->objects.len; i++) {
        kin_event event = {.size = sizeof(event),
                           .type = i % 3 == 2   ? KIN_EVENT_DELETE
                                   : i % 3 == 1 ? KIN_EVENT_UPDATE
                                                : KIN_EVENT_ADD,
                           .object = group->objects.items[i],
                           .old_object = i % 3 == 1 ? group->objects.items[i - 1] : NULL};
        struct text out = TEXT_INIT;
        kin_error err = KIN_ERROR_INIT;
        int code = watch_view_add(view, &out, group->resource, &event, &err);

        FUZZ_CHECK(code == 0 || (code == KIN_EINVAL && err.message[0]));
        fuzz_check_shown(text_view(&out), true);
        text_done(&out);
    }
}

static void add_objects(struct objects *objects, kin_str lines)
{
    while (lines.len > 0 && objects->len < 6) {
        const char *end = memchr(lines.data, '\n', lines.len);
        size_t len = end ? (size_t)(end - lines.data) : lines.len;
        const kin_object *object = fuzz_object(kin_str_make(lines.data, len));

        if (object)
            objects_add(objects, object);
        kin_object_unref(object);
        len += end != NULL;
        lines = kin_str_make(lines.data + len, lines.len - len);
    }
}

static void check(struct groups *groups, const char *output, unsigned flags)
{
    const struct output_settings settings = {
        .output = output, .show_labels = flags & 1, .color = "never"};
    struct watch_view view = {.diff = flags & 2};
    kin_error err = KIN_ERROR_INIT;

    int code = printer_init(&view.printer, &settings, &err);
    FUZZ_CHECK(code == 0 || err.message[0]);
    view.printer.with_namespace = flags & 4;
    view.printer.with_kind = flags & 8;
    view.printer.now = 1000000600;
    if (code == 0) {
        check_printed(&view.printer, groups, strchr(output, '='));
        check_changes(&view, &groups->items[0]);
    }
    watch_view_done(&view);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    unsigned which = fuzz_byte(&in) % (sizeof(resources) / sizeof(resources[0]));
    unsigned flags = fuzz_byte(&in);
    kin_str rest = kin_str_make((const char *)in.data, in.len);
    const char *end = rest.len > 0 ? memchr(rest.data, '\n', rest.len) : NULL;
    size_t len = end ? (size_t)(end - rest.data) : 0;
    struct text output = TEXT_INIT;
    struct groups groups = {NULL, 0};
    kin_resource *resource = resource_of(which);

    add_objects(&groups_add(&groups, resource)->objects,
                kin_str_make(rest.data + len, rest.len - len));
    check(&groups, "table", flags);
    check(&groups, "wide", flags);
    text_add_string(&output, "custom-columns=");
    text_add(&output, kin_str_make(rest.data, len));
    /* Each `..` multiplies what there is. */
    if (len < 200 && !strstr(output.data, ".."))
        check(&groups, output.data, flags);
    text_done(&output);
    groups_done(&groups);
    kin_resource_unref(resource);
    return 0;
}
