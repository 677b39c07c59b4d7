/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mandatory pointers that are NULL: every public function of the object layer that returns a code
 * refuses each of them, and its message says which one it was. All other arguments of these
 * calls are fine, so nothing else can be what is refused.
 */
#include "kin_test.h"

#include <string.h>

#include "kinform/diff.h"
#include "kinform/editor.h"
#include "kinform/json.h"
#include "kinform/key.h"
#include "kinform/metadata.h"
#include "kinform/patch.h"
#include "kinform/path.h"
#include "kinform/resource_version.h"
#include "kinform/selector.h"
#include "kinform/stream.h"
#include "kinform/yaml.h"

/* What the calls are made with. */
static struct {
    const kin_object *pod;
    const kin_object *object; /* where objects would go, and never do */
    kin_editor *editor;
    kin_decoder *decoder;
    kin_yaml_reader *reader;
    kin_path *path;
    kin_value number;
    kin_value string;
    kin_value quantity;
    kin_value time;
    kin_value owner;
    kin_value selector;
    kin_quantity one;
    kin_scratch scratch;
    kin_error err;
} t;

static kin_str str(const char *text)
{
    return kin_str_of(text);
}

static int set_up(void **state)
{
    static const char json[] =
        "{\"metadata\":{\"name\":\"a\",\"creationTimestamp\":\"2024-01-02T03:04:05Z\","
        "\"deletionTimestamp\":\"2024-01-02T03:04:05Z\",\"annotations\":{\"k\":\"v\"},"
        "\"finalizers\":[\"f\"],\"labels\":{\"k\":\"v\"},"
        "\"ownerReferences\":[{\"kind\":\"Node\",\"controller\":true}]},"
        "\"number\":7,\"flag\":true,\"quantity\":\"1Gi\",\"selector\":{\"matchLabels\":{}}}";

    (void)state;
    t.err = (kin_error)KIN_ERROR_INIT;
    assert_code(kin_object_from_json(&t.pod, str(json), NULL, NULL), 0);
    assert_code(kin_editor_new(&t.editor, t.pod, NULL), 0);
    assert_code(kin_decoder_new(&t.decoder, NULL, NULL), 0);
    assert_code(kin_yaml_reader_new(&t.reader, str("a: b"), NULL, NULL), 0);
    assert_code(kin_path_parse(&t.path, str("metadata.name"), NULL), 0);
    assert_code(kin_quantity_parse(&t.one, str("1"), NULL), 0);
    t.number = kin_object_find(t.pod, "number");
    t.string = kin_object_find(t.pod, "metadata.name");
    t.quantity = kin_object_find(t.pod, "quantity");
    t.time = kin_object_find(t.pod, "metadata.creationTimestamp");
    t.owner = kin_object_find(t.pod, "metadata.ownerReferences[0]");
    t.selector = kin_object_find(t.pod, "selector");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    kin_object_unref(t.pod);
    kin_editor_free(t.editor);
    kin_decoder_free(t.decoder);
    kin_yaml_reader_free(t.reader);
    kin_path_free(t.path);
    memset(&t, 0, sizeof(t));
    return 0;
}

/* `parameter` is NULL for a function without a kin_error. */
static void check_refusal(const char *call, int code, const char *parameter)
{
    char message[64] = "";

    if (parameter)
        snprintf(message, sizeof(message), "%s is NULL", parameter);
    if (code != KIN_EINVAL || strcmp(t.err.message, message) != 0)
        fail_msg("%s: %s, \"%s\"", call, kin_error_name(code), t.err.message);
    assert_null(t.object);
    kin_error_clear(&t.err);
}

/* The call is refused because this parameter is NULL. */
#define REFUSES(parameter, call) check_refusal(#call, (call), parameter)

static int keep_item(const kin_object *object, void *arg, kin_error *err)
{
    (void)object;
    (void)arg;
    (void)err;
    return 0;
}

static int keep_event(enum kin_watch_type type, const kin_object *object, void *arg, kin_error *err)
{
    (void)type;
    return keep_item(object, arg, err);
}

static kin_str unused_key(const kin_object *object)
{
    (void)object;
    return str("");
}

static void unused_destroy(kin_object *object)
{
    (void)object;
}

static void objects(void **state)
{
    static const kin_object_class object_class = {.size = sizeof(object_class),
                                                  .name = "unused",
                                                  .key = unused_key,
                                                  .destroy = unused_destroy};
    kin_object object;
    const char *key = NULL;

    (void)state;
    REFUSES("object", kin_object_init(NULL, &object_class, &t.err));
    REFUSES("object_class", kin_object_init(&object, NULL, &t.err));
    REFUSES("ret", kin_explicit_key_new(NULL, str("a"), &t.err));
    REFUSES("ret", kin_tombstone_new(NULL, str("a"), t.pod, &t.err));
    REFUSES("ret", kin_meta_namespace_key(NULL, t.pod, &t.err));
    REFUSES("object", kin_meta_namespace_key(&key, NULL, &t.err));
    REFUSES(NULL, kin_object_diff(t.pod, t.pod, NULL, NULL));
    assert_null(key);
}

static void metadata(void **state)
{
    kin_owner_reference owner;
    kin_time time;
    kin_str value;

    (void)state;
    REFUSES(NULL, kin_object_creation_timestamp(NULL, t.pod));
    REFUSES(NULL, kin_object_creation_timestamp(&time, NULL));
    REFUSES(NULL, kin_object_deletion_timestamp(&time, NULL));
    REFUSES(NULL, kin_object_annotation(NULL, t.pod, str("k"), &t.scratch));
    REFUSES(NULL, kin_object_annotation(&value, NULL, str("k"), &t.scratch));
    REFUSES(NULL, kin_object_annotation(&value, t.pod, str("k"), NULL));
    REFUSES(NULL, kin_owner_reference_get(NULL, t.owner));
    REFUSES(NULL, kin_object_controller(NULL, t.pod));
    REFUSES(NULL, kin_object_controller(&owner, NULL));
}

static void values(void **state)
{
    kin_str text;

    (void)state;
    REFUSES(NULL, kin_value_string(NULL, t.string, &t.scratch));
    REFUSES(NULL, kin_value_string(&text, t.string, NULL));
    REFUSES(NULL, kin_value_int64(NULL, t.number));
    REFUSES(NULL, kin_value_double(NULL, t.number));
    REFUSES(NULL, kin_value_number(NULL, t.number, &t.scratch));
    REFUSES(NULL, kin_value_number(&text, t.number, NULL));
    REFUSES(NULL, kin_value_bool(NULL, kin_object_find(t.pod, "flag")));
    REFUSES(NULL, kin_value_time(NULL, t.time));
    REFUSES(NULL, kin_value_quantity(NULL, t.quantity));
    REFUSES("ret", kin_value_find(NULL, t.owner, str("kind"), &t.err));
}

static void texts(void **state)
{
    char *text = NULL;
    size_t len = 7;

    (void)state;
    REFUSES("ret", kin_decoder_new(NULL, NULL, &t.err));
    REFUSES("decoder", kin_decoder_decode(NULL, &t.object, str("{}"), &t.err));
    REFUSES("ret", kin_decoder_decode(t.decoder, NULL, str("{}"), &t.err));
    REFUSES("ret", kin_object_from_json(NULL, str("{}"), NULL, &t.err));
    REFUSES("ret", kin_object_to_json(NULL, &len, t.pod, KIN_JSON_COMPACT, &t.err));
    REFUSES("object", kin_object_to_json(&text, &len, NULL, KIN_JSON_COMPACT, &t.err));
    REFUSES("ret", kin_value_to_json(NULL, &len, t.owner, KIN_JSON_COMPACT, &t.err));
    REFUSES("ret", kin_object_from_yaml(NULL, str("a: b"), NULL, &t.err));
    REFUSES("ret", kin_yaml_reader_new(NULL, str("a: b"), NULL, &t.err));
    REFUSES("reader", kin_yaml_reader_next(NULL, &t.object, &t.err));
    REFUSES("ret", kin_yaml_reader_next(t.reader, NULL, &t.err));
    REFUSES("ret", kin_object_to_yaml(NULL, &len, t.pod, &t.err));
    REFUSES("object", kin_object_to_yaml(&text, &len, NULL, &t.err));
    REFUSES("ret", kin_value_to_yaml(NULL, &len, t.owner, &t.err));
    assert_null(text);
    assert_int_equal(len, 7);
}

/* What was refused was not a failure of the text: the reader reads on. */
static void a_reader_goes_on_after_a_refusal(void **state)
{
    (void)state;
    REFUSES("ret", kin_yaml_reader_next(t.reader, NULL, &t.err));
    assert_code(kin_yaml_reader_next(t.reader, &t.object, NULL), 0);
    assert_non_null(t.object);
    kin_object_unref(t.object);
}

static void streams(void **state)
{
    kin_list_decoder *list = NULL;
    kin_watch_decoder *watch = NULL;

    (void)state;
    REFUSES("ret", kin_list_decoder_new(NULL, NULL, keep_item, NULL, NULL, &t.err));
    REFUSES("fn", kin_list_decoder_new(&list, NULL, NULL, NULL, NULL, &t.err));
    REFUSES("decoder", kin_list_decoder_feed(NULL, str("{}"), &t.err));
    REFUSES("decoder", kin_list_decoder_finish(NULL, &t.object, &t.err));
    REFUSES("decoder", kin_list_decoder_reset(NULL, &t.err));
    REFUSES("ret", kin_watch_decoder_new(NULL, NULL, keep_event, NULL, NULL, &t.err));
    REFUSES("fn", kin_watch_decoder_new(&watch, NULL, NULL, NULL, NULL, &t.err));
    REFUSES("decoder", kin_watch_decoder_feed(NULL, str("{}"), &t.err));
    REFUSES("decoder", kin_watch_decoder_finish(NULL, &t.err));
    REFUSES("decoder", kin_watch_decoder_reset(NULL, &t.err));
    assert_null(list);
    assert_null(watch);
}

static void editors(void **state)
{
    kin_str path = str("a");
    kin_time time = {0, 0};

    (void)state;
    REFUSES("ret", kin_editor_new(NULL, t.pod, &t.err));
    REFUSES("ed", kin_editor_finish(NULL, &t.object, &t.err));
    REFUSES("ret", kin_editor_finish(t.editor, NULL, &t.err));
    REFUSES("ed", kin_editor_set_string(NULL, path, str("b"), &t.err));
    REFUSES("ed", kin_editor_set_int64(NULL, path, 1, &t.err));
    REFUSES("ed", kin_editor_set_double(NULL, path, 1.5, &t.err));
    REFUSES("ed", kin_editor_set_bool(NULL, path, true, &t.err));
    REFUSES("ed", kin_editor_set_null(NULL, path, &t.err));
    REFUSES("ed", kin_editor_set_time(NULL, path, time, 0, &t.err));
    REFUSES("ed", kin_editor_set_value(NULL, path, t.owner, &t.err));
    REFUSES("ed", kin_editor_set_json(NULL, path, str("[1]"), &t.err));
    REFUSES("ed", kin_editor_remove(NULL, path, &t.err));
    REFUSES("ed", kin_editor_set_label(NULL, str("k"), str("v"), &t.err));
    REFUSES("ed", kin_editor_remove_label(NULL, str("k"), &t.err));
    REFUSES("ed", kin_editor_set_annotation(NULL, str("k"), str("v"), &t.err));
    REFUSES("ed", kin_editor_remove_annotation(NULL, str("k"), &t.err));
    REFUSES("ed", kin_editor_add_finalizer(NULL, str("g"), &t.err));
    REFUSES("ed", kin_editor_remove_finalizer(NULL, str("f"), &t.err));
}

static void patches_and_paths(void **state)
{
    char *text = NULL;

    (void)state;
    REFUSES("ret", kin_object_merge_patch(NULL, t.pod, str("{}"), &t.err));
    REFUSES("object", kin_object_merge_patch(&t.object, NULL, str("{}"), &t.err));
    REFUSES("ret", kin_object_make_merge_patch(NULL, NULL, t.pod, t.pod, &t.err));
    REFUSES("from", kin_object_make_merge_patch(&text, NULL, NULL, t.pod, &t.err));
    REFUSES("to", kin_object_make_merge_patch(&text, NULL, t.pod, NULL, &t.err));
    REFUSES("ret", kin_object_json_patch(NULL, t.pod, str("[]"), &t.err));
    REFUSES("object", kin_object_json_patch(&t.object, NULL, str("[]"), &t.err));
    REFUSES("ret", kin_path_parse(NULL, str("a"), &t.err));
    REFUSES("ret", kin_path_print(NULL, NULL, t.path, &t.err));
    REFUSES("path", kin_path_print(&text, NULL, NULL, &t.err));
    REFUSES("ret", kin_projection_keep(NULL, str("a"), &t.err));
    REFUSES("ret", kin_projection_drop(NULL, str("a"), &t.err));
    REFUSES("ret", kin_projection_metadata_only(NULL, &t.err));
    assert_null(text);
}

static void small_languages(void **state)
{
    (void)state;
    REFUSES("ret", kin_key_new(NULL, str("a"), str("b"), &t.err));
    REFUSES("ret", kin_namespaced_name_parse(NULL, str("a/b"), &t.err));
    REFUSES("ret", kin_resource_version_compare(NULL, str("1"), str("2"), &t.err));
    REFUSES("ret", kin_time_parse(NULL, str("2024-01-02T03:04:05Z"), &t.err));
    REFUSES("ret", kin_quantity_make(NULL, 1, 0, KIN_QUANTITY_DECIMAL_SI, &t.err));
    REFUSES("ret", kin_quantity_parse(NULL, str("1"), &t.err));
    REFUSES("ret", kin_quantity_add(NULL, t.one, t.one, &t.err));
    REFUSES("ret", kin_quantity_sub(NULL, t.one, t.one, &t.err));
    REFUSES("ret", kin_quantity_value(NULL, t.one, &t.err));
    REFUSES("ret", kin_quantity_milli_value(NULL, t.one, &t.err));
    REFUSES("ret", kin_quantity_scaled(NULL, t.one, 0, &t.err));
    REFUSES("ret", kin_quantity_int64(NULL, t.one, &t.err));
}

static void selectors(void **state)
{
    static const kin_label_requirement without_values = {{"k", 1}, KIN_SELECTOR_EQUALS, NULL, 1};
    const kin_label_selector *labels = kin_label_selector_everything();
    const kin_field_selector *fields = kin_field_selector_everything();
    const kin_label_selector *ret_labels = NULL;
    const kin_field_selector *ret_fields = NULL;
    char *text = NULL;

    (void)state;
    REFUSES("ret", kin_label_selector_parse(NULL, str("k=v"), &t.err));
    REFUSES("ret", kin_label_selector_from_value(NULL, t.selector, &t.err));
    REFUSES("ret", kin_label_selector_add(NULL, labels, NULL, 0, &t.err));
    REFUSES("sel", kin_label_selector_add(&ret_labels, NULL, NULL, 0, &t.err));
    REFUSES("requirements", kin_label_selector_add(&ret_labels, labels, NULL, 1, &t.err));
    REFUSES("values", kin_label_selector_add(&ret_labels, labels, &without_values, 1, &t.err));
    REFUSES("ret", kin_label_selector_print(NULL, NULL, labels, &t.err));
    REFUSES("sel", kin_label_selector_print(&text, NULL, NULL, &t.err));
    REFUSES("ret", kin_field_selector_parse(NULL, str("k=v"), &t.err));
    REFUSES("ret", kin_field_selector_add(NULL, fields, NULL, 0, &t.err));
    REFUSES("sel", kin_field_selector_add(&ret_fields, NULL, NULL, 0, &t.err));
    REFUSES("requirements", kin_field_selector_add(&ret_fields, fields, NULL, 1, &t.err));
    REFUSES("ret", kin_field_selector_print(NULL, NULL, fields, &t.err));
    REFUSES("sel", kin_field_selector_print(&text, NULL, NULL, &t.err));
    assert_null(ret_labels);
    assert_null(ret_fields);
    assert_null(text);
}

/* What says that it may be NULL may be. */
static void optional_pointers_stay_optional(void **state)
{
    char *text = NULL;

    (void)state;
    assert_code(kin_object_deletion_timestamp(NULL, t.pod), 0);
    assert_code(kin_key_split(NULL, NULL, str("a/b"), NULL), 0);
    assert_code(kin_object_to_json(&text, NULL, t.pod, KIN_JSON_COMPACT, NULL), 0);
    kin_free(text);
    assert_code(kin_object_from_json(NULL, str("{}"), NULL, NULL), KIN_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(objects, set_up, tear_down),
        cmocka_unit_test_setup_teardown(metadata, set_up, tear_down),
        cmocka_unit_test_setup_teardown(values, set_up, tear_down),
        cmocka_unit_test_setup_teardown(texts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_reader_goes_on_after_a_refusal, set_up, tear_down),
        cmocka_unit_test_setup_teardown(streams, set_up, tear_down),
        cmocka_unit_test_setup_teardown(editors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(patches_and_paths, set_up, tear_down),
        cmocka_unit_test_setup_teardown(small_languages, set_up, tear_down),
        cmocka_unit_test_setup_teardown(selectors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(optional_pointers_stay_optional, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
