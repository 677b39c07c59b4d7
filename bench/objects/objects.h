/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the modes of kin-bench-objects share: the arguments, and lists. Nothing here can fail and
 * return: a run that fails has no figures.
 */
#ifndef KIN_BENCH_OBJECTS_H
#define KIN_BENCH_OBJECTS_H

#include "load.h"
#include "measure.h"

#define KIN_BENCH_MAX_THREADS 64

/* What the command line asks for. */
struct kin_bench_arguments {
    const char *file;
    double seconds;                   /* measure for at least this long */
    bool per_object;                  /* item by item, as in a watch */
    const kin_projection *projection; /* what is kept of an object; NULL: all */
    unsigned threads;                 /* that decode at the same time */
};

/* The modes. Each adds its measures to the report. */
void kin_bench_decode(const struct kin_bench_arguments *args, struct kin_bench_report *report);
void kin_bench_memory(const struct kin_bench_arguments *args, struct kin_bench_report *report);
void kin_bench_read(const struct kin_bench_arguments *args, struct kin_bench_report *report);
void kin_bench_encode(const struct kin_bench_arguments *args, struct kin_bench_report *report);
void kin_bench_replace(const struct kin_bench_arguments *args, struct kin_bench_report *report);

/* Reads whole lists. */
struct kin_bench_list;
struct kin_bench_list *kin_bench_list_new(const struct kin_bench_arguments *args,
                                          kin_encoding encoding);
/* One list, from its first byte to its last, into an array of items->n objects. */
void kin_bench_list_read(struct kin_bench_list *list, const struct kin_bench_items *items,
                         const kin_object **objects);
/* How lists are read, for the report. */
const char *kin_bench_list_note(void);
void kin_bench_list_free(struct kin_bench_list *list);

/* Add `ops`, objects per second, `bytes`, and `bytes_per_core`: bytes per second of CPU time. */
void kin_bench_report_rates(struct kin_bench_report *report, const struct kin_bench_usage *used,
                            uint64_t objects, uint64_t bytes);

#endif
