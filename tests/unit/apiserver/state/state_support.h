/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects and writes for tests of the API server's state.
 */
#ifndef KIN_TEST_STATE_SUPPORT_H
#define KIN_TEST_STATE_SUPPORT_H

#include "apiserver/state/state.h"
#include "apiserver/state/storage_sqlite.h"

/*
 * A document of a key, "ns/name" or "name", with a resourceVersion and a number in data.value.
 * `padding` bytes make it larger. 0, KIN_ENOMEM.
 */
int kin_test_document(const kin_object **ret, kin_str key, uint64_t version, unsigned value,
                      size_t padding, kin_error *err);
/* The number, and the version as a number. */
unsigned kin_test_document_value(const kin_object *object);
uint64_t kin_test_document_version(const kin_object *object);

/* A collection of a state; never fails. */
kin__collection *kin_test_collection(kin__state *state, const char *name);

/*
 * Begin, make the object, and commit. kin_test_try_put() returns what commit says; the others fail
 * the test if it is not 0, and return the version.
 */
int kin_test_try_put(kin__state *state, kin__collection *collection, const char *key,
                     unsigned value, kin__write_done *done, uint64_t *ret_version, kin_error *err);
/* KIN_ENOTFOUND: there is nothing to delete. */
int kin_test_try_delete(kin__state *state, kin__collection *collection, const char *key,
                        kin__write_done *done, uint64_t *ret_version, kin_error *err);
uint64_t kin_test_put(kin__state *state, kin__collection *collection, const char *key,
                      unsigned value);
uint64_t kin_test_delete(kin__state *state, kin__collection *collection, const char *key);

/* A `done` that can be waited for. */
typedef struct kin_test_done {
    kin__write_done base;
    struct kin_test_latch *latch; /* raised, if given */
    int code;                     /* 1 until it was called */
    unsigned calls;
} kin_test_done;

void kin_test_done_init(kin_test_done *done, struct kin_test_latch *latch);

/* The value of a key in the newest state, or -1. */
int kin_test_value(kin__state *state, kin__collection *collection, const char *key);

/* A storage that keeps nothing, and says that something is durable when it is told to. */
typedef struct kin_test_storage {
    kin__storage base;
    kin__storage_written_fn *written;
    void *arg;
    uint64_t versions[256]; /* that were appended, of the last ones */
    size_t n;
    int append_code;    /* what append says */
    uint64_t compacted; /* the last that it was told */
    size_t n_dead;      /* in all */
    uint64_t rewound;
    int rewind_code;
    bool is_freed; /* the memory is the test's */
} kin_test_storage;

void kin_test_storage_init(kin_test_storage *storage);
/* Versions up to this one are durable; or not, and never will be. */
void kin_test_storage_written(kin_test_storage *storage, uint64_t version, int code);

/* "key=value@version ..." of a list; BORROWED until the next call. Fails the test if it cannot. */
const char *kin_test_list(kin__state *state, kin__collection *collection, uint64_t version);

/*
 * A path for a database, in a directory that is made for this process; BORROWED until the next
 * call.
 */
const char *kin_test_database(const char *name);
/* Remove a database and all that belongs to it. */
void kin_test_remove_database(const char *path);
/* A state over a database; fails the test if there is none. Zeros: defaults. */
kin__state *kin_test_open_state(const char *path, size_t window_changes, size_t window_bytes);

#endif
