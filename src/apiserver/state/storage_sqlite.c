/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Group commit: the thread "kin-storage" takes all that waits, writes it in transactions of a
 * bounded size, and says after each what is durable. While one is written the next group gathers,
 * so the more there is to do the cheaper each write becomes. Objects become text here, not in the
 * writers.
 *
 * The first failure is for good: what the disk has is no longer what the memory has.
 */
#include "apiserver/state/storage_sqlite.h"

#include <stdio.h>
#include <string.h>

#include "apiserver/state/sqlite_file.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/list.h"
#include "base/memory.h"
#include "base/mutex.h"
#include "base/thread.h"

enum {
    GROUP_RECORDS = 512,    /* of one transaction, */
    GROUP_COMPACTIONS = 16, /* and what it forgets, of up to 64 versions each */
    RECORDS_KEPT = 4096,    /* room for so many stays */
};

struct compaction {
    kin__list link;
    kin_str collection;
    uint64_t version;
    size_t n_dead;
    uint64_t dead[]; /* then the collection's name */
};

struct records {
    kin__storage_record *items;
    size_t len;
    size_t cap;
};

/* Who waits for going back, on its stack. */
struct rewind {
    uint64_t version;
    bool is_done; /* (lock) */
    int code;
    kin_error err;
};

struct sqlite_storage {
    kin__storage base;
    kin__sqlite_file file; /* the opener's, then the thread's */
    kin__thread thread;
    kin__storage_written_fn *written; /* const after start */
    void *written_arg;                /* const after start */

    kin__mutex lock;        /* rank API_STORAGE */
    kin__cond work;         /* for the thread */
    kin__cond rewound;      /* for whoever waits for going back */
    struct records waiting; /* (lock) */
    kin__list compactions;  /* (lock) */
    struct rewind *rewind;  /* (lock) */
    bool is_stopping;       /* (lock) */
    bool has_failed;        /* (lock) */
    char why[512];          /* (lock) */

    struct records taken; /* the thread's */
};

static struct sqlite_storage *storage_of(kin__storage *storage)
{
    return kin__container_of(storage, struct sqlite_storage, base);
}

static void records_done(struct records *records)
{
    kin__free(records->items);
    memset(records, 0, sizeof(*records));
}

static void free_compactions(kin__list *list)
{
    kin__list *link;

    while ((link = kin__list_pop_front(list)))
        kin__free(kin__list_entry(link, struct compaction, link));
}

/* --- the thread --- */

static int write_compaction(struct sqlite_storage *s, const struct compaction *compaction,
                            kin_error *err)
{
    int code =
        kin__sqlite_file_set_compacted(&s->file, compaction->collection, compaction->version, err);

    for (size_t i = 0; code == 0 && i < compaction->n_dead; i++)
        code = kin__sqlite_file_erase(&s->file, compaction->dead[i], err);
    return code;
}

/* One transaction. */
static int write_group(struct sqlite_storage *s, const kin__storage_record *records, size_t n,
                       kin__list *compactions, kin_error *err)
{
    int code = kin__sqlite_file_begin(&s->file, err);

    if (code < 0)
        return code;
    for (size_t i = 0; code == 0 && i < n; i++)
        code = kin__sqlite_file_insert(&s->file, &records[i], err);
    for (kin__list *link = compactions->next; code == 0 && link != compactions; link = link->next)
        code = write_compaction(s, kin__list_entry(link, struct compaction, link), err);
    if (code == 0)
        code = kin__sqlite_file_commit(&s->file, err);
    if (code < 0)
        kin__sqlite_file_cancel(&s->file);
    return code;
}

static void take_compactions(struct sqlite_storage *s, kin__list *list)
{
    kin__list *link;

    kin__list_init(list);
    kin__mutex_lock(&s->lock);
    for (int i = 0; i < GROUP_COMPACTIONS && (link = kin__list_pop_front(&s->compactions)); i++)
        kin__list_push_back(list, link);
    kin__mutex_unlock(&s->lock);
}

/* No more from now on: what waits is dropped, and whoever made it is told. */
static void give_up(struct sqlite_storage *s, int code, const char *why)
{
    kin__mutex_lock(&s->lock);
    s->has_failed = true;
    snprintf(s->why, sizeof(s->why), "%s", why);
    s->waiting.len = 0;
    free_compactions(&s->compactions);
    kin__mutex_unlock(&s->lock);
    s->taken.len = 0;
    s->written(s->written_arg, 0, code, why);
}

/* Write what was taken, and a part of what is to be forgotten. */
static int write_taken(struct sqlite_storage *s, kin_error *err)
{
    size_t at = 0;
    int code;

    do {
        size_t n = s->taken.len - at < GROUP_RECORDS ? s->taken.len - at : GROUP_RECORDS;
        kin__list compactions;

        take_compactions(s, &compactions);
        code = write_group(s, &s->taken.items[at], n, &compactions, err);
        free_compactions(&compactions);
        if (code < 0)
            return code;
        at += n;
        if (n > 0)
            s->written(s->written_arg, s->taken.items[at - 1].version, 0, NULL);
    } while (at < s->taken.len);
    s->taken.len = 0;
    return 0;
}

static int write_rewind(struct sqlite_storage *s, uint64_t version, kin_error *err)
{
    int code = kin__sqlite_file_begin(&s->file, err);

    if (code < 0)
        return code;
    code = kin__sqlite_file_rewind(&s->file, version, err);
    if (code == 0)
        code = kin__sqlite_file_commit(&s->file, err);
    if (code < 0)
        kin__sqlite_file_cancel(&s->file);
    return code;
}

static void run_rewind(struct sqlite_storage *s, struct rewind *rewind, bool has_failed)
{
    kin_error err = KIN_ERROR_INIT;
    int code = has_failed ? kin_error_set(&err, KIN_ESYSTEM, "the storage has failed: %s", s->why)
                          : write_rewind(s, rewind->version, &err);

    kin__mutex_lock(&s->lock);
    rewind->code = code;
    rewind->err = err;
    rewind->is_done = true;
    s->rewind = NULL;
    kin__cond_broadcast(&s->rewound);
    kin__mutex_unlock(&s->lock);
}

/* Wait for something to do, and take it. False: there will be nothing any more. */
static bool take(struct sqlite_storage *s, struct rewind **ret_rewind, bool *ret_failed)
{
    bool is_there;

    kin__mutex_lock(&s->lock);
    while (s->waiting.len == 0 && kin__list_is_empty(&s->compactions) && !s->rewind &&
           !s->is_stopping)
        kin__cond_wait(&s->work, &s->lock);
    is_there = s->waiting.len > 0 || !kin__list_is_empty(&s->compactions) || s->rewind;
    if (s->taken.cap > RECORDS_KEPT)
        records_done(&s->taken);
    struct records room = s->taken;
    s->taken = s->waiting;
    s->waiting = room;
    *ret_rewind = s->rewind;
    *ret_failed = s->has_failed;
    kin__mutex_unlock(&s->lock);
    return is_there;
}

static void storage_run(void *arg)
{
    struct sqlite_storage *s = arg;
    struct rewind *rewind;
    bool has_failed;

    while (take(s, &rewind, &has_failed)) {
        kin_error err = KIN_ERROR_INIT;
        int code = has_failed ? 0 : write_taken(s, &err);

        if (code < 0)
            give_up(s, code, err.message);
        if (rewind)
            run_rewind(s, rewind, has_failed || code < 0);
    }
}

/* --- the class --- */

static int load(kin__storage *storage, kin__storage_loader *loader, uint64_t *ret_version,
                kin_error *err)
{
    return kin__sqlite_file_load(&storage_of(storage)->file, loader, ret_version, err);
}

static int start(kin__storage *storage, kin__storage_written_fn *written, void *arg, kin_error *err)
{
    struct sqlite_storage *s = storage_of(storage);

    s->written = written;
    s->written_arg = arg;
    return kin__thread_start(&s->thread, "kin-storage", storage_run, s, err);
}

static int append_locked(struct sqlite_storage *s, const kin__storage_record *record,
                         kin_error *err) KIN_REQUIRES(s->lock)
{
    kin__storage_record *items;

    if (s->has_failed)
        return kin_error_set(err, KIN_ESYSTEM, "the storage has failed: %s", s->why);
    items = kin__grow_array(s->waiting.items, &s->waiting.cap, s->waiting.len + 1, sizeof(*items));
    if (!items)
        return kin__error_no_memory(err);
    s->waiting.items = items;
    items[s->waiting.len++] = *record;
    if (s->waiting.len == 1)
        kin__cond_signal(&s->work);
    return 0;
}

static int append(kin__storage *storage, const kin__storage_record *record, kin_error *err)
{
    struct sqlite_storage *s = storage_of(storage);
    int code;

    kin__mutex_lock(&s->lock);
    code = append_locked(s, record, err);
    kin__mutex_unlock(&s->lock);
    return code;
}

static void compact(kin__storage *storage, kin_str collection, uint64_t version,
                    const uint64_t *dead, size_t n_dead)
{
    struct sqlite_storage *s = storage_of(storage);
    struct compaction *compaction =
        kin__malloc(sizeof(*compaction) + n_dead * sizeof(*dead) + collection.len + 1);
    char *name;

    if (!compaction)
        return;
    name = (char *)&compaction->dead[n_dead];
    memcpy(name, collection.data, collection.len);
    if (n_dead > 0)
        memcpy(compaction->dead, dead, n_dead * sizeof(*dead));
    compaction->collection = kin_str_make(name, collection.len);
    compaction->version = version;
    compaction->n_dead = n_dead;
    kin__mutex_lock(&s->lock);
    if (!s->has_failed) {
        kin__list_push_back(&s->compactions, &compaction->link);
        compaction = NULL;
        kin__cond_signal(&s->work);
    }
    kin__mutex_unlock(&s->lock);
    kin__free(compaction);
}

static int rewind_to(kin__storage *storage, uint64_t version, kin_error *err)
{
    struct sqlite_storage *s = storage_of(storage);
    struct rewind rewind = {.version = version};

    kin__mutex_lock(&s->lock);
    s->rewind = &rewind;
    kin__cond_signal(&s->work);
    while (!rewind.is_done)
        kin__cond_wait(&s->rewound, &s->lock);
    kin__mutex_unlock(&s->lock);
    return rewind.code < 0 ? kin__error_pass(err, rewind.code, &rewind.err) : 0;
}

static void destroy(kin__storage *storage)
{
    struct sqlite_storage *s = storage_of(storage);

    kin__mutex_lock(&s->lock);
    s->is_stopping = true;
    kin__cond_signal(&s->work);
    kin__mutex_unlock(&s->lock);
    kin__thread_join(&s->thread, NULL);
    kin__sqlite_file_close(&s->file);
    free_compactions(&s->compactions);
    records_done(&s->waiting);
    records_done(&s->taken);
    kin__cond_done(&s->rewound);
    kin__cond_done(&s->work);
    kin__mutex_done(&s->lock);
    kin__free(s);
}

int kin__storage_sqlite_open(kin__storage **ret, const char *path, bool full_sync, kin_error *err)
{
    static const kin__storage_class storage_class = {load,    start,     append,
                                                     compact, rewind_to, destroy};
    struct sqlite_storage *s = kin__calloc(1, sizeof(*s));
    int code;

    if (!s)
        return kin__error_no_memory(err);
    s->base.storage_class = &storage_class;
    s->thread = KIN__THREAD_INIT;
    kin__mutex_init(&s->lock, KIN__RANK_API_STORAGE);
    kin__cond_init(&s->work);
    kin__cond_init(&s->rewound);
    kin__list_init(&s->compactions);
    code = kin__sqlite_file_open(&s->file, path, full_sync, err);
    if (code < 0) {
        destroy(&s->base);
        return code;
    }
    *ret = &s->base;
    return 0;
}
