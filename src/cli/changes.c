/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A walk over two documents side by side, with a stack of its own: nobody but the decoder's limits says how deep
 * documents are.
 */
#include "cli/changes.h"

#include <stdlib.h>
#include <string.h>

/* Items of longer lists are compared by their places: finding names is quadratic. */
enum { NAMED_MAX = 256 };

static const kin_value none = {NULL, NULL};

struct member {
    kin_str key;
    kin_value value;
};

/* The members of a map by their keys: looking each up in the map itself would be quadratic. */
struct index {
    struct member *items; /* OWNED; NULL: not made yet */
    size_t len;
};

/* Two maps or two arrays. */
struct frame {
    kin_value before;
    kin_value after;
    struct index members_before;
    struct index members_after;
    kin_iter of_before;
    kin_iter of_after;
    bool is_map;
    const char *member; /* by which items are found; NULL: by their places */
    bool is_apart;      /* the next of both need not be the same: peers are looked for */
    bool is_second;     /* all of the first was compared: what only the second has is left */
    size_t path_len;    /* of the frame */
    size_t n_before;    /* how many changes there were when it began */
};

struct walk {
    struct changes *found;
    struct text path;
    struct frame *frames;
    size_t depth;
    size_t cap;
};

/* --- members of maps --- */

static int compare_members(const void *a, const void *b)
{
    kin_str left = ((const struct member *)a)->key;
    kin_str right = ((const struct member *)b)->key;
    size_t len = left.len < right.len ? left.len : right.len;
    int order = len > 0 ? memcmp(left.data, right.data, len) : 0;

    return order ? order : (left.len > right.len) - (left.len < right.len);
}

static kin_value find_member(struct index *index, kin_value map, kin_str key)
{
    const struct member wanted = {key, none};

    if (!index->items) {
        kin_iter it;

        index->items = memory_zeroed(kin_value_len(map), sizeof(*index->items));
        kin_iter_init(&it, map);
        while (kin_iter_next(&it))
            index->items[index->len++] = (struct member){it.key, it.value};
        if (index->len > 1)
            qsort(index->items, index->len, sizeof(*index->items), compare_members);
    }
    const struct member *found =
        index->len > 0 ? bsearch(&wanted, index->items, index->len, sizeof(wanted), compare_members)
                       : NULL;
    return found ? found->value : none;
}

/* --- names of items --- */

static bool get_name(kin_str *ret, kin_value item, const char *member, kin_scratch *scratch)
{
    return kin_value_string(ret, kin_value_get(item, kin_str_of(member)), scratch) == 0 &&
           ret->len > 0;
}

/* The item of a name; KIN_NONE if there is none. `*ret_n` is how many there are. */
static kin_value find_item(kin_value array, const char *member, kin_str name, size_t *ret_n)
{
    kin_value found = none;
    kin_iter it;

    *ret_n = 0;
    kin_iter_init(&it, array);
    while (kin_iter_next(&it)) {
        kin_scratch scratch;
        kin_str its;

        if (get_name(&its, it.value, member, &scratch) && kin_str_equal(its, name)) {
            found = *ret_n == 0 ? it.value : found;
            ++*ret_n;
        }
    }
    return found;
}

static bool are_named(kin_value array, const char *member)
{
    kin_iter it;

    if (kin_value_len(array) > NAMED_MAX)
        return false;
    kin_iter_init(&it, array);
    while (kin_iter_next(&it)) {
        kin_scratch scratch;
        kin_str name;
        size_t n = 0;

        if (!get_name(&name, it.value, member, &scratch))
            return false;
        (void)find_item(array, member, name, &n);
        if (n > 1)
            return false;
    }
    return true;
}

/* By which member the items of two arrays can be told apart. */
static const char *naming_member(kin_value before, kin_value after)
{
    static const char *const members[] = {"type", "name"};

    for (size_t i = 0; i < 2; i++) {
        if (are_named(before, members[i]) && are_named(after, members[i]))
            return members[i];
    }
    return NULL;
}

/* --- paths --- */

static void add_key(struct text *path, kin_str key)
{
    size_t n_special = 0;

    for (size_t i = 0; i < key.len; i++)
        n_special += key.data[i] && strchr(".[]\\", key.data[i]);
    if (key.len == 0 || n_special > 3) {
        text_add_string(path, "['");
        text_add(path, key);
        text_add_string(path, "']");
        return;
    }
    text_add_string(path, path->len > 0 ? "." : "");
    for (size_t i = 0; i < key.len; i++) {
        if (key.data[i] && strchr(".[]\\", key.data[i]))
            text_add_char(path, '\\');
        text_add_char(path, key.data[i]);
    }
}

/* What both items at a place are called; else the place. */
static void add_place(struct text *path, kin_value before, kin_value after, size_t index)
{
    static const char *const members[] = {"type", "name"};
    kin_scratch scratches[2];
    kin_str names[2];

    for (size_t i = 0; i < 2; i++) {
        if (get_name(&names[0], before, members[i], &scratches[0]) &&
            get_name(&names[1], after, members[i], &scratches[1]) &&
            kin_str_equal(names[0], names[1])) {
            text_format(path, "[%" KIN_STR_FMT "]", KIN_STR_ARG(names[0]));
            return;
        }
    }
    text_format(path, "[%zu]", index);
}

/* --- the walk --- */

static void tell(struct walk *w, kin_value before, kin_value after)
{
    struct changes *c = w->found;

    if (c->len == c->cap) {
        c->cap = c->cap ? c->cap * 2 : 16;
        c->items = memory_resize(c->items, c->cap, sizeof(*c->items));
    }
    c->items[c->len++] = (struct change){memory_copy(text_view(&w->path)), before, after};
}

static void push(struct walk *w, kin_value before, kin_value after)
{
    if (w->depth == w->cap) {
        w->cap = w->cap ? w->cap * 2 : 16;
        w->frames = memory_resize(w->frames, w->cap, sizeof(*w->frames));
    }
    struct frame *f = &w->frames[w->depth++];
    *f = (struct frame){.before = before, .after = after};
    f->is_map = kin_value_type(before) == KIN_MAP;
    f->member = f->is_map ? NULL : naming_member(before, after);
    f->is_apart = f->member != NULL;
    f->path_len = w->path.len;
    f->n_before = w->found->len;
    kin_iter_init(&f->of_before, before);
    kin_iter_init(&f->of_after, after);
}

/* The two values at the path, which is then that of the frame above again. */
static void compare(struct walk *w, kin_value before, kin_value after, size_t path_len)
{
    enum kin_type type = kin_value_type(before);

    if (!kin_value_equal(before, after)) {
        if (type == kin_value_type(after) && (type == KIN_MAP || type == KIN_ARRAY)) {
            push(w, before, after);
            return;
        }
        tell(w, before, after);
    }
    w->path.len = path_len;
}

/* What the other state has for the element that `it` has come to. */
static kin_value find_peer(struct frame *f, const kin_iter *it, bool is_in_after)
{
    kin_value in = is_in_after ? f->after : f->before;
    kin_scratch scratch;
    kin_str name;
    size_t n;

    if (f->is_map)
        return find_member(is_in_after ? &f->members_after : &f->members_before, in, it->key);
    if (!f->member || !get_name(&name, it->value, f->member, &scratch))
        return none;
    return find_item(in, f->member, name, &n);
}

static void add_step(struct walk *w, const struct frame *f, const kin_iter *it, kin_value before,
                     kin_value after)
{
    kin_scratch scratch;
    kin_str name;

    if (f->is_map)
        add_key(&w->path, it->key);
    else if (f->member && get_name(&name, it->value, f->member, &scratch))
        text_format(&w->path, "[%" KIN_STR_FMT "]", KIN_STR_ARG(name));
    else
        add_place(&w->path, before, after, it->index);
}

/* The next element of the first state. */
static bool next_of_first(struct walk *w, struct frame *f)
{
    kin_value after = none;

    if (!kin_iter_next(&f->of_before))
        return false;
    if (!f->is_apart) {
        bool has_next = kin_iter_next(&f->of_after);

        if (has_next && (!f->is_map || kin_str_equal(f->of_after.key, f->of_before.key)))
            after = f->of_after.value;
        else
            f->is_apart = true;
    }
    if (f->is_apart)
        after = find_peer(f, &f->of_before, true);
    add_step(w, f, &f->of_before, f->of_before.value, after);
    compare(w, f->of_before.value, after, f->path_len);
    return true;
}

/* The next element that only the second state has. */
static bool next_of_second(struct walk *w, struct frame *f)
{
    if (!f->is_second) {
        f->is_second = true;
        if (f->is_apart && (f->is_map || f->member))
            kin_iter_init(&f->of_after, f->after);
    }
    while (kin_iter_next(&f->of_after)) {
        if (f->is_apart && kin_value_type(find_peer(f, &f->of_after, false)) != KIN_NONE)
            continue;
        add_step(w, f, &f->of_after, none, f->of_after.value);
        compare(w, none, f->of_after.value, f->path_len);
        return true;
    }
    return false;
}

/* Items that are all the same and stand in another order are a change, too. */
static void pop(struct walk *w)
{
    const struct frame *f = &w->frames[--w->depth];

    free(f->members_before.items);
    free(f->members_after.items);
    w->path.len = f->path_len;
    if (w->found->len == f->n_before)
        tell(w, f->before, f->after);
    w->path.len = w->depth > 0 ? w->frames[w->depth - 1].path_len : 0;
}

void changes_find(struct changes *ret, const kin_object *before, const kin_object *after)
{
    struct walk w = {.found = ret, .path = TEXT_INIT};

    *ret = (struct changes){NULL, 0, 0};
    compare(&w, kin_object_root(before), kin_object_root(after), 0);
    while (w.depth > 0) {
        struct frame *f = &w.frames[w.depth - 1];

        if (!(f->is_second ? next_of_second(&w, f) : next_of_first(&w, f) || next_of_second(&w, f)))
            pop(&w);
    }
    text_done(&w.path);
    free(w.frames);
}

void changes_done(struct changes *changes)
{
    for (size_t i = 0; i < changes->len; i++)
        free(changes->items[i].path);
    free(changes->items);
    *changes = (struct changes){NULL, 0, 0};
}
