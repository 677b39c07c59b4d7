/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening and indexing the data.
 *
 * The index costs twelve bytes per event and is made once, so that sending finds both the event's
 * bounds and its stamp without looking at the bytes. Going through the mapping also brings it into
 * memory: no run measures the disk. The generator replaces files by renaming, never in place, so a
 * mapping stays whole while the server runs.
 */
#include "data.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A single event; the stamp's position is kept in 32 bits. */
#define EVENT_MAX ((size_t)256 << 20)

#define STAMP_KEY "kinform-bench/sent"

static const char *const list_names[] = {
    [KIN_BENCH_JSON] = "pods.json",
    [KIN_BENCH_PROTOBUF] = "pods.pb",
    [KIN_BENCH_METADATA] = "pods.meta.json",
};
static const char *const initial_names[] = {
    [KIN_BENCH_JSON] = "stream.jsonl",
    [KIN_BENCH_PROTOBUF] = "stream.pbs",
    [KIN_BENCH_METADATA] = NULL,
};
static const char *const event_names[] = {
    [KIN_BENCH_JSON] = "events.jsonl",
    [KIN_BENCH_PROTOBUF] = "events.pbs",
    [KIN_BENCH_METADATA] = NULL,
};

/* Where the digits of an event's stamp begin, 0 if there are none. */
static uint32_t find_stamp(const char *event, size_t size, enum kin_bench_format format)
{
    static const char json_key[] = "\"" STAMP_KEY "\":\"";
    /* A map entry of protobuf: key, then field 2 of 19 bytes. */
    static const char protobuf_key[] = STAMP_KEY "\x12\x13";
    const char *key = format == KIN_BENCH_JSON ? json_key : protobuf_key;
    size_t key_len = strlen(key);
    const char *at = memmem(event, size, key, key_len);
    size_t offset;

    if (!at)
        return 0;
    offset = (size_t)(at - event) + key_len;
    if (size - offset < KIN_BENCH_STAMP_LEN)
        return 0;
    for (size_t i = 0; i < KIN_BENCH_STAMP_LEN; i++)
        if (event[offset + i] < '0' || event[offset + i] > '9')
            return 0;
    return (uint32_t)offset;
}

/* Length of the event at the start of some bytes, 0 if they hold no whole one. */
static size_t event_size(const char *bytes, size_t size, enum kin_bench_format format)
{
    const unsigned char *b = (const unsigned char *)bytes;
    size_t n;

    if (!bytes || size == 0) /* an empty file is not mapped */
        return 0;
    if (format == KIN_BENCH_JSON) {
        const char *end = memchr(bytes, '\n', size);

        return end && end > bytes ? (size_t)(end + 1 - bytes) : 0;
    }
    if (size < 4)
        return 0;
    n = (size_t)b[0] << 24 | (size_t)b[1] << 16 | (size_t)b[2] << 8 | (size_t)b[3];
    return n > 0 && n <= size - 4 ? n + 4 : 0;
}

static int grow(struct kin_bench_stream *s, size_t *capacity)
{
    size_t n = *capacity ? *capacity * 2 : 1024;
    void *p;

    if (n > SIZE_MAX / sizeof(*s->ends))
        return -1;
    p = realloc(s->ends, n * sizeof(*s->ends));
    if (!p)
        return -1;
    s->ends = p;
    p = realloc(s->stamps, n * sizeof(*s->stamps));
    if (!p)
        return -1;
    s->stamps = p;
    *capacity = n;
    return 0;
}

void kin_bench_stream_done(struct kin_bench_stream *stream)
{
    free(stream->ends);
    free(stream->stamps);
    memset(stream, 0, sizeof(*stream));
}

int kin_bench_stream_index(struct kin_bench_stream *ret, const char *bytes, size_t size,
                           enum kin_bench_format format, char *message, size_t message_size)
{
    struct kin_bench_stream s;
    size_t capacity = 0;
    size_t at = 0;

    memset(&s, 0, sizeof(s));
    s.present = true;
    s.map = bytes;
    s.size = size;
    while (at < size) {
        size_t n = event_size(bytes + at, size - at, format);

        if (n == 0 || n > EVENT_MAX) {
            (void)snprintf(message, message_size,
                           "event %zu (at byte %zu) is empty, cut off or too long", s.count, at);
            kin_bench_stream_done(&s);
            return -1;
        }
        if (s.count == capacity && grow(&s, &capacity) < 0) {
            (void)snprintf(message, message_size, "no memory for the index");
            kin_bench_stream_done(&s);
            return -1;
        }
        s.stamps[s.count] = find_stamp(bytes + at, n, format);
        at += n;
        s.ends[s.count++] = at;
    }
    *ret = s;
    return 0;
}

void kin_bench_data_init(struct kin_bench_data *data)
{
    memset(data, 0, sizeof(*data));
    for (unsigned f = 0; f < KIN_BENCH_FORMAT_COUNT; f++)
        data->lists[f].fd = -1;
}

/* 0 and *ret_fd == -1 if there is no such file. */
static int open_file(int dir_fd, const char *dir, const char *name, int *ret_fd, uint64_t *ret_size,
                     char *message, size_t message_size)
{
    struct stat st;
    int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC);

    *ret_fd = -1;
    if (fd < 0 && errno == ENOENT)
        return 0;
    if (fd < 0 || fstat(fd, &st) < 0) {
        (void)snprintf(message, message_size, "cannot open %s/%s: %s", dir, name, strerror(errno));
        if (fd >= 0)
            (void)close(fd);
        return -1;
    }
    if (!S_ISREG(st.st_mode)) {
        (void)snprintf(message, message_size, "%s/%s is not a regular file", dir, name);
        (void)close(fd);
        return -1;
    }
    *ret_fd = fd;
    *ret_size = (uint64_t)st.st_size;
    return 0;
}

static int open_stream(struct kin_bench_stream *ret, int dir_fd, const char *dir, const char *name,
                       enum kin_bench_format format, char *message, size_t message_size)
{
    void *map = NULL;
    uint64_t size = 0;
    char problem[128];
    int fd;

    if (open_file(dir_fd, dir, name, &fd, &size, message, message_size) < 0)
        return -1;
    if (fd < 0)
        return 0;
    if (size > 0)
        map = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED) {
        (void)snprintf(message, message_size, "cannot map %s/%s: %s", dir, name, strerror(errno));
        (void)close(fd);
        return -1;
    }
    (void)close(fd);
    if (map)
        (void)madvise(map, (size_t)size, MADV_WILLNEED);
    if (kin_bench_stream_index(ret, map, (size_t)size, format, problem, sizeof(problem)) < 0) {
        (void)snprintf(message, message_size, "%s/%s: %s", dir, name, problem);
        if (map)
            (void)munmap(map, (size_t)size);
        return -1;
    }
    return 0;
}

static int open_format(struct kin_bench_data *data, int dir_fd, const char *dir,
                       enum kin_bench_format f, char *message, size_t size)
{
    struct kin_bench_list *list = &data->lists[f];

    if (open_file(dir_fd, dir, list_names[f], &list->fd, &list->size, message, size) < 0)
        return -1;
    if (list->fd >= 0)
        (void)posix_fadvise(list->fd, 0, 0, POSIX_FADV_WILLNEED);
    if (initial_names[f] &&
        open_stream(&data->initial[f], dir_fd, dir, initial_names[f], f, message, size) < 0)
        return -1;
    if (event_names[f] &&
        open_stream(&data->events[f], dir_fd, dir, event_names[f], f, message, size) < 0)
        return -1;
    return 0;
}

int kin_bench_data_open(struct kin_bench_data *data, const char *dir, char *message, size_t size)
{
    int dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool any = false;
    int rc = 0;

    kin_bench_data_init(data);
    if (dir_fd < 0) {
        (void)snprintf(message, size, "cannot open directory %s: %s", dir, strerror(errno));
        return -1;
    }
    for (unsigned f = 0; rc == 0 && f < KIN_BENCH_FORMAT_COUNT; f++) {
        rc = open_format(data, dir_fd, dir, (enum kin_bench_format)f, message, size);
        any = any || data->lists[f].fd >= 0 || data->initial[f].present || data->events[f].present;
    }
    (void)close(dir_fd);
    if (rc == 0 && !any) {
        (void)snprintf(message, size, "there are no data files in %s", dir);
        rc = -1;
    }
    if (rc < 0)
        kin_bench_data_done(data);
    return rc;
}

static void close_stream(struct kin_bench_stream *s)
{
    if (s->map) {
        /* The mapping was made read-only; only its type has lost the const. */
        union {
            const char *in;
            void *out;
        } map = {s->map};

        (void)munmap(map.out, s->size);
    }
    kin_bench_stream_done(s);
}

void kin_bench_data_done(struct kin_bench_data *data)
{
    for (unsigned f = 0; f < KIN_BENCH_FORMAT_COUNT; f++) {
        if (data->lists[f].fd >= 0)
            (void)close(data->lists[f].fd);
        close_stream(&data->initial[f]);
        close_stream(&data->events[f]);
    }
    kin_bench_data_init(data);
}
