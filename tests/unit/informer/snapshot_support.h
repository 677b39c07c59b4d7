/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A folder with a snapshot in it, stores to write, and what was read as one line of text.
 */
#ifndef KIN_TEST_SNAPSHOT_SUPPORT_H
#define KIN_TEST_SNAPSHOT_SUPPORT_H

#include "kin_test.h"

#include "base/buf.h"
#include "kinform/memory.h"
#include "kinform/snapshot.h"

/* Wall time of the clock that writes. */
#define SNAPSHOT_TIME INT64_C(1700000000123456789)

typedef struct snapshot_scene {
    char folder[64];
    char path[96];
    char temporary[96];
} snapshot_scene;

void snapshot_scene_open(snapshot_scene *scene);
/* Nothing but the snapshot may be left in it. */
void snapshot_scene_close(snapshot_scene *scene);
bool snapshot_exists(const char *path);

/* A store with these objects; NULL ends them. Its version is "77". */
kin_store *snapshot_store(const char *const *texts);
/* Objects of one text: ConfigMaps c0, c1, …, each with `value` as data. */
kin_store *snapshot_store_of(unsigned n, const char *value);

/* Blocks of one or a few small objects, and a fake clock's time. The clock is the caller's. */
kin_snapshot_options snapshot_options(kin_clock **clock, size_t block_bytes);
/* With everything set. */
kin_snapshot_info snapshot_info(void);
/* Write it; must succeed. */
void snapshot_write(const char *path, kin_store *store, size_t block_bytes);

/*
 * Open and read all: the objects as JSON, one per line, sorted. After a failure: what was read before
 * is not to be seen. The code is that of the step that failed.
 */
int snapshot_read_text(kin__buf *ret, const char *path, kin_error *err);
/* It is whole, and holds this. */
void snapshot_assert_holds(const char *path, const char *lines);
/* It is refused with KIN_EPARSE, and the message has this in it. */
void snapshot_assert_refused(const char *path, const char *message);

/* Whole files; the bytes are to be given back with free(). */
char *snapshot_load(const char *path, size_t *ret_len);
void snapshot_store_file(const char *path, const void *data, size_t len);

#endif
