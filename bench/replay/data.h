/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file data.h
 * The files that are served: lists as they are, streams mapped and indexed event by event.
 */
#ifndef KIN_BENCH_REPLAY_DATA_H
#define KIN_BENCH_REPLAY_DATA_H

#include "request.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Digits of a stamp. */
#define KIN_BENCH_STAMP_LEN 19

struct kin_bench_list {
    int fd; /* -1: there is no such file */
    uint64_t size;
};

/** One event of a stream, whose bytes are data[start] … data[end - 1]. */
struct kin_bench_event {
    const char *data;
    size_t size;
    size_t stamp; /* where in it the stamp's digits are; 0: it has none */
};

struct kin_bench_stream {
    bool present;
    const char *map; /* NULL if the file is empty */
    size_t size;
    uint64_t *ends;   /* of each event */
    uint32_t *stamps; /* of each event, relative to its start; 0: none */
    size_t count;
};

/** Immutable once open: any thread may read it. */
struct kin_bench_data {
    struct kin_bench_list lists[KIN_BENCH_FORMAT_COUNT];
    struct kin_bench_stream initial[KIN_BENCH_FORMAT_COUNT]; /* stream.jsonl, stream.pbs */
    struct kin_bench_stream events[KIN_BENCH_FORMAT_COUNT];  /* events.jsonl, events.pbs */
};

/** Make data without any file. */
void kin_bench_data_init(struct kin_bench_data *data);

/**
 * Open what there is of a directory.
 * @param message  on failure, what is wrong; at least 512 bytes.
 * @return 0, -1 (data is then as after init). A directory with none of the files is an error.
 */
int kin_bench_data_open(struct kin_bench_data *data, const char *dir, char *message, size_t size);
void kin_bench_data_done(struct kin_bench_data *data);

/**
 * Find the events in the bytes of a stream, which must stay where they are.
 * @param format  KIN_BENCH_JSON: lines; KIN_BENCH_PROTOBUF: frames with a 4-byte length.
 * @return 0, -1 with a message (a last line or frame that is cut off, an empty line, no memory).
 */
int kin_bench_stream_index(struct kin_bench_stream *ret, const char *bytes, size_t size,
                           enum kin_bench_format format, char *message, size_t message_size);
/** Free the index, not the bytes. */
void kin_bench_stream_done(struct kin_bench_stream *stream);

static inline struct kin_bench_event kin_bench_stream_at(const struct kin_bench_stream *s, size_t i)
{
    size_t start = i ? (size_t)s->ends[i - 1] : 0;
    struct kin_bench_event e = {s->map + start, (size_t)s->ends[i] - start, s->stamps[i]};

    return e;
}

#ifdef __cplusplus
}
#endif

#endif
