/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing a set of files.
 *
 * Each Pod is rendered once and appended to all files of the list; the events follow in a second
 * pass. Memory is constant: one buffer per file. The directory is locked for the duration, so the
 * temporary names can be fixed ones, and what a killed run left behind is overwritten by the next.
 * Write-back is started as the data grows, otherwise all of it would wait for the final flush.
 */
#include "pods.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* The manifest's hash is a published one, so that other tools can check it (xxhsum -H1). */
#define XXH_INLINE_ALL
#include <xxhash.h>

#define BUFFER_SIZE ((size_t)1 << 20)
#define WRITEBACK_STEP ((uint64_t)32 << 20)
#define MANIFEST "manifest.json"

#define POD_HEAD "\"kind\":\"Pod\",\"apiVersion\":\"v1\","
#define META_HEAD "\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\","

struct sink {
    const char *name; /* final name */
    char temp[40];
    int fd; /* -1: not open */
    char *buffer;
    size_t len;
    uint64_t size; /* bytes handed to the kernel */
    uint64_t flushed;
    bool made; /* the temporary file exists */
    XXH64_state_t hash;
};

struct job {
    const struct kin_bench_pods_options *options;
    const char *dir;
    int dir_fd;
    const volatile int *stop;
    struct kin_bench_pods *gen;
    struct sink sinks[KIN_BENCH_FILE_COUNT];
    struct sink manifest;
    struct kin_bench_pods_result *result;
    struct kin_bench_pods_error *err;
    char pod[KIN_BENCH_POD_SIZE_MAX];
};

/* All failures end here: remembers the code and what was being done. Returns the negative code. */
static int fail(struct job *job, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int fail(struct job *job, int code, const char *format, ...)
{
    struct kin_bench_pods_error *err = job->err;
    size_t len;
    va_list args;

    err->code = code;
    va_start(args, format);
    (void)vsnprintf(err->message, sizeof(err->message), format, args);
    va_end(args);
    len = strlen(err->message);
    (void)snprintf(err->message + len, sizeof(err->message) - len, ": %s", strerror(code));
    return -code;
}

static int sink_flush(struct job *job, struct sink *s)
{
    const char *p = s->buffer;
    size_t left = s->len;

    while (left > 0) {
        ssize_t n = write(s->fd, p, left);

        if (n < 0 && errno == EINTR && !(job->stop && *job->stop))
            continue;
        if (n < 0)
            return fail(job, errno, "cannot write %s/%s", job->dir, s->temp);
        p += n;
        left -= (size_t)n;
    }
    (void)XXH64_update(&s->hash, s->buffer, s->len);
    s->size += s->len;
    s->len = 0;
    if (s->size - s->flushed >= WRITEBACK_STEP) {
        /* Only a hint: file systems without it lose nothing but time. */
        (void)sync_file_range(s->fd, (off_t)s->flushed, (off_t)(s->size - s->flushed),
                              SYNC_FILE_RANGE_WRITE);
        s->flushed = s->size;
    }
    return 0;
}

static int sink_put(struct job *job, struct sink *s, const char *data, size_t size)
{
    while (size > 0) {
        size_t n = BUFFER_SIZE - s->len;

        if (n > size)
            n = size;
        memcpy(s->buffer + s->len, data, n);
        s->len += n;
        data += n;
        size -= n;
        if (s->len == BUFFER_SIZE) {
            int rc = sink_flush(job, s);

            if (rc < 0)
                return rc;
        }
    }
    return 0;
}

static int sink_put_str(struct job *job, struct sink *s, const char *text)
{
    return sink_put(job, s, text, strlen(text));
}

static int sink_open(struct job *job, struct sink *s, const char *name)
{
    s->name = name;
    (void)snprintf(s->temp, sizeof(s->temp), ".%s.partial", name);
    (void)XXH64_reset(&s->hash, 0);
    s->buffer = malloc(BUFFER_SIZE);
    if (!s->buffer)
        return fail(job, ENOMEM, "cannot make a buffer for %s", name);
    s->fd =
        openat(job->dir_fd, s->temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (s->fd < 0)
        return fail(job, errno, "cannot create %s/%s", job->dir, s->temp);
    s->made = true;
    return 0;
}

/* Everything on the disk and the descriptor closed; the file still has its temporary name. */
static int sink_finish(struct job *job, struct sink *s)
{
    int fd;
    int rc = sink_flush(job, s);

    if (rc < 0)
        return rc;
    while (fdatasync(s->fd) < 0) {
        if (errno == EINVAL || errno == EROFS)
            break; /* not a kind of file that can be flushed */
        if (errno != EINTR)
            return fail(job, errno, "cannot flush %s/%s", job->dir, s->temp);
    }
    fd = s->fd;
    s->fd = -1;
    if (close(fd) < 0 && errno != EINTR)
        return fail(job, errno, "cannot close %s/%s", job->dir, s->temp);
    return 0;
}

static int sink_rename(struct job *job, struct sink *s)
{
    if (renameat(job->dir_fd, s->temp, job->dir_fd, s->name) < 0)
        return fail(job, errno, "cannot rename %s/%s to %s", job->dir, s->temp, s->name);
    s->made = false;
    return 0;
}

/* Accepts a sink that was never opened, and one that was renamed. */
static void sink_done(struct job *job, struct sink *s)
{
    if (s->fd >= 0)
        (void)close(s->fd);
    if (s->made)
        (void)unlinkat(job->dir_fd, s->temp, 0);
    free(s->buffer);
    s->buffer = NULL;
}

static bool selected(const struct job *job, enum kin_bench_file file)
{
    return (job->options->files & (1u << file)) != 0;
}

static int check_stop(struct job *job)
{
    return job->stop && *job->stop ? fail(job, EINTR, "stopped") : 0;
}

static int put_list_head(struct job *job, enum kin_bench_file file, const char *kind)
{
    char head[192];

    (void)snprintf(head, sizeof(head),
                   "{%s,\"metadata\":{\"resourceVersion\":\"%llu\"},\"items\":[", kind,
                   (unsigned long long)kin_bench_pods_list_version(job->gen));
    return selected(job, file) ? sink_put_str(job, &job->sinks[file], head) : 0;
}

/* The text of a Pod without its opening brace, after head: a place for kind and apiVersion. */
static int put_with_head(struct job *job, struct sink *s, const char *head, const char *pod,
                         size_t size, const char *tail)
{
    int rc = sink_put_str(job, s, head);

    if (rc == 0)
        rc = sink_put(job, s, pod + 1, size - 1);
    return rc < 0 ? rc : sink_put_str(job, s, tail);
}

static int put_pod(struct job *job, uint64_t index, const struct kin_bench_pod_info *info)
{
    const char *comma = index ? "," : "";
    struct sink *s;
    int rc = 0;

    if (selected(job, KIN_BENCH_FILE_PODS)) {
        s = &job->sinks[KIN_BENCH_FILE_PODS];
        rc = sink_put_str(job, s, comma);
        if (rc == 0)
            rc = sink_put(job, s, job->pod, info->length);
    }
    if (rc == 0 && selected(job, KIN_BENCH_FILE_META)) {
        s = &job->sinks[KIN_BENCH_FILE_META];
        rc = sink_put_str(job, s, comma);
        if (rc == 0)
            rc = put_with_head(job, s, "{" META_HEAD, job->pod, info->metadata.end, "}");
    }
    if (rc == 0 && selected(job, KIN_BENCH_FILE_STREAM))
        rc = put_with_head(job, &job->sinks[KIN_BENCH_FILE_STREAM],
                           "{\"type\":\"ADDED\",\"object\":{" POD_HEAD, job->pod, info->length,
                           "}\n");
    return rc;
}

static int write_pods(struct job *job)
{
    struct kin_bench_pods_result *result = job->result;
    uint64_t total = 0;
    int rc = put_list_head(job, KIN_BENCH_FILE_PODS, "\"kind\":\"PodList\",\"apiVersion\":\"v1\"");

    if (rc == 0)
        rc = put_list_head(
            job, KIN_BENCH_FILE_META,
            "\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/v1\"");
    for (uint64_t i = 0; rc == 0 && i < job->options->pods; i++) {
        struct kin_bench_pod_info info;

        rc = kin_bench_pods_render(job->gen, i, job->pod, sizeof(job->pod), &info);
        if (rc < 0)
            return fail(job, -rc, "cannot render Pod %llu", (unsigned long long)i);
        total += info.length;
        if (i == 0 || info.length < result->pod_min)
            result->pod_min = info.length;
        if (info.length > result->pod_max)
            result->pod_max = info.length;
        rc = put_pod(job, i, &info);
        if (rc == 0)
            rc = check_stop(job);
    }
    if (rc < 0)
        return rc;
    if (job->options->pods > 0)
        result->pod_mean = (total + job->options->pods / 2) / job->options->pods;
    if (selected(job, KIN_BENCH_FILE_PODS))
        rc = sink_put_str(job, &job->sinks[KIN_BENCH_FILE_PODS], "]}");
    if (rc == 0 && selected(job, KIN_BENCH_FILE_META))
        rc = sink_put_str(job, &job->sinks[KIN_BENCH_FILE_META], "]}");
    if (rc == 0 && selected(job, KIN_BENCH_FILE_STREAM)) {
        char bookmark[256];

        (void)snprintf(bookmark, sizeof(bookmark),
                       "{\"type\":\"BOOKMARK\",\"object\":{" POD_HEAD
                       "\"metadata\":{\"resourceVersion\":\"%llu\",\"annotations\":"
                       "{\"k8s.io/initial-events-end\":\"true\"}},\"spec\":{\"containers\":null},"
                       "\"status\":{}}}\n",
                       (unsigned long long)kin_bench_pods_list_version(job->gen));
        rc = sink_put_str(job, &job->sinks[KIN_BENCH_FILE_STREAM], bookmark);
    }
    return rc;
}

static int write_events(struct job *job)
{
    struct sink *s = &job->sinks[KIN_BENCH_FILE_EVENTS];
    int rc = 0;

    for (uint64_t i = 0; rc == 0 && i < job->options->events; i++) {
        struct kin_bench_pod_info info;

        rc = kin_bench_pods_render_event(job->gen, i, job->pod, sizeof(job->pod), &info, NULL);
        if (rc < 0)
            return fail(job, -rc, "cannot render event %llu", (unsigned long long)i);
        rc = put_with_head(job, s, "{\"type\":\"MODIFIED\",\"object\":{" POD_HEAD, job->pod,
                           info.length, "}\n");
        if (rc == 0)
            rc = check_stop(job);
    }
    return rc;
}

static int write_manifest(struct job *job)
{
    const struct kin_bench_pods_options *o = job->options;
    const struct kin_bench_pods_result *r = job->result;
    struct sink *s = &job->manifest;
    char line[512];
    bool first = true;
    int rc = sink_open(job, s, MANIFEST);

    if (rc < 0)
        return rc;
    (void)snprintf(line, sizeof(line),
                   "{\n  \"generator\": \"kin-bench-pods\",\n  \"format\": 1,\n"
                   "  \"arguments\": {\"pods\": %llu, \"variant\": \"%s\", \"seed\": %llu, "
                   "\"events\": %llu},\n"
                   "  \"resourceVersion\": \"%llu\",\n"
                   "  \"podBytes\": {\"min\": %llu, \"mean\": %llu, \"max\": %llu},\n"
                   "  \"hash\": \"xxh64\",\n  \"files\": {",
                   (unsigned long long)o->pods, kin_bench_variant_name(o->variant),
                   (unsigned long long)o->seed, (unsigned long long)o->events,
                   (unsigned long long)kin_bench_pods_list_version(job->gen),
                   (unsigned long long)r->pod_min, (unsigned long long)r->pod_mean,
                   (unsigned long long)r->pod_max);
    rc = sink_put_str(job, s, line);
    for (unsigned f = 0; rc == 0 && f < KIN_BENCH_FILE_COUNT; f++) {
        uint64_t items =
            f == KIN_BENCH_FILE_EVENTS ? o->events : o->pods + (f == KIN_BENCH_FILE_STREAM ? 1 : 0);

        if (!selected(job, (enum kin_bench_file)f))
            continue;
        (void)snprintf(line, sizeof(line),
                       "%s\n    \"%s\": {\"items\": %llu, \"bytes\": %llu, \"hash\": \"%016llx\"}",
                       first ? "" : ",", kin_bench_file_name((enum kin_bench_file)f),
                       (unsigned long long)items, (unsigned long long)r->files[f].size,
                       (unsigned long long)r->files[f].hash);
        first = false;
        rc = sink_put_str(job, s, line);
    }
    if (rc == 0)
        rc = sink_put_str(job, s, "\n  }\n}\n");
    return rc == 0 ? sink_finish(job, s) : rc;
}

/* mkdir -p. What cannot be made shows when the directory is opened. */
static int make_dir(struct job *job)
{
    char *path = strdup(job->dir);

    if (!path)
        return fail(job, ENOMEM, "cannot make %s", job->dir);
    for (char *p = path + 1; *path && *p; p++) {
        if (*p != '/')
            continue;
        *p = '\0';
        (void)mkdir(path, 0777);
        *p = '/';
    }
    (void)mkdir(path, 0777);
    free(path);
    return 0;
}

static int open_dir(struct job *job)
{
    int rc = make_dir(job);

    if (rc < 0)
        return rc;
    job->dir_fd = open(job->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (job->dir_fd < 0)
        return fail(job, errno, "cannot open directory %s", job->dir);
    if (flock(job->dir_fd, LOCK_EX | LOCK_NB) < 0) {
        if (errno == EWOULDBLOCK)
            return fail(job, EBUSY, "another kin-bench-pods is writing to %s", job->dir);
        return fail(job, errno, "cannot lock %s", job->dir);
    }
    return 0;
}

/* From here on readers may see new files: the manifest is gone until all of them are there. */
static int publish(struct job *job)
{
    int rc = 0;

    if (unlinkat(job->dir_fd, MANIFEST, 0) < 0 && errno != ENOENT)
        return fail(job, errno, "cannot remove %s/" MANIFEST, job->dir);
    for (unsigned f = 0; rc == 0 && f < KIN_BENCH_FILE_COUNT; f++)
        if (selected(job, (enum kin_bench_file)f))
            rc = sink_rename(job, &job->sinks[f]);
    if (rc == 0)
        rc = sink_rename(job, &job->manifest);
    if (rc == 0 && fsync(job->dir_fd) < 0 && errno != EINVAL && errno != EROFS)
        rc = fail(job, errno, "cannot flush directory %s", job->dir);
    return rc;
}

static int write_all(struct job *job)
{
    struct kin_bench_pods_result *r = job->result;
    unsigned list =
        1u << KIN_BENCH_FILE_PODS | 1u << KIN_BENCH_FILE_META | 1u << KIN_BENCH_FILE_STREAM;
    int rc = kin_bench_pods_new(&job->gen, job->options);

    if (rc < 0)
        return fail(job, -rc, "cannot make %llu Pods", (unsigned long long)job->options->pods);
    if (job->options->events > KIN_BENCH_EVENTS_MAX)
        return fail(job, EINVAL, "cannot make %llu events",
                    (unsigned long long)job->options->events);
    rc = open_dir(job);
    for (unsigned f = 0; rc == 0 && f < KIN_BENCH_FILE_COUNT; f++)
        if (selected(job, (enum kin_bench_file)f))
            rc = sink_open(job, &job->sinks[f], kin_bench_file_name((enum kin_bench_file)f));
    if (rc == 0 && (job->options->files & list))
        rc = write_pods(job);
    if (rc == 0 && selected(job, KIN_BENCH_FILE_EVENTS))
        rc = write_events(job);
    for (unsigned f = 0; rc == 0 && f < KIN_BENCH_FILE_COUNT; f++) {
        if (!selected(job, (enum kin_bench_file)f))
            continue;
        rc = sink_finish(job, &job->sinks[f]);
        r->files[f].size = job->sinks[f].size;
        r->files[f].hash = XXH64_digest(&job->sinks[f].hash);
        r->total += job->sinks[f].size;
    }
    if (rc == 0)
        rc = write_manifest(job);
    if (rc == 0)
        rc = check_stop(job);
    return rc == 0 ? publish(job) : rc;
}

int kin_bench_pods_write(const struct kin_bench_pods_options *options, const char *dir,
                         const volatile int *stop, struct kin_bench_pods_result *ret,
                         struct kin_bench_pods_error *err)
{
    struct kin_bench_pods_result result;
    struct kin_bench_pods_error ignored;
    struct job *job = calloc(1, sizeof(*job));
    int rc;

    memset(&result, 0, sizeof(result));
    if (!err)
        err = &ignored;
    if (!job) {
        err->code = ENOMEM;
        (void)snprintf(err->message, sizeof(err->message), "out of memory");
        return -ENOMEM;
    }
    job->options = options;
    job->dir = dir;
    job->stop = stop;
    job->dir_fd = -1;
    job->result = &result;
    job->err = err;
    job->manifest.fd = -1;
    for (unsigned f = 0; f < KIN_BENCH_FILE_COUNT; f++)
        job->sinks[f].fd = -1;
    rc = write_all(job);
    for (unsigned f = 0; f < KIN_BENCH_FILE_COUNT; f++)
        sink_done(job, &job->sinks[f]);
    sink_done(job, &job->manifest);
    if (job->dir_fd >= 0)
        (void)close(job->dir_fd);
    kin_bench_pods_free(job->gen);
    free(job);
    if (rc == 0 && ret)
        *ret = result;
    return rc;
}

uint64_t kin_bench_hash(const void *data, size_t size)
{
    XXH64_state_t hash;

    (void)XXH64_reset(&hash, 0);
    (void)XXH64_update(&hash, data, size);
    return XXH64_digest(&hash);
}
