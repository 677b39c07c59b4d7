/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON patches (RFC 6902), with pointers by RFC 6901.
 *
 * The operations change a tree over the document, one after the other. Only at the end a
 * document is made of it, so a patch that fails anywhere has changed nothing. Values that a patch
 * brings stay where its text was read to, and are not copied; `move` takes a node from one place
 * to another.
 *
 * Only `copy` can make the document grow beyond what the patch's text brings, and to twice its size
 * with each operation. What all copies of a patch take is therefore bounded. So is the number of
 * operations, and of the items that they shift in arrays: each may have to shift all of one.
 */
#include "kinform/patch.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/str.h"
#include "object/json.h"
#include "object/tree.h"

struct patch {
    kin__tree_node *root;
    kin__buf token; /* the token of a pointer, unescaped */
    size_t copied;  /* bytes of text, about */
    size_t shifted; /* items of arrays */
    bool changed;
    kin_error *err;
    /* The operation that is being carried out. */
    size_t index;
    kin_value operation;
    kin_str op;
    kin_str path;
    kin_str from;
    kin_scratch op_scratch;
    kin_scratch path_scratch;
    kin_scratch from_scratch;
};

/* Where a pointer leads. */
struct place {
    kin__tree_node *parent; /* expanded; NULL: the pointer is that of the root */
    kin__tree_node *node;   /* what is there, or NULL */
    kin_str key;            /* in a map; BORROWED until the next pointer is followed */
    size_t index;           /* in an array; may be beyond its end */
};

static int fail(const struct patch *p, int code, const char *what)
{
    if (p->op.len == 0)
        return kin_error_set(p->err, code, "operation %zu: %s", p->index, what);
    return kin_error_set(p->err, code, "operation %zu (%" KIN_STR_FMT " %" KIN_STR_FMT "): %s",
                         p->index, KIN_STR_ARG(p->op), KIN_STR_ARG(p->path), what);
}

/* --- pointers --- */

static bool is_pointer(kin_str text)
{
    if (text.len > 0 && text.data[0] != '/')
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] != '~')
            continue;
        if (i + 1 == text.len || (text.data[i + 1] != '0' && text.data[i + 1] != '1'))
            return false;
    }
    return true;
}

static int unescape(struct patch *p, kin_str *token)
{
    if (kin__str_find(*token, '~') == token->len)
        return 0;
    kin__buf_reset(&p->token);
    for (size_t i = 0; i < token->len; i++) {
        char c = token->data[i];

        if (c == '~')
            c = token->data[++i] == '0' ? '~' : '/';
        kin__buf_append_char(&p->token, c);
    }
    *token = kin__buf_str(&p->token);
    return p->token.failed ? kin__error_no_memory(p->err) : 0;
}

/* An index has no sign and no leading zeros; "-" is that behind the last. */
static bool to_index(size_t *ret, kin_str token, size_t len)
{
    uint64_t index;

    if (kin_str_equal(token, kin_str_of("-"))) {
        *ret = len;
        return true;
    }
    if (token.len == 0 || (token.len > 1 && token.data[0] == '0'))
        return false;
    int code = kin__str_to_u64(&index, token);
    if (code == KIN_EPARSE)
        return false;
    *ret = code < 0 || index > SIZE_MAX ? SIZE_MAX : (size_t)index;
    return true;
}

/* One token further, from a node that is there. */
static int follow(struct patch *p, kin_str token, kin__tree_node *parent, struct place *ret)
{
    int code = kin__tree_expand(parent, p->err);

    if (code == 0)
        code = unescape(p, &token);
    if (code < 0)
        return code;
    ret->parent = parent;
    ret->key = token;
    if (parent->type == KIN__TREE_MAP) {
        ret->node = kin__tree_member(parent, token);
        return 0;
    }
    if (parent->type != KIN__TREE_ARRAY)
        return fail(p, KIN_ETYPE, "the pointer leads through a value that is no map and no array");
    if (!to_index(&ret->index, token, kin__tree_len(parent)))
        return fail(p, KIN_ETYPE, "the pointer names an item of an array by what is no index");
    ret->node = kin__tree_item(parent, ret->index);
    return 0;
}

/* Where a well-formed pointer leads; all but the last token must be there. */
static int locate(struct patch *p, kin_str pointer, struct place *ret)
{
    kin_str rest =
        kin_str_make(pointer.len ? pointer.data + 1 : NULL, pointer.len - (pointer.len > 0));
    kin_str token;

    memset(ret, 0, sizeof(*ret));
    ret->node = p->root;
    while (kin__str_cut(&rest, '/', &token)) {
        if (!ret->node)
            return fail(p, KIN_ENOTFOUND, "a part of the pointer leads to nothing");
        int code = follow(p, token, ret->node, ret);
        if (code < 0)
            return code;
    }
    return 0;
}

/* As locate(); something must be there. */
static int locate_existing(struct patch *p, kin_str pointer, struct place *ret)
{
    int code = locate(p, pointer, ret);

    if (code == 0 && !ret->node)
        code = fail(p, KIN_ENOTFOUND, "the pointer leads to nothing");
    return code;
}

/* --- what operations are made of --- */

static void replace_root(struct patch *p, kin__tree_node *node)
{
    kin__tree_free(p->root);
    p->root = node;
}

static int put_member(struct patch *p, const struct place *place, kin__tree_node *node)
{
    int code = kin__tree_set_key(node, place->key, p->err);

    return code < 0 ? code : kin__tree_put(place->parent, node, p->err);
}

/* The items behind a place of an array are going to be shifted. */
static int count_shifted(struct patch *p, size_t n)
{
    if (n > KIN_JSON_PATCH_MAX_SHIFTED - p->shifted)
        return fail(p, KIN_ELIMIT, "the patch shifts too many items of arrays");
    p->shifted += n;
    return 0;
}

static int insert_item(struct patch *p, const struct place *place, kin__tree_node *node)
{
    size_t len = kin__tree_len(place->parent);

    if (place->index > len)
        return fail(p, KIN_ENOTFOUND, "an index beyond the end of the array");
    int code = count_shifted(p, len - place->index);
    return code < 0 ? code : kin__tree_insert(place->parent, place->index, node, p->err);
}

static int take_item(struct patch *p, const struct place *place, kin__tree_node **ret)
{
    int code = count_shifted(p, kin__tree_len(place->parent) - place->index - 1);

    if (code == 0)
        *ret = kin__tree_take_item(place->parent, place->index);
    return code;
}

/* Add a node at the path. CONSUMED. */
static int add_node(struct patch *p, kin__tree_node *node)
{
    struct place place;
    int code = locate(p, p->path, &place);

    if (code == 0) {
        if (!place.parent)
            replace_root(p, node);
        else if (place.parent->type == KIN__TREE_MAP)
            code = put_member(p, &place, node);
        else
            code = insert_item(p, &place, node);
    }
    if (code < 0)
        kin__tree_free(node);
    p->changed = true;
    return code;
}

/* Take the node out that a pointer leads to; not the root. */
static int take_node(struct patch *p, kin_str pointer, kin__tree_node **ret)
{
    struct place place;
    int code = locate_existing(p, pointer, &place);

    if (code < 0)
        return code;
    if (!place.parent)
        return fail(p, KIN_EINVAL, "without its root there is no document");
    p->changed = true;
    if (place.parent->type != KIN__TREE_MAP)
        return take_item(p, &place, ret);
    *ret = kin__tree_take_member(place.parent, place.node);
    return 0;
}

static int get_value(struct patch *p, kin_value *ret)
{
    *ret = kin_value_get(p->operation, kin_str_of("value"));
    if (kin_value_type(*ret) == KIN_NONE)
        return fail(p, KIN_EPARSE, "no value");
    return 0;
}

static int value_node(struct patch *p, kin__tree_node **ret)
{
    kin_value value = {NULL, NULL};
    int code = get_value(p, &value);

    return code < 0 ? code : kin__tree_new_value(ret, value, p->err);
}

static int get_pointer(struct patch *p, const char *name, kin_str *ret, kin_scratch *scratch)
{
    kin_value value = kin_value_get(p->operation, kin_str_of(name));
    int code = kin_value_string(ret, value, scratch);

    if (code == 0 && is_pointer(*ret))
        return 0;
    kin_error_set(p->err, KIN_EPARSE, "operation %zu: \"%s\" is %s", p->index, name,
                  code == KIN_ENOTFOUND ? "missing"
                  : code == KIN_ETYPE   ? "no string"
                                        : "no JSON pointer");
    return KIN_EPARSE;
}

/* --- the operations --- */

static int op_add(struct patch *p)
{
    kin__tree_node *node = NULL;
    int code = value_node(p, &node);

    return code < 0 ? code : add_node(p, node);
}

static int op_remove(struct patch *p)
{
    kin__tree_node *node = NULL;
    int code = take_node(p, p->path, &node);

    if (code == 0)
        kin__tree_free(node);
    return code;
}

static int op_replace(struct patch *p)
{
    kin__tree_node *node = NULL;
    struct place place;
    int code = value_node(p, &node);

    if (code < 0)
        return code;
    code = locate_existing(p, p->path, &place);
    if (code == 0) {
        if (!place.parent)
            replace_root(p, node);
        else if (place.parent->type == KIN__TREE_MAP)
            code = put_member(p, &place, node);
        else
            kin__tree_set_item(place.parent, place.index, node);
    }
    if (code < 0)
        kin__tree_free(node);
    p->changed = true;
    return code;
}

static int op_move(struct patch *p)
{
    struct place place;
    kin__tree_node *node = NULL;
    int code = get_pointer(p, "from", &p->from, &p->from_scratch);

    if (code < 0)
        return code;
    if (kin_str_equal(p->from, p->path))
        return locate_existing(p, p->from, &place);
    /* Each pointer has one spelling, so that the texts tell whether one is inside the other. */
    if (kin__str_starts_with(p->path, p->from) && p->path.data[p->from.len] == '/')
        return fail(p, KIN_EPARSE, "a value can not be moved into itself");
    code = take_node(p, p->from, &node);
    return code < 0 ? code : add_node(p, node);
}

static int op_copy(struct patch *p)
{
    struct place place;
    kin__tree_node *node = NULL;
    size_t size = 0;
    int code = get_pointer(p, "from", &p->from, &p->from_scratch);

    if (code == 0)
        code = locate_existing(p, p->from, &place);
    if (code == 0)
        code = kin__tree_size(&size, place.node, KIN_JSON_PATCH_MAX_COPIED - p->copied, p->err);
    if (code < 0)
        return code;
    if (size > KIN_JSON_PATCH_MAX_COPIED - p->copied)
        return fail(p, KIN_ELIMIT, "the patch copies too much");
    p->copied += size;
    code = kin__tree_copy(&node, place.node, p->err);
    return code < 0 ? code : add_node(p, node);
}

static int op_test(struct patch *p)
{
    struct place place;
    kin_value value = {NULL, NULL};
    int code = get_value(p, &value);

    if (code < 0)
        return code;
    code = locate_existing(p, p->path, &place);
    if (code < 0)
        return code;
    int same = kin__tree_equal(place.node, value, p->err);
    if (same < 0)
        return same;
    return same ? 0 : fail(p, KIN_EMISMATCH, "another value is there");
}

static int apply_one(struct patch *p)
{
    static const struct {
        const char *name;
        int (*apply)(struct patch *p);
    } ops[] = {
        {"add", op_add},   {"remove", op_remove}, {"replace", op_replace},
        {"move", op_move}, {"copy", op_copy},     {"test", op_test},
    };
    kin_value name = kin_value_get(p->operation, kin_str_of("op"));

    p->op = kin_str_make(NULL, 0);
    if (kin_value_type(p->operation) != KIN_MAP)
        return fail(p, KIN_EPARSE, "not a map");
    if (kin_value_string(&p->op, name, &p->op_scratch) < 0)
        return fail(p, KIN_EPARSE, "no \"op\"");
    int code = get_pointer(p, "path", &p->path, &p->path_scratch);
    if (code < 0)
        return code;
    for (size_t i = 0; i < kin__array_len(ops); i++) {
        if (kin_str_equal(p->op, kin_str_of(ops[i].name)))
            return ops[i].apply(p);
    }
    return fail(p, KIN_EPARSE, "an unknown operation");
}

static int apply_all(struct patch *p, kin_value operations)
{
    kin_iter it;
    int code = 0;

    if (kin_value_type(operations) != KIN_ARRAY)
        return kin_error_set(p->err, KIN_EPARSE, "a JSON patch is an array of operations");
    for (kin_iter_init(&it, operations); code == 0 && kin_iter_next(&it);) {
        if (it.index == KIN_JSON_PATCH_MAX_OPERATIONS)
            return kin_error_set(p->err, KIN_ELIMIT, "a patch of more than %d operations",
                                 KIN_JSON_PATCH_MAX_OPERATIONS);
        p->index = it.index;
        p->operation = it.value;
        code = apply_one(p);
    }
    return code;
}

static int apply(const kin_object **ret, const kin_object *object, kin_value operations,
                 kin_error *err)
{
    struct patch p;

    memset(&p, 0, offsetof(struct patch, op_scratch));
    p.err = err;
    kin__buf_init(&p.token, SIZE_MAX - 1);
    int code = kin__tree_new_value(&p.root, kin_object_root(object), err);
    if (code == 0)
        code = apply_all(&p, operations);
    if (code == 0 && p.changed)
        code = kin__tree_to_object(ret, p.root, err);
    else if (code == 0)
        *ret = kin_object_ref(object);
    kin__tree_free(p.root);
    kin__buf_done(&p.token);
    return code;
}

int kin_object_json_patch(const kin_object **ret, const kin_object *object, kin_str patch,
                          kin_error *err)
{
    if (!ret || !object)
        return kin__error_null(err, !ret ? "ret" : "object");

    const kin_object *document = kin__tree_document(object);
    const kin_object *holder = NULL;
    kin_value operations = {NULL, NULL};

    if (!document)
        return kin_error_set(err, KIN_ETYPE, "only documents can be patched");
    int code = kin__json_read_value(&holder, &operations, patch, err);
    if (code < 0)
        return code;
    code = apply(ret, document, operations, err);
    kin_object_unref(holder);
    return code;
}
