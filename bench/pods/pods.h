/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file pods.h
 * Deterministic Kubernetes Pods for the benchmarks.
 *
 * A Pod is a pure function of (seed, variant, number of Pods, index, round): the same arguments
 * give the same bytes on any machine, and any Pod can be made without making those before it.
 * The sets are therefore written in constant memory, whatever their size.
 *
 * Nothing here uses the clock, the locale, libc's random numbers or floating point.
 */
#ifndef KIN_BENCH_PODS_H
#define KIN_BENCH_PODS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Most Pods of one set: beyond it names and addresses would no longer be unique. */
#define KIN_BENCH_PODS_MAX 10000000u
/** Most events of one set. */
#define KIN_BENCH_EVENTS_MAX 1000000000u
/** No rendered Pod is longer than this; the size of buffer that always suffices. */
#define KIN_BENCH_POD_SIZE_MAX 16384u
/** Workloads of the templated variant. */
#define KIN_BENCH_WORKLOADS 250u
/** Namespaces of both variants. */
#define KIN_BENCH_NAMESPACES 50u
/** The annotation of events which the replay server overwrites with the time of sending. */
#define KIN_BENCH_SENT_KEY "kinform-bench/sent"
/** Its value before that: as many digits as nanoseconds of CLOCK_MONOTONIC can take. */
#define KIN_BENCH_SENT_ZERO "0000000000000000000"

enum kin_bench_variant {
    KIN_BENCH_TEMPLATED, /* 250 workloads whose Pods share the template, as in a real cluster */
    KIN_BENCH_SINGLETON, /* every Pod has a workload of its own: the worst case for sharing */
};

/** The files of a set; also bits of a mask, (1u << file). */
enum kin_bench_file {
    KIN_BENCH_FILE_PODS,   /* pods.json */
    KIN_BENCH_FILE_META,   /* pods.meta.json */
    KIN_BENCH_FILE_STREAM, /* stream.jsonl */
    KIN_BENCH_FILE_EVENTS, /* events.jsonl */
    KIN_BENCH_FILE_COUNT,
};
#define KIN_BENCH_FILES_ALL ((1u << KIN_BENCH_FILE_COUNT) - 1u)

/** The name of a file of the set, "pods.json". Static. */
const char *kin_bench_file_name(enum kin_bench_file file);
/** "templated" or "singleton". Static. */
const char *kin_bench_variant_name(enum kin_bench_variant variant);

struct kin_bench_pods_options {
    uint64_t pods;   /* 1 … KIN_BENCH_PODS_MAX */
    uint64_t events; /* 0 … KIN_BENCH_EVENTS_MAX; only kin_bench_pods_write() looks at it */
    uint64_t seed;
    enum kin_bench_variant variant;
    unsigned files; /* mask of (1u << enum kin_bench_file), for kin_bench_pods_write() */
};

/** Where one part of a rendered Pod lies: text[start] … text[end - 1]. */
struct kin_bench_span {
    size_t start;
    size_t end;
};

/** What kin_bench_pods_render() tells about the text it made. */
struct kin_bench_pod_info {
    size_t length;
    struct kin_bench_span metadata; /* the value of "metadata", braces included */
    struct kin_bench_span managed;  /* the value of "managedFields", brackets included */
    struct kin_bench_span spec;
    struct kin_bench_span status;
    uint64_t resource_version;
};

/** A generator. Immutable after new but for render's use of it: one thread at a time. */
struct kin_bench_pods;

/**
 * Make a generator.
 * @param[out] ret  OWNED, kin_bench_pods_free().
 * @return 0, -EINVAL (pods out of range, unknown variant), -ENOMEM.
 */
int kin_bench_pods_new(struct kin_bench_pods **ret, const struct kin_bench_pods_options *options);
void kin_bench_pods_free(struct kin_bench_pods *gen);

/** The resourceVersion of the list: that of every Pod in it is smaller or equal. */
uint64_t kin_bench_pods_list_version(const struct kin_bench_pods *gen);

/**
 * Render a Pod as the list has it: {"metadata":…,"spec":…,"status":…}, no kind, no apiVersion.
 * @param index  0 … pods - 1
 * @param text   at least KIN_BENCH_POD_SIZE_MAX bytes; not terminated.
 * @return 0, -EINVAL (index out of range), -ENOBUFS (never, unless the Pod's shape was changed).
 */
int kin_bench_pods_render(struct kin_bench_pods *gen, uint64_t index, char *text, size_t size,
                          struct kin_bench_pod_info *ret);

/**
 * Render the Pod that event number `event` carries, with the annotation KIN_BENCH_SENT_KEY.
 * Every `pods` events are one round in which each Pod changes once, in an order of its own.
 * @param[out] ret_index  which Pod it is; may be NULL.
 * @return as kin_bench_pods_render().
 */
int kin_bench_pods_render_event(struct kin_bench_pods *gen, uint64_t event, char *text, size_t size,
                                struct kin_bench_pod_info *ret, uint64_t *ret_index);

/** What kin_bench_pods_write() wrote. */
struct kin_bench_pods_result {
    struct {
        uint64_t size;
        uint64_t hash; /* XXH64, seed 0 */
    } files[KIN_BENCH_FILE_COUNT];
    uint64_t pod_min; /* bytes of one Pod in the list; 0 when no file had Pods */
    uint64_t pod_mean;
    uint64_t pod_max;
    uint64_t total; /* bytes of all files but the manifest */
};

/** An error with nothing to free. */
struct kin_bench_pods_error {
    int code; /* an errno value */
    char message[1024];
};

/**
 * Write a set of files and manifest.json to a directory, which is made when it is missing.
 *
 * All is written under temporary names, flushed to the disk, and renamed at the end; an old
 * manifest goes before the first rename and the new one comes last. A directory with a manifest
 * thus holds whole files. On failure the temporary files are removed. Files of the set that are
 * not selected are left as they are, and are not in the manifest.
 *
 * @param stop  BORROWED, may be NULL; *stop != 0 (from a signal handler) ends it with EINTR.
 * @return 0, or the negative errno value that is in err->code. EBUSY: another one writes there.
 */
int kin_bench_pods_write(const struct kin_bench_pods_options *options, const char *dir,
                         const volatile int *stop, struct kin_bench_pods_result *ret,
                         struct kin_bench_pods_error *err);

/** XXH64 with seed 0 of some bytes, the hash of the manifest. */
uint64_t kin_bench_hash(const void *data, size_t size);

#ifdef __cplusplus
}
#endif

#endif
