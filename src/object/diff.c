/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Diffs: a walk over two documents side by side, with a stack of its own.
 *
 * Two maps nearly always have their members in the same order, so the walk takes the next of
 * each and looks whether the keys are the same. At the first pair that is not, it lists all members
 * of the second map, beyond SEARCH_FROM of them in a hash map, and looks up the rest of the first
 * there; those of the list that nobody looked for come last. So the usual case costs no memory,
 * and the worst one linear time.
 *
 * Invariant of a map's frame: without a list, the first `paired` members of both maps had equal
 * keys one by one.
 */
#include "object/diff.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/stack.h"
#include "object/limits.h"
#include "object/path.h"
#include "object/tape.h"

/* More members than this are looked up by hash. */
#define SEARCH_FROM 16

static const kin_value none = {NULL, NULL};

/* A member of the second map. */
struct entry {
    kin__map_node by_key;
    kin_value value;
    bool seen; /* the first map has the key */
};

struct frame {
    kin_iter before;
    kin_iter after;
    kin_value after_value; /* what `after` goes through */
    bool is_map;
    size_t paired;
    struct entry *entries; /* the list, in order; NULL: there is none */
    size_t len;
    size_t next;    /* of the entries, when looking for those that were not seen */
    kin__map index; /* of the entries, if there are many */
};

struct walk {
    const kin__diff_visitor *visitor;
    void *arg;
    kin__stack frames;
};

static int push(struct walk *w, kin_value before, kin_value after)
{
    struct frame *f = kin__stack_push(&w->frames);

    if (!f)
        return KIN_ENOMEM;
    memset(f, 0, sizeof(*f));
    kin_iter_init(&f->before, before);
    kin_iter_init(&f->after, after);
    f->after_value = after;
    f->is_map = kin_value_type(before) == KIN_MAP;
    kin__map_init(&f->index, kin__hash_seed());
    return 0;
}

static void pop(struct walk *w)
{
    struct frame *f = kin__stack_pop(&w->frames);

    kin__map_done(&f->index);
    kin__free(f->entries);
}

static bool are_both(kin_value a, kin_value b, enum kin_type type)
{
    return kin_value_type(a) == type && kin_value_type(b) == type;
}

/* Compare the two values of one step: go into them, tell, or do nothing. */
static int compare(struct walk *w, const kin__diff_step *step, kin_value before, kin_value after)
{
    if (kin__value_identical(before, after))
        return 0;
    if (are_both(before, after, KIN_MAP) ||
        (!w->visitor->whole_arrays && are_both(before, after, KIN_ARRAY))) {
        int code = w->visitor->enter(step, w->arg);

        return code != 0 ? code : push(w, before, after);
    }
    return kin_value_equal(before, after) ? 0 : w->visitor->differ(step, before, after, w->arg);
}

/* --- arrays --- */

/* 1: one more pair was compared; 0: that was all; or what compare() says, which is negative. */
static int next_items(struct walk *w, struct frame *f)
{
    bool has_before = kin_iter_next(&f->before);
    bool has_after = kin_iter_next(&f->after);
    kin__diff_step step = {{NULL, 0}, has_before ? f->before.index : f->after.index, true};

    if (!has_before && !has_after)
        return 0;
    int code =
        compare(w, &step, has_before ? f->before.value : none, has_after ? f->after.value : none);
    return code != 0 ? code : 1;
}

/* --- maps --- */

/* List all members of the second map. Those that were paired are seen already. */
static int list_members(struct frame *f)
{
    size_t len = kin_value_len(f->after_value);
    kin_iter it;

    f->entries = kin__calloc(len ? len : 1, sizeof(*f->entries));
    if (!f->entries || (len > SEARCH_FROM && kin__map_reserve(&f->index, len) < 0))
        return KIN_ENOMEM;
    for (kin_iter_init(&it, f->after_value); kin_iter_next(&it);) {
        struct entry *e = &f->entries[f->len++];

        e->by_key.key = it.key.data;
        e->by_key.key_len = (uint32_t)it.key.len;
        e->value = it.value;
        e->seen = it.index < f->paired;
        if (len > SEARCH_FROM)
            kin__map_add(&f->index, &e->by_key, it.key, NULL);
    }
    return 0;
}

static struct entry *find_member(struct frame *f, kin_str key)
{
    if (f->len > SEARCH_FROM) {
        kin__map_node *node = kin__map_get(&f->index, key);

        return node ? kin__container_of(node, struct entry, by_key) : NULL;
    }
    for (size_t i = 0; i < f->len; i++) {
        struct entry *e = &f->entries[i];

        if (kin_str_equal(kin_str_make(e->by_key.key, e->by_key.key_len), key))
            return e;
    }
    return NULL;
}

/* The value in the second map of the member that the first one has come to. */
static int find_peer(struct frame *f, kin_value *ret)
{
    if (!f->entries) {
        if (kin_iter_next(&f->after) && kin_str_equal(f->after.key, f->before.key)) {
            f->paired++;
            *ret = f->after.value;
            return 0;
        }
        int code = list_members(f);
        if (code < 0)
            return code;
    }
    struct entry *e = find_member(f, f->before.key);
    if (e)
        e->seen = true;
    *ret = e ? e->value : none;
    return 0;
}

/* The next member that only the second map has; the first one has no more. */
static bool next_added(struct frame *f, kin_str *ret_key, kin_value *ret)
{
    if (!f->entries) {
        bool has_next = kin_iter_next(&f->after);

        *ret_key = f->after.key;
        *ret = f->after.value;
        return has_next;
    }
    while (f->next < f->len && f->entries[f->next].seen)
        f->next++;
    if (f->next == f->len)
        return false;
    const struct entry *e = &f->entries[f->next++];
    *ret_key = kin_str_make(e->by_key.key, e->by_key.key_len);
    *ret = e->value;
    return true;
}

/* As next_items(). */
static int next_members(struct walk *w, struct frame *f)
{
    kin__diff_step step = {{NULL, 0}, 0, false};
    kin_value before = none;
    kin_value after = none;
    int code = 0;

    if (kin_iter_next(&f->before)) {
        step.key = f->before.key;
        before = f->before.value;
        code = find_peer(f, &after);
    } else if (!next_added(f, &step.key, &after)) {
        return 0;
    }
    if (code == 0)
        code = compare(w, &step, before, after);
    return code != 0 ? code : 1;
}

int kin__diff_walk(kin_value before, kin_value after, const kin__diff_visitor *visitor, void *arg)
{
    struct walk w = {.visitor = visitor, .arg = arg};

    kin__stack_init(&w.frames, sizeof(struct frame));
    int code = kin__value_identical(before, after) ? 0 : push(&w, before, after);
    while (code >= 0 && w.frames.len > 0) {
        struct frame *top = kin__stack_top(&w.frames);

        /* Whatever comes below is compared before the next step of this frame. */
        code = top->is_map ? next_members(&w, top) : next_items(&w, top);
        if (code == 0) {
            pop(&w);
            code = w.frames.len > 0 ? visitor->leave(arg) : 0;
        }
    }
    while (w.frames.len > 0)
        pop(&w);
    kin__stack_done(&w.frames);
    return code < 0 ? code : 0;
}

/* --- the public diff --- */

/* On the way out: the callback has returned false. No code is as low. */
#define STOPPED INT32_MIN

struct report {
    kin_diff_fn *fn;
    void *arg;
    kin__buf path;
    kin__stack ends; /* size_t: of the paths of all maps and arrays that were entered */
};

static void append_step(kin__buf *path, const kin__diff_step *step)
{
    if (step->is_item)
        kin__path_append_index(path, step->index);
    else
        kin__path_append_key(path, step->key);
}

static int report_enter(const kin__diff_step *step, void *arg)
{
    struct report *r = arg;
    size_t *end = kin__stack_push(&r->ends);

    if (!end)
        return KIN_ENOMEM;
    *end = r->path.len;
    append_step(&r->path, step);
    return r->path.failed;
}

static int report_leave(void *arg)
{
    struct report *r = arg;
    const size_t *end = kin__stack_pop(&r->ends);

    kin__buf_truncate(&r->path, *end);
    return 0;
}

static int report_differ(const kin__diff_step *step, kin_value before, kin_value after, void *arg)
{
    struct report *r = arg;
    size_t len = r->path.len;

    append_step(&r->path, step);
    if (r->path.failed)
        return r->path.failed;
    bool go_on = r->fn(kin__buf_str(&r->path), before, after, r->arg);
    kin__buf_truncate(&r->path, len);
    return go_on ? 0 : STOPPED;
}

int kin_object_diff(const kin_object *before, const kin_object *after, kin_diff_fn *fn, void *arg)
{
    if (!fn)
        return KIN_EINVAL;

    static const kin__diff_visitor visitor = {report_enter, report_leave, report_differ, false};
    kin_value a = before ? kin_object_root(before) : none;
    kin_value b = after ? kin_object_root(after) : none;
    struct report r = {.fn = fn, .arg = arg};

    if (!are_both(a, b, KIN_MAP)) {
        if (kin_value_type(a) != kin_value_type(b))
            fn(kin_str_make("", 0), a, b, arg);
        return 0;
    }
    kin__buf_init(&r.path, (size_t)KIN__TEXT_MAX);
    kin__stack_init(&r.ends, sizeof(size_t));
    int code = kin__diff_walk(a, b, &visitor, &r);
    kin__buf_done(&r.path);
    kin__stack_done(&r.ends);
    return code == STOPPED ? 0 : code;
}
