/* SPDX-License-Identifier: Apache-2.0 */
//go:build ignore

/*
 * The library's side of the oracle: the requests of README.md answered with its public functions,
 * one JSON object per line in and one per line out.
 *
 * A handler writes nothing until it knows that its answer is a good one, so that a failure can
 * still become a refusal. What is no request, or what only a defect here or in the library can
 * bring about, ends the program; the runner then names the request.
 *
 * The line above is for the go command, which would take a C file here for a part of its program.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kinform/editor.h>
#include <kinform/json.h>
#include <kinform/key.h>
#include <kinform/patch.h>
#include <kinform/resource_version.h>
#include <kinform/selector.h>

#include "side/lines.h"

/* 0 if it has written the fields of a good answer, else a code, and why in `err`. */
typedef int handler(kin_value request, kin_error *err);

/* --- requests --- */

/* A text of the request; one that is missing is empty. */
static kin_str get_text(kin_value request, const char *name, kin_scratch *scratch)
{
    kin_str text = {NULL, 0};
    int code = kin_value_string(&text, kin_value_get(request, kin_str_of(name)), scratch);

    if (code < 0 && code != KIN_ENOTFOUND)
        lines_die("a field of the request is no string", NULL);
    return text;
}

/* A value of the request as JSON; kin_free() it. */
static char *get_json(kin_value request, const char *name, size_t *ret_len)
{
    kin_error err = KIN_ERROR_INIT;
    char *text = NULL;

    if (kin_value_to_json(&text, ret_len, kin_value_get(request, kin_str_of(name)),
                          KIN_JSON_COMPACT, &err) < 0)
        lines_die(name, err.message);
    return text;
}

/* A map of the request as an object of its own; kin_object_unref() it. */
static const kin_object *get_object(kin_value request, const char *name)
{
    kin_error err = KIN_ERROR_INIT;
    const kin_object *object = NULL;
    size_t len;
    char *text = get_json(request, name, &len);

    if (kin_object_from_json(&object, kin_str_make(text, len), NULL, &err) < 0)
        lines_die(name, err.message);
    kin_free(text);
    return object;
}

/* --- answers --- */

static void put_json_string(kin_str s)
{
    putchar('"');
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.data[i];

        if (c == '"' || c == '\\')
            putchar('\\');
        if (c < ' ')
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

static void put_ok(void)
{
    fputs("{\"ok\":true", stdout);
}

static void put_name(const char *name)
{
    printf(",\"%s\":", name);
}

static void put_text(const char *name, kin_str value)
{
    put_name(name);
    put_json_string(value);
}

static void put_integer(const char *name, int64_t value)
{
    put_name(name);
    printf("%lld", (long long)value);
}

static void put_bool(const char *name, bool value)
{
    put_name(name);
    fputs(value ? "true" : "false", stdout);
}

static void put_double(const char *name, double value)
{
    put_name(name);
    if (isinf(value))
        fputs(value > 0 ? "\"Infinity\"" : "\"-Infinity\"", stdout);
    else
        printf("%.17g", value);
}

/* --- label selectors --- */

static int answer_label_parse(kin_value request, kin_error *err)
{
    const kin_label_selector *sel = NULL;
    kin_scratch scratch;
    char *text = NULL;
    size_t len;
    int code = kin_label_selector_parse(&sel, get_text(request, "selector", &scratch), err);

    if (code < 0)
        return code;
    code = kin_label_selector_print(&text, &len, sel, err);
    if (code == 0) {
        put_ok();
        put_text("string", kin_str_make(text, len));
    }
    kin_free(text);
    kin_label_selector_unref(sel);
    return code;
}

/* Where texts are looked up: a map of the request. */
struct texts {
    kin_value map;
    kin_scratch scratch;
};

static bool look_up(kin_str key, kin_str *ret_value, void *arg)
{
    struct texts *texts = arg;

    return kin_value_string(ret_value, kin_value_get(texts->map, key), &texts->scratch) == 0;
}

/*
 * Whether an object with these labels matches. The labels are set twice: where they are metadata,
 * and where they are values like others and may be stored in another form.
 */
static bool object_matches(const kin_label_selector *sel, kin_value labels)
{
    kin_error err = KIN_ERROR_INIT;
    const kin_object *object = NULL;
    kin_editor *editor = NULL;

    if (kin_editor_new(&editor, NULL, &err) < 0 ||
        kin_editor_set_value(editor, kin_str_of("spec.matchLabels"), labels, &err) < 0 ||
        kin_editor_set_value(editor, kin_str_of("metadata.labels"), labels, &err) < 0 ||
        kin_editor_finish(editor, &object, &err) < 0)
        lines_die("an object with labels", err.message);
    bool match = kin_label_selector_matches(sel, object);
    kin_object_unref(object);
    kin_editor_free(editor);
    return match;
}

/* Whether the labels of the request match, found in both ways that there are. */
static bool labels_match(const kin_label_selector *sel, kin_value request)
{
    struct texts labels = {.map = kin_value_get(request, kin_str_of("labels"))};
    bool match = kin_label_selector_matches_fn(sel, look_up, &labels);

    if (kin_value_type(labels.map) == KIN_MAP && object_matches(sel, labels.map) != match)
        lines_die("an object with the labels matches differently", NULL);
    return match;
}

static int answer_label_match(kin_value request, kin_error *err)
{
    const kin_label_selector *sel = NULL;
    kin_scratch scratch;
    int code = kin_label_selector_parse(&sel, get_text(request, "selector", &scratch), err);

    if (code < 0)
        return code;
    bool match = labels_match(sel, request);
    put_ok();
    put_bool("match", match);
    kin_label_selector_unref(sel);
    return 0;
}

static int answer_label_from_object(kin_value request, kin_error *err)
{
    const kin_label_selector *sel = NULL;
    char *text = NULL;
    size_t len;
    int code =
        kin_label_selector_from_value(&sel, kin_value_get(request, kin_str_of("value")), err);

    if (code < 0)
        return code;
    code = kin_label_selector_print(&text, &len, sel, err);
    if (code == 0) {
        bool match = labels_match(sel, request);
        put_ok();
        put_text("string", kin_str_make(text, len));
        put_bool("empty", kin_label_selector_is_empty(sel));
        put_bool("match", match);
    }
    kin_free(text);
    kin_label_selector_unref(sel);
    return code;
}

static int answer_label_validate_key(kin_value request, kin_error *err)
{
    kin_scratch scratch;
    int code = kin_label_key_validate(get_text(request, "text", &scratch), err);

    if (code == 0)
        put_ok();
    return code;
}

static int answer_label_validate_value(kin_value request, kin_error *err)
{
    kin_scratch scratch;
    int code = kin_label_value_validate(get_text(request, "text", &scratch), err);

    if (code == 0)
        put_ok();
    return code;
}

/* --- field selectors --- */

static int answer_field_parse(kin_value request, kin_error *err)
{
    const kin_field_selector *sel = NULL;
    kin_scratch scratch;
    char *text = NULL;
    size_t len;
    int code = kin_field_selector_parse(&sel, get_text(request, "selector", &scratch), err);

    if (code < 0)
        return code;
    code = kin_field_selector_print(&text, &len, sel, err);
    if (code == 0) {
        put_ok();
        put_text("string", kin_str_make(text, len));
    }
    kin_free(text);
    kin_field_selector_unref(sel);
    return code;
}

static int answer_field_match(kin_value request, kin_error *err)
{
    struct texts fields = {.map = kin_value_get(request, kin_str_of("fields"))};
    const kin_field_selector *sel = NULL;
    kin_scratch scratch;
    int code = kin_field_selector_parse(&sel, get_text(request, "selector", &scratch), err);

    if (code < 0)
        return code;
    put_ok();
    put_bool("match", kin_field_selector_matches_fn(sel, look_up, &fields));
    kin_field_selector_unref(sel);
    return 0;
}

/* --- quantities --- */

static int get_quantity(kin_quantity *ret, kin_value request, const char *name, kin_error *err)
{
    kin_scratch scratch;

    return kin_quantity_parse(ret, get_text(request, name, &scratch), err);
}

static int get_quantities(kin_quantity *ret_a, kin_quantity *ret_b, kin_value request,
                          kin_error *err)
{
    int code = get_quantity(ret_a, request, "a", err);

    return code < 0 ? code : get_quantity(ret_b, request, "b", err);
}

static void put_quantity(const char *name, kin_quantity q)
{
    char text[KIN_QUANTITY_TEXT_SIZE];
    size_t len = kin_quantity_format(text, sizeof(text), q);

    if (len >= sizeof(text))
        lines_die("a quantity does not fit into KIN_QUANTITY_TEXT_SIZE", NULL);
    put_text(name, kin_str_make(text, len));
}

/* What does not fit into an int64 is left out: there is no number to compare. */
static int answer_quantity(kin_value request, kin_error *err)
{
    kin_quantity q;
    int64_t number;
    int code = get_quantity(&q, request, "text", err);

    if (code < 0)
        return code;
    put_ok();
    put_quantity("string", q);
    if (kin_quantity_value(&number, q, NULL) == 0)
        put_integer("value", number);
    if (kin_quantity_milli_value(&number, q, NULL) == 0)
        put_integer("milli", number);
    put_integer("sign", kin_quantity_sign(q));
    put_double("float", kin_quantity_double(q));
    return 0;
}

static int answer_quantity_cmp(kin_value request, kin_error *err)
{
    kin_quantity a;
    kin_quantity b;
    int code = get_quantities(&a, &b, request, err);

    if (code < 0)
        return code;
    put_ok();
    put_integer("cmp", kin_quantity_compare(a, b));
    return 0;
}

static int combine(kin_value request, kin_error *err,
                   int (*operation)(kin_quantity *, kin_quantity, kin_quantity, kin_error *))
{
    kin_quantity a;
    kin_quantity b;
    int code = get_quantities(&a, &b, request, err);

    if (code == 0)
        code = operation(&a, a, b, err);
    if (code < 0)
        return code;
    put_ok();
    put_quantity("string", a);
    return 0;
}

static int answer_quantity_add(kin_value request, kin_error *err)
{
    return combine(request, err, kin_quantity_add);
}

static int answer_quantity_sub(kin_value request, kin_error *err)
{
    return combine(request, err, kin_quantity_sub);
}

/* --- keys, resource versions, times --- */

static int answer_key_split(kin_value request, kin_error *err)
{
    kin_scratch scratch;
    kin_str namespace_;
    kin_str name;
    int code = kin_key_split(&namespace_, &name, get_text(request, "key", &scratch), err);

    if (code < 0)
        return code;
    put_ok();
    put_text("namespace", namespace_);
    put_text("name", name);
    return 0;
}

static int answer_object_name(kin_value request, kin_error *err)
{
    kin_scratch scratch;
    kin_namespaced_name parsed;
    char key[2048];
    int code = kin_namespaced_name_parse(&parsed, get_text(request, "key", &scratch), err);

    if (code < 0)
        return code;
    size_t len = kin_key_format(key, sizeof(key), parsed.namespace_, parsed.name);
    if (len >= sizeof(key))
        lines_die("a key is too long", NULL);
    put_ok();
    put_text("namespace", parsed.namespace_);
    put_text("name", parsed.name);
    put_text("string", kin_str_make(key, len));
    return 0;
}

static int answer_key_of(kin_value request, kin_error *err)
{
    const kin_object *object = get_object(request, "object");
    const char *key;
    int code = kin_meta_namespace_key(&key, object, err);

    if (code == 0) {
        put_ok();
        put_text("key", kin_str_of(key));
    }
    kin_object_unref(object);
    return code;
}

static int answer_rv_compare(kin_value request, kin_error *err)
{
    kin_scratch scratch_a;
    kin_scratch scratch_b;
    int order;
    int code = kin_resource_version_compare(&order, get_text(request, "a", &scratch_a),
                                            get_text(request, "b", &scratch_b), err);

    if (code < 0)
        return code;
    put_ok();
    put_integer("cmp", order);
    return 0;
}

static int answer_time(kin_value request, kin_error *err)
{
    kin_scratch scratch;
    kin_time t;
    int code = kin_time_parse(&t, get_text(request, "text", &scratch), err);

    if (code < 0)
        return code;
    put_ok();
    put_integer("seconds", t.seconds);
    put_integer("nanos", t.nanoseconds);
    return 0;
}

/* --- patches --- */

static int patch(kin_value request, kin_error *err,
                 int (*apply)(const kin_object **, const kin_object *, kin_str, kin_error *))
{
    const kin_object *doc = get_object(request, "doc");
    const kin_object *result = NULL;
    size_t patch_len;
    char *patch_text = get_json(request, "patch", &patch_len);
    char *text = NULL;
    size_t len;
    int code = apply(&result, doc, kin_str_make(patch_text, patch_len), err);

    if (code == 0)
        code = kin_object_to_json(&text, &len, result, KIN_JSON_COMPACT, err);
    if (code == 0) {
        put_ok();
        put_text("result", kin_str_make(text, len));
    }
    kin_free(text);
    kin_object_unref(result);
    kin_free(patch_text);
    kin_object_unref(doc);
    return code;
}

static int answer_merge_patch(kin_value request, kin_error *err)
{
    return patch(request, err, kin_object_merge_patch);
}

static int answer_json_patch(kin_value request, kin_error *err)
{
    return patch(request, err, kin_object_json_patch);
}

/* --- the loop --- */

static const struct operation {
    const char *name;
    handler *run;
} operations[] = {
    {"label-parse", answer_label_parse},
    {"label-match", answer_label_match},
    {"label-from-object", answer_label_from_object},
    {"label-validate-key", answer_label_validate_key},
    {"label-validate-value", answer_label_validate_value},
    {"field-parse", answer_field_parse},
    {"field-match", answer_field_match},
    {"quantity", answer_quantity},
    {"quantity-cmp", answer_quantity_cmp},
    {"quantity-add", answer_quantity_add},
    {"quantity-sub", answer_quantity_sub},
    {"key-split", answer_key_split},
    {"object-name", answer_object_name},
    {"key-of", answer_key_of},
    {"rv-compare", answer_rv_compare},
    {"time", answer_time},
    {"merge-patch", answer_merge_patch},
    {"json-patch", answer_json_patch},
};

static handler *find_handler(kin_str name)
{
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        if (kin_str_equal(kin_str_of(operations[i].name), name))
            return operations[i].run;
    }
    return NULL;
}

static void respond(kin_value request)
{
    kin_error err = KIN_ERROR_INIT;
    kin_scratch scratch;
    kin_str name = get_text(request, "op", &scratch);
    handler *run = find_handler(name);

    if (!run) {
        fputs("{\"unknown\":", stdout);
        put_json_string(name);
    } else if (run(request, &err) < 0) {
        fputs("{\"ok\":false", stdout);
        put_text("error", kin_str_of(err.message));
    }
    puts("}");
}

int main(void)
{
    lines_serve_json(respond);
    return 0;
}
