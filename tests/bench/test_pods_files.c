/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The generator's files: the bytes of all time, files that agree with each other, files that are
 * whole or absent whatever fails, and the program's arguments.
 */
#include "bench_test.h"

#include "pods_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

static void write_set(const struct kin_bench_pods_options *o, const char *dir,
                      struct kin_bench_pods_result *result)
{
    struct kin_bench_pods_error err = {0};
    int rc = kin_bench_pods_write(o, dir, NULL, result, &err);

    if (rc < 0)
        fail_msg("%s", err.message);
}

/*
 * If this fails the data has changed, and figures measured with it cannot be compared with older
 * ones. Change the values only on purpose, and say so in the CHANGELOG.
 */
static void bytes_are_the_known_ones(void **state)
{
    static const uint64_t known[2][KIN_BENCH_FILE_COUNT] = {
        {UINT64_C(0x7b2b7c9d2efc1cf4), UINT64_C(0x3f0180ce26365933), UINT64_C(0xa135a897eb46427c),
         UINT64_C(0x0687346d2f275435)},
        {UINT64_C(0x6d573125a056f535), UINT64_C(0x70fbb4eb40141c3b), UINT64_C(0x4182c50d494b81d6),
         UINT64_C(0x62bcd8b0a0d040d1)},
    };

    (void)state;
    for (size_t v = 0; v < 2; v++) {
        struct kin_bench_pods_options o = make_options(300, 700, 42, variants[v]);
        struct kin_bench_pods_result result;
        char *dir = make_temp_dir();

        write_set(&o, dir, &result);
        for (unsigned f = 0; f < KIN_BENCH_FILE_COUNT; f++) {
            struct span bytes = read_file(dir, kin_bench_file_name((enum kin_bench_file)f));

            assert_int_equal(bytes.len, result.files[f].size);
            assert_true(kin_bench_hash(bytes.data, bytes.len) == result.files[f].hash);
            if (result.files[f].hash != known[v][f])
                fail_msg("%s (%s) has hash %016llx", kin_bench_file_name((enum kin_bench_file)f),
                         kin_bench_variant_name(variants[v]),
                         (unsigned long long)result.files[f].hash);
            free_span(bytes);
        }
        remove_dir(dir);
    }
}

static void files_agree(void **state)
{
    static char text[KIN_BENCH_POD_SIZE_MAX];
    struct kin_bench_pods_options o = make_options(60, 150, 4, KIN_BENCH_TEMPLATED);
    struct kin_bench_pods_result result;
    struct kin_bench_pods *gen = make_generator(60, 4, KIN_BENCH_TEMPLATED);
    struct kin_bench_pod_info info;
    char *dir = make_temp_dir();
    struct span list;
    struct span meta;
    struct span stream;
    struct span events;
    struct span rest;
    struct span line;
    struct span pod;
    char version[32];

    (void)state;
    write_set(&o, dir, &result);
    list = read_file(dir, "pods.json");
    meta = read_file(dir, "pods.meta.json");
    stream = read_file(dir, "stream.jsonl");
    events = read_file(dir, "events.jsonl");
    (void)snprintf(version, sizeof(version), "%llu",
                   (unsigned long long)kin_bench_pods_list_version(gen));

    assert_true(json_valid(list));
    assert_true(json_is(list, "kind", "PodList") && json_is(list, "apiVersion", "v1"));
    assert_true(json_is(list, "metadata.resourceVersion", version));
    assert_int_equal(json_count(json_get(list, "items")), 60);
    assert_true(json_valid(meta));
    assert_true(json_is(meta, "kind", "PartialObjectMetadataList"));
    assert_true(json_is(meta, "apiVersion", "meta.k8s.io/v1"));
    assert_true(json_is(meta, "metadata.resourceVersion", version));
    assert_int_equal(json_count(json_get(meta, "items")), 60);

    rest = stream;
    for (unsigned i = 0; i < 60; i++) {
        char path[32];

        assert_int_equal(kin_bench_pods_render(gen, i, text, sizeof(text), &info), 0);
        pod = (struct span){text, info.length};
        (void)snprintf(path, sizeof(path), "items.%u", i);
        assert_true(span_equal(json_get(list, path), pod));
        assert_true(
            span_equal(json_get(json_get(meta, path), "metadata"), json_get(pod, "metadata")));
        assert_true(next_line(&rest, &line));
        assert_true(json_valid(line));
        assert_true(json_is(line, "type", "ADDED"));
        assert_true(json_is(line, "object.kind", "Pod"));
        assert_true(json_is(line, "object.apiVersion", "v1"));
        assert_true(span_equal(json_get(line, "object.metadata"), json_get(pod, "metadata")));
        assert_true(span_equal(json_get(line, "object.spec"), json_get(pod, "spec")));
        assert_true(span_equal(json_get(line, "object.status"), json_get(pod, "status")));
    }
    assert_true(next_line(&rest, &line));
    assert_true(json_valid(line));
    assert_true(json_is(line, "type", "BOOKMARK"));
    assert_true(json_is(line, "object.metadata.resourceVersion", version));
    /* The key of the annotation has a dot in it, which paths do not know. */
    assert_non_null(memmem(line.data, line.len, "{\"k8s.io/initial-events-end\":\"true\"}", 36));
    assert_false(next_line(&rest, &line));

    rest = events;
    for (unsigned i = 0; i < 150; i++) {
        assert_int_equal(kin_bench_pods_render_event(gen, i, text, sizeof(text), &info, NULL), 0);
        pod = (struct span){text, info.length};
        assert_true(next_line(&rest, &line));
        assert_true(json_valid(line));
        assert_true(json_is(line, "type", "MODIFIED"));
        assert_true(json_is(line, "object.kind", "Pod"));
        assert_true(span_equal(json_get(line, "object.metadata"), json_get(pod, "metadata")));
        assert_true(span_equal(json_get(line, "object.status"), json_get(pod, "status")));
    }
    assert_false(next_line(&rest, &line));

    free_span(list);
    free_span(meta);
    free_span(stream);
    free_span(events);
    kin_bench_pods_free(gen);
    remove_dir(dir);
}

/* The manifest is written for people, with blanks; the checker wants it compact. */
static struct span read_manifest(const char *dir)
{
    struct span m = read_file(dir, "manifest.json");
    char *out = malloc(m.len);
    size_t n = 0;

    assert_non_null(out);
    for (size_t i = 0; i < m.len; i++)
        if (m.data[i] != ' ' && m.data[i] != '\n')
            out[n++] = m.data[i];
    free_span(m);
    return (struct span){out, n};
}

static void manifest_tells_all(void **state)
{
    struct kin_bench_pods_options o = make_options(50, 70, 9, KIN_BENCH_SINGLETON);
    struct kin_bench_pods_result result;
    char *dir = make_temp_dir();
    struct span m;
    char hash[32];

    (void)state;
    write_set(&o, dir, &result);
    assert_int_equal(count_entries(dir), 5);
    m = read_manifest(dir);
    assert_true(json_valid(m));
    assert_int_equal(json_number(m, "arguments.pods"), 50);
    assert_int_equal(json_number(m, "arguments.events"), 70);
    assert_int_equal(json_number(m, "arguments.seed"), 9);
    assert_true(json_is(m, "arguments.variant", "singleton"));
    assert_int_equal(json_number(m, "podBytes.min"), result.pod_min);
    assert_int_equal(json_number(m, "podBytes.mean"), result.pod_mean);
    assert_int_equal(json_number(m, "podBytes.max"), result.pod_max);
    assert_true(result.pod_min <= result.pod_mean && result.pod_mean <= result.pod_max);
    assert_int_equal(json_count(json_get(m, "files")), 4);
    assert_int_equal(result.total, result.files[0].size + result.files[1].size +
                                       result.files[2].size + result.files[3].size);
    (void)snprintf(hash, sizeof(hash), "\"%016llx\"",
                   (unsigned long long)result.files[KIN_BENCH_FILE_EVENTS].hash);
    assert_non_null(memmem(m.data, m.len, hash, strlen(hash)));
    free_span(m);
    remove_dir(dir);
}

static void only_selected_files_are_written(void **state)
{
    struct kin_bench_pods_options o = make_options(10, 20, 1, KIN_BENCH_TEMPLATED);
    struct kin_bench_pods_result result;
    char *dir = make_temp_dir();
    struct span m;

    (void)state;
    write_file(dir, "pods.json", "mine", 4);
    write_file(dir, ".events.jsonl.partial", "left behind", 11);
    o.files = 1u << KIN_BENCH_FILE_EVENTS;
    write_set(&o, dir, &result);
    assert_int_equal(count_entries(dir), 3);
    m = read_file(dir, "pods.json");
    assert_int_equal(m.len, 4);
    free_span(m);
    m = read_manifest(dir);
    assert_int_equal(json_count(json_get(m, "files")), 1);
    free_span(m);
    assert_int_equal(result.files[KIN_BENCH_FILE_PODS].size, 0);
    assert_true(result.files[KIN_BENCH_FILE_EVENTS].size > 20 * 6000);
    remove_dir(dir);
}

static void directories_are_made(void **state)
{
    struct kin_bench_pods_options o = make_options(1, 0, 1, KIN_BENCH_TEMPLATED);
    struct kin_bench_pods_result result;
    char *dir = make_temp_dir();
    char *a = join_path(dir, "a");
    char *deep = join_path(a, "b");

    (void)state;
    write_set(&o, deep, &result);
    assert_true(file_exists(deep, "manifest.json"));
    /* An empty file of events is a good one. */
    assert_true(file_exists(deep, "events.jsonl"));
    assert_int_equal(result.files[KIN_BENCH_FILE_EVENTS].size, 0);
    remove_dir(deep);
    remove_dir(a);
    remove_dir(dir);
}

/* --- failures --- */

static void an_impossible_directory_is_an_error(void **state)
{
    struct kin_bench_pods_options o = make_options(10, 0, 1, KIN_BENCH_TEMPLATED);
    struct kin_bench_pods_error err = {0};
    char *dir = make_temp_dir();
    char *file = join_path(dir, "file");
    char *below = join_path(file, "sub");

    (void)state;
    write_file(dir, "file", "x", 1);
    assert_int_equal(kin_bench_pods_write(&o, below, NULL, NULL, &err), -ENOTDIR);
    assert_int_equal(err.code, ENOTDIR);
    assert_non_null(strstr(err.message, below));
    assert_int_equal(kin_bench_pods_write(&o, file, NULL, NULL, NULL), -ENOTDIR);
    /* Not even root can make a file there. */
    assert_true(kin_bench_pods_write(&o, "/proc/self/fdinfo", NULL, NULL, &err) < 0);
    assert_non_null(strstr(err.message, "/proc/self/fdinfo"));
    assert_int_equal(count_entries(dir), 1);
    free(below);
    free(file);
    remove_dir(dir);
}

static void bad_options_are_an_error(void **state)
{
    struct kin_bench_pods_options o = make_options(0, 0, 1, KIN_BENCH_TEMPLATED);
    char *dir = make_temp_dir();

    (void)state;
    assert_int_equal(kin_bench_pods_write(&o, dir, NULL, NULL, NULL), -EINVAL);
    o.pods = 1;
    o.events = (uint64_t)KIN_BENCH_EVENTS_MAX + 1;
    assert_int_equal(kin_bench_pods_write(&o, dir, NULL, NULL, NULL), -EINVAL);
    assert_int_equal(count_entries(dir), 0);
    remove_dir(dir);
}

static void a_full_disk_leaves_the_old_set(void **state)
{
    struct kin_bench_pods_options o = make_options(20, 20, 1, KIN_BENCH_TEMPLATED);
    struct kin_bench_pods_options big = make_options(1000, 0, 2, KIN_BENCH_TEMPLATED);
    struct kin_bench_pods_result result;
    struct kin_bench_pods_error err = {0};
    char *dir = make_temp_dir();
    struct rlimit old;
    struct rlimit small;
    struct span bytes;
    void (*handler)(int);
    int rc;

    (void)state;
    write_set(&o, dir, &result);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = old;
    small.rlim_cur = 3 << 20;
    handler = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    rc = kin_bench_pods_write(&big, dir, NULL, NULL, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    (void)signal(SIGXFSZ, handler);

    assert_int_equal(rc, -EFBIG);
    assert_non_null(strstr(err.message, "cannot write"));
    assert_non_null(strstr(err.message, dir));
    assert_int_equal(count_entries(dir), 5);
    bytes = read_file(dir, "pods.json");
    assert_true(kin_bench_hash(bytes.data, bytes.len) == result.files[KIN_BENCH_FILE_PODS].hash);
    free_span(bytes);
    remove_dir(dir);
}

static void only_one_writes_to_a_directory(void **state)
{
    struct kin_bench_pods_options o = make_options(1, 0, 1, KIN_BENCH_TEMPLATED);
    struct kin_bench_pods_error err = {0};
    char *dir = make_temp_dir();
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    assert_int_equal(kin_bench_pods_write(&o, dir, NULL, NULL, &err), -EBUSY);
    assert_non_null(strstr(err.message, "another"));
    (void)close(fd);
    assert_int_equal(kin_bench_pods_write(&o, dir, NULL, NULL, &err), 0);
    remove_dir(dir);
}

static void stopping_leaves_nothing(void **state)
{
    struct kin_bench_pods_options o = make_options(1000, 1000, 1, KIN_BENCH_TEMPLATED);
    struct kin_bench_pods_error err = {0};
    volatile int stop = SIGTERM;
    char *dir = make_temp_dir();

    (void)state;
    assert_int_equal(kin_bench_pods_write(&o, dir, &stop, NULL, &err), -EINTR);
    assert_int_equal(count_entries(dir), 0);
    remove_dir(dir);
}

/* --- the program --- */

static int run_program(const char *const *args, int out_fd, char *err, size_t size)
{
    struct child c;

    child_start(&c, program_path("KIN_BENCH_PODS", "kin-bench-pods"), args, out_fd);
    child_close_stdin(&c);
    child_read(c.err, err, size, false);
    return child_wait(&c);
}

static void program_refuses_bad_arguments(void **state)
{
    static const struct {
        const char *args[8];
        const char *says;
    } cases[] = {
        {{NULL}, "--pods is missing"},
        {{"--pods", "5", NULL}, "--out is missing"},
        {{"--out", "x", NULL}, "--pods is missing"},
        {{"--pods", "0", "--out", "x", NULL}, "--pods wants"},
        {{"--pods", "-1", "--out", "x", NULL}, "--pods wants"},
        {{"--pods", "1e3", "--out", "x", NULL}, "--pods wants"},
        {{"--pods", "", "--out", "x", NULL}, "--pods wants"},
        {{"--pods", "10000001", "--out", "x", NULL}, "--pods wants"},
        {{"--pods", "99999999999999999999999", "--out", "x", NULL}, "--pods wants"},
        {{"--pods", "1", "--events", "1000000001", "--out", "x", NULL}, "--events wants"},
        {{"--pods", "1", "--seed", "18446744073709551616", "--out", "x", NULL}, "--seed wants"},
        {{"--pods", "1", "--variant", "both", "--out", "x", NULL}, "--variant wants"},
        {{"--pods", "1", "--files", "pods.json,", "--out", "x", NULL}, "--files wants"},
        {{"--pods", "1", "--files", "nope", "--out", "x", NULL}, "--files wants"},
        {{"--pods", "1", "--out", "", NULL}, "--out wants"},
        {{"--pods", "1", "--out", "x", "y", NULL}, "unexpected argument"},
        {{"--bogus", NULL}, "--help"},
    };
    char err[2048];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(run_program(cases[i].args, -1, err, sizeof(err)), 2);
        if (!strstr(err, cases[i].says))
            fail_msg("case %zu says: %s", i, err);
    }
    assert_int_not_equal(access("x", F_OK), 0);
}

static void program_writes_and_reports(void **state)
{
    char *dir = make_temp_dir();
    const char *const args[] = {"--pods",    "30",
                                "--variant", "singleton",
                                "--events",  "40",
                                "--seed",    "18446744073709551615",
                                "--files",   "events.jsonl,pods.json",
                                "--out",     dir,
                                NULL};
    const char *const help[] = {"--help", NULL};
    char out[4096];
    char err[1024];
    struct child c;
    int full;

    (void)state;
    child_start(&c, program_path("KIN_BENCH_PODS", "kin-bench-pods"), args, -1);
    child_read(c.out, out, sizeof(out), false);
    assert_int_equal(child_wait(&c), 0);
    assert_non_null(strstr(out, "30 pods"));
    assert_int_equal(count_entries(dir), 3);

    child_start(&c, program_path("KIN_BENCH_PODS", "kin-bench-pods"), help, -1);
    child_read(c.out, out, sizeof(out), false);
    assert_int_equal(child_wait(&c), 0);
    assert_non_null(strstr(out, "usage: kin-bench-pods"));

    full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    assert_true(full >= 0);
    assert_int_equal(run_program(args, full, err, sizeof(err)), 1);
    assert_non_null(strstr(err, "cannot write to stdout"));
    assert_int_equal(run_program(help, full, err, sizeof(err)), 1);
    (void)close(full);
    remove_dir(dir);
}

static void program_reports_failures(void **state)
{
    static const char *const args[] = {"--pods", "1", "--out", "/proc/self/fdinfo", NULL};
    char err[1024];

    (void)state;
    assert_int_equal(run_program(args, -1, err, sizeof(err)), 1);
    assert_non_null(strstr(err, "kin-bench-pods: cannot create /proc/self/fdinfo/"));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_the_known_ones),
        cmocka_unit_test(files_agree),
        cmocka_unit_test(manifest_tells_all),
        cmocka_unit_test(only_selected_files_are_written),
        cmocka_unit_test(directories_are_made),
        cmocka_unit_test(an_impossible_directory_is_an_error),
        cmocka_unit_test(bad_options_are_an_error),
        cmocka_unit_test(a_full_disk_leaves_the_old_set),
        cmocka_unit_test(only_one_writes_to_a_directory),
        cmocka_unit_test(stopping_leaves_nothing),
        cmocka_unit_test(program_refuses_bad_arguments),
        cmocka_unit_test(program_writes_and_reports),
        cmocka_unit_test(program_reports_failures),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
