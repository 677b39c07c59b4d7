/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scripts of stores.
 */
#include <kinform/store.h>

#include <stdlib.h>
#include <string.h>

#include "script.h"

/* An index with one value for each object: its key's first letter. */
static int by_prefix(const kin_object *object, kin_index_values *values, void *arg, kin_error *err)
{
    (void)arg;
    return kin_index_values_add(values, kin_str_make(kin_object_key(object), 1), err);
}

static kin_index index_of(const char *name)
{
    kin_index index =
        KIN_INDEX_INIT(name, strcmp(name, "prefix") == 0 ? by_prefix : script_index_values);

    return index;
}

static void *start(const script_line *options)
{
    kin_store_options given = KIN_STORE_OPTIONS_INIT;
    kin_index tags = index_of("tags");
    kin_store *store = NULL;

    given.key = script_key_of;
    if (script_has_option(options, "transform"))
        given.transform = script_transform;
    if (kin_store_new(&store, &given, NULL) < 0 ||
        (script_has_option(options, "tags") && kin_store_add_index(store, &tags, NULL) < 0))
        script_die("no memory", "store");
    return store;
}

static void stop(void *machine)
{
    kin_store_unref(machine);
}

/* --- writing --- */

typedef int write_fn(kin_store *store, const kin_object *object, kin_error *err);

static void write_one(kin_store *store, write_fn *fn, const script_line *line)
{
    const kin_object *object = script_parse_object(script_word(line, 1));

    script_print_code(fn(store, object, NULL));
    kin_object_unref(object);
}

static void step_add(kin_store *store, const script_line *line)
{
    write_one(store, kin_store_add, line);
}

static void step_update(kin_store *store, const script_line *line)
{
    write_one(store, kin_store_update, line);
}

static void step_delete(kin_store *store, const script_line *line)
{
    write_one(store, kin_store_delete, line);
}

static void step_replace(kin_store *store, const script_line *line)
{
    kin_str version = kin_str_of(script_word(line, 1) + 1);
    size_t n;
    const kin_object **objects = script_parse_objects(line, 2, &n);

    script_print_code(kin_store_replace(store, objects, n, version, NULL));
    script_objects_free(objects, n);
}

static void step_bookmark(kin_store *store, const script_line *line)
{
    script_print_code(kin_store_bookmark(store, kin_str_of(script_word(line, 1) + 1), NULL));
}

static void step_resync(kin_store *store, const script_line *line)
{
    (void)line;
    script_print_code(kin_store_resync(store, NULL));
}

static void step_transaction(kin_store *store, const script_line *line)
{
    size_t n = line->n - 1;
    kin_write *writes = script_alloc(n, sizeof(*writes));
    const char *before = " did ";
    int code;

    for (size_t i = 0; i < n; i++) {
        const char *word = line->words[i + 1];

        writes[i].type = word[0] == '-' ? KIN_WRITE_DELETE : KIN_WRITE_PUT;
        writes[i].object = script_parse_object(word + 1);
    }
    code = kin_store_write(store, writes, n, NULL);
    script_print_code(code);
    for (size_t i = 0; i < n; i++) {
        if (code < 0 && writes[i].code == 0) {
            printf("%s%zu", before, i);
            before = ",";
        }
        kin_object_unref(writes[i].object);
    }
    if (code < 0 && before[0] == ' ')
        fputs(" did", stdout);
    free(writes);
}

static void step_add_indexes(kin_store *store, const script_line *line)
{
    kin_index indexes[8];
    size_t n = line->n - 1;
    int code;

    if (n > sizeof(indexes) / sizeof(indexes[0]))
        script_die("too many", "indexes");
    for (size_t i = 0; i < n; i++)
        indexes[i] = index_of(line->words[i + 1]);
    code = kin_store_add_indexes(store, indexes, n, NULL);
    fputs(code == KIN_EINVAL ? "conflict" : script_outcome(code), stdout);
}

/* --- reading --- */

static void step_get(kin_store *store, const script_line *line)
{
    const kin_object *found = NULL;
    int code = kin_store_get(store, &found, kin_str_of(script_word(line, 1)), NULL);

    script_print_found(code, found);
}

static void step_get_object(kin_store *store, const script_line *line)
{
    const kin_object *object = script_parse_object(script_word(line, 1));
    const kin_object *found = NULL;
    int code = kin_store_get_object(store, &found, object, NULL);

    script_print_found(code, found);
    kin_object_unref(object);
}

/* An index that does not exist has an outcome of its own. */
static void print_objects(int code, kin_object_list *list)
{
    fputs(code == KIN_ENOTFOUND ? "no-index" : script_outcome(code), stdout);
    script_print_sorted(list);
    kin_object_list_done(list);
}

static void step_list(kin_store *store, const script_line *line)
{
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    int code = kin_store_list(store, &list, NULL);

    (void)line;
    print_objects(code, &list);
}

static void step_index(kin_store *store, const script_line *line)
{
    const kin_object *object = script_parse_object(script_word(line, 2));
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    int code = kin_store_index(store, &list, kin_str_of(script_word(line, 1)), object, NULL);

    print_objects(code, &list);
    kin_object_unref(object);
}

static void step_by_index(kin_store *store, const script_line *line)
{
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    int code = kin_store_by_index(store, &list, kin_str_of(script_word(line, 1)),
                                  kin_str_of(script_word(line, 2)), NULL);

    print_objects(code, &list);
}

static void step_keys(kin_store *store, const script_line *line)
{
    kin_string_list keys = KIN_STRING_LIST_INIT;

    (void)line;
    script_print_code(kin_store_list_keys(store, &keys, NULL));
    if (keys.len != kin_store_len(store))
        fputs(" with another length", stdout);
    script_print_sorted_strings(&keys);
    kin_string_list_done(&keys);
}

static void step_index_keys(kin_store *store, const script_line *line)
{
    kin_string_list keys = KIN_STRING_LIST_INIT;
    int code = kin_store_index_keys(store, &keys, kin_str_of(script_word(line, 1)),
                                    kin_str_of(script_word(line, 2)), NULL);

    fputs(code == KIN_ENOTFOUND ? "no-index" : script_outcome(code), stdout);
    for (size_t i = 0; i < keys.len; i++)
        printf("%s%s", i ? "," : " ", keys.items[i].data);
    kin_string_list_done(&keys);
}

static void step_index_values(kin_store *store, const script_line *line)
{
    kin_string_list values = KIN_STRING_LIST_INIT;

    script_print_code(
        kin_store_index_values(store, &values, kin_str_of(script_word(line, 1)), NULL));
    script_print_sorted_strings(&values);
    kin_string_list_done(&values);
}

static void step_index_names(kin_store *store, const script_line *line)
{
    kin_string_list names = KIN_STRING_LIST_INIT;

    (void)line;
    script_print_code(kin_store_index_names(store, &names, NULL));
    script_print_sorted_strings(&names);
    kin_string_list_done(&names);
}

static void step(void *machine, const script_line *line)
{
    static const struct {
        const char *name;
        void (*run)(kin_store *store, const script_line *line);
    } steps[] = {{"add", step_add},
                 {"update", step_update},
                 {"delete", step_delete},
                 {"replace", step_replace},
                 {"bookmark", step_bookmark},
                 {"resync", step_resync},
                 {"transaction", step_transaction},
                 {"add-indexes", step_add_indexes},
                 {"get", step_get},
                 {"get-object", step_get_object},
                 {"list", step_list},
                 {"keys", step_keys},
                 {"index", step_index},
                 {"by-index", step_by_index},
                 {"index-keys", step_index_keys},
                 {"index-values", step_index_values},
                 {"index-names", step_index_names}};
    char version[KIN_RESOURCE_VERSION_BYTES_MAX + 1];

    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        if (strcmp(steps[i].name, line->words[0]) == 0) {
            steps[i].run(machine, line);
            kin_store_resource_version(machine, version, sizeof(version));
            printf(" @%s", version);
            return;
        }
    }
    script_die("no such operation", line->words[0]);
}

const script_kind script_store = {"store", start, step, stop};
