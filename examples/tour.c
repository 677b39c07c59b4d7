/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinform-tour: the conventions that everything else follows: errors with details that need no
 * freeing, a log that goes where the program wants it, time that can be moved by hand, and
 * an allocator that can be replaced.
 */
#include <inttypes.h>
#include <kinform.h>
#include <stdio.h>
#include <stdlib.h>

/* Part 1: an allocator of our own, which counts. */
static size_t live_blocks;

static void *count_alloc(size_t size, void *arg)
{
    void *ptr = malloc(size);

    (void)arg;
    live_blocks += ptr != NULL;
    return ptr;
}

static void *count_realloc(void *ptr, size_t size, void *arg)
{
    void *grown = realloc(ptr, size);

    (void)arg;
    live_blocks += !ptr && grown;
    return grown;
}

static void count_free(void *ptr, void *arg)
{
    (void)arg;
    live_blocks--;
    free(ptr);
}

static int show_allocator(kin_error *err)
{
    kin_allocator allocator = KIN_ALLOCATOR_INIT;

    allocator.alloc = count_alloc;
    allocator.realloc = count_realloc;
    allocator.free = count_free;
    return kin_set_allocator(&allocator, err);
}

/* Part 2: errors. A failed call says what, and whether trying again makes sense. */
static void show_errors(void)
{
    kin_error err = KIN_ERROR_INIT;

    kin_set_thread_stack_size(1000, &err);
    printf("an error:   %s: %s%s%s\n", kin_error_name(err.code), err.message,
           err.flags & KIN_ERROR_RETRIABLE ? " (retriable)" : "",
           err.flags & KIN_ERROR_FATAL ? " (fatal)" : "");
}

/* Part 3: the log. Records have fields; this function prints them to standard output. */
static void print_record(const kin_log_record *record, void *arg)
{
    char line[256];

    (void)arg;
    kin_log_format(record, line, sizeof(line));
    printf("a log line: %s\n", line);
}

static int show_log(kin_error *err)
{
    const kin_log_field fields[] = {
        {"pod", KIN_LOG_STR, {.str = {"default/web-0", 13}}},
        {"restarts", KIN_LOG_INT, {.i64 = 3}},
        {"reason", KIN_LOG_STR, {.str = {"two\nlines", 9}}},
    };
    kin_logger *logger = NULL;
    int code = kin_logger_new(&logger, KIN_LOG_INFO, print_record, NULL, NULL, err);

    if (code < 0)
        return code;
    kin_logger_log(logger, KIN_LOG_WARN, "tour", "container restarted", fields, 3);
    kin_logger_log(logger, KIN_LOG_DEBUG, "tour", "below the level, not shown", NULL, 0);
    kin_logger_unref(logger);
    return 0;
}

/* Part 4: a clock that moves when told to. An hour passes at once. */
static int show_clock(kin_error *err)
{
    const int64_t hour = INT64_C(3600) * 1000 * 1000 * 1000;
    kin_clock *clock = NULL;
    int code = kin_clock_new_fake(&clock, 0, err);

    if (code < 0)
        return code;
    int64_t real_start = kin_clock_now(kin_clock_system());
    int64_t start = kin_clock_now(clock);
    code = kin_clock_advance(clock, hour, err);
    printf("a clock:    %" PRId64 " s passed in %" PRId64 " us\n",
           (kin_clock_now(clock) - start) / 1000000000,
           (kin_clock_now(kin_clock_system()) - real_start) / 1000);
    kin_clock_unref(clock);
    return code;
}

int main(void)
{
    kin_error err = KIN_ERROR_INIT;

    printf("kinform %s\n", kin_version_string());
    if (show_allocator(&err) < 0) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    show_errors();
    if (show_log(&err) < 0 || show_clock(&err) < 0) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    printf("memory:     %zu blocks left behind\n", live_blocks);
    return live_blocks == 0 ? 0 : 1;
}
