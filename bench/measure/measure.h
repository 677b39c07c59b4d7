/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file measure.h
 * What the contestants written in C share: clocks of a measured section, memory, and the protocol of
 * bench/README.md. All of them measure the same way, and the same way as the Go peer.
 */
#ifndef KIN_BENCH_MEASURE_H
#define KIN_BENCH_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What measured sections took together, in nanoseconds. */
struct kin_bench_usage {
    int64_t wall;
    int64_t cpu; /**< user and system time of the whole process, all threads */
};

/** A measured section under way. */
struct kin_bench_section {
    int64_t wall;
    int64_t cpu;
};

void kin_bench_section_start(struct kin_bench_section *section);

/** Add what passed since the start to the total. The section may be stopped again, or started anew. */
void kin_bench_section_stop(const struct kin_bench_section *section, struct kin_bench_usage *total);

/** Memory of the process as /proc/self/status shows it, in bytes. */
struct kin_bench_memory {
    uint64_t rss;
    uint64_t rss_anon; /**< without files, hence without programs and libraries */
    uint64_t peak_rss;
};

/**
 * Read it; allocates nothing.
 * @param[out] ret  untouched on failure
 * @return 0, or a negative errno: that of open() and read(), -ENODATA if a line is not there.
 */
int kin_bench_memory_read(struct kin_bench_memory *ret);

/** The same of another process. */
int kin_bench_memory_read_of(pid_t pid, struct kin_bench_memory *ret);

/**
 * Bytes of the heap in use, of all threads, the allocator's own headers included. Of the C library's
 * allocator: a sanitizer replaces it, and then this is no figure.
 */
size_t kin_bench_heap_in_use(void);

/**
 * Bytes that came on the TCP connections that are open now.
 * @param[out] ret  untouched on failure
 * @return 0, or a negative errno.
 */
int kin_bench_received_read(uint64_t *ret);

/** A whole run's report, collected first, so that a run that fails leaves no figures behind. */
struct kin_bench_report {
    char text[8192];
    size_t len;
    bool broken; /**< something would have broken the protocol */
};

void kin_bench_report_init(struct kin_bench_report *report);

/**
 * Add `measure NAME VALUE UNIT`, with as many decimals as the value has, nine at most.
 * @param name   a-z, 0-9, '_', '.'; each once
 * @param value  finite
 * @param unit   one of s ns us ms B count 1/s B/s
 */
void kin_bench_report_measure(struct kin_bench_report *report, const char *name, double value,
                              const char *unit);

/** Add `wall` and `cpu`, which every contestant reports. */
void kin_bench_report_usage(struct kin_bench_report *report, const struct kin_bench_usage *usage);

/** Add `rss`, `rss_anon` and `peak_rss`. */
void kin_bench_report_memory(struct kin_bench_report *report,
                             const struct kin_bench_memory *memory);

/** Add `note TEXT`; a newline in the text becomes a space. */
void kin_bench_report_note(struct kin_bench_report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/**
 * Write all of it, and flush.
 * @return 0; -1 if something in it breaks the protocol or did not fit (then nothing is written), or
 *         if writing failed.
 */
int kin_bench_report_write(const struct kin_bench_report *report, FILE *out);

#ifdef __cplusplus
}
#endif

#endif
