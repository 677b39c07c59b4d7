/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merge patches (RFC 7386).
 *
 * Applying goes through the patch with a stack of its own and through the tree along with it.
 * A map of the patch is always descended into, also where the document has nothing, because
 * nulls in it mean "not there" and must not get into the result. Arrays and scalars go in as they
 * are.
 *
 * Making one is a diff that takes arrays as wholes, written down as it is found. A map in which
 * nothing differs is written, found empty, and taken back. So each value is read once.
 */
#include "kinform/patch.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/stack.h"
#include "object/diff.h"
#include "object/json.h"
#include "object/limits.h"
#include "object/tree.h"

/* --- applying --- */

/* A map of the patch, in the middle of its members, and the expanded map it is merged into. */
struct frame {
    kin_iter it;
    kin__tree_node *node;
};

struct merge {
    kin__stack frames;
    bool changed;
};

static int push(struct merge *m, kin_value patch, kin__tree_node *node, kin_error *err)
{
    struct frame *frame = kin__stack_push(&m->frames);

    if (!frame)
        return kin__error_no_memory(err);
    kin_iter_init(&frame->it, patch);
    frame->node = node;
    return 0;
}

static int put_member(struct merge *m, kin__tree_node *map, kin_str key, kin__tree_node *node,
                      kin_error *err)
{
    int code = kin__tree_set_key(node, key, err);

    if (code == 0)
        code = kin__tree_put(map, node, err);
    if (code < 0)
        kin__tree_free(node);
    m->changed = true;
    return code;
}

/* The map that a map of the patch is merged into: what is there, or an empty one instead of it. */
static int map_at(struct merge *m, kin__tree_node **ret, kin__tree_node *map, kin_str key,
                  kin_error *err)
{
    kin__tree_node *node = kin__tree_member(map, key);
    int code;

    if (node && kin__tree_type(node) == KIN_MAP) {
        code = kin__tree_expand(node, err);
    } else {
        code = kin__tree_new_map(&node, err);
        if (code == 0)
            code = put_member(m, map, key, node, err);
    }
    if (code == 0)
        *ret = node;
    return code;
}

/* Merge one member of the patch; a map's members are left to do. */
static int merge_member(struct merge *m, kin__tree_node *map, const kin_iter *it, kin_error *err)
{
    enum kin_type type = kin_value_type(it->value);
    kin__tree_node *node = NULL;
    int code;

    if (type == KIN_NULL) {
        node = kin__tree_member(map, it->key);
        if (node) {
            kin__tree_free(kin__tree_take_member(map, node));
            m->changed = true;
        }
        return 0;
    }
    if (type == KIN_MAP) {
        code = map_at(m, &node, map, it->key, err);
        return code < 0 ? code : push(m, it->value, node, err);
    }
    code = kin__tree_new_value(&node, it->value, err);
    return code < 0 ? code : put_member(m, map, it->key, node, err);
}

static int merge(bool *ret_changed, kin__tree_node *root, kin_value patch, kin_error *err)
{
    struct merge m = {.changed = false};
    int code = kin__tree_expand(root, err);

    kin__stack_init(&m.frames, sizeof(struct frame));
    if (code == 0)
        code = push(&m, patch, root, err);
    while (code == 0 && m.frames.len > 0) {
        struct frame *top = kin__stack_top(&m.frames);
        kin__tree_node *node = top->node;

        if (!kin_iter_next(&top->it)) {
            kin__stack_pop(&m.frames);
            continue;
        }
        kin_iter it = top->it; /* the frames may move */
        code = merge_member(&m, node, &it, err);
    }
    kin__stack_done(&m.frames);
    *ret_changed = m.changed;
    return code;
}

static int apply(const kin_object **ret, const kin_object *object, kin_value patch, kin_error *err)
{
    kin__tree_node *tree = NULL;
    bool changed = false;

    if (kin_value_type(patch) != KIN_MAP)
        return kin_error_set(err, KIN_EINVAL, "a merge patch that is no map makes no document");
    int code = kin__tree_new_value(&tree, kin_object_root(object), err);
    if (code < 0)
        return code;
    code = merge(&changed, tree, patch, err);
    if (code == 0 && changed)
        code = kin__tree_to_object(ret, tree, err);
    else if (code == 0)
        *ret = kin_object_ref(object);
    kin__tree_free(tree);
    return code;
}

int kin_object_merge_patch(const kin_object **ret, const kin_object *object, kin_str patch,
                           kin_error *err)
{
    if (!ret || !object)
        return kin__error_null(err, !ret ? "ret" : "object");

    const kin_object *document = kin__tree_document(object);
    const kin_object *holder = NULL;
    kin_value value = {NULL, NULL};

    if (!document)
        return kin_error_set(err, KIN_ETYPE, "only documents can be patched");
    int code = kin__json_read_value(&holder, &value, patch, err);
    if (code < 0)
        return code;
    code = apply(ret, document, value, err);
    kin_object_unref(holder);
    return code;
}

/* --- making --- */

struct maker {
    kin__buf text;
    kin__stack starts; /* size_t: where each map that was entered begins, its comma included */
};

static void append_key(kin__buf *text, kin_str key)
{
    /* Something stands before it, at least the '{' of the map it is in. */
    if (text->len > 0 && text->data[text->len - 1] != '{')
        kin__buf_append_char(text, ',');
    kin__json_write_string(text, key);
    kin__buf_append_char(text, ':');
}

static int maker_enter(const kin__diff_step *step, void *arg)
{
    struct maker *m = arg;
    size_t *start = kin__stack_push(&m->starts);

    if (!start)
        return KIN_ENOMEM;
    *start = m->text.len;
    append_key(&m->text, step->key);
    kin__buf_append_char(&m->text, '{');
    return m->text.failed;
}

static int maker_leave(void *arg)
{
    struct maker *m = arg;
    const size_t *start = kin__stack_pop(&m->starts);

    if (m->text.data[m->text.len - 1] == '{') /* nothing differs in it */
        kin__buf_truncate(&m->text, *start);
    else
        kin__buf_append_char(&m->text, '}');
    return m->text.failed;
}

static int maker_differ(const kin__diff_step *step, kin_value before, kin_value after, void *arg)
{
    struct maker *m = arg;

    (void)before;
    append_key(&m->text, step->key);
    if (kin_value_type(after) == KIN_NONE)
        kin__buf_append(&m->text, kin_str_of("null"));
    else
        kin__json_write(&m->text, after, KIN_JSON_COMPACT);
    return m->text.failed;
}

int kin_object_make_merge_patch(char **ret, size_t *ret_len, const kin_object *from,
                                const kin_object *to, kin_error *err)
{
    if (!ret)
        return kin__error_null(err, "ret");
    if (!from || !to)
        return kin__error_null(err, !from ? "from" : "to");

    static const kin__diff_visitor visitor = {maker_enter, maker_leave, maker_differ, true};
    struct maker m;
    kin_value before = kin_object_root(from);
    kin_value after = kin_object_root(to);

    if (kin_value_type(before) != KIN_MAP || kin_value_type(after) != KIN_MAP)
        return kin_error_set(err, KIN_ETYPE, "only documents have merge patches");
    kin__buf_init(&m.text, (size_t)KIN__TEXT_MAX);
    kin__stack_init(&m.starts, sizeof(size_t));
    kin__buf_append_char(&m.text, '{');
    int code = m.text.failed ? m.text.failed : kin__diff_walk(before, after, &visitor, &m);
    kin__buf_append_char(&m.text, '}');
    if (code == 0)
        code = kin__buf_take(&m.text, ret, ret_len);
    kin__buf_done(&m.text);
    kin__stack_done(&m.starts);
    if (code == KIN_ENOMEM)
        return kin__error_no_memory(err);
    return code == 0 ? 0 : kin_error_set(err, code, "the patch is too large");
}
