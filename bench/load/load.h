/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the contestants that work on objects share: the items of a list, objects made of them or of
 * nothing, and orders to use them in. Nothing here can fail and return: a run that fails has no
 * figures.
 */
#ifndef KIN_BENCH_LOAD_H
#define KIN_BENCH_LOAD_H

#include <kinform/json.h>
#include <kinform/store.h>

#include "measure.h"

#define KIN_BENCH_LEN(array) (sizeof(array) / sizeof((array)[0]))
/* Where orders begin; bench/peers/client-go/random.go has the same. */
#define KIN_BENCH_ORDER_SEED 42

/* Say why on standard error, and end with status 1. */
void kin_bench_die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
/* A number from 1 to `max`, or the end. */
size_t kin_bench_number(const char *text, size_t max);
/* As calloc(), but every page is there at once, so that none of it counts later. */
void *kin_bench_alloc(size_t n, size_t size);
void kin_bench_sleep(double seconds);

/* Memory of the process. */
struct kin_bench_memory kin_bench_memory_now(void);

/* The same at rest: what the allocator does not use was given back. */
struct kin_bench_resting {
    size_t heap;
    struct kin_bench_memory process;
};

struct kin_bench_resting kin_bench_rest(void);
/* The difference, which may be below 0. */
double kin_bench_above(uint64_t after, uint64_t before);
/* How many threads there are. */
unsigned kin_bench_threads(void);

/* Write the report. */
void kin_bench_write(const struct kin_bench_report *report);

/* The next number of a sequence (splitmix64) that begins with any state. */
uint64_t kin_bench_draw(uint64_t *state);
/* A random permutation of 0 … n-1, the same for each seed; release with free(). */
size_t *kin_bench_shuffled(size_t n, uint64_t seed);

/* The items of a list. */
struct kin_bench_items {
    char *file; /* the whole file, mapped, read only */
    size_t file_size;
    kin_str *texts; /* n; views of the file, or of `typed` */
    size_t n;
    size_t bytes;          /* of all texts */
    char *typed;           /* texts that are not the file's, NULL if there are none */
    kin_encoding encoding; /* of the file */
};

/* Map a list, in JSON or in protobuf, and find its items. */
void kin_bench_items_load(struct kin_bench_items *items, const char *file);
/*
 * Give each item kind and apiVersion, as a watch sends them, in a copy of its own: in the order
 * given, or that of the list if it is NULL. Items in protobuf can be decoded one by one only after that. Once.
 */
void kin_bench_items_type(struct kin_bench_items *items, const size_t *order);
/* Take the file's pages out of this process; they come back when they are read. */
void kin_bench_items_forget_pages(const struct kin_bench_items *items);
void kin_bench_items_done(struct kin_bench_items *items);

/* Options of decoders. Items of a list get the type that they lack. `projection` may be NULL. */
kin_decode_options kin_bench_decode_options(const kin_projection *projection,
                                            kin_encoding encoding);
/* Of JSON. */
kin_decoder *kin_bench_decoder_new(const kin_projection *projection);
/* Of the items of a file. */
kin_decoder *kin_bench_decoder_for(const struct kin_bench_items *items,
                                   const kin_projection *projection);
/* One object, the caller's to unref. */
const kin_object *kin_bench_decode_one(kin_decoder *decoder, kin_str text);
/* The first n objects, in the order of the texts. */
const kin_object **kin_bench_decode_all(kin_decoder *decoder, const struct kin_bench_items *items,
                                        size_t n);
void kin_bench_unref_all(const kin_object **objects, size_t n);

/*
 * Pods that have only what keys and indexes need, and a resource version: key, node and version are
 * those of the Pods that bench/peers/client-go/slimpods.go makes.
 */
const kin_object **kin_bench_slim_objects(kin_decoder *decoder, size_t n, size_t version);

/* An index of Pods by their node, to be added once. */
kin_index kin_bench_node_index(const char *name);

/*
 * Values that documents have in common and that are still there. All of a run's must be gone at its
 * end: a promise of the library, and what makes figures of memory true.
 */
uint64_t kin_bench_pool_values(void);

#endif
