/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asking index functions for an object's values. Done before the store's lock is taken: the functions
 * are the user's.
 */
#include "base/assert.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutex.h"
#include "cache/index.h"

void kin__index_values_init(kin_index_values *values)
{
    values->indexes = NULL;
    values->index = 0;
    values->code = 0;
    values->first_of_index = 0;
    values->n = 0;
    values->cap = KIN__VALUES_INLINE;
    values->texts = values->few;
    values->n_bytes = 0;
    values->bytes_cap = sizeof(values->few_bytes);
    values->bytes = values->few_bytes;
    values->n_errors = 0;
    values->first_error_index = 0;
}

void kin__index_values_done(kin_index_values *values)
{
    if (values->texts != values->few)
        kin__free(values->texts);
    if (values->bytes != values->few_bytes)
        kin__free(values->bytes);
}

/* Room for `need` elements in an array that begins in the struct itself. NULL if there is none. */
static void *grow(void *array, const void *inline_array, size_t *cap, size_t used, size_t need,
                  size_t size)
{
    void *bigger = kin__grow_array(array == inline_array ? NULL : array, cap, need, size);

    if (bigger && array == inline_array)
        memcpy(bigger, inline_array, used * size);
    return bigger;
}

static bool has_value(const kin_index_values *values, kin_str value, uint32_t hash)
{
    for (size_t i = values->first_of_index; i < values->n; i++)
        if (values->texts[i].hash == hash &&
            kin_str_equal(kin__index_values_text(values, i), value))
            return true;
    return false;
}

static int append(kin_index_values *values, kin_str value, uint32_t hash)
{
    if (values->n == values->cap) {
        void *texts = grow(values->texts, values->few, &values->cap, values->n, values->n + 1,
                           sizeof(values->texts[0]));

        if (!texts)
            return KIN_ENOMEM;
        values->texts = texts;
    }
    if (value.len > values->bytes_cap - values->n_bytes) {
        void *bytes = grow(values->bytes, values->few_bytes, &values->bytes_cap, values->n_bytes,
                           values->n_bytes + value.len, 1);

        if (!bytes)
            return KIN_ENOMEM;
        values->bytes = bytes;
    }
    if (value.len)
        memcpy(values->bytes + values->n_bytes, value.data, value.len);
    values->texts[values->n++] =
        (struct kin__value_text){values->index, (uint32_t)value.len, values->n_bytes, hash};
    values->n_bytes += value.len;
    return 0;
}

int kin_index_values_add(kin_index_values *values, kin_str value, kin_error *err)
{
    uint32_t hash;
    int code;

    if (!values)
        return kin_error_set(err, KIN_EINVAL, "values is NULL");
    if (value.len > KIN_INDEX_VALUE_BYTES_MAX)
        return values->code =
                   kin_error_set(err, KIN_ELIMIT, "an index value has %zu bytes; %d are the limit",
                                 value.len, KIN_INDEX_VALUE_BYTES_MAX);
    hash = kin__read_map_hash(&values->indexes->items[values->index]->values, value);
    if (has_value(values, value, hash))
        return 0;
    if (values->n - values->first_of_index >= KIN_INDEX_VALUES_MAX)
        return values->code = kin_error_set(err, KIN_ELIMIT, "more than %d values in an index",
                                            KIN_INDEX_VALUES_MAX);
    if (values->n >= UINT16_MAX)
        return values->code =
                   kin_error_set(err, KIN_ELIMIT, "more than %d values in all indexes", UINT16_MAX);
    code = append(values, value, hash);
    if (code < 0)
        values->code = kin__error_no_memory(err);
    return code;
}

int kin__index_values_of(kin_index_values *values, const kin__indexes *indexes, uint32_t index,
                         const kin_object *object, kin_error *err)
{
    const kin__index *which = indexes->items[index];
    size_t n_bytes = values->n_bytes;
    int code;

    values->indexes = indexes;
    values->index = index;
    values->first_of_index = values->n;
    values->code = 0;
    kin__assert_no_locks();
    code = which->fn(object, values, which->arg, err);
    /* A function that ignores that a value was refused must not leave half of them behind. */
    if (code == 0 && values->code < 0)
        code = kin_error_set(err, values->code, "a value of index %s was refused", which->name);
    if (code != 0) {
        values->n = values->first_of_index;
        values->n_bytes = n_bytes;
    }
    if (code > 0)
        code = kin_error_set(err, KIN_EINVAL, "the index function of %s returned %d", which->name,
                             code);
    return code;
}

int kin__index_values_compute(kin_index_values *values, const kin__indexes *indexes, size_t first,
                              const kin_object *object, kin_error *err)
{
    values->indexes = indexes;
    values->n = 0;
    values->n_bytes = 0;
    for (size_t i = first; i < indexes->n; i++) {
        kin_error failure;
        int code;

        kin__error_begin(&failure);
        code = kin__index_values_of(values, indexes, (uint32_t)i, object, &failure);
        if (code == KIN_ENOMEM)
            return kin__error_no_memory(err);
        if (code < 0 && values->n_errors++ == 0) {
            values->first_error_index = (uint32_t)i;
            if (failure.message[0] == '\0')
                kin_error_set(&failure, code, "%s", kin_error_string(code));
            values->first_error = failure;
        }
    }
    return 0;
}

int kin_namespace_index(const kin_object *object, kin_index_values *values, void *arg,
                        kin_error *err)
{
    (void)arg;
    if (!object)
        return kin_error_set(err, KIN_EINVAL, "object is NULL");
    return kin_index_values_add(values, kin_object_namespace(object), err);
}
