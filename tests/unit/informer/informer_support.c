/* SPDX-License-Identifier: Apache-2.0 */
#include "informer_support.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "kinform/log.h"

static void take_record(const kin_log_record *record, void *arg)
{
    kin_test_stage *stage = arg;

    pthread_mutex_lock(&stage->lock);
    size_t room = sizeof(stage->log) - stage->log_len;
    int n = snprintf(stage->log + stage->log_len, room, "%s", record->message);

    for (size_t i = 0; i < record->n_fields && n >= 0 && (size_t)n < room; i++) {
        const kin_log_field *field = &record->fields[i];

        if (field->type == KIN_LOG_STR)
            n += snprintf(stage->log + stage->log_len + n, room - (size_t)n, " %s=%" KIN_STR_FMT,
                          field->key, KIN_STR_ARG(field->value.str));
    }
    if (n >= 0 && (size_t)n + 1 < room) {
        stage->log_len += (size_t)n;
        stage->log[stage->log_len++] = '\n';
        stage->log[stage->log_len] = '\0';
    }
    pthread_mutex_unlock(&stage->lock);
}

static void note_change(kin_informer *informer, void *arg)
{
    kin_test_stage *stage = arg;

    (void)informer;
    kin_test_latch_raise(&stage->changes);
}

/* Those are the stage's, whatever else is asked for. */
static void set_own_options(kin_test_stage *stage)
{
    stage->options.clock = stage->clock;
    stage->options.logger = stage->logger;
    stage->options.name = "pods";
    stage->options.seed = 1;
    if (stage->options.changed)
        return;
    stage->options.changed = note_change;
    stage->options.changed_arg = stage;
}

kin_test_stage *kin_test_stage_new(void)
{
    kin_test_stage *stage = calloc(1, sizeof(*stage));

    assert_non_null(stage);
    pthread_mutex_init(&stage->lock, NULL);
    assert_code(kin_clock_new_fake(&stage->clock, 0, NULL), 0);
    assert_code(kin_logger_new(&stage->logger, KIN_LOG_WARN, take_record, stage, NULL, NULL), 0);
    stage->source = kin_test_source_new(false);
    stage->options = (kin_informer_options)KIN_INFORMER_OPTIONS_INIT;
    set_own_options(stage);
    kin_test_latch_init(&stage->changes);
    kin_test_handler_init(&stage->handler);
    return stage;
}

void kin_test_stage_make(kin_test_stage *stage)
{
    assert_code(kin_informer_new_from(&stage->informer, kin_test_source_list_watch(stage->source),
                                      &stage->options, NULL),
                0);
}

kin_test_stage *kin_test_stage_with(const kin_informer_options *options)
{
    kin_test_stage *stage = kin_test_stage_new();

    if (options)
        stage->options = *options;
    set_own_options(stage);
    kin_test_stage_make(stage);
    return stage;
}

void kin_test_stage_free(kin_test_stage *stage)
{
    kin_registration_unref(stage->registration);
    kin_informer_stop(stage->informer);
    for (size_t i = 0; i < kin_test_source_count(stage->source); i++)
        kin_test_pull_close(kin_test_source_await(stage->source, i));
    kin_informer_free(stage->informer);
    kin_test_source_free(stage->source);
    kin_test_handler_done(&stage->handler);
    kin_test_latch_done(&stage->changes);
    kin_logger_unref(stage->logger);
    kin_clock_unref(stage->clock);
    pthread_mutex_destroy(&stage->lock);
    free(stage);
}

void kin_test_with_each_queue_and(const kin_informer_options *options, kin_test_stage_fn *test)
{
    for (int queue = KIN_QUEUE_DELTA_FIFO; queue <= KIN_QUEUE_ORDERED; queue++) {
        kin_informer_options all = KIN_INFORMER_OPTIONS_INIT;
        kin_test_stage *stage;

        if (options)
            all = *options;
        all.queue = (kin_informer_queue)queue;
        stage = kin_test_stage_with(&all);
        test(stage);
        kin_test_stage_free(stage);
    }
}

void kin_test_with_each_queue(kin_test_stage_fn *test)
{
    kin_test_with_each_queue_and(NULL, test);
}

void kin_test_add_handler(kin_test_stage *stage, const kin_handler_options *options)
{
    assert_code(kin_informer_add_handler(stage->informer, &stage->registration, kin_test_handle,
                                         &stage->handler, options, NULL),
                0);
}

kin_test_pull *kin_test_start(kin_test_stage *stage, const char *version, const char *pods)
{
    size_t begun = kin_test_source_count(stage->source);

    assert_code(kin_informer_start(stage->informer, NULL), 0);
    kin_test_pull_list(kin_test_source_await(stage->source, begun), version, pods);
    /* The strand says so at the end of its turn: then alarms are set. */
    if (stage->options.changed == note_change)
        kin_test_latch_wait(&stage->changes, 1);
    return kin_test_source_await(stage->source, begun + 1);
}

void kin_test_stop_at(kin_test_stage *stage, kin_test_pull *open)
{
    kin_informer_stop(stage->informer);
    kin_test_pull_await_cancel(open);
    kin_test_pull_close(open);
    assert_code(kin_informer_wait_stopped(stage->informer, -1, NULL), 0);
}

void kin_test_await_version(kin_test_stage *stage, const char *version)
{
    assert_code(kin_informer_wait_version(stage->informer, version, -1, NULL), 0);
}

void kin_test_advance(kin_test_stage *stage, int64_t seconds)
{
    assert_code(kin_clock_advance(stage->clock, seconds * KIN__SECOND, NULL), 0);
}

kin_informer_status kin_test_informer_status(kin_test_stage *stage)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    assert_code(kin_informer_get_status(stage->informer, &status, NULL), 0);
    return status;
}

void kin_test_await_informer(kin_test_stage *stage, kin_informer_state state)
{
    for (;;) {
        unsigned n = kin_test_latch_count(&stage->changes);

        if (n > 0 && kin_test_informer_status(stage).state == state)
            return;
        kin_test_latch_wait(&stage->changes, n + 1);
    }
}

bool kin_test_stage_logged(kin_test_stage *stage, const char *a, const char *b)
{
    bool found = false;

    pthread_mutex_lock(&stage->lock);
    for (const char *line = stage->log; *line && !found;) {
        const char *end = strchr(line, '\n');
        const char *at_a = strstr(line, a);
        const char *at_b = strstr(line, b);

        found = at_a && at_a < end && at_b && at_b < end;
        line = end + 1;
    }
    pthread_mutex_unlock(&stage->lock);
    return found;
}

static int compare(const void *a, const void *b)
{
    const kin_object *const *left = a;
    const kin_object *const *right = b;

    return strcmp(kin_object_key(*left), kin_object_key(*right));
}

void kin_test_stage_has(kin_test_stage *stage, const char *pods)
{
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    char text[4096] = "";
    size_t len = 0;

    assert_code(kin_store_list(kin_informer_store(stage->informer), &list, NULL), 0);
    const kin_object **sorted = malloc((list.len + 1) * sizeof(kin_object *));

    for (size_t i = 0; i < list.len; i++)
        sorted[i] = list.items[i];
    qsort(sorted, list.len, sizeof(kin_object *), compare);
    for (size_t i = 0; i < list.len; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%" KIN_STR_FMT ":%" KIN_STR_FMT,
                                len ? " " : "", KIN_STR_ARG(kin_object_name(sorted[i])),
                                KIN_STR_ARG(kin_object_resource_version(sorted[i])));
    free(sorted);
    kin_object_list_done(&list);
    assert_string_equal(text, pods);
}
