/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What contestants measure and report with: clocks that see every thread, memory that grows when it
 * is used, and a report that keeps the protocol or is not written at all.
 */
#include "kin_test.h"

#include "measure.h"

#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#define MILLISECOND INT64_C(1000000)
#define MIB ((size_t)1 << 20)

static int64_t thread_cpu(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void *burn(void *arg)
{
    int64_t end = thread_cpu() + 20 * MILLISECOND;

    while (thread_cpu() < end)
        ;
    return arg;
}

static void a_section_has_the_time_of_all_threads(void **state)
{
    struct kin_bench_usage used = {0};
    struct kin_bench_usage first;
    struct kin_bench_section section;
    pthread_t thread;

    (void)state;
    kin_bench_section_start(&section);
    kin_bench_section_stop(&section, &used);
    assert_true(used.wall >= 0 && used.cpu >= 0);

    burn(NULL); /* between sections, hence in none */
    used = (struct kin_bench_usage){0};
    kin_bench_section_start(&section);
    assert_int_equal(pthread_create(&thread, NULL, burn, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    kin_bench_section_stop(&section, &used);
    assert_true(used.cpu >= 20 * MILLISECOND && used.cpu < 40 * MILLISECOND);
    assert_true(used.wall >= 20 * MILLISECOND);

    /* Sections add up. */
    first = used;
    kin_bench_section_start(&section);
    burn(NULL);
    kin_bench_section_stop(&section, &used);
    assert_true(used.cpu >= first.cpu + 20 * MILLISECOND);
    assert_true(used.wall >= first.wall + 20 * MILLISECOND);
}

static void memory_grows_when_it_is_touched(void **state)
{
    struct kin_bench_memory before;
    struct kin_bench_memory during;
    struct kin_bench_memory after;
    int zero = open("/dev/zero", O_RDWR | O_CLOEXEC); /* mapped privately it is anonymous */
    char *p;

    (void)state;
    assert_true(zero >= 0);
    assert_int_equal(kin_bench_memory_read(&before), 0);
    assert_true(before.rss_anon > 0 && before.rss_anon < before.rss);
    assert_true(before.peak_rss > 0);
    p = mmap(NULL, 64 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE, zero, 0);
    assert_true(p != MAP_FAILED);
    memset(p, 1, 64 * MIB);
    assert_int_equal(kin_bench_memory_read(&during), 0);
    assert_int_equal(munmap(p, 64 * MIB), 0);
    assert_int_equal(close(zero), 0);
    assert_int_equal(kin_bench_memory_read(&after), 0);
    /* The kernel may know a little late of the last pages. */
    assert_true(during.rss >= before.rss + 60 * MIB);
    assert_true(during.rss_anon >= before.rss_anon + 60 * MIB);
    assert_true(after.rss_anon + 60 * MIB <= during.rss_anon);
    assert_true(after.peak_rss + 4 * MIB >= during.rss);
}

static void the_heap_counts_small_and_large_blocks(void **state)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    (void)state;
    skip(); /* another allocator */
#else
    enum { BLOCKS = 1000 };
    static void *blocks[BLOCKS];
    size_t before = kin_bench_heap_in_use();
    size_t small;
    void *large;

    (void)state;
    for (size_t i = 0; i < BLOCKS; i++) {
        blocks[i] = malloc(1000);
        assert_non_null(blocks[i]);
    }
    small = kin_bench_heap_in_use();
    assert_true(small >= before + (size_t)BLOCKS * 1000);
    assert_true(small < before + (size_t)BLOCKS * 1100);
    large = malloc(64 * MIB); /* has a mapping of its own */
    assert_non_null(large);
    assert_true(kin_bench_heap_in_use() >= small + 64 * MIB);
    free(large);
    for (size_t i = 0; i < BLOCKS; i++)
        free(blocks[i]);
    assert_true(kin_bench_heap_in_use() < small);
#endif
}

/* What a report writes, for free(); NULL if it refuses, and then it must have written nothing. */
static char *written(const struct kin_bench_report *report)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    int rc;

    assert_non_null(out);
    rc = kin_bench_report_write(report, out);
    assert_int_equal(fclose(out), 0);
    if (rc == 0)
        return text;
    assert_int_equal(rc, -1);
    assert_int_equal(len, 0);
    free(text);
    return NULL;
}

static void a_report_is_the_protocol(void **state)
{
    struct kin_bench_report report;
    struct kin_bench_usage used = {.wall = 1500000000, .cpu = 7};
    struct kin_bench_memory memory = {.rss = 4096, .rss_anon = 1024, .peak_rss = 8192};
    char *text;

    (void)state;
    kin_bench_report_init(&report);
    kin_bench_report_note(&report, "made of %d\nlines", 2);
    kin_bench_report_measure(&report, "ops", 1234567.5, "1/s");
    kin_bench_report_usage(&report, &used);
    kin_bench_report_memory(&report, &memory);
    kin_bench_report_measure(&report, "p99.9", 100, "us");
    kin_bench_report_measure(&report, "p99", 0, "ns");
    kin_bench_report_measure(&report, "heap_per_key", -2.25, "B");
    kin_bench_report_measure(&report, "large", 1e21, "count");
    text = written(&report);
    assert_non_null(text);
    assert_string_equal(text, "note made of 2 lines\n"
                              "measure ops 1234567.5 1/s\n"
                              "measure wall 1.5 s\n"
                              "measure cpu 0.000000007 s\n"
                              "measure rss 4096 B\n"
                              "measure rss_anon 1024 B\n"
                              "measure peak_rss 8192 B\n"
                              "measure p99.9 100 us\n"
                              "measure p99 0 ns\n"
                              "measure heap_per_key -2.25 B\n"
                              "measure large 1000000000000000000000 count\n");
    free(text);
}

static void an_empty_report_is_one(void **state)
{
    struct kin_bench_report report;
    char *text;

    (void)state;
    kin_bench_report_init(&report);
    text = written(&report);
    assert_non_null(text);
    assert_string_equal(text, "");
    free(text);
}

static void what_breaks_the_protocol_is_refused(void **state)
{
    static const struct {
        const char *name;
        double value;
        const char *unit;
    } bad[] = {
        {"", 1, "s"},      {"Ops", 1, "1/s"}, {"two words", 1, "s"}, {"a\nmeasure b", 1, "s"},
        {"ops", 1, "ops"}, {"ops", 1, ""},    {"ops", NAN, "1/s"},   {"ops", INFINITY, "1/s"},
        {"good", 2, "s"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct kin_bench_report report;

        kin_bench_report_init(&report);
        kin_bench_report_measure(&report, "good", 1, "s");
        kin_bench_report_measure(&report, bad[i].name, bad[i].value, bad[i].unit);
        kin_bench_report_measure(&report, "later", 1, "s");
        assert_null(written(&report));
    }
}

static void a_name_within_another_is_another(void **state)
{
    struct kin_bench_report report;
    char *text;

    (void)state;
    kin_bench_report_init(&report);
    kin_bench_report_measure(&report, "heap_per_key", 1, "B");
    kin_bench_report_measure(&report, "heap", 1, "B");
    kin_bench_report_note(&report, "measure ops is missing");
    kin_bench_report_measure(&report, "ops", 1, "1/s");
    text = written(&report);
    assert_non_null(text);
    free(text);
}

static void what_does_not_fit_is_refused(void **state)
{
    static char long_text[2000];
    struct kin_bench_report report;

    (void)state;
    memset(long_text, 'x', sizeof(long_text) - 1);
    kin_bench_report_init(&report);
    kin_bench_report_note(&report, "%s", long_text);
    assert_null(written(&report));
    kin_bench_report_init(&report);
    kin_bench_report_note(&report, "%s", "");
    assert_null(written(&report));

    kin_bench_report_init(&report);
    for (int i = 0; i < 30; i++) {
        char name[24];

        (void)snprintf(name, sizeof(name), "large%d", i);
        kin_bench_report_measure(&report, name, DBL_MAX, "count");
    }
    assert_null(written(&report));
}

static void a_full_disk_is_a_failure(void **state)
{
    struct kin_bench_report report;
    FILE *full = fopen("/dev/full", "w");

    (void)state;
    assert_non_null(full);
    kin_bench_report_init(&report);
    kin_bench_report_measure(&report, "ops", 1, "1/s");
    assert_int_equal(kin_bench_report_write(&report, full), -1);
    (void)fclose(full);
}

/* What came on connections that are open, and nothing else. */
static void received_bytes_are_counted(void **state)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t len = sizeof(address);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char bytes[1000] = {0};
    uint64_t before = 0;
    uint64_t after = 0;

    (void)state;
    assert_int_equal(bind(listener, (struct sockaddr *)&address, len), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &len), 0);
    assert_int_equal(kin_bench_received_read(&before), 0);
    assert_int_equal(connect(client, (struct sockaddr *)&address, len), 0);
    int server = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    assert_true(server >= 0);
    assert_int_equal(send(client, bytes, sizeof(bytes), 0), sizeof(bytes));
    assert_int_equal(recv(server, bytes, sizeof(bytes), MSG_WAITALL), sizeof(bytes));
    assert_int_equal(kin_bench_received_read(&after), 0);
    assert_int_equal(after - before, sizeof(bytes));
    (void)close(server);
    (void)close(client);
    (void)close(listener);
    assert_int_equal(kin_bench_received_read(&after), 0);
    assert_int_equal(after, before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_section_has_the_time_of_all_threads),
        cmocka_unit_test(memory_grows_when_it_is_touched),
        cmocka_unit_test(the_heap_counts_small_and_large_blocks),
        cmocka_unit_test(a_report_is_the_protocol),
        cmocka_unit_test(an_empty_report_is_one),
        cmocka_unit_test(what_breaks_the_protocol_is_refused),
        cmocka_unit_test(a_name_within_another_is_another),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(received_bytes_are_counted),
        cmocka_unit_test(a_full_disk_is_a_failure),
    };

    return cmocka_run_group_tests_name("measure", tests, NULL, NULL);
}
