/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinform-objects: read, select, change, compare and write Kubernetes objects.
 *
 *     kinform-objects [FILE]      reads a JSON document, or YAML ones, instead of its own Pod
 */
#include <inttypes.h>
#include <kinform.h>
#include <stdio.h>
#include <stdlib.h>

static const char pod_text[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"web-0\",\"namespace\":\"shop\","
    "\"uid\":\"0b7c9f6e-4d0e-4c57-9b7a-1f2e3d4c5b6a\",\"resourceVersion\":\"4711\","
    "\"creationTimestamp\":\"2026-01-31T12:00:00Z\","
    "\"labels\":{\"app\":\"web\",\"tier\":\"front\"},"
    "\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"StatefulSet\",\"name\":\"web\","
    "\"uid\":\"7f0e1c2d-3b4a-4958-8677-665544332211\",\"controller\":true}]},"
    "\"spec\":{\"nodeName\":\"node-7\",\"containers\":[{\"name\":\"app\","
    "\"image\":\"registry.example.com/web:1.4\","
    "\"resources\":{\"limits\":{\"cpu\":\"1500m\",\"memory\":\"1Gi\"}}}]},"
    "\"status\":{\"phase\":\"Running\",\"podIP\":\"10.1.2.3\"}}";

/* Metadata, fields by path, and Kubernetes' own types. */
static void show_reading(const kin_object *pod)
{
    kin_owner_reference owner;
    kin_quantity cpu;
    kin_scratch scratch;
    char image[256];
    kin_str text;
    int64_t milli;

    printf("key         %s\n", kin_object_key(pod));
    text = kin_object_kind(pod, &scratch);
    printf("kind        %" KIN_STR_FMT "\n", KIN_STR_ARG(text));
    if (kin_object_controller(&owner, pod) == 0)
        printf("controller  %" KIN_STR_FMT "/%" KIN_STR_FMT "\n", KIN_STR_ARG(owner.kind),
               KIN_STR_ARG(owner.name));
    if (kin_object_get_string(pod, "spec.containers[0].image", image, sizeof(image)) == 0)
        printf("image       %s\n", image);
    if (kin_object_get_quantity(pod, "spec.containers[0].resources.limits.cpu", &cpu) == 0 &&
        kin_quantity_milli_value(&milli, cpu, NULL) == 0)
        printf("cpu limit   %" PRId64 " thousandths\n", milli);
}

static int show_selecting(const kin_object *pod, kin_error *err)
{
    const kin_label_selector *selector = NULL;
    int code =
        kin_label_selector_parse(&selector, kin_str_of("app in (web, api), tier!=back"), err);

    if (code < 0)
        return code;
    printf("selected    %s\n", kin_label_selector_matches(selector, pod) ? "yes" : "no");
    kin_label_selector_unref(selector);
    return 0;
}

static bool print_difference(kin_str path, kin_value before, kin_value after, void *arg)
{
    char *old_text = NULL;
    char *new_text = NULL;

    (void)arg;
    kin_value_to_json(&old_text, NULL, before, KIN_JSON_COMPACT, NULL);
    kin_value_to_json(&new_text, NULL, after, KIN_JSON_COMPACT, NULL);
    printf("changed     %" KIN_STR_FMT ": %s -> %s\n", KIN_STR_ARG(path),
           old_text ? old_text : "(none)", new_text ? new_text : "(none)");
    kin_free(old_text);
    kin_free(new_text);
    return true;
}

/* Nothing changes in place: the editor makes another object. */
static int show_changing(const kin_object *pod, kin_error *err)
{
    kin_editor *editor = NULL;
    const kin_object *changed = NULL;
    int code = kin_editor_new(&editor, pod, err);

    if (code == 0)
        code = kin_editor_set_string(editor, kin_str_of("spec.containers[0].image"),
                                     kin_str_of("registry.example.com/web:1.5"), err);
    if (code == 0)
        code = kin_editor_set_label(editor, kin_str_of("track"), kin_str_of("canary"), err);
    if (code == 0)
        code = kin_editor_finish(editor, &changed, err);
    if (code == 0) {
        code = kin_object_diff(pod, changed, print_difference, NULL);
        if (code < 0) /* it has no `err` of its own */
            kin_error_set(err, code, "comparing: %s", kin_error_string(code));
    }
    kin_object_unref(changed);
    kin_editor_free(editor);
    return code;
}

static int show_all(const kin_object *pod, size_t text_len, kin_error *err)
{
    char *yaml = NULL;
    int code;

    show_reading(pod);
    code = show_selecting(pod, err);
    if (code == 0)
        code = show_changing(pod, err);
    if (code == 0)
        code = kin_value_to_yaml(&yaml, NULL, kin_object_labels(pod), err);
    if (code == 0)
        printf("memory      %zu bytes for %zu of text\nlabels, as YAML:\n%s", kin_object_size(pod),
               text_len, yaml);
    kin_free(yaml);
    return code;
}

static int show_document(const kin_object *object, kin_error *err)
{
    char *yaml = NULL;
    int code = kin_object_to_yaml(&yaml, NULL, object, err);

    if (code == 0)
        printf("# %s, %zu bytes\n%s---\n", kin_object_key(object), kin_object_size(object), yaml);
    kin_free(yaml);
    return code;
}

static int show_json(kin_str text, kin_error *err)
{
    const kin_object *object = NULL;
    int code = kin_object_from_json(&object, text, NULL, err);

    if (code == 0)
        code = show_document(object, err);
    kin_object_unref(object);
    return code;
}

/* Any number of documents. */
static int show_yaml(kin_str text, kin_error *err)
{
    kin_yaml_reader *reader = NULL;
    const kin_object *object = NULL;
    int code = kin_yaml_reader_new(&reader, text, NULL, err);

    while (code == 0) {
        code = kin_yaml_reader_next(reader, &object, err);
        if (code < 0 || !object)
            break;
        code = show_document(object, err);
        kin_object_unref(object);
        object = NULL;
    }
    kin_yaml_reader_free(reader);
    return code;
}

/* What begins with a '{' is JSON: nearly all of that is YAML too, but reading it so is slower. */
static int show_file(kin_str text, kin_error *err)
{
    size_t at = 0;

    while (at < text.len && (text.data[at] == ' ' || text.data[at] == '\t' ||
                             text.data[at] == '\n' || text.data[at] == '\r'))
        at++;
    return at < text.len && text.data[at] == '{' ? show_json(text, err) : show_yaml(text, err);
}

static char *read_file(const char *path, size_t *ret_len)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t len = 0;
    size_t cap = 0;

    if (!file)
        return NULL;
    do {
        if (cap - len < 4096) {
            char *grown = realloc(text, cap + 65536);

            if (!grown)
                break;
            text = grown;
            cap += 65536;
        }
        len += fread(text + len, 1, cap - len, file);
    } while (!feof(file) && !ferror(file));
    fclose(file);
    *ret_len = len;
    return text;
}

int main(int argc, char **argv)
{
    kin_error err = KIN_ERROR_INIT;
    int code;

    if (argc > 1) {
        size_t len = 0;
        char *text = read_file(argv[1], &len);

        if (!text) {
            perror(argv[1]);
            return 1;
        }
        code = show_file(kin_str_make(text, len), &err);
        free(text);
    } else {
        const kin_object *pod = NULL;

        code = kin_object_from_json(&pod, kin_str_of(pod_text), NULL, &err);
        if (code == 0)
            code = show_all(pod, sizeof(pod_text) - 1, &err);
        kin_object_unref(pod);
    }
    if (code < 0)
        fprintf(stderr, "%s\n", err.message);
    return code < 0;
}
