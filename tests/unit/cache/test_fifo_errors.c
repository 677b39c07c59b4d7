/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FIFO and what goes wrong: arguments, keys, process functions, memory, forks; and its log.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "cache/fifo.h"
#include "child.h"
#include "fifo_support.h"
#include "item.h"
#include "oom.h"

static void null_is_refused(void **state)
{
    struct trace *trace = *state;
    kin_fifo *fifo = trace->fifo;
    const kin_object *item = kin_test_item("a", 1, NULL);
    kin_replace *replace = NULL;
    kin_string_list keys = KIN_STRING_LIST_INIT;
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    kin_str key = kin_str_of("a");

    assert_code(kin_fifo_new(NULL, NULL, NULL), KIN_EINVAL);
    kin_fifo_free(NULL);
    assert_code(kin_fifo_add(NULL, item, NULL), KIN_EINVAL);
    assert_code(kin_fifo_add(fifo, NULL, NULL), KIN_EINVAL);
    assert_code(kin_fifo_update(NULL, item, NULL), KIN_EINVAL);
    assert_code(kin_fifo_update(fifo, NULL, NULL), KIN_EINVAL);
    assert_code(kin_fifo_delete(NULL, item, NULL), KIN_EINVAL);
    assert_code(kin_fifo_delete(fifo, NULL, NULL), KIN_EINVAL);
    assert_code(kin_fifo_add_if_not_present(NULL, item, NULL), KIN_EINVAL);
    assert_code(kin_fifo_add_if_not_present(fifo, NULL, NULL), KIN_EINVAL);
    assert_code(kin_fifo_replace_begin(NULL, &replace, NULL), KIN_EINVAL);
    assert_code(kin_fifo_replace_begin(fifo, NULL, NULL), KIN_EINVAL);
    assert_code(kin_fifo_replace(NULL, NULL, 0, key, NULL), KIN_EINVAL);
    assert_code(kin_fifo_replace(fifo, NULL, 1, key, NULL), KIN_EINVAL);
    assert_code(kin_fifo_resync(NULL, NULL), KIN_EINVAL);
    assert_code(kin_fifo_pop(NULL, note_object, trace, 0, NULL), KIN_EINVAL);
    assert_code(kin_fifo_pop(fifo, NULL, trace, 0, NULL), KIN_EINVAL);
    assert_code(kin_fifo_get_by_key(NULL, NULL, key, NULL), KIN_EINVAL);
    assert_code(kin_fifo_get(NULL, NULL, item, NULL), KIN_EINVAL);
    assert_code(kin_fifo_get(fifo, NULL, NULL, NULL), KIN_EINVAL);
    assert_code(kin_fifo_list(NULL, &list, NULL), KIN_EINVAL);
    assert_code(kin_fifo_list(fifo, NULL, NULL), KIN_EINVAL);
    assert_code(kin_fifo_list_keys(NULL, &keys, NULL), KIN_EINVAL);
    assert_code(kin_fifo_list_keys(fifo, NULL, NULL), KIN_EINVAL);
    assert_code(kin_fifo_wait_synced(NULL, 0, NULL), KIN_EINVAL);
    assert_int_equal(kin_fifo_len(NULL), 0);
    assert_false(kin_fifo_has_synced(NULL));
    kin_fifo_close(NULL);
    assert_true(kin_fifo_is_closed(NULL));
    assert_false(kin_fifo_has_synced(fifo));
    kin_object_unref(item);
}

static int no_key(const kin_object *object, kin_str *ret, void *arg, kin_error *err)
{
    (void)object;
    (void)ret;
    (void)arg;
    return kin_error_set(err, KIN_ETYPE, "no key");
}

static void options_must_have_a_size(void **state)
{
    kin_fifo_options options = KIN_FIFO_OPTIONS_INIT;
    kin_fifo *fifo = NULL;

    (void)state;
    options.size = 0;
    assert_code(kin_fifo_new(&fifo, &options, NULL), KIN_EINVAL);
    /* Of a program that knows only the first field. */
    options.size = offsetof(kin_fifo_options, name);
    options.key = no_key;
    assert_code(kin_fifo_new(&fifo, &options, NULL), 0);
    assert_code(fifo_add(fifo, "a", 1), 0);
    kin_fifo_free(fifo);
}

/* --- keys --- */

static int by_version(const kin_object *object, kin_str *ret, void *arg, kin_error *err)
{
    int *result = arg;

    if (kin_test_item_version(object) == 13)
        return *result < 0 ? kin_error_set(err, *result, "thirteen") : *result;
    *ret = kin_object_resource_version(object);
    return 0;
}

static void a_key_function_names_and_refuses(void **state)
{
    kin_fifo_options options = KIN_FIFO_OPTIONS_INIT;
    const kin_object *thirteen = kin_test_item("a", 13, NULL);
    struct trace trace = {.n = 0};
    kin_replace *replace = NULL;
    kin_error err = KIN_ERROR_INIT;
    int result = KIN_ETYPE;

    (void)state;
    options.key = by_version;
    options.key_arg = &result;
    assert_code(kin_fifo_new(&trace.fifo, &options, NULL), 0);
    fifo_add(trace.fifo, "a", 1);
    fifo_add(trace.fifo, "a", 2);
    assert_code(kin_fifo_get_by_key(trace.fifo, NULL, kin_str_of("2"), NULL), 0);
    assert_code(kin_fifo_add(trace.fifo, thirteen, &err), KIN_ETYPE);
    assert_string_equal(err.message, "thirteen");
    assert_code(kin_fifo_update(trace.fifo, thirteen, NULL), KIN_ETYPE);
    assert_code(kin_fifo_delete(trace.fifo, thirteen, NULL), KIN_ETYPE);
    assert_code(kin_fifo_add_if_not_present(trace.fifo, thirteen, NULL), KIN_ETYPE);
    assert_code(kin_fifo_get(trace.fifo, NULL, thirteen, NULL), KIN_ETYPE);
    assert_code(kin_fifo_replace_begin(trace.fifo, &replace, NULL), 0);
    assert_code(kin_replace_add(replace, thirteen, NULL), KIN_ETYPE);
    kin_replace_abort(replace);
    assert_code(fifo_replace(trace.fifo, "a 3, a 13"), KIN_ETYPE);
    result = 1;
    assert_code(kin_fifo_add(trace.fifo, thirteen, NULL), KIN_EINVAL);
    assert_string_equal(drain_fifo(&trace), "a 1, a 2");
    kin_object_unref(thirteen);
    kin_fifo_free(trace.fifo);
}

static void keys_have_limits(void **state)
{
    struct trace *trace = *state;
    char *name = malloc(KIN_KEY_BYTES_MAX + 2);

    assert_non_null(name);
    memset(name, 'x', KIN_KEY_BYTES_MAX + 1);
    name[KIN_KEY_BYTES_MAX + 1] = '\0';
    assert_code(fifo_add(trace->fifo, "", 1), KIN_EINVAL);
    assert_code(fifo_delete(trace->fifo, ""), KIN_EINVAL);
    assert_code(fifo_add(trace->fifo, name, 1), KIN_ELIMIT);
    assert_code(fifo_delete(trace->fifo, name), KIN_ELIMIT);
    assert_false(kin_fifo_has_synced(trace->fifo));
    name[KIN_KEY_BYTES_MAX] = '\0';
    assert_code(fifo_add(trace->fifo, name, 1), 0);
    assert_int_equal(kin_fifo_len(trace->fifo), 1);
    free(name);
}

static void a_bad_list_changes_nothing(void **state)
{
    struct trace *trace = *state;
    const kin_object *tombstone = NULL;
    kin_replace *replace = NULL;
    char version[KIN_RESOURCE_VERSION_BYTES_MAX + 1];

    memset(version, '1', sizeof(version));
    fifo_add(trace->fifo, "a", 1);
    kin_tombstone_new(&tombstone, kin_str_of("t"), NULL, NULL);
    assert_code(kin_fifo_replace(trace->fifo, &tombstone, 1, kin_str_of("1"), NULL), KIN_EINVAL);
    kin_object_unref(tombstone);
    assert_code(kin_fifo_replace_begin(trace->fifo, &replace, NULL), 0);
    assert_code(kin_replace_add(replace, NULL, NULL), KIN_EINVAL);
    assert_code(kin_replace_commit(replace, kin_str_make(version, sizeof(version)), NULL),
                KIN_ELIMIT);
    kin_replace_abort(replace);
    assert_string_equal(drain_fifo(trace), "a 1");
}

/* --- process functions --- */

static void a_pop_returns_what_the_process_function_says(void **state)
{
    struct trace *trace = *state;
    kin_error err = KIN_ERROR_INIT;

    fifo_add(trace->fifo, "a", 1);
    trace->result = trace->said = KIN_ETYPE;
    assert_code(kin_fifo_pop(trace->fifo, note_object, trace, 0, &err), KIN_ETYPE);
    assert_string_equal(err.message, "as the test said");
    assert_code(kin_fifo_pop(trace->fifo, note_object, trace, 0, NULL), KIN_ETIMEOUT);

    fifo_add(trace->fifo, "a", 2);
    trace->result = 7;
    assert_code(kin_fifo_pop(trace->fifo, note_object, trace, 0, NULL), KIN_EINVAL);
    assert_int_equal(kin_fifo_len(trace->fifo), 0);

    fifo_add(trace->fifo, "a", 3);
    trace->result = KIN_EREQUEUE;
    assert_code(kin_fifo_pop(trace->fifo, note_object, trace, 0, &err), KIN_ETYPE);
    trace->said = 0;
    assert_code(kin_fifo_pop(trace->fifo, note_object, trace, 0, NULL), 0);
    trace->said = KIN_EREQUEUE;
    assert_code(kin_fifo_pop(trace->fifo, note_object, trace, 0, NULL), 0);
    trace->result = trace->said = 0;
    assert_string_equal(drain_fifo(trace), "a 3");
}

/* --- the log --- */

struct log {
    char text[512];
    unsigned n;
};

static void note_record(const kin_log_record *record, void *arg)
{
    struct log *log = arg;

    log->n++;
    snprintf(log->text, sizeof(log->text), "%s: %s", record->component, record->message);
    for (size_t i = 0; i < record->n_fields; i++) {
        const kin_log_field *field = &record->fields[i];
        size_t len = strlen(log->text);

        if (field->type == KIN_LOG_STR)
            snprintf(log->text + len, sizeof(log->text) - len, " %s=%.*s", field->key,
                     (int)field->value.str.len, field->value.str.data);
        else
            snprintf(log->text + len, sizeof(log->text) - len, " %s=%lld", field->key,
                     (long long)field->value.i64);
    }
}

static int be_slow(const kin_object *object, bool is_initial_list, void *arg, kin_error *err)
{
    (void)object;
    (void)is_initial_list;
    return kin_clock_advance(arg, INT64_C(100000000), err);
}

static void slow_processing_is_logged(void **state)
{
    kin_fifo_options options = KIN_FIFO_OPTIONS_INIT;
    struct log log = {"", 0};
    kin_fifo *fifo = NULL;
    static const int64_t limits[] = {0, -1, 101};

    (void)state;
    options.name = "pods";
    assert_code(kin_clock_new_fake(&options.clock, 0, NULL), 0);
    assert_code(kin_logger_new(&options.logger, KIN_LOG_INFO, note_record, &log, NULL, NULL), 0);
    for (unsigned i = 0; i < 3; i++) {
        options.slow_ms = limits[i];
        assert_code(kin_fifo_new(&fifo, &options, NULL), 0);
        for (unsigned k = 0; k < 12; k++)
            fifo_add(fifo, (char[]){(char)('a' + k), '\0'}, 1);
        assert_code(kin_fifo_pop(fifo, be_slow, options.clock, 0, NULL), 0);
        assert_int_equal(log.n, 1);
        /* Ten wait: not worth a line. */
        assert_code(kin_fifo_pop(fifo, be_slow, options.clock, 0, NULL), 0);
        assert_int_equal(log.n, 1);
        kin_fifo_free(fifo);
    }
    assert_string_equal(log.text, "fifo: slow processing holds up the queue queue=pods key=a "
                                  "keys=1 waiting=11 ms=100");
    kin_logger_unref(options.logger);
    kin_clock_unref(options.clock);
}

/* --- forks --- */

static int in_child(void *arg)
{
    kin_fifo *fifo = arg;
    kin_replace *replace = NULL;
    kin_string_list keys = KIN_STRING_LIST_INIT;
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    struct trace trace = {.n = 0};
    const kin_object *item = kin_test_item("a", 1, NULL);
    bool right = kin_fifo_add(fifo, item, NULL) == KIN_EFORKED &&
                 kin_fifo_update(fifo, item, NULL) == KIN_EFORKED &&
                 kin_fifo_delete(fifo, item, NULL) == KIN_EFORKED &&
                 kin_fifo_add_if_not_present(fifo, item, NULL) == KIN_EFORKED &&
                 kin_fifo_replace_begin(fifo, &replace, NULL) == KIN_EFORKED &&
                 kin_fifo_replace(fifo, NULL, 0, kin_str_of(""), NULL) == KIN_EFORKED &&
                 kin_fifo_resync(fifo, NULL) == KIN_EFORKED &&
                 kin_fifo_pop(fifo, note_object, &trace, 0, NULL) == KIN_EFORKED &&
                 kin_fifo_get(fifo, NULL, item, NULL) == KIN_EFORKED &&
                 kin_fifo_get_by_key(fifo, NULL, kin_str_of("a"), NULL) == KIN_EFORKED &&
                 kin_fifo_list(fifo, &list, NULL) == KIN_EFORKED &&
                 kin_fifo_list_keys(fifo, &keys, NULL) == KIN_EFORKED &&
                 kin_fifo_wait_synced(fifo, 0, NULL) == KIN_EFORKED && kin_fifo_len(fifo) == 0 &&
                 !kin_fifo_has_synced(fifo) && kin_fifo_is_closed(fifo);

    kin_fifo_close(fifo);
    kin_fifo_free(fifo);
    kin_object_unref(item);
    return right && kin_test_items_live() == 0 ? 0 : 1;
}

static void a_child_may_only_free_it(void **state)
{
    struct trace *trace = *state;
    kin_test_child child;

    fifo_add(trace->fifo, "x", 1);
    fifo_add(trace->fifo, "y", 1);
    fifo_delete(trace->fifo, "y");
    kin_test_run_child(&child, in_child, trace->fifo);
    assert_int_equal(child.exit_code, 0);
    assert_string_equal(drain_fifo(trace), "x 1");
}

/* --- memory --- */

/* All of it, by looking inside: that needs no memory. */
static void picture_of(kin_fifo *fifo, char *text, size_t size)
{
    size_t len = 0;

    for (kin__list *node = fifo->line.waiting.next; node != &fifo->line.waiting;
         node = node->next) {
        kin__fifo_entry *entry = kin__fifo_entry_of(kin__list_entry(node, kin__line_entry, link));

        len += (size_t)snprintf(text + len, size - len, "%s %u%s, ", kin_object_key(entry->object),
                                kin_test_item_version(entry->object), entry->deleted ? "-" : "");
    }
    snprintf(text + len, size - len, "%zu in map, %zu wait, %zu deleted, %d, %zu %zu",
             kin__map_len(&fifo->line.entries), fifo->line.n_waiting, fifo->n_deleted,
             fifo->line.populated, fifo->line.initial_waiting, fifo->line.initial_left);
}

enum operation { ADD, ADD_OVER, ADD_ABSENT, REPLACE, REPLACE_FIRST, LIST, LIST_KEYS, N_OPERATIONS };

/* A list of `n` with two keys twice; if its commit fails, it is tried again. */
static int replace_many(kin_fifo *fifo, unsigned n, kin_error *err)
{
    kin_replace *replace = NULL;
    int code = kin_fifo_replace_begin(fifo, &replace, err);
    int again = 0;

    for (unsigned i = 0; code == 0 && i < n; i++) {
        char key[16];
        const kin_object *item;

        snprintf(key, sizeof(key), "k%u", i % (n - 2));
        item = kin_test_item(key, i, NULL);
        again = code = kin_replace_add(replace, item, err);
        kin_object_unref(item);
    }
    if (code == 0) {
        code = kin_replace_commit(replace, kin_str_of("1"), err);
        again = code < 0 ? kin_replace_commit(replace, kin_str_of("1"), NULL) : 0;
    }
    if (again < 0)
        kin_replace_abort(replace);
    else if (replace && kin_fifo_len(fifo) != n - 2)
        return kin_error_set(err, KIN_ETYPE, "%zu wait", kin_fifo_len(fifo));
    return code;
}

static int operate(kin_fifo *fifo, enum operation operation, kin_error *err)
{
    const kin_object *item = kin_test_item(operation == ADD_OVER ? "a" : "a-new-one", 9, NULL);
    struct items items = items_of("x 1, a 2, y 3, x 4, b 5, k1 6, k2 7, k3 8, k4 9, k5 10, k6 11");
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    kin_string_list keys = KIN_STRING_LIST_INIT;
    int code = 0;

    switch (operation) {
    case ADD:
    case ADD_OVER:
        code = kin_fifo_add(fifo, item, err);
        break;
    case ADD_ABSENT:
        code = kin_fifo_add_if_not_present(fifo, item, err);
        break;
    case REPLACE:
    case REPLACE_FIRST:
        code = kin_fifo_replace(fifo, items.items, items.n, kin_str_of("1"), err);
        break;
    case LIST:
        code = kin_fifo_list(fifo, &list, err);
        kin_object_list_done(&list);
        break;
    case LIST_KEYS:
    case N_OPERATIONS:
        code = kin_fifo_list_keys(fifo, &keys, err);
        kin_string_list_done(&keys);
        break;
    }
    items_done(&items);
    kin_object_unref(item);
    return code;
}

static int operate_in_need(void *arg, kin_error *err)
{
    enum operation operation = *(enum operation *)arg;
    char before[1024] = "";
    char after[1024] = "";
    kin_fifo *fifo = NULL;
    int code = kin_fifo_new(&fifo, NULL, err);

    if (code == 0 && operation != REPLACE_FIRST) {
        struct items items = items_of("a 1, b 2, c 3");

        for (size_t i = 0; i < items.n && code == 0; i++)
            code = kin_fifo_add(fifo, items.items[i], err);
        if (code == 0)
            code = kin_fifo_delete(fifo, items.items[1], err);
        items_done(&items);
    }
    if (code == 0) {
        picture_of(fifo, before, sizeof(before));
        code = operate(fifo, operation, err);
        picture_of(fifo, after, sizeof(after));
        if (code < 0 && strcmp(before, after) != 0)
            code = kin_error_set(err, KIN_ETYPE, "before: %s; after: %s", before, after);
    }
    kin_fifo_free(fifo);
    return code;
}

static void a_failed_operation_changes_nothing(void **state)
{
    (void)state;
    for (enum operation operation = ADD; operation < N_OPERATIONS; operation++)
        kin_test_fail_each_allocation(operate_in_need, &operation);
    assert_int_equal(kin_test_items_live(), 0);
}

static int commit_in_need(void *arg, kin_error *err)
{
    kin_fifo *fifo = NULL;
    int code = kin_fifo_new(&fifo, NULL, err);

    (void)arg;
    if (code == 0)
        code = replace_many(fifo, 40, err);
    kin_fifo_free(fifo);
    return code;
}

static void a_failed_commit_can_be_tried_again(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(commit_in_need, NULL);
    assert_int_equal(kin_test_items_live(), 0);
}

static int delete_and_pop(void *arg, kin_error *err)
{
    struct trace *trace = arg;

    (void)err;
    trace->result = KIN_EREQUEUE;
    assert_code(kin_fifo_pop(trace->fifo, note_object, trace, 0, NULL), 0);
    trace->result = 0;
    assert_code(fifo_delete(trace->fifo, "b"), 0);
    assert_string_equal(drain_fifo(trace), "c 3, a 1");
    return 0;
}

static void deleting_popping_and_requeueing_need_no_memory(void **state)
{
    struct trace *trace = *state;

    fifo_add(trace->fifo, "a", 1);
    fifo_add(trace->fifo, "b", 2);
    fifo_add(trace->fifo, "c", 3);
    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
    assert_code(delete_and_pop(trace, NULL), 0);
    assert_false(kin_test_alloc_disarm());
    assert_int_equal(kin_test_alloc_count(), 0);
}

static void steady_work_needs_no_memory(void **state)
{
    struct trace *trace = *state;

    for (unsigned round = 0; round < 2; round++) {
        kin_test_alloc_arm(0, KIN_TEST_FAIL_ONE);
        for (unsigned i = 0; i < 100; i++) {
            fifo_add(trace->fifo, i % 2 ? "odd" : "even", i);
            fifo_add(trace->fifo, "another", i);
            drain_fifo(trace);
        }
        assert_true(round == 0 || kin_test_alloc_count() == 0);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fifo_setup, trace_teardown)
    const struct CMUnitTest tests[] = {
        TEST(null_is_refused),
        TEST(options_must_have_a_size),
        TEST(a_key_function_names_and_refuses),
        TEST(keys_have_limits),
        TEST(a_bad_list_changes_nothing),
        TEST(a_pop_returns_what_the_process_function_says),
        TEST(slow_processing_is_logged),
        TEST(a_child_may_only_free_it),
        TEST(a_failed_operation_changes_nothing),
        TEST(a_failed_commit_can_be_tried_again),
        TEST(deleting_popping_and_requeueing_need_no_memory),
        TEST(steady_work_needs_no_memory),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
