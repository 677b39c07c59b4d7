/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The editor: a tree over the object it began with.
 *
 * Every change comes down to one of two things: put a node at a path, or take one away. To put
 * one, the path is followed as far as it exists; what is missing of it is made around the new
 * node, apart from the tree; and then there is one step that connects the two. Whatever fails
 * fails before that step, so a call that fails changes nothing.
 *
 * Values from elsewhere become small documents of their own first, which the tree holds for as long
 * as they are in it. So the caller need not keep anything alive for it. Finishing makes a document
 * of the tree and begins again on top of it, with an empty tree.
 */
#include "kinform/make.h"

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/str.h"
#include "base/utf8.h"
#include "kinform/metadata.h"
#include "object/json.h"
#include "object/make.h"
#include "object/number.h"
#include "object/path.h"
#include "object/tree.h"

struct kin_editor {
    const kin_object *base; /* what the tree is over; NULL: it began empty */
    kin__tree_node *root;
    bool changed; /* since base */
};

static int make_root(kin_editor *ed, const kin_object *base, kin_error *err)
{
    if (!base) {
        ed->changed = true;
        return kin__tree_new_map(&ed->root, err);
    }
    base = kin__tree_document(base); /* finishing unchanged gives it back: no tombstone */
    if (!base)
        return kin_error_set(err, KIN_ETYPE, "only documents can be edited");
    ed->base = kin_object_ref(base);
    return kin__tree_new_value(&ed->root, kin_object_root(base), err);
}

int kin_editor_new(kin_editor **ret, const kin_object *base, kin_error *err)
{
    if (!ret)
        return kin__error_null(err, "ret");

    kin_editor *ed = kin__calloc(1, sizeof(*ed));

    if (!ed)
        return kin__error_no_memory(err);
    int code = make_root(ed, base, err);
    if (code < 0) {
        kin_editor_free(ed);
        return code;
    }
    *ret = ed;
    return 0;
}

void kin_editor_free(kin_editor *ed)
{
    if (!ed)
        return;
    kin__tree_free(ed->root);
    kin_object_unref(ed->base);
    kin__free(ed);
}

int kin_editor_finish(kin_editor *ed, const kin_object **ret, kin_error *err)
{
    const kin_object *made = NULL;

    if (!ed || !ret)
        return kin__error_null(err, !ed ? "ed" : "ret");
    if (ed->changed) {
        int code = kin__tree_to_object(&made, ed->root, err);

        if (code < 0)
            return code;
        kin__tree_reset(ed->root, kin_object_root(made));
        kin_object_unref(ed->base);
        ed->base = made;
        ed->changed = false;
    }
    *ret = kin_object_ref(ed->base);
    return 0;
}

/* --- putting and taking --- */

/* Report what is wrong with the last of `len` steps. */
static int step_error(kin_error *err, int code, const kin__step *steps, size_t len,
                      const char *what)
{
    kin__buf path;

    if (!err)
        return code;
    kin__buf_init(&path, sizeof(err->message));
    for (size_t i = 0; i < len; i++)
        kin__path_append_step(&path, &steps[i]);
    kin_error_set(err, code, "%" KIN_STR_FMT ": %s", KIN_STR_ARG(kin__buf_str(&path)), what);
    kin__buf_done(&path);
    return code;
}

static kin__tree_node *child_at(const kin__tree_node *node, const kin__step *step)
{
    return step->type == KIN__STEP_INDEX ? kin__tree_item(node, step->index)
                                         : kin__tree_member(node, step->key);
}

/* Follow the path: NULL if there is nothing. Everything on the way is expanded. */
static int find(kin__tree_node **ret, kin_editor *ed, const kin__step *steps, size_t len,
                kin_error *err)
{
    kin__tree_node *node = ed->root;

    for (size_t i = 0; node && i < len; i++) {
        int code = kin__tree_expand(node, err);

        if (code < 0)
            return code;
        node = child_at(node, &steps[i]);
    }
    *ret = node;
    return 0;
}

/* Whether a value can be put at the last of `len` steps, which is one below `node`, expanded. */
static int check_step(const kin__tree_node *node, const kin__step *steps, size_t len,
                      kin_error *err)
{
    const kin__step *step = &steps[len - 1];
    bool is_index = step->type == KIN__STEP_INDEX;

    if (kin__tree_type(node) != (is_index ? KIN_ARRAY : KIN_MAP))
        return step_error(err, KIN_ETYPE, steps, len,
                          is_index ? "what holds it is no array" : "what holds it is no map");
    if (is_index && step->index > kin__tree_len(node))
        return step_error(err, KIN_ERANGE, steps, len, "beyond the length of the array");
    return 0;
}

/* Connect a node with the tree, at a step that was checked. CONSUMED. */
static int put_at(kin__tree_node *parent, const kin__step *step, kin__tree_node *node,
                  kin_error *err)
{
    if (step->type == KIN__STEP_INDEX) {
        if (step->index == kin__tree_len(parent))
            return kin__tree_insert(parent, step->index, node, err);
        kin__tree_set_item(parent, step->index, node);
        return 0;
    }
    int code = kin__tree_set_key(node, step->key, err);
    return code < 0 ? code : kin__tree_put(parent, node, err);
}

/* Put a map or array around *node, which is where the last of `len` steps leads in it. */
static int wrap(kin__tree_node **node, const kin__step *steps, size_t len, kin_error *err)
{
    const kin__step *step = &steps[len - 1];
    kin__tree_node *around = NULL;
    int code = step->type == KIN__STEP_INDEX ? kin__tree_new_array(&around, err)
                                             : kin__tree_new_map(&around, err);

    if (code < 0)
        return code;
    code = check_step(around, steps, len, err);
    if (code == 0)
        code = put_at(around, step, *node, err);
    if (code < 0) {
        kin__tree_free(around);
        return code;
    }
    *node = around;
    return 0;
}

/* Follow the path to the last map or array that exists; steps[*ret_at] is the one below it. */
static int find_parent(kin__tree_node **ret, size_t *ret_at, kin_editor *ed, const kin__step *steps,
                       size_t len, kin_error *err)
{
    kin__tree_node *node = ed->root;

    for (size_t i = 0;; i++) {
        int code = kin__tree_expand(node, err);

        if (code == 0)
            code = check_step(node, steps, i + 1, err);
        if (code < 0)
            return code;
        kin__tree_node *child = child_at(node, &steps[i]);
        if (i + 1 == len || !child || kin__tree_type(child) == KIN_NULL) {
            *ret = node;
            *ret_at = i;
            return 0;
        }
        node = child;
    }
}

/* Put a node at a path of one step or more. CONSUMED. */
static int put_node(kin_editor *ed, const kin__step *steps, size_t len, kin__tree_node *node,
                    kin_error *err)
{
    kin__tree_node *parent = NULL;
    size_t at = 0;
    int code = find_parent(&parent, &at, ed, steps, len, err);

    for (size_t i = len; code == 0 && i > at + 1; i--)
        code = wrap(&node, steps, i, err);
    if (code == 0)
        code = put_at(parent, &steps[at], node, err);
    if (code < 0)
        kin__tree_free(node);
    else
        ed->changed = true;
    return code;
}

/* Put a node in place of the whole document. CONSUMED. */
static int replace_root(kin_editor *ed, kin__tree_node *node, kin_error *err)
{
    if (kin__tree_type(node) != KIN_MAP) {
        kin__tree_free(node);
        return kin_error_set(err, KIN_ETYPE, "the root of a document is a map");
    }
    kin__tree_free(ed->root);
    ed->root = node;
    ed->changed = true;
    return 0;
}

/* Put a node at a path. CONSUMED. */
static int put_at_text(kin_editor *ed, kin_str text, kin__tree_node *node, kin_error *err)
{
    kin_path *path = NULL;
    int code = ed ? kin_path_parse(&path, text, err) : kin__error_null(err, "ed");

    if (code < 0) {
        kin__tree_free(node);
        return code;
    }
    code = path->len > 0 ? put_node(ed, path->steps, path->len, node, err)
                         : replace_root(ed, node, err);
    kin_path_free(path);
    return code;
}

static int take(kin_editor *ed, const kin__step *steps, size_t len, kin_error *err)
{
    kin__tree_node *node = NULL;
    int code = find(&node, ed, steps, len, err);

    if (code < 0)
        return code;
    if (!node)
        return step_error(err, KIN_ENOTFOUND, steps, len, "nothing is there");
    if (steps[len - 1].type == KIN__STEP_INDEX)
        node = kin__tree_take_item(node->parent, steps[len - 1].index);
    else
        node = kin__tree_take_member(node->parent, node);
    kin__tree_free(node);
    ed->changed = true;
    return 0;
}

int kin_editor_remove(kin_editor *ed, kin_str path, kin_error *err)
{
    if (!ed)
        return kin__error_null(err, "ed");

    kin_path *steps = NULL;
    int code = kin_path_parse(&steps, path, err);

    if (code < 0)
        return code;
    if (steps->len > 0)
        code = take(ed, steps->steps, steps->len, err);
    else
        code = kin_error_set(err, KIN_EINVAL, "the root of a document can not be removed");
    kin_path_free(steps);
    return code;
}

/* --- setting values --- */

static int check_text(kin_str text, kin_error *err)
{
    if (text.len > (size_t)KIN__TEXT_MAX)
        return kin_error_set(err, KIN_ELIMIT, "a text of %zu bytes", text.len);
    size_t valid = kin__utf8_valid_len(text.data, text.len);
    if (valid < text.len)
        return kin__error_input(err, KIN_EINVAL, valid, "a text that is not UTF-8");
    return 0;
}

static int new_string(kin__tree_node **ret, kin_str text, kin_error *err)
{
    int code = check_text(text, err);

    return code < 0 ? code : kin__tree_new_string(ret, text, err);
}

int kin_editor_set_string(kin_editor *ed, kin_str path, kin_str value, kin_error *err)
{
    kin__tree_node *node = NULL;
    int code = new_string(&node, value, err);

    return code < 0 ? code : put_at_text(ed, path, node, err);
}

int kin_editor_set_int64(kin_editor *ed, kin_str path, int64_t value, kin_error *err)
{
    kin__tree_node *node = NULL;
    int code = kin__tree_new_integer(&node, value, err);

    return code < 0 ? code : put_at_text(ed, path, node, err);
}

int kin_editor_set_double(kin_editor *ed, kin_str path, double value, kin_error *err)
{
    char text[KIN__NUMBER_DOUBLE_SIZE];
    size_t len = kin__number_format_double(text, sizeof(text), value);
    kin__tree_node *node = NULL;

    if (len == 0)
        return kin_error_set(err, KIN_EINVAL, "JSON has no number for infinity and NaN");
    int code = kin__tree_new_number(&node, kin_str_make(text, len), err);
    return code < 0 ? code : put_at_text(ed, path, node, err);
}

int kin_editor_set_bool(kin_editor *ed, kin_str path, bool value, kin_error *err)
{
    kin__tree_node *node = NULL;
    int code = kin__tree_new_bool(&node, value, err);

    return code < 0 ? code : put_at_text(ed, path, node, err);
}

int kin_editor_set_null(kin_editor *ed, kin_str path, kin_error *err)
{
    kin__tree_node *node = NULL;
    int code = kin__tree_new_null(&node, err);

    return code < 0 ? code : put_at_text(ed, path, node, err);
}

int kin_editor_set_time(kin_editor *ed, kin_str path, kin_time value, unsigned fraction_digits,
                        kin_error *err)
{
    char text[KIN_TIME_TEXT_SIZE];
    size_t len = kin_time_format(text, sizeof(text), value, fraction_digits);

    if (len == 0)
        return kin_error_set(err, KIN_EINVAL, "a time that can not be written");
    return kin_editor_set_string(ed, path, kin_str_make(text, len), err);
}

/* Set a value of an object, which the tree is to hold; CONSUMED in any case. */
static int set_held(kin_editor *ed, kin_str path, const kin_object *holder, kin_value value,
                    kin_error *err)
{
    kin__tree_node *node = NULL;
    int code = kin__tree_new_held(&node, holder, value, err);

    return code < 0 ? code : put_at_text(ed, path, node, err);
}

int kin_editor_set_value(kin_editor *ed, kin_str path, kin_value value, kin_error *err)
{
    const kin_object *holder = NULL;
    kin_value kept = {NULL, NULL};

    if (kin_value_type(value) == KIN_NONE)
        return kin_error_set(err, KIN_EINVAL, "there is no value to set");
    int code = kin__tree_keep_value(&holder, &kept, value, err);
    return code < 0 ? code : set_held(ed, path, holder, kept, err);
}

int kin_editor_set_json(kin_editor *ed, kin_str path, kin_str json, kin_error *err)
{
    const kin_object *holder = NULL;
    kin_value value = {NULL, NULL};
    int code = kin__json_read_value(&holder, &value, json, err);

    return code < 0 ? code : set_held(ed, path, holder, value, err);
}

int kin_editor_vmake(kin_editor *ed, const char *path, kin_error *err, const char *format,
                     va_list ap)
{
    const kin_object *holder = NULL;
    kin_value value = {NULL, NULL};

    if (!ed)
        return kin__error_null(err, "ed");
    if (!path || !format)
        return kin__error_null(err, !path ? "path" : "format");
    int code = kin__make_value(&holder, &value, err, format, ap);
    return code < 0 ? code : set_held(ed, kin_str_of(path), holder, value, err);
}

int kin_editor_make(kin_editor *ed, const char *path, kin_error *err, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    int code = kin_editor_vmake(ed, path, err, format, ap);
    va_end(ap);
    return code;
}

/* --- metadata --- */

static kin__step key_step(kin_str key)
{
    return (kin__step){.type = KIN__STEP_KEY, .key = key};
}

static kin__step metadata_step(void)
{
    static const kin_str metadata = KIN__STR("metadata");

    return key_step(metadata);
}

static int set_entry(kin_editor *ed, const char *map, kin_str key, kin_str value, kin_error *err)
{
    if (!ed)
        return kin__error_null(err, "ed");

    kin__step steps[] = {metadata_step(), key_step(kin_str_of(map)), key_step(key)};
    kin__tree_node *node = NULL;
    int code = check_text(key, err);

    if (code == 0)
        code = new_string(&node, value, err);
    return code < 0 ? code : put_node(ed, steps, kin__array_len(steps), node, err);
}

static int remove_entry(kin_editor *ed, const char *map, kin_str key, kin_error *err)
{
    if (!ed)
        return kin__error_null(err, "ed");

    kin__step steps[] = {metadata_step(), key_step(kin_str_of(map)), key_step(key)};

    return take(ed, steps, kin__array_len(steps), err);
}

int kin_editor_set_label(kin_editor *ed, kin_str key, kin_str value, kin_error *err)
{
    return set_entry(ed, "labels", key, value, err);
}

int kin_editor_remove_label(kin_editor *ed, kin_str key, kin_error *err)
{
    return remove_entry(ed, "labels", key, err);
}

int kin_editor_set_annotation(kin_editor *ed, kin_str key, kin_str value, kin_error *err)
{
    return set_entry(ed, "annotations", key, value, err);
}

int kin_editor_remove_annotation(kin_editor *ed, kin_str key, kin_error *err)
{
    return remove_entry(ed, "annotations", key, err);
}

static bool is_string(const kin__tree_node *node, kin_str text)
{
    kin_scratch scratch;
    kin_str found;

    return kin__tree_string(&found, node, &scratch) == 0 && kin_str_equal(found, text);
}

/* An array of the metadata, expanded; NULL if it is missing. */
static int find_array(kin__tree_node **ret, kin_editor *ed, const char *key, kin_error *err)
{
    kin__step steps[] = {metadata_step(), key_step(kin_str_of(key))};
    int code = find(ret, ed, steps, kin__array_len(steps), err);

    if (code == 0 && *ret)
        code = kin__tree_expand(*ret, err);
    if (code == 0 && *ret && (*ret)->type != KIN__TREE_ARRAY)
        *ret = NULL;
    return code;
}

int kin_editor_add_finalizer(kin_editor *ed, kin_str finalizer, kin_error *err)
{
    if (!ed)
        return kin__error_null(err, "ed");

    kin__tree_node *array = NULL;
    kin__tree_node *node = NULL;
    int code = find_array(&array, ed, "finalizers", err);

    if (code < 0)
        return code;
    size_t len = array ? kin__tree_len(array) : 0;
    for (size_t i = 0; i < len; i++) {
        if (is_string(kin__tree_item(array, i), finalizer))
            return 0;
    }
    kin__step steps[] = {metadata_step(),
                         key_step(kin_str_of("finalizers")),
                         {.type = KIN__STEP_INDEX, .index = (uint32_t)len}};
    code = new_string(&node, finalizer, err);
    return code < 0 ? code : put_node(ed, steps, kin__array_len(steps), node, err);
}

int kin_editor_remove_finalizer(kin_editor *ed, kin_str finalizer, kin_error *err)
{
    if (!ed)
        return kin__error_null(err, "ed");

    kin__tree_node *array = NULL;
    int code = find_array(&array, ed, "finalizers", err);
    bool found = false;

    if (code < 0)
        return code;
    for (size_t i = array ? kin__tree_len(array) : 0; i > 0; i--) {
        if (is_string(kin__tree_item(array, i - 1), finalizer)) {
            kin__tree_free(kin__tree_take_item(array, i - 1));
            found = true;
        }
    }
    if (!found)
        return kin_error_set(err, KIN_ENOTFOUND, "no finalizer %" KIN_STR_FMT,
                             KIN_STR_ARG(finalizer));
    ed->changed = true;
    return 0;
}

/* --- owners --- */

static int read_owner(kin_owner_reference *ret, const kin_object *owner, kin_error *err)
{
    const char *missing = NULL;

    ret->api_version = kin_object_api_version(owner, &ret->scratch[0]);
    ret->kind = kin_object_kind(owner, &ret->scratch[1]);
    ret->name = kin_object_name(owner);
    ret->uid = kin_object_uid(owner, &ret->scratch[3]);
    if (ret->api_version.len == 0)
        missing = "apiVersion";
    else if (ret->kind.len == 0)
        missing = "kind";
    else if (ret->name.len == 0)
        missing = "name";
    else if (ret->uid.len == 0)
        missing = "uid";
    if (missing)
        return kin_error_set(err, KIN_EINVAL, "the owner %s lacks its %s", kin_object_key(owner),
                             missing);
    return 0;
}

/* The garbage collector deletes an object whose owner it does not find in the object's namespace. */
static int check_namespaces(kin_editor *ed, const kin_object *owner, kin_error *err)
{
    kin__step steps[] = {metadata_step(), key_step(kin_str_of("namespace"))};
    kin_str wanted = kin_object_namespace(owner);
    kin_str found = {NULL, 0};
    kin__tree_node *node = NULL;
    kin_scratch scratch;

    if (wanted.len == 0)
        return 0;
    int code = find(&node, ed, steps, kin__array_len(steps), err);
    if (code < 0)
        return code;
    if (node)
        kin__tree_string(&found, node, &scratch);
    if (kin_str_equal(found, wanted))
        return 0;
    if (found.len == 0)
        return kin_error_set(
            err, KIN_EINVAL,
            "an object without a namespace cannot have the owner %s, which has one",
            kin_object_key(owner));
    return kin_error_set(err, KIN_EINVAL,
                         "an object in the namespace %" KIN_STR_FMT " cannot have the owner %s",
                         KIN_STR_ARG(found), kin_object_key(owner));
}

static bool has_string(const kin__tree_node *map, const char *key, kin_str text)
{
    const kin__tree_node *node = kin__tree_member(map, kin_str_of(key));

    return node && is_string(node, text);
}

static bool has_true(const kin__tree_node *map, const char *key)
{
    const kin__tree_node *node = kin__tree_member(map, kin_str_of(key));
    bool value = false;

    if (node && node->type == KIN__TREE_VALUE)
        kin_value_bool(&value, node->u.value);
    else if (node && node->type == KIN__TREE_BOOL)
        value = node->u.boolean;
    return value;
}

static int fail_controlled(const kin__tree_node *reference, kin_error *err)
{
    const kin__tree_node *kind = kin__tree_member(reference, kin_str_of("kind"));
    const kin__tree_node *name = kin__tree_member(reference, kin_str_of("name"));
    kin_scratch scratch[2];
    kin_str texts[2] = {{NULL, 0}, {NULL, 0}};

    if (kind)
        kin__tree_string(&texts[0], kind, &scratch[0]);
    if (name)
        kin__tree_string(&texts[1], name, &scratch[1]);
    return kin_error_set(err, KIN_EEXISTS,
                         "another owner controls the object: %" KIN_STR_FMT " %" KIN_STR_FMT,
                         KIN_STR_ARG(texts[0]), KIN_STR_ARG(texts[1]));
}

/*
 * The index of the reference with the owner's uid, or the number of references. All are expanded.
 * KIN_EEXISTS: `sole`, and another one is the controller.
 */
static int find_reference(size_t *ret, const kin__tree_node *references, kin_str uid, bool sole,
                          kin_error *err)
{
    size_t len = references ? kin__tree_len(references) : 0;

    *ret = len;
    for (size_t i = 0; i < len; i++) {
        kin__tree_node *item = kin__tree_item(references, i);
        int code = kin__tree_expand(item, err);

        if (code < 0)
            return code;
        if (has_string(item, "uid", uid)) {
            if (*ret == len)
                *ret = i;
        } else if (sole && has_true(item, "controller")) {
            return fail_controlled(item, err);
        }
    }
    return 0;
}

static bool says(const kin__tree_node *reference, const kin_owner_reference *owner)
{
    return has_string(reference, "apiVersion", owner->api_version) &&
           has_string(reference, "kind", owner->kind) &&
           has_string(reference, "name", owner->name) &&
           (!owner->controller || has_true(reference, "controller")) &&
           (!owner->block_owner_deletion || has_true(reference, "blockOwnerDeletion"));
}

/* Put a member into a map that is in no tree. The node is CONSUMED in any case. */
static int put_member(kin__tree_node *map, const char *key, kin__tree_node *node, kin_error *err)
{
    kin__step step = key_step(kin_str_of(key));
    int code = put_at(map, &step, node, err);

    if (code < 0)
        kin__tree_free(node);
    return code;
}

static int put_string(kin__tree_node *map, const char *key, kin_str text, kin_error *err)
{
    kin__tree_node *node = NULL;
    int code = new_string(&node, text, err);

    return code < 0 ? code : put_member(map, key, node, err);
}

static int put_true(kin__tree_node *map, const char *key, kin_error *err)
{
    kin__tree_node *node = NULL;
    int code = kin__tree_new_bool(&node, true, err);

    return code < 0 ? code : put_member(map, key, node, err);
}

/* A reference, from `old` if that is not NULL, whose other members stay. */
static int new_reference(kin__tree_node **ret, const kin__tree_node *old,
                         const kin_owner_reference *owner, kin_error *err)
{
    kin__tree_node *node = NULL;
    int code = old ? kin__tree_copy(&node, old, err) : kin__tree_new_map(&node, err);

    if (code == 0)
        code = put_string(node, "apiVersion", owner->api_version, err);
    if (code == 0)
        code = put_string(node, "kind", owner->kind, err);
    if (code == 0)
        code = put_string(node, "name", owner->name, err);
    if (code == 0)
        code = put_string(node, "uid", owner->uid, err);
    if (code == 0 && owner->controller)
        code = put_true(node, "controller", err);
    if (code == 0 && owner->block_owner_deletion)
        code = put_true(node, "blockOwnerDeletion", err);
    if (code < 0)
        kin__tree_free(node);
    else
        *ret = node;
    return code;
}

static int put_owner(kin_editor *ed, const kin_object *owner, bool is_controller, kin_error *err)
{
    kin_owner_reference wanted = {.controller = is_controller,
                                  .block_owner_deletion = is_controller};
    kin__tree_node *references = NULL;
    kin__tree_node *node = NULL;
    size_t at = 0;

    if (!ed || !owner)
        return kin__error_null(err, !ed ? "ed" : "owner");
    int code = read_owner(&wanted, owner, err);
    if (code == 0)
        code = check_namespaces(ed, owner, err);
    if (code == 0)
        code = find_array(&references, ed, "ownerReferences", err);
    if (code == 0)
        code = find_reference(&at, references, wanted.uid, is_controller, err);
    if (code < 0)
        return code;
    const kin__tree_node *old = references ? kin__tree_item(references, at) : NULL;
    if (old && says(old, &wanted))
        return 0;
    code = new_reference(&node, old, &wanted, err);
    kin__step steps[] = {metadata_step(),
                         key_step(kin_str_of("ownerReferences")),
                         {.type = KIN__STEP_INDEX, .index = (uint32_t)at}};
    return code < 0 ? code : put_node(ed, steps, kin__array_len(steps), node, err);
}

int kin_editor_set_controller(kin_editor *ed, const kin_object *owner, kin_error *err)
{
    return put_owner(ed, owner, true, err);
}

int kin_editor_add_owner(kin_editor *ed, const kin_object *owner, kin_error *err)
{
    return put_owner(ed, owner, false, err);
}
