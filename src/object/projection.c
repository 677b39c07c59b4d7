/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Projections: a tree of keys made from paths. Immutable once made, so the parser of any thread may
 * walk it.
 *
 * Every node says what happens to elements that it does not name, and has a list of those that it
 * names. The lists are short, and compared by length first. All nodes hang on one list besides, to
 * be freed without recursion.
 */
#include "object/projection.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/ref.h"
#include "base/str.h"
#include "object/path.h"

#define TEXT_MAX 65536u

struct kin__projected {
    struct kin__projected *allocated;     /* the next one of the whole tree */
    struct kin__projected *next;          /* of the elements of the same parent */
    struct kin__projected *elements;      /* those that are named */
    kin_str key;                          /* in the parent; `text` or static */
    enum kin__step_type type;             /* KEY, ANY_KEY or ANY_INDEX; INDEX does not occur */
    enum kin__projection_verdict verdict; /* of the element itself */
    bool keep_others;                     /* elements that are not named */
    char text[];
};

struct kin_projection {
    kin__ref refs;
    kin__projected *root;
    kin__projected *allocated;
    uint64_t id; /* of what it was made from */
};

static kin__projected *add_node(kin_projection *projection, kin__projected *parent,
                                enum kin__step_type type, kin_str key)
{
    kin__projected *node = kin__malloc(sizeof(*node) + key.len);

    if (!node)
        return NULL;
    memset(node, 0, sizeof(*node));
    node->type = type;
    node->key = kin_str_make(node->text, key.len);
    if (key.len > 0)
        memcpy(node->text, key.data, key.len);
    node->allocated = projection->allocated;
    projection->allocated = node;
    if (parent) {
        node->next = parent->elements;
        parent->elements = node;
    }
    return node;
}

static kin__projected *find_node(const kin__projected *parent, enum kin__step_type type,
                                 kin_str key)
{
    kin__projected *node = parent->elements;

    while (node && !(node->type == type && kin_str_equal(node->key, key)))
        node = node->next;
    return node;
}

const kin__projected *kin__projection_root(const kin_projection *projection)
{
    return projection ? projection->root : NULL;
}

uint64_t kin__projection_id(const kin_projection *projection)
{
    return projection ? projection->id : 0;
}

static enum kin__projection_verdict verdict_of(const kin__projected *parent,
                                               const kin__projected *node,
                                               const kin__projected **ret_below)
{
    if (!node)
        return parent->keep_others ? KIN__PROJECTION_KEEP : KIN__PROJECTION_DROP;
    *ret_below = node;
    return node->verdict;
}

enum kin__projection_verdict kin__projection_member(const kin__projected *projected, kin_str key,
                                                    const kin__projected **ret_below)
{
    static const kin_str none = {NULL, 0};
    const kin__projected *node = find_node(projected, KIN__STEP_KEY, key);

    if (!node)
        node = find_node(projected, KIN__STEP_ANY_KEY, none);
    return verdict_of(projected, node, ret_below);
}

enum kin__projection_verdict kin__projection_item(const kin__projected *projected,
                                                  const kin__projected **ret_below)
{
    static const kin_str none = {NULL, 0};

    return verdict_of(projected, find_node(projected, KIN__STEP_ANY_INDEX, none), ret_below);
}

/* The element of a node that a path goes through, made if need be; NULL: no memory. */
static kin__projected *descend(kin_projection *projection, kin__projected *parent,
                               enum kin__step_type type, kin_str key, bool keep)
{
    kin__projected *node = find_node(parent, type, key);

    if (node)
        return node;
    node = add_node(projection, parent, type, key);
    if (node) {
        /* What is beside a kept path is dropped, what is beside a dropped one is kept. */
        node->verdict = keep ? KIN__PROJECTION_DESCEND_ONLY : KIN__PROJECTION_DESCEND;
        node->keep_others = !keep;
    }
    return node;
}

static bool is_final(const kin__projected *node)
{
    return node->verdict == KIN__PROJECTION_KEEP || node->verdict == KIN__PROJECTION_DROP;
}

static int add_steps(kin_projection *projection, const kin__step *steps, size_t len, bool keep)
{
    kin__projected *node = projection->root;

    for (size_t i = 0; i < len; i++) {
        kin_str key = steps[i].type == KIN__STEP_KEY ? steps[i].key : kin_str_make(NULL, 0);

        node = descend(projection, node, (enum kin__step_type)steps[i].type, key, keep);
        if (!node)
            return KIN_ENOMEM;
        if (is_final(node))
            return 0; /* a shorter path has settled it */
    }
    node->verdict = keep ? KIN__PROJECTION_KEEP : KIN__PROJECTION_DROP;
    return 0;
}

/* What an object is known by: kept, whatever the paths say. */
static int keep_identity(kin_projection *projection)
{
    static const char *const of_metadata[] = {"name", "namespace", "uid", "resourceVersion"};
    static const char *const of_root[] = {"apiVersion", "kind"};
    kin__projected *root = projection->root;
    kin__projected *metadata;

    for (size_t i = 0; i < kin__array_len(of_root); i++) {
        kin__projected *node =
            descend(projection, root, KIN__STEP_KEY, kin_str_of(of_root[i]), true);

        if (!node)
            return KIN_ENOMEM;
        node->verdict = KIN__PROJECTION_KEEP;
    }
    metadata = descend(projection, root, KIN__STEP_KEY, kin_str_of("metadata"), !root->keep_others);
    if (!metadata)
        return KIN_ENOMEM;
    if (metadata->verdict == KIN__PROJECTION_KEEP)
        return 0;
    if (metadata->verdict == KIN__PROJECTION_DROP) {
        metadata->verdict = KIN__PROJECTION_DESCEND_ONLY;
        metadata->keep_others = false;
        metadata->elements = NULL; /* longer paths below it; they stay on the list of all */
    }
    for (size_t i = 0; i < kin__array_len(of_metadata); i++) {
        kin__projected *node =
            descend(projection, metadata, KIN__STEP_KEY, kin_str_of(of_metadata[i]), true);

        if (!node)
            return KIN_ENOMEM;
        node->verdict = KIN__PROJECTION_KEEP;
    }
    return 0;
}

/* The length of the first path: up to a comma that is neither escaped nor quoted. */
static size_t path_len(kin_str text)
{
    char quote = '\0';

    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];

        if (c == '\\') {
            i++;
        } else if (quote) {
            if (c == quote)
                quote = '\0';
        } else if (i > 0 && text.data[i - 1] == '[' && (c == '\'' || c == '"')) {
            quote = c;
        } else if (c == ',') {
            return i;
        }
    }
    return text.len;
}

/* Where an index stands in a path that has one. */
static size_t index_offset(kin_str text)
{
    size_t i = 0;

    while (i + 1 < text.len &&
           !(text.data[i] == '[' && (unsigned char)(text.data[i + 1] - '0') <= 9))
        i += text.data[i] == '\\' ? 2 : 1;
    return i;
}

static int check_steps(const kin_path *path, kin_str text, size_t offset, kin_error *err)
{
    if (path->len == 0)
        return kin__error_parse(err, offset, "an empty path");
    if (path->steps[0].type != KIN__STEP_KEY)
        return kin__error_parse(err, offset, "the first step of a path must be a name");
    for (size_t i = 0; i < path->len; i++) {
        if (path->steps[i].type == KIN__STEP_INDEX)
            return kin__error_parse(err, offset + index_offset(text),
                                    "a projection takes [*], not an index, in a path");
    }
    return 0;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static int add_path(kin_projection *projection, kin_str text, size_t offset, bool keep,
                    kin_error *err)
{
    kin_path *path = NULL;
    kin_error inner = KIN_ERROR_INIT;

    /* Left in, it would be part of a name, and the path that was meant would not be kept. */
    if (text.len > 0 && is_blank(text.data[0]))
        return kin__error_parse(err, offset, "a blank before a path");
    if (text.len > 0 && is_blank(text.data[text.len - 1]))
        return kin__error_parse(err, offset + text.len - 1, "a blank behind a path");
    int code = kin__path_parse(&path, text, true, &inner);

    if (code == KIN_EPARSE) {
        char *place = strstr(inner.message, " at byte ");

        /* The place in all paths is the one that counts. */
        if (place)
            *place = '\0';
        return kin__error_parse(err, offset + inner.offset, "%s", inner.message);
    }
    if (code < 0)
        return kin_error_set(err, code, "%s", inner.message);
    code = check_steps(path, text, offset, err);
    if (code == 0 && add_steps(projection, path->steps, path->len, keep) < 0)
        code = kin__error_no_memory(err);
    kin_path_free(path);
    return code;
}

static int add_paths(kin_projection *projection, kin_str paths, bool keep, kin_error *err)
{
    size_t offset = 0;

    if (paths.len > TEXT_MAX)
        return kin_error_set(err, KIN_ELIMIT, "paths of more than %u bytes", TEXT_MAX);
    for (;;) {
        kin_str rest = kin_str_make(paths.data + offset, paths.len - offset);
        size_t len = path_len(rest);
        int code = add_path(projection, kin_str_make(rest.data, len), offset, keep, err);

        if (code < 0)
            return code;
        if (len == rest.len)
            return keep_identity(projection) < 0 ? kin__error_no_memory(err) : 0;
        offset += len + 1;
    }
}

static int new_projection(const kin_projection **ret, kin_str paths, bool keep, kin_error *err)
{
    if (!ret)
        return kin__error_null(err, "ret");

    kin_projection *projection = kin__calloc(1, sizeof(*projection));

    if (!projection)
        return kin__error_no_memory(err);
    kin__ref_init(&projection->refs);
    projection->root = add_node(projection, NULL, KIN__STEP_KEY, kin_str_make(NULL, 0));

    int code = projection->root ? 0 : kin__error_no_memory(err);

    if (code == 0) {
        projection->root->keep_others = !keep;
        projection->id = kin__hash(keep, paths.data, paths.len);
        code = add_paths(projection, paths, keep, err);
    }
    if (code < 0) {
        kin_projection_unref(projection);
        return code;
    }
    *ret = projection;
    return 0;
}

int kin_projection_keep(const kin_projection **ret, kin_str paths, kin_error *err)
{
    return new_projection(ret, paths, true, err);
}

int kin_projection_drop(const kin_projection **ret, kin_str paths, kin_error *err)
{
    return new_projection(ret, paths, false, err);
}

int kin_projection_metadata_only(const kin_projection **ret, kin_error *err)
{
    return new_projection(ret, kin_str_of("metadata"), true, err);
}

const kin_projection *kin_projection_ref(const kin_projection *projection)
{
    if (projection) {
        kin_projection *counted = kin__unconst(projection);

        kin__ref_get(&counted->refs);
    }
    return projection;
}

void kin_projection_unref(const kin_projection *projection)
{
    kin_projection *counted = kin__unconst(projection);

    if (!counted || !kin__ref_put(&counted->refs))
        return;
    while (counted->allocated) {
        kin__projected *node = counted->allocated;

        counted->allocated = node->allocated;
        kin__free(node);
    }
    kin__free(counted);
}
