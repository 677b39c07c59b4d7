/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What tests of FIFO and the ordered FIFO share: process functions that note what they get, and
 * known objects that a test can take part in.
 */
#ifndef KIN_TEST_FIFO_SUPPORT_H
#define KIN_TEST_FIFO_SUPPORT_H

#include "kinform/delta.h"
#include "kinform/fifo.h"
#include "kinform/known_objects.h"
#include "kinform/ordered_fifo.h"

/*
 * What was processed, as text. Each change is its type, key and version, with `*` if it was of the first
 * list: "Added foo 10", "Replaced bar 2*". A tombstone is "Deleted foo (10)", with the version of the
 * last state or "-"; others are "ReplacedAll 20 [foo 15]", "SyncAll", "Bookmark 7". Changes are parted
 * by ", ", those of one batch are in braces.
 */
struct trace {
    char text[4096];
    size_t len;
    int result;                          /* what the process function returns */
    int said;                            /* the code it puts into the error, 0: nothing */
    unsigned n;                          /* calls */
    void (*during)(struct trace *trace); /* called first; may be NULL */
    void *arg;                           /* for `during` */
    kin_fifo *fifo;
    kin_ordered_fifo *ordered;
};

void trace_reset(struct trace *trace);

/* Set-ups of a test, whose state is a trace with an empty queue, and their tear-down: nothing is left. */
int fifo_setup(void **state);
int ordered_fifo_setup(void **state);
int trace_teardown(void **state);

/* For pops, with a trace as argument. */
int note_object(const kin_object *object, bool is_initial_list, void *arg, kin_error *err);
int note_deltas(const kin_deltas *deltas, bool is_initial_list, void *arg, kin_error *err);
int note_batch(const kin_deltas *deltas, size_t n, bool is_initial_list, void *arg, kin_error *err);

/* Pop until there is nothing more; the text. */
const char *drain_fifo(struct trace *trace);
const char *drain_ordered(struct trace *trace);
const char *drain_ordered_in_batches(struct trace *trace, size_t max);

/* Items from "foo 10, bar 2, foo 3": at most 16. */
struct items {
    const kin_object *items[16];
    size_t n;
};

struct items items_of(const char *text);
void items_done(struct items *items);

/* Known objects of a test. */
struct known {
    const char *text; /* as items_of() takes it */
    int result;       /* what `each` returns instead of visiting the last one; 0: visit all */
    void (*before)(struct known *known); /* called before the first visit; may be NULL */
    void (*after)(struct known *known);  /* called after the last visit; may be NULL */
    void *arg;
    unsigned asked; /* how often */
};

kin_known_objects known_objects_of(struct known *known);

/* Operations on items that are made for it. The queue is told nothing of their life. */
int fifo_add(kin_fifo *fifo, const char *key, unsigned version);
int fifo_delete(kin_fifo *fifo, const char *key);
int fifo_replace(kin_fifo *fifo, const char *text);
int ordered_put(kin_ordered_fifo *fifo, kin_delta_type type, const char *key, unsigned version);
int ordered_replace(kin_ordered_fifo *fifo, const char *text, const char *version);

/* What readers see: "foo 10, bar 2", and "foo, bar". */
void assert_fifo_objects(kin_fifo *fifo, const char *expected);
void assert_fifo_keys(kin_fifo *fifo, const char *expected);

#endif
