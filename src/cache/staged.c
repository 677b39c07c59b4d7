/* SPDX-License-Identifier: Apache-2.0 */
#include "cache/staged.h"

#include "base/error.h"
#include "base/options.h"
#include "cache/input.h"

/* --- replacements that stage their list --- */

struct staged_replace {
    kin_replace base;
    const kin__staged_class *staged_class;
    void *queue;
    const kin__line *line;
    kin__staged_list list;
};

static struct staged_replace *of(kin_replace *replace)
{
    return kin__container_of(replace, struct staged_replace, base);
}

static int stage(struct staged_replace *r, const kin_object *object, kin_error *err)
{
    kin__staged staged = {NULL, {NULL, 0}, 0, NULL};
    int code = kin__line_check(r->line, err);

    if (code == 0 && kin__staged_list_reserve(&r->list) < 0)
        code = kin__error_no_memory(err);
    if (code == 0)
        code = r->staged_class->take_in(r->queue, object, &staged, err);
    if (code == 0)
        r->list.items[r->list.n++] = staged;
    return code;
}

static int replace_add(kin_replace *replace, const kin_object *object, kin_error *err)
{
    return stage(of(replace), object, err);
}

/* A tombstone carries the key: it is not transformed. */
static int replace_keep(kin_replace *replace, kin_str key, kin_error *err)
{
    struct staged_replace *r = of(replace);
    const kin_object *tombstone = NULL;
    int code;

    if (!r->staged_class->renames || r->staged_class->renames(r->queue))
        return 1;
    code = kin_tombstone_new(&tombstone, key, NULL, err);
    if (code == 0)
        code = stage(r, tombstone, err);
    if (code == 0)
        r->list.n_kept++;
    kin_object_unref(tombstone);
    return code;
}

static void replace_abort(kin_replace *replace)
{
    struct staged_replace *r = of(replace);

    kin__staged_list_done(&r->list);
    kin__free(r);
}

static int replace_commit(kin_replace *replace, kin_str resource_version, kin_error *err)
{
    struct staged_replace *r = of(replace);
    int code = kin__line_check(r->line, err);

    (void)resource_version;
    r->list.keeps = r->base.keeps || (r->list.n_kept > 0 && r->staged_class->renames(r->queue));
    if (code == 0)
        code = r->staged_class->commit(r->queue, &r->list, err);
    if (code == 0)
        replace_abort(replace);
    return code;
}

int kin__staged_replace_begin(kin_replace **ret, const kin__staged_class *staged_class, void *queue,
                              const kin__line *line, kin_error *err)
{
    static const kin__replace_class replace_class = {replace_add, replace_commit, replace_abort,
                                                     replace_keep};
    struct staged_replace *r;
    int code = kin__line_check(line, err);

    if (code == 0 && !ret)
        code = kin__error_null(err, "ret");
    if (code < 0)
        return code;
    r = kin__calloc(1, sizeof(*r));
    if (!r)
        return kin__error_no_memory(err);
    r->base.replace_class = &replace_class;
    r->staged_class = staged_class;
    r->queue = queue;
    r->line = line;
    *ret = &r->base;
    return 0;
}

/* --- known objects --- */

int kin__known_take(kin_known_objects *ret, const kin_known_objects *given, kin_error *err)
{
    kin_known_objects known = KIN_KNOWN_OBJECTS_INIT;
    int code = kin__options_take(&known, sizeof(known), given, "KIN_KNOWN_OBJECTS_INIT", err);

    if (code < 0)
        return code;
    if (given && (!known.has || !known.each))
        return kin_error_set(err, KIN_EINVAL, "known objects need both functions");
    *ret = known;
    return 0;
}

int kin__staged_known(kin__staged *ret, bool again, kin_str known_key, const kin_object *known,
                      kin_key_fn *key, void *key_arg, kin_error *err)
{
    int code = 0;

    if (again)
        ret->object = kin_object_ref(known);
    else
        code = kin_tombstone_new(&ret->object, known_key, known, err);
    if (code < 0)
        return code;
    code = kin__input_key(key, key_arg, ret->object, &ret->key, err);
    if (code < 0)
        kin_object_unref(ret->object);
    return code;
}

int kin__known_each(const kin_known_objects *known, kin_visit_fn *visit, void *arg,
                    const kin_error *visitor_said, kin_error *err)
{
    kin_error said;
    int code;

    kin__error_begin(&said);
    kin__assert_no_locks();
    code = known->each(known->arg, visit, arg, &said);
    if (code > 0)
        return kin_error_set(err, KIN_EINVAL, "the known objects returned %d", code);
    if (code == 0)
        return 0;
    return kin__error_pass(err, code, visitor_said->code == code ? visitor_said : &said);
}
