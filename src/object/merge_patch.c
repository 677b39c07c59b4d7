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
#include "base/memory.h"
#include "object/diff.h"
#include "object/json.h"
#include "object/limits.h"
#include "object/tree.h"

/* ---- applying ---- */

/* A map of the patch, in the middle of its members, and the expanded map it is merged into. */
struct frame {
    kin_iter it;
    kin__tree_node *node;
};

struct merge {
    struct frame *frames;
    size_t depth;
    size_t cap;
};

static int push(struct merge *m, kin_value patch, kin__tree_node *node, kin_error *err)
{
    struct frame *frames = kin__grow_array(m->frames, &m->cap, m->depth + 1, sizeof(*frames));

    if (!frames)
        return kin__error_no_memory(err);
    m->frames = frames;
    kin_iter_init(&frames[m->depth].it, patch);
    frames[m->depth++].node = node;
    return 0;
}

static int put(kin__tree_node *map, kin_str key, kin__tree_node *node, kin_error *err)
{
    int code = kin__tree_set_key(node, key, err);

    if (code == 0)
        code = kin__tree_put(map, node, err);
    if (code < 0)
        kin__tree_free(node);
    return code;
}

/* The map that a map of the patch is merged into: what is there, or an empty one instead of it. */
static int map_at(kin__tree_node **ret, kin__tree_node *map, kin_str key, kin_error *err)
{
    kin__tree_node *node = kin__tree_member(map, key);
    int code;

    if (node && kin__tree_type(node) == KIN_MAP) {
        code = kin__tree_expand(node, err);
    } else {
        code = kin__tree_new_map(&node, err);
        if (code == 0)
            code = put(map, key, node, err);
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
        if (node)
            kin__tree_free(kin__tree_take_member(map, node));
        return 0;
    }
    if (type == KIN_MAP) {
        code = map_at(&node, map, it->key, err);
        return code < 0 ? code : push(m, it->value, node, err);
    }
    code = kin__tree_new_value(&node, it->value, err);
    return code < 0 ? code : put(map, it->key, node, err);
}

static int merge(kin__tree_node *root, kin_value patch, kin_error *err)
{
    struct merge m = {NULL, 0, 0};
    int code = kin__tree_expand(root, err);

    if (code == 0)
        code = push(&m, patch, root, err);
    while (code == 0 && m.depth > 0) {
        struct frame *top = &m.frames[m.depth - 1];
        kin__tree_node *node = top->node;

        if (!kin_iter_next(&top->it)) {
            m.depth--;
            continue;
        }
        kin_iter it = top->it; /* the frames may move */
        code = merge_member(&m, node, &it, err);
    }
    kin__free(m.frames);
    return code;
}

static int apply(const kin_object **ret, kin_value root, kin_value patch, kin_error *err)
{
    kin__tree_node *tree = NULL;

    if (kin_value_type(patch) != KIN_MAP)
        return kin_error_set(err, KIN_EINVAL, "a merge patch that is no map makes no document");
    int code = kin__tree_new_value(&tree, root, err);
    if (code < 0)
        return code;
    code = merge(tree, patch, err);
    if (code == 0)
        code = kin__tree_to_object(ret, tree, err);
    kin__tree_free(tree);
    return code;
}

int kin_object_merge_patch(const kin_object **ret, const kin_object *object, kin_str patch,
                           kin_error *err)
{
    kin_value root = kin_object_root(object);
    const kin_object *holder = NULL;
    kin_value value = {NULL, NULL};

    if (kin_value_type(root) != KIN_MAP)
        return kin_error_set(err, KIN_ETYPE, "only documents can be patched");
    int code = kin__json_read_value(&holder, &value, patch, err);
    if (code < 0)
        return code;
    code = apply(ret, root, value, err);
    kin_object_unref(holder);
    return code;
}

/* ---- making ---- */

struct maker {
    kin__buf text;
    size_t *starts; /* where the text of each map that was entered begins, its comma included */
    size_t depth;
    size_t cap;
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
    size_t *starts = kin__grow_array(m->starts, &m->cap, m->depth + 1, sizeof(*starts));

    if (!starts)
        return KIN_ENOMEM;
    m->starts = starts;
    starts[m->depth++] = m->text.len;
    append_key(&m->text, step->key);
    kin__buf_append_char(&m->text, '{');
    return m->text.failed;
}

static int maker_leave(void *arg)
{
    struct maker *m = arg;
    size_t start = m->starts[--m->depth];

    if (m->text.data[m->text.len - 1] == '{') { /* nothing differs in it */
        m->text.len = start;
        m->text.data[start] = '\0';
    } else {
        kin__buf_append_char(&m->text, '}');
    }
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
    static const kin__diff_visitor visitor = {maker_enter, maker_leave, maker_differ, true};
    struct maker m = {.starts = NULL};
    kin_value before = kin_object_root(from);
    kin_value after = kin_object_root(to);

    if (kin_value_type(before) != KIN_MAP || kin_value_type(after) != KIN_MAP)
        return kin_error_set(err, KIN_ETYPE, "only documents have merge patches");
    kin__buf_init(&m.text, (size_t)KIN__TEXT_MAX);
    kin__buf_append_char(&m.text, '{');
    int code = m.text.failed ? m.text.failed : kin__diff_walk(before, after, &visitor, &m);
    kin__buf_append_char(&m.text, '}');
    if (code == 0)
        code = kin__buf_take(&m.text, ret, ret_len);
    kin__buf_done(&m.text);
    kin__free(m.starts);
    if (code == KIN_ENOMEM)
        return kin__error_no_memory(err);
    return code == 0 ? 0 : kin_error_set(err, code, "the patch is too large");
}
