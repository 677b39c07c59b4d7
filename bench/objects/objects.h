/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the modes of kin-bench-objects share: the arguments, the texts of a list's items, and
 * objects made of them. Nothing here can fail and return: a run that fails has no figures.
 */
#ifndef KIN_BENCH_OBJECTS_H
#define KIN_BENCH_OBJECTS_H

#include <kinform/json.h>

#include "measure.h"

#define KIN_BENCH_MAX_THREADS 64
#define KIN_BENCH_LEN(array) (sizeof(array) / sizeof((array)[0]))

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

/* Say why on standard error, and end with status 1. */
_Noreturn void kin_bench_die(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* As calloc(), but every page is there at once, so that none of it counts later. */
void *kin_bench_alloc(size_t n, size_t size);
/* A random permutation of 0 … n-1, the same each time; release with free(). */
size_t *kin_bench_shuffled(size_t n);

/* The items of a list. */
struct kin_bench_items {
    char *file; /* the whole file, mapped, read only */
    size_t file_size;
    kin_str *texts; /* n; views of the file, or of `typed` */
    size_t n;
    size_t bytes; /* of all texts */
    char *typed;  /* texts that are not the file's, NULL if there are none */
};

/* Map a list and find its items. */
void kin_bench_items_load(struct kin_bench_items *items, const char *file);
/*
 * Give each item kind and apiVersion, as a watch sends them, in a copy of its own: in the order given, or
 * that of the list if it is NULL.
 */
void kin_bench_items_type(struct kin_bench_items *items, const size_t *order);
/* Take the file's pages out of this process; they come back when they are read. */
void kin_bench_items_forget_pages(const struct kin_bench_items *items);
void kin_bench_items_done(struct kin_bench_items *items);

/* Options of decoders for the arguments. Items of a list get the type that they lack. */
kin_decode_options kin_bench_options(const struct kin_bench_arguments *args);
kin_decoder *kin_bench_decoder_new(const struct kin_bench_arguments *args);
/* One object, the caller's to unref. */
const kin_object *kin_bench_decode_one(kin_decoder *decoder, kin_str text);
/* All objects, in the order of the texts. */
const kin_object **kin_bench_decode_all(kin_decoder *decoder, const struct kin_bench_items *items);
void kin_bench_unref_all(const kin_object **objects, size_t n);
/* Reads whole lists. */
struct kin_bench_list;
struct kin_bench_list *kin_bench_list_new(const struct kin_bench_arguments *args);
/* One list, from its first byte to its last, into an array of items->n objects. */
void kin_bench_list_read(struct kin_bench_list *list, const struct kin_bench_items *items,
                         const kin_object **objects);
/* How lists are read, for the report. */
const char *kin_bench_list_note(void);
void kin_bench_list_free(struct kin_bench_list *list);

/* Values that documents have in common and that are still there. All of a run's must be gone at its end. */
uint64_t kin_bench_pool_values(void);

/* Add `ops`, objects per second, `bytes`, and `bytes_per_core`: bytes per second of CPU time. */
void kin_bench_report_rates(struct kin_bench_report *report, const struct kin_bench_usage *used,
                            uint64_t objects, uint64_t bytes);

#endif
