/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sink. A write that fails leaves everything as it was: entries come from malloc(), and what
 * the library allocates is allocated before anything changes.
 */
#include "memory_sink.h"

#include <stdlib.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory.h"
#include "kin_test.h"
#include "kinform/editor.h"
#include "kinform/json.h"
#include "kinform/metadata.h"
#include "kinform/path.h"

static kin_test_memory_sink *sink_of(kin__simulator_sink *base)
{
    return kin__container_of(base, kin_test_memory_sink, base);
}

static bool has_status(enum kin__simulated kind)
{
    return kind != KIN__SIMULATED_LEASE && kind != KIN__SIMULATED_EVENT;
}

static bool has_generation(enum kin__simulated kind)
{
    return kind == KIN__SIMULATED_DEPLOYMENT || kind == KIN__SIMULATED_REPLICA_SET;
}

static struct kin_test_sink_entry *find(const kin_test_memory_sink *sink, enum kin__simulated kind,
                                        kin_str key)
{
    kin__map_node *node = kin__map_get(&sink->kinds[kind].map, key);

    return node ? kin__container_of(node, struct kin_test_sink_entry, node) : NULL;
}

static struct kin_test_sink_entry *find_object(const kin_test_memory_sink *sink,
                                               enum kin__simulated kind, const kin_object *object)
{
    return find(sink, kind, kin_str_of(kin_object_key(object)));
}

static void tell(kin_test_memory_sink *sink, enum kin__simulated kind, const kin_object *old,
                 const kin_object *object)
{
    sink->writes++;
    if (sink->changed)
        sink->changed(sink->arg, kind, old, object);
}

/* --- entries --- */

static int add(kin_test_memory_sink *sink, enum kin__simulated kind, const kin_object *object)
{
    struct kin_test_sink_kind *k = &sink->kinds[kind];
    kin_str key = kin_str_of(kin_object_key(object));
    struct kin_test_sink_entry *e = malloc(sizeof(*e) + key.len + 1);

    assert_non_null(e);
    memcpy(e->key, key.data, key.len + 1);
    if (k->n == k->cap) {
        k->cap = k->cap ? k->cap * 2 : 64;
        k->entries = realloc(k->entries, k->cap * sizeof(struct kin_test_sink_entry *));
        assert_non_null(k->entries);
    }
    int code = kin__map_add(&k->map, &e->node, kin_str_make(e->key, key.len), NULL);
    if (code < 0) {
        free(e);
        return code;
    }
    e->object = kin_object_ref(object);
    e->index = k->n;
    k->entries[k->n++] = e;
    return 0;
}

static void erase(kin_test_memory_sink *sink, enum kin__simulated kind,
                  struct kin_test_sink_entry *e)
{
    struct kin_test_sink_kind *k = &sink->kinds[kind];
    const kin_object *old = e->object;

    kin__map_remove(&k->map, &e->node);
    k->entries[e->index] = k->entries[--k->n];
    k->entries[e->index]->index = e->index;
    free(e);
    sink->version++;
    tell(sink, kind, old, NULL);
    kin_object_unref(old);
}

static void replace(kin_test_memory_sink *sink, enum kin__simulated kind,
                    struct kin_test_sink_entry *e, const kin_object *object)
{
    const kin_object *old = e->object;

    e->object = kin_object_ref(object);
    tell(sink, kind, old, object);
    kin_object_unref(old);
}

/* --- new states --- */

static int set_version(kin_test_memory_sink *sink, kin_editor *ed, kin_error *err)
{
    char text[24];

    (void)snprintf(text, sizeof(text), "%llu", (unsigned long long)sink->version + 1);
    return kin_editor_set_string(ed, kin_str_of("metadata.resourceVersion"), kin_str_of(text), err);
}

static int set_time(kin_test_memory_sink *sink, kin_editor *ed, const char *path, kin_error *err)
{
    kin_time t = {kin_clock_unix_now(sink->clock) / 1000000000, 0};

    return kin_editor_set_time(ed, kin_str_of(path), t, 0, err);
}

static int set_new(kin_test_memory_sink *sink, enum kin__simulated kind, kin_editor *ed,
                   kin_error *err)
{
    char uid[40];

    (void)snprintf(uid, sizeof(uid), "%08llx-0000-4000-8000-%012llx",
                   (unsigned long long)sink->uids, (unsigned long long)(sink->uids + 1) * 7919u);
    int code = kin_editor_set_string(ed, kin_str_of("metadata.uid"), kin_str_of(uid), err);
    if (code == 0)
        code = set_time(sink, ed, "metadata.creationTimestamp", err);
    if (code == 0 && has_generation(kind))
        code = kin_editor_set_int64(ed, kin_str_of("metadata.generation"), 1, err);
    if (code == 0 && has_status(kind) && kind != KIN__SIMULATED_NAMESPACE)
        code = kin_editor_remove(ed, kin_str_of("status"), err);
    if (code == KIN_ENOTFOUND)
        code = 0;
    return code < 0 ? code : set_version(sink, ed, err);
}

static int finish(const kin_object **ret, kin_editor *ed, int code, kin_error *err)
{
    if (code == 0)
        code = kin_editor_finish(ed, ret, err);
    kin_editor_free(ed);
    return code;
}

static int check(kin_test_memory_sink *sink, enum kin__simulated kind, const kin_object *object,
                 kin_error *err)
{
    int code = sink->before ? sink->before(sink->arg, kind, object) : 0;

    return code < 0 ? kin_error_set(err, code, "on purpose") : 0;
}

static int create(kin__simulator_sink *base, enum kin__simulated kind, const kin_object *object,
                  const kin_object **ret, kin_error *err)
{
    kin_test_memory_sink *sink = sink_of(base);
    kin_editor *ed = NULL;
    const kin_object *made = NULL;
    int code = check(sink, kind, object, err);

    if (code < 0)
        return code;
    if (kin__simulated_kinds[kind].namespaced &&
        !find(sink, KIN__SIMULATED_NAMESPACE, kin_object_namespace(object)))
        return kin_error_set(err, KIN_ENOTFOUND, "there is no such namespace");
    if (find_object(sink, kind, object))
        return kin_error_set(err, KIN_EEXISTS, "it exists");
    assert_int_equal(kin_object_resource_version(object).len, 0);
    code = kin_editor_new(&ed, object, err);
    if (code == 0)
        code = set_new(sink, kind, ed, err);
    code = finish(&made, ed, code, err);
    if (code == 0) {
        code = add(sink, kind, made);
        if (code < 0) {
            kin_object_unref(made);
            return kin_error_set(err, code, "%s", kin_error_string(code));
        }
    }
    if (code < 0)
        return code;
    sink->uids++;
    sink->version++;
    tell(sink, kind, NULL, made);
    *ret = made;
    return 0;
}

static kin_value part(const kin_object *object, const char *name)
{
    return kin_value_get(kin_object_root(object), kin_str_of(name));
}

/* `name` of the new object as it is in `from`. */
static int keep(kin_editor *ed, const kin_object *from, const char *name, kin_error *err)
{
    kin_value value = part(from, name);

    if (kin_value_type(value) != KIN_NONE)
        return kin_editor_set_value(ed, kin_str_of(name), value, err);
    int code = kin_editor_remove(ed, kin_str_of(name), err);
    return code == KIN_ENOTFOUND ? 0 : code;
}

static int make_update(const kin_object **ret, kin_test_memory_sink *sink, enum kin__simulated kind,
                       const kin_object *old, const kin_object *object, kin_error *err)
{
    kin_editor *ed = NULL;
    int code = kin_editor_new(&ed, object, err);

    if (code == 0 && has_status(kind))
        code = keep(ed, old, "status", err);
    if (code == 0 && has_generation(kind))
        code = kin_editor_set_int64(ed, kin_str_of("metadata.generation"),
                                    kin_object_generation(old) +
                                        !kin_value_equal(part(old, "spec"), part(object, "spec")),
                                    err);
    if (code == 0)
        code = set_version(sink, ed, err);
    return finish(ret, ed, code, err);
}

static int make_status(const kin_object **ret, kin_test_memory_sink *sink, const kin_object *old,
                       const kin_object *object, kin_error *err)
{
    kin_value managed = kin_object_find(object, "metadata.managedFields");
    kin_editor *ed = NULL;
    int code = kin_editor_new(&ed, old, err);

    if (code == 0)
        code = keep(ed, object, "status", err);
    if (code == 0 && kin_value_type(managed) == KIN_ARRAY)
        code = kin_editor_set_value(ed, kin_str_of("metadata.managedFields"), managed, err);
    if (code == 0)
        code = set_version(sink, ed, err);
    return finish(ret, ed, code, err);
}

static int write_state(kin__simulator_sink *base, enum kin__simulated kind, bool status,
                       const kin_object *object, const kin_object **ret, kin_error *err)
{
    kin_test_memory_sink *sink = sink_of(base);
    const kin_object *made = NULL;
    int code = check(sink, kind, object, err);

    if (code < 0)
        return code;
    struct kin_test_sink_entry *e = find_object(sink, kind, object);
    if (!e)
        return kin_error_set(err, KIN_ENOTFOUND, "not found");
    if (!kin_str_equal(kin_object_resource_version(e->object), kin_object_resource_version(object)))
        return kin_error_set(err, KIN_ECONFLICT, "conflict");
    code = status ? make_status(&made, sink, e->object, object, err)
                  : make_update(&made, sink, kind, e->object, object, err);
    if (code < 0)
        return code;
    sink->version++;
    replace(sink, kind, e, made);
    *ret = made;
    return 0;
}

static int update(kin__simulator_sink *base, enum kin__simulated kind, const kin_object *object,
                  const kin_object **ret, kin_error *err)
{
    return write_state(base, kind, false, object, ret, err);
}

static int update_status(kin__simulator_sink *base, enum kin__simulated kind,
                         const kin_object *object, const kin_object **ret, kin_error *err)
{
    return write_state(base, kind, true, object, ret, err);
}

/* Mark it as deleted. */
static int doom(kin_test_memory_sink *sink, struct kin_test_sink_entry *e, kin_error *err)
{
    const kin_object *made = NULL;
    kin_editor *ed = NULL;

    if (kin_object_deletion_timestamp(NULL, e->object) == 0)
        return 0;
    int code = kin_editor_new(&ed, e->object, err);
    if (code == 0)
        code = set_time(sink, ed, "metadata.deletionTimestamp", err);
    if (code == 0)
        code = kin_editor_set_int64(ed, kin_str_of("metadata.deletionGracePeriodSeconds"), 30, err);
    if (code == 0)
        code = set_version(sink, ed, err);
    code = finish(&made, ed, code, err);
    if (code < 0)
        return code;
    sink->version++;
    replace(sink, KIN__SIMULATED_POD, e, made);
    kin_object_unref(made);
    return 0;
}

static bool waits_for_kubelet(enum kin__simulated kind, const kin_object *object)
{
    return kind == KIN__SIMULATED_POD &&
           kin_value_type(kin_object_find(object, "spec.nodeName")) == KIN_STRING;
}

static int remove_object(kin__simulator_sink *base, enum kin__simulated kind,
                         const kin_object *object, int64_t grace_s, const kin_object **ret,
                         kin_error *err)
{
    kin_test_memory_sink *sink = sink_of(base);
    kin_scratch a, b;
    int code = check(sink, kind, object, err);

    if (code < 0)
        return code;
    struct kin_test_sink_entry *e = find_object(sink, kind, object);
    if (!e)
        return kin_error_set(err, KIN_ENOTFOUND, "not found");
    if (!kin_str_equal(kin_object_uid(e->object, &a), kin_object_uid(object, &b)))
        return kin_error_set(err, KIN_ECONFLICT, "another uid");
    if (grace_s == 0 || !waits_for_kubelet(kind, e->object)) {
        erase(sink, kind, e);
        *ret = NULL;
        return 0;
    }
    code = doom(sink, e, err);
    if (code == 0)
        *ret = kin_object_ref(e->object);
    return code;
}

static int get(kin__simulator_sink *base, enum kin__simulated kind, kin_str namespace_,
               kin_str name, const kin_object **ret, kin_error *err)
{
    kin_test_memory_sink *sink = sink_of(base);
    char key[512];

    if (namespace_.len > 0)
        (void)snprintf(key, sizeof(key), "%" KIN_STR_FMT "/%" KIN_STR_FMT, KIN_STR_ARG(namespace_),
                       KIN_STR_ARG(name));
    else
        (void)snprintf(key, sizeof(key), "%" KIN_STR_FMT, KIN_STR_ARG(name));
    struct kin_test_sink_entry *e = find(sink, kind, kin_str_of(key));
    if (!e)
        return kin_error_set(err, KIN_ENOTFOUND, "not found");
    *ret = kin_object_ref(e->object);
    return 0;
}

static int list(kin__simulator_sink *base, enum kin__simulated kind, kin_object_list *ret,
                kin_error *err)
{
    const struct kin_test_sink_kind *k = &sink_of(base)->kinds[kind];
    const kin_object **items = kin__calloc(k->n + 1, sizeof(*items));

    if (!items)
        return kin__error_no_memory(err);
    for (size_t i = 0; i < k->n; i++)
        items[i] = kin_object_ref(k->entries[i]->object);
    *ret = (kin_object_list){items, k->n};
    return 0;
}

static const kin__simulator_sink_class sink_class = {create, update, update_status, remove_object,
                                                     get,    list,   NULL,          NULL};

void kin_test_memory_sink_init(kin_test_memory_sink *sink, kin_clock *clock)
{
    memset(sink, 0, sizeof(*sink));
    sink->base.sink_class = &sink_class;
    sink->clock = clock;
    for (int i = 0; i < KIN__SIMULATED_KINDS; i++)
        kin__map_init(&sink->kinds[i].map, 0);
}

void kin_test_memory_sink_done(kin_test_memory_sink *sink)
{
    for (int i = 0; i < KIN__SIMULATED_KINDS; i++) {
        for (size_t j = 0; j < sink->kinds[i].n; j++) {
            kin_object_unref(sink->kinds[i].entries[j]->object);
            free(sink->kinds[i].entries[j]);
        }
        free(sink->kinds[i].entries);
        kin__map_done(&sink->kinds[i].map);
    }
}

/* --- other people --- */

const kin_object *kin_test_sink_find(const kin_test_memory_sink *sink, enum kin__simulated kind,
                                     const char *key)
{
    struct kin_test_sink_entry *e = find(sink, kind, kin_str_of(key));

    return e ? e->object : NULL;
}

bool kin_test_sink_set_json(kin_test_memory_sink *sink, enum kin__simulated kind, const char *key,
                            const char *path, const char *json)
{
    struct kin_test_sink_entry *e = find(sink, kind, kin_str_of(key));
    const kin_object *edited = NULL, *made = NULL;
    kin_editor *ed = NULL;

    if (!e)
        return false;
    assert_code(kin_editor_new(&ed, e->object, NULL), 0);
    assert_code(kin_editor_set_json(ed, kin_str_of(path), kin_str_of(json), NULL), 0);
    assert_code(finish(&edited, ed, 0, NULL), 0);
    assert_code(make_update(&made, sink, kind, e->object, edited, NULL), 0);
    sink->version++;
    replace(sink, kind, e, made);
    kin_object_unref(edited);
    kin_object_unref(made);
    return true;
}

bool kin_test_sink_delete(kin_test_memory_sink *sink, enum kin__simulated kind, const char *key)
{
    struct kin_test_sink_entry *e = find(sink, kind, kin_str_of(key));

    if (!e)
        return false;
    if (waits_for_kubelet(kind, e->object))
        assert_code(doom(sink, e, NULL), 0);
    else
        erase(sink, kind, e);
    return true;
}

bool kin_test_sink_erase(kin_test_memory_sink *sink, enum kin__simulated kind, const char *key)
{
    struct kin_test_sink_entry *e = find(sink, kind, kin_str_of(key));

    if (e)
        erase(sink, kind, e);
    return e != NULL;
}

void kin_test_sink_create_json(kin_test_memory_sink *sink, enum kin__simulated kind,
                               const char *json)
{
    const kin_object *object = NULL, *stored = NULL;

    assert_code(kin_object_from_json(&object, kin_str_of(json), NULL, NULL), 0);
    assert_code(create(&sink->base, kind, object, &stored, NULL), 0);
    kin_object_unref(object);
    kin_object_unref(stored);
}
