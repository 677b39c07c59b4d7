/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a store: pin, look, unpin. Nothing here takes a lock or calls the user while it is pinned;
 * visits, which call the user, go through a view (view.c).
 */
#include "base/defect.h"
#include "base/error.h"
#include "base/str.h"
#include "cache/collect.h"
#include "cache/input.h"
#include "cache/store.h"
#include "kinform/resource_version.h"

/* --- stamps --- */

/* Whether the stamp was that of `version` all the while. */
static bool read_stamp(const kin__stamp *stamp, uint64_t version, size_t *ret_len, char *buf,
                       size_t *ret_buf_len)
{
    if (atomic_load_explicit(&stamp->version, memory_order_acquire) != version)
        return false;
    *ret_len = atomic_load_explicit(&stamp->len, memory_order_acquire);
    if (buf) {
        size_t len = atomic_load_explicit(&stamp->resource_version_len, memory_order_acquire);

        /* It may be any two versions' mixed up as yet: within bounds all the same. */
        for (size_t i = 0; i * sizeof(uint64_t) < len; i++) {
            uint64_t word = atomic_load_explicit(&stamp->resource_version[i], memory_order_acquire);

            memcpy(buf + i * sizeof(word), &word, sizeof(word));
        }
        buf[len] = '\0';
        *ret_buf_len = len;
    }
    return atomic_load_explicit(&stamp->version, memory_order_relaxed) == version;
}

uint64_t kin__store_read_stamp(const kin_store *store, size_t *ret_len,
                               char buf[KIN_RESOURCE_VERSION_BYTES_MAX + 1], size_t *ret_buf_len)
{
    /* A try fails only if the writer has published twice meanwhile. */
    for (;;) {
        uint64_t version = kin__pins_version(&store->pins);

        if (read_stamp(&store->stamps[version & 1], version, ret_len, buf, ret_buf_len))
            return version;
    }
}

size_t kin_store_len(const kin_store *store)
{
    size_t len = 0;

    if (store)
        kin__store_read_stamp(store, &len, NULL, NULL);
    return len;
}

size_t kin_store_resource_version(kin_store *store, char *buf, size_t size)
{
    char all[KIN_RESOURCE_VERSION_BYTES_MAX + 1] = "";
    size_t objects;
    size_t len = 0;

    if (store)
        kin__store_read_stamp(store, &objects, all, &len);
    if (size > 0) {
        size_t n = len < size ? len : size - 1;

        memcpy(buf, all, n);
        buf[n] = '\0';
    }
    return len;
}

/* --- by key --- */

int kin_store_get(kin_store *store, const kin_object **ret, kin_str key, kin_error *err)
{
    uint64_t version;
    kin__record *record;
    kin__pin *pin;
    uint32_t hash;
    int code = kin__store_check(store, err);

    if (code < 0)
        return code;
    hash = kin__read_map_hash(&store->records, key);
    pin = kin__pins_acquire(&store->pins, &version);
    record = kin__store_find(store, key, hash, version);
    if (record && ret)
        *ret = kin_object_ref(record->object);
    kin__pin_release(pin);
    return record ? 0 : kin__error_no_key(err, key);
}

kin__store_age kin__store_compare_version(kin_store *store, kin_str key, kin_str version)
{
    kin__store_age age = KIN__STORE_LACKS;
    uint64_t at;
    kin__pin *pin;
    const kin__record *record;
    kin_str has;
    int order = -1;

    if (kin__store_check(store, NULL) < 0)
        return age;
    pin = kin__pins_acquire(&store->pins, &at);
    record = kin__store_find(store, key, kin__read_map_hash(&store->records, key), at);
    if (record) {
        has = kin_object_resource_version(record->object);
        if (has.len == 0)
            age = KIN__STORE_HAS_UNVERSIONED;
        else if (kin_resource_version_compare(&order, has, version, NULL) == 0 && order >= 0)
            age = KIN__STORE_HAS;
        else
            age = KIN__STORE_HAS_OLDER;
    }
    kin__pin_release(pin);
    return age;
}

int kin_store_get_object(kin_store *store, const kin_object **ret, const kin_object *object,
                         kin_error *err)
{
    kin_str key = {NULL, 0};
    int code = kin__store_check(store, err);

    if (code == 0)
        code = kin__input_key(store->key, store->key_arg, object, &key, err);
    return code != 0 ? code : kin_store_get(store, ret, key, err);
}

/* --- all --- */

/* What a read collects, into a collector: objects or keys. */

static int collect_object(const kin__record *record, void *to)
{
    return kin__collect_object(to, record->object);
}

static int collect_key(const kin__record *record, void *to)
{
    return kin__collect_string(to, kin_str_make(record->node.key, record->node.key_len));
}

size_t kin__store_next_records(const kin__read_table *table, kin__map_iter *iter, uint64_t version,
                               kin__record *ret[KIN__RECORDS_BATCH])
{
    size_t n = 0;
    size_t seen;

    do {
        kin__map_node *node;

        for (seen = 0; seen < KIN__RECORDS_BATCH && (node = kin__read_table_next(table, iter));
             seen++) {
            __builtin_prefetch(node);
            ret[seen] = kin__record_of(node);
        }
        for (size_t i = 0; i < seen; i++) {
            kin__record *record = kin__record_at(ret[i], version);

            if (!record)
                continue;
            __builtin_prefetch(record->object, 1);
            ret[n++] = record;
        }
    } while (n == 0 && seen > 0);
    return n;
}

static int collect_all(const kin_store *store, uint64_t version, kin__record_fn *collect,
                       kin__collector *to)
{
    const kin__read_table *table = kin__read_map_table(&store->records);
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    kin__record *records[KIN__RECORDS_BATCH];
    int code = 0;
    size_t n;

    while (code == 0 && (n = kin__store_next_records(table, &iter, version, records)))
        for (size_t i = 0; i < n && code == 0; i++)
            code = collect(records[i], to);
    return code;
}

static int read_all(kin_store *store, kin__record_fn *collect, kin__collector *to, kin_error *err)
{
    uint64_t version;
    kin__pin *pin;
    int code = kin__store_check(store, err);

    if (code < 0)
        return code;
    pin = kin__pins_acquire(&store->pins, &version);
    code = collect_all(store, version, collect, to);
    kin__pin_release(pin);
    kin__store_reclaim_crowd(store);
    return code < 0 ? kin__error_no_memory(err) : 0;
}

int kin_store_list(kin_store *store, kin_object_list *ret, kin_error *err)
{
    kin__collector to = KIN__COLLECTOR_INIT;
    int code;

    if (!ret)
        return kin__error_null(err, "ret");
    /* Most of the memory before the pin: page faults are slow. */
    if (kin__collector_reserve_objects(&to, kin_store_len(store)) < 0)
        return kin__error_no_memory(err);
    code = read_all(store, collect_object, &to, err);
    return kin__collector_give_objects(&to, code, ret);
}

int kin_store_list_keys(kin_store *store, kin_string_list *ret, kin_error *err)
{
    kin__collector to = KIN__COLLECTOR_INIT;
    int code = ret ? read_all(store, collect_key, &to, err) : kin__error_null(err, "ret");

    return kin__collector_give_strings(&to, code, false, ret, err);
}

/* --- by index --- */

/* Whether a state that was reached through a newer one is in this place, and not in one of its own. */
static bool is_in_place(const kin__record *record, const kin__index_value *value, uint32_t place)
{
    unsigned link = kin__record_find_link(record, value);

    return link < record->n_links &&
           atomic_load_explicit(&record->slots[link], memory_order_relaxed) == place;
}

kin__record *kin__index_value_next(const kin__index_value *value, uint64_t version,
                                   kin__index_cursor *cursor)
{
    const kin__postings *postings = atomic_load_explicit(&value->postings, memory_order_acquire);
    uint32_t len = atomic_load_explicit(&postings->len, memory_order_acquire);
    uint32_t skip = 0;

    if (cursor->epoch != postings->epoch) {
        skip = cursor->seen;
        *cursor = (kin__index_cursor){0, postings->epoch, 0};
    }
    while (cursor->place < len) {
        uint32_t at = cursor->place++;
        kin__record *newest = kin__postings_at(postings, at);
        kin__record *record =
            KIN_DEFECT(index_link_left) ? newest : kin__record_at(newest, version);

        if (record && (record == newest || is_in_place(record, value, at)) &&
            cursor->seen++ >= skip)
            return record;
    }
    return NULL;
}

/* The index of that name, if the version has it. */
static const kin__index *find_index(const kin_store *store, kin_str name, uint64_t version)
{
    const kin__indexes *indexes = kin__store_indexes(store);
    size_t i = kin__indexes_find(indexes, name);

    return i < indexes->n && indexes->items[i]->born <= version ? indexes->items[i] : NULL;
}

int kin__store_find_value(const kin_store *store, kin_str index, kin_str value, uint64_t version,
                          kin__index_value **ret, kin_error *err)
{
    const kin__index *found = find_index(store, index, version);
    kin__map_node *node;

    if (!found)
        return kin_error_set(err, KIN_ENOTFOUND, "there is no index %" KIN_STR_FMT,
                             KIN_STR_ARG(index));
    node = kin__read_table_get(kin__read_map_table(&found->values), value,
                               kin__read_map_hash(&found->values, value));
    *ret = node ? kin__container_of(node, kin__index_value, node) : NULL;
    return 0;
}

int kin__store_read_value(kin_store *store, kin_str index, kin_str value, kin__record_fn *fn,
                          void *arg, kin_error *err)
{
    kin__index_cursor cursor = {0, 0, 0};
    kin__index_value *found = NULL;
    kin__record *record;
    uint64_t version;
    kin__pin *pin;
    int code = kin__store_check(store, err);

    if (code < 0)
        return code;
    pin = kin__pins_acquire(&store->pins, &version);
    code = kin__store_find_value(store, index, value, version, &found, err);
    while (code == 0 && found && (record = kin__index_value_next(found, version, &cursor)))
        code = fn(record, arg);
    kin__pin_release(pin);
    return code == KIN_ENOMEM ? kin__error_no_memory(err) : code;
}

/* The same, for a caller who holds no lock. */
static int read_value(kin_store *store, kin_str index, kin_str value, kin__record_fn *collect,
                      kin__collector *to, kin_error *err)
{
    int code = kin__store_read_value(store, index, value, collect, to, err);

    if (code == 0)
        kin__store_reclaim_crowd(store);
    return code;
}

int kin_store_by_index(kin_store *store, kin_object_list *ret, kin_str index, kin_str value,
                       kin_error *err)
{
    kin__collector to = KIN__COLLECTOR_INIT;
    int code = ret ? read_value(store, index, value, collect_object, &to, err)
                   : kin__error_null(err, "ret");

    return kin__collector_give_objects(&to, code, ret);
}

int kin_store_index_keys(kin_store *store, kin_string_list *ret, kin_str index, kin_str value,
                         kin_error *err)
{
    kin__collector to = KIN__COLLECTOR_INIT;
    int code =
        ret ? read_value(store, index, value, collect_key, &to, err) : kin__error_null(err, "ret");

    return kin__collector_give_strings(&to, code, true, ret, err);
}

/* The record with the smallest key of those that have a value; NULL: none has. Under a pin. */
static const kin__record *smallest_of_value(const kin__index_value *value, uint64_t version,
                                            size_t *ret_n)
{
    kin__index_cursor cursor = {0, 0, 0};
    const kin__record *smallest = NULL;
    const kin__record *record;

    while ((record = kin__index_value_next(value, version, &cursor)))
        if (!smallest ||
            kin__str_compare(kin_str_make(record->node.key, record->node.key_len),
                             kin_str_make(smallest->node.key, smallest->node.key_len)) < 0)
            smallest = record;
    *ret_n = cursor.seen;
    return smallest;
}

/* It leaves old states to the writer, unlike other reads by index: no lock on a hot path. */
int kin_store_get_by_index(kin_store *store, const kin_object **ret, size_t *ret_n, kin_str index,
                           kin_str value, kin_error *err)
{
    const kin__record *record = NULL;
    kin__index_value *found = NULL;
    uint64_t version;
    kin__pin *pin;
    size_t n = 0;
    int code = kin__store_check(store, err);

    if (code < 0)
        return code;
    pin = kin__pins_acquire(&store->pins, &version);
    code = kin__store_find_value(store, index, value, version, &found, NULL);
    if (found)
        record = smallest_of_value(found, version, &n);
    if (record && ret)
        *ret = kin_object_ref(record->object);
    kin__pin_release(pin);
    /* A wrong name is not a miss, which callers of this function expect and ignore. */
    if (code < 0)
        return kin_error_set(err, KIN_EINVAL, "there is no index %" KIN_STR_FMT,
                             KIN_STR_ARG(index));
    if (!record)
        return kin_error_set(err, KIN_ENOTFOUND,
                             "nothing has %" KIN_STR_FMT " in index %" KIN_STR_FMT,
                             KIN_STR_ARG(value), KIN_STR_ARG(index));
    if (ret_n)
        *ret_n = n;
    return 0;
}

/* Whether a record has one of the first `n` values of an object. */
static bool has_earlier(const kin__record *record, const kin_index_values *texts, size_t n)
{
    kin__index_value **values = kin__record_values(record);

    for (unsigned link = 0; link < record->n_links; link++)
        for (size_t i = 0; i < n; i++)
            if (values[link]->index == texts->indexes->items[texts->index] &&
                kin_str_equal(kin_str_make(values[link]->text, values[link]->node.key_len),
                              kin__index_values_text(texts, i)))
                return true;
    return false;
}

/* The objects of all values in turn; one that has several is taken with the first. */
static int collect_values(const kin_index_values *texts, uint64_t version, kin__collector *to)
{
    const kin__index *index = texts->indexes->items[texts->index];
    int code = 0;

    for (size_t i = 0; i < texts->n && code == 0; i++) {
        kin_str text = kin__index_values_text(texts, i);
        kin__map_node *node =
            kin__read_table_get(kin__read_map_table(&index->values), text, texts->texts[i].hash);
        kin__index_cursor cursor = {0, 0, 0};
        kin__record *record;

        if (!node)
            continue;
        while (code == 0 &&
               (record = kin__index_value_next(kin__container_of(node, kin__index_value, node),
                                               version, &cursor)))
            if (!has_earlier(record, texts, i))
                code = collect_object(record, to);
    }
    return code;
}

static int values_of(kin_store *store, kin_index_values *ret, kin_str index,
                     const kin_object *object, kin_error *err)
{
    const kin__indexes *indexes = kin__store_indexes(store);
    size_t i = kin__indexes_find(indexes, index);

    if (i < indexes->n)
        return kin__index_values_of(ret, indexes, (uint32_t)i, object, err);
    return kin_error_set(err, KIN_ENOTFOUND, "there is no index %" KIN_STR_FMT, KIN_STR_ARG(index));
}

int kin_store_index(kin_store *store, kin_object_list *ret, kin_str index, const kin_object *object,
                    kin_error *err)
{
    kin__collector to = KIN__COLLECTOR_INIT;
    kin_index_values values;
    uint64_t version;
    kin__pin *pin;
    int code = kin__store_check(store, err);

    if (code == 0 && (!ret || !object))
        code = kin_error_set(err, KIN_EINVAL, "%s is NULL", ret ? "object" : "ret");
    if (code < 0)
        return code;
    kin__index_values_init(&values);
    code = values_of(store, &values, index, object, err);
    if (code == 0) {
        pin = kin__pins_acquire(&store->pins, &version);
        if (collect_values(&values, version, &to) < 0)
            code = kin__error_no_memory(err);
        kin__pin_release(pin);
    }
    kin__index_values_done(&values);
    return kin__collector_give_objects(&to, code, ret);
}

static int collect_index_values(const kin__index *index, uint64_t version, kin__collector *to)
{
    const kin__read_table *table = kin__read_map_table(&index->values);
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    kin__map_node *node;
    int code = 0;

    while (code == 0 && (node = kin__read_table_next(table, &iter))) {
        kin__index_cursor cursor = {0, 0, 0};

        if (kin__index_value_next(kin__container_of(node, kin__index_value, node), version,
                                  &cursor))
            code = kin__collect_string(to, kin_str_make(node->key, node->key_len));
    }
    return code;
}

int kin_store_index_values(kin_store *store, kin_string_list *ret, kin_str index, kin_error *err)
{
    kin__collector to = KIN__COLLECTOR_INIT;
    const kin__index *found;
    uint64_t version;
    kin__pin *pin;
    int code = kin__store_check(store, err);

    if (code == 0 && !ret)
        code = kin__error_null(err, "ret");
    if (code < 0)
        return code;
    pin = kin__pins_acquire(&store->pins, &version);
    found = find_index(store, index, version);
    if (found && collect_index_values(found, version, &to) < 0)
        code = kin__error_no_memory(err);
    kin__pin_release(pin);
    return kin__collector_give_strings(&to, code, false, ret, err);
}

int kin_store_index_names(kin_store *store, kin_string_list *ret, kin_error *err)
{
    kin__collector to = KIN__COLLECTOR_INIT;
    const kin__indexes *indexes;
    int code = kin__store_check(store, err);

    if (code == 0 && !ret)
        code = kin__error_null(err, "ret");
    if (code < 0)
        return code;
    indexes = kin__store_indexes(store);
    for (size_t i = 0; i < indexes->n && code == 0; i++)
        if (kin__collect_string(&to, kin_str_of(indexes->items[i]->name)) < 0)
            code = kin__error_no_memory(err);
    return kin__collector_give_strings(&to, code, false, ret, err);
}
