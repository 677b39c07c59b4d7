/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of an informer.
 *
 * A *namespace reflector* is a reflector with a queue of its own: one for all namespaces, or one for each that was
 * asked for, so that each list replaces its own part only. All queues are emptied into one store.
 *
 * One strand does all that changes the store and tells handlers: it takes from the queues, writes, and
 * hands notices to listeners; handlers that join are given what the store has there, between two
 * batches, so that they miss nothing and get nothing twice. Receiving and decoding go on beside it.
 *
 * | what     | written by                       | read by                |
 * |----------|----------------------------------|------------------------|
 * | const    | kin_informer_new()               | anyone                 |
 * | (lock)   | anyone, under the lock           | anyone, under the lock |
 * | (strand) | the strand                       | the strand             |
 */
#ifndef KIN_INFORMER_INFORMER_H
#define KIN_INFORMER_INFORMER_H

#include <stdatomic.h>

#include "base/process.h"
#include "base/ref.h"
#include "base/trim.h"
#include "informer/deletions.h"
#include "informer/listener.h"
#include "informer/process_deltas.h"
#include "informer/process_loop.h"
#include "informer/reflector_queue.h"
#include "informer/shared_workers.h"
#include "kinform/informer.h"
#include "kinform/mutation_detector.h"

/* What was counted of what came in. */
typedef struct kin__counts {
    uint64_t events;
    uint64_t bookmarks;
    uint64_t lists;
    uint64_t watches;
    uint64_t skipped; /* by reflectors */
    uint64_t fallbacks;
    uint64_t json_fallbacks;
} kin__counts;

/* What a client's informer looks at. All OWNED. */
typedef struct kin__scope {
    char **namespaces; /* NULL: all */
    size_t n_namespaces;
    char *label_selector;
    char *field_selector;
} kin__scope;

/* What an informer begins with: of which scope, and up to which version each part of it is. */
typedef struct kin__warmth {
    bool is_warm;
    int64_t unix_ns;             /* when it was written */
    int64_t list_unix_ns;        /* when the list began that it is based on */
    kin__scope scope;            /* OWNED */
    kin__version_text *versions; /* OWNED; one, or one per namespace; "": list it */
} kin__warmth;

/*
 * A time of the clock, and the time of day that it was taken for: who asks again gets the same, although
 * the two clocks are not read at once.
 */
typedef struct kin__moment {
    int64_t time;
    int64_t unix_ns;
} kin__moment;

typedef struct kin__namespace_reflector {
    kin__list link; /* (lock) */
    kin_informer *informer;
    uint64_t id;      /* (lock) unique among the informer's reflectors, past ones included; not 0 */
    char *namespace_; /* const; NULL: all */
    char *label_selector; /* const; so that one can tell whether it is still wanted */
    char *field_selector; /* const */
    kin__reflector_queue in;
    kin__moment since;  /* (lock) what others were told: in this state */
    kin__moment error;  /* (lock) the last error */
    kin__moment event;  /* (lock) the last event */
    kin__moment relist; /* (lock) the list that is due */
    kin__moment heard;  /* (lock) the server was alive */
} kin__namespace_reflector;

/* Whether the reflectors are those of the scope, when both had last changed. All zero: not known. */
typedef struct kin__arrangement {
    uint64_t n_changes; /* of both; 0: not known */
    bool is_complete;
} kin__arrangement;

/* What is asked of all reflectors of an informer, or of a factory. */
typedef struct kin__reflector_wishes {
    kin_reflector_options options; /* points into this; its texts are BORROWED, or `texts` */
    kin_reflector_metrics metrics;
    char *texts[2]; /* OWNED: apiVersion and kind */
} kin__reflector_wishes;

struct kin_registration {
    kin__ref ref;
    kin__fork_guard guard;   /* const: the informer's */
    kin__list link;          /* (informer's lock) */
    kin_informer *informer;  /* const; only compared */
    kin__listener *listener; /* const; SHARED */
    bool is_listed;          /* (informer's lock) among those who are told; else it leaves */
    bool is_joined;          /* (strand) it was given what the store has */
    bool is_started;         /* (strand) its listener was */
    bool is_syncing;         /* (informer's lock) it gets updates that change nothing */
    int64_t resync;          /* (informer's lock) its period; 0: never */
    int64_t next_resync;     /* (informer's lock) */
    int64_t wanted_resync;   /* const: what was asked for; 0: never */
};

/* Whoever is to know that the store may have seen more, that it may have synced, or have ended. */
typedef struct kin__progress {
    kin__list link; /* (informer's lock) */
    /* After a turn of the strand, with the informer's lock: to wake somebody who looks. */
    void (*run)(struct kin__progress *progress);
    /* After each batch, before `run` and with the same lock: these changes are in the store. */
    void (*stored)(struct kin__progress *progress, const kin__notice *notices, size_t n);
} kin__progress;

struct kin_informer {
    kin__fork_guard guard;
    char *name;                          /* const */
    kin_informer_options options;        /* const; without texts and namespaces */
    kin_logger *logger;                  /* const; SHARED */
    kin__shared_workers *shared_workers; /* const; SHARED */
    kin_clock *clock;                    /* const; BORROWED from shared_workers */
    kin_store *store;                    /* const; SHARED */
    kin_client *client;                  /* const; BORROWED; NULL: `source` is the caller's own */
    char *resource;                      /* const; its name, of a client's */
    kin_list_watch *source;          /* const; SHARED; of the caller's own, or one for the client */
    kin_decode_options decode;       /* const; its projection is SHARED */
    kin__reflector_wishes wishes;    /* const */
    kin_informer_metrics metrics;    /* const */
    kin_mutation_detector *detector; /* const; may be NULL */
    kin__dispatcher dispatcher;

    char *snapshot_path;     /* const; may be NULL */
    char *snapshot_identity; /* const; may be NULL */
    /* Set before the start by whoever loads, while the loop `is_held`; the strand's from then on. */
    kin__warmth warmth;

    kin__process_loop loop;
    bool has_alarms;          /* const */
    bool has_dispatcher;      /* const */
    kin__life told_life;      /* (strand) what `changed` was told of last, or is about to be */
    bool is_resyncing;        /* (strand) `resync` is set */
    bool is_checking;         /* (strand) `check` is set */
    bool is_trimming;         /* (strand) `trim` is set */
    kin__alarm resync;        /* (strand) */
    kin__alarm check;         /* (strand) of the detector */
    kin__alarm trim;          /* (strand) of memory that the cache has freed */
    kin__footprint footprint; /* (strand) of the cache; a load writes it before the start */
    atomic_bool has_news;     /* the status is not as `changed` was told */
    /* (strand, and who loads before it) objects of namespaces that are not looked at may be left */
    bool must_sweep;
    bool
        has_listed; /* (strand) there were reflectors before: objects of a new one may have been seen */
    size_t told_queued;             /* (strand) what metrics were told last */
    kin__version_text told_version; /* (strand) the same */
    uint64_t save_turn;             /* (strand) how often it has looked for those who save */
    kin__delta_batch batch;         /* (strand) */
    kin_registration **receivers;   /* (strand) of a batch; references */
    bool *resyncing; /* (strand) whether each of these gets updates that change nothing */
    size_t n_receivers;
    size_t receivers_cap;

    kin__mutex lock;          /* rank INFORMER */
    kin__cond changed;        /* synced, a version, the life */
    bool is_abandoned;        /* (lock) it is being freed: nobody wants what was received */
    bool has_loaded;          /* (lock) it was tried */
    bool is_synced;           /* (lock) sticky; the strand's to set */
    int refusal;              /* (lock) kin__informer_refusal_locked(), as listeners know it */
    kin__list saves;          /* (lock) of those who wait for something to save */
    kin__list progress;       /* (lock) of those who are told of turns */
    kin__deletions deletions; /* (lock) the last; the strand's to note */
    uint64_t n_refused;       /* (lock) writes that the store has refused; the strand's to count */
    kin__counts gone;         /* (lock) of reflectors that are there no more: sums never go down */
    uint64_t n_altered;       /* (lock) objects that somebody has written to */
    kin__list reflectors;     /* (lock) for others; the strand changes it, and reads without */
    uint64_t n_arranged;      /* (lock) how often that list has changed */
    kin__scope scope;         /* (lock) what it is to look at */
    uint64_t n_scopes;        /* (lock) how often that has changed */
    kin__arrangement arrangement; /* (lock) is_arranged(), remembered */
    atomic_bool
        renames; /* the transformer has changed a key, or may have before the snapshot was saved */
    kin__list registrations; /* (lock) */
    kin__list leaving;       /* (lock) registrations that were removed and may not have ended */
    int64_t resync_check;    /* (lock) how often resyncs are looked for; 0: never */
};

/* --- informer.c --- */

/* There is something for the strand. Any thread; no lock held. */
void kin__informer_wake(kin_informer *informer);
/* Whoever is told of changes of the status is to be told, soon. Any thread; no lock held. */
void kin__informer_has_news(kin_informer *informer);
/* It is about to be freed: it stops, and what waits for handlers is dropped. Does not wait. */
void kin__informer_abandon(kin_informer *informer);
/*
 * The same, and nothing of it runs any more when this returns: neither the strand nor a handler. It is as
 * good as freed, but others may still look at it. May be repeated.
 */
void kin__informer_end(kin_informer *informer);
/*
 * Whether it can be ended here. 0; KIN_EBUSY, and logged: the caller is one of its callbacks, for which the end
 * would wait. Any thread; no lock of a higher rank than FACTORY.
 */
int kin__informer_check_end(kin_informer *informer);

/* --- informer_status.c --- */

/*
 * Why waits for the sync end early: KIN_EDENIED or KIN_ETLS of a reflector that was refused twice in a row, with its error in
 * `ret`, which may be NULL; 0: they go on.
 */
int kin__informer_refusal_locked(kin_informer *informer, kin_error *ret)
    KIN_REQUIRES(informer->lock);
/* Until it is removed it may run, and not any more when that returns. Any thread; no lock of a higher rank. */
void kin__informer_add_progress(kin_informer *informer, kin__progress *progress);
void kin__informer_remove_progress(kin_informer *informer, kin__progress *progress);
/* Whether the caller would wait for itself if it waited for the informer. */
bool kin__informer_runs_here(kin_informer *informer);
/*
 * 1: the store has seen this version, which is valid; 0; KIN_ECLOSED (it has stopped before), KIN_EPARSE.
 * With a namespace: seen it there, whatever it knows of others; KIN_ENOTFOUND: it does not look there.
 */
int kin__informer_has_version(kin_informer *informer, kin_str version, const kin_str *namespace_);
/*
 * Lanes order versions that are waited for: all versions of a lane are seen in their order, until `n_arranged` changes.
 * The lane of a namespace, or of all namespaces (NULL), is a namespace or empty. False: reflectors are
 * being rearranged, or the informer does not watch the namespace. The name is BORROWED while the lock is held.
 */
bool kin__informer_lane_locked(kin_informer *informer, const kin_str *namespace_, kin_str *ret)
    KIN_REQUIRES(informer->lock);
/*
 * Versions of a lane beyond this one were not seen: kin__informer_has_version() returns 0 for them. INT64_MAX: they
 * may have been. *ret_arranged is `n_arranged` of the same moment.
 */
int64_t kin__informer_reach(kin_informer *informer, kin_str lane, uint64_t *ret_arranged);

/* --- informer_metrics.c; all (strand) --- */

/* How much waits, and up to which version the store is. */
void kin__informer_measure(kin_informer *informer);
/* A batch that was begun then is applied. */
void kin__informer_measure_batch(const kin_informer *informer, int64_t begun);

/* --- namespace_reflector.c --- */

/*
 * One that is not in the list yet. `scope` is of a client's, else NULL. It begins with a watch behind
 * `version`, if that is neither NULL nor empty. 0, KIN_ENOMEM …
 */
int kin__namespace_reflector_new(kin__namespace_reflector **ret, kin_informer *informer,
                                 kin_list_watch *source, const char *namespace_,
                                 const kin__scope *scope, const char *version, kin_error *err);
/*
 * `given` may be NULL. To be released also after a failure. 0, KIN_EINVAL (it has what is the informer's own, or
 * what makes no sense), KIN_ENOMEM.
 */
int kin__reflector_wishes_init(kin__reflector_wishes *wishes, const kin_reflector_options *given,
                               kin_error *err);
void kin__reflector_wishes_done(kin__reflector_wishes *wishes);
/* Whether it looks at a namespace. */
bool kin__namespace_reflector_is_in(const kin__namespace_reflector *ns, kin_str namespace_);
/* Whether an object is of its namespace. */
bool kin__namespace_reflector_owns(const kin__namespace_reflector *ns, const kin_object *object);
/* The version that it begins with is of a list that began then, ns since 1970. Before it is started. */
void kin__namespace_reflector_begin_with_list(kin__namespace_reflector *ns, int64_t unix_ns);
void kin__namespace_reflector_free(kin__namespace_reflector *ns);
/* --- informer_snapshot.c, or informer_no_snapshot.c where there is no such thing --- */

/* Whoever waits for something to save may get it. (strand) */
void kin__informer_serve_saves(kin_informer *informer);

/* --- scope.c --- */

/* COPIED. 0, KIN_EINVAL (a namespace twice, or empty), KIN_ENOMEM. */
int kin__scope_init(kin__scope *scope, const char *const *namespaces, size_t n_namespaces,
                    const char *label_selector, const char *field_selector, kin_error *err);
void kin__scope_done(kin__scope *scope);
/* What no server would understand need not be sent to one. 0 (also of NULL), KIN_EPARSE, KIN_ELIMIT, KIN_ENOMEM. */
int kin__check_label_selector(const char *text, kin_error *err);

/* What it is to look at, as it is now. 0, KIN_ENOMEM. */
int kin__informer_copy_scope(kin_informer *informer, kin__scope *ret, kin_error *err);
bool kin__is_same_text(const char *a, const char *b);
bool kin__scope_has(const kin__scope *scope, const char *namespace_);
/* Whether it is one of a scope. */
bool kin__namespace_reflector_is_of(const kin__namespace_reflector *ns, const kin__scope *scope);
void kin__warmth_done(kin__warmth *warmth);

/*
 * Let there be a reflector for all that is looked at, and no other. Again and again: what has to end first is
 * waited for by being called again. (strand) 0, or why it could not be done yet.
 */
int kin__informer_arrange_reflectors(kin_informer *informer, kin_error *err);
/* (strand) Whether all have ended. */
bool kin__informer_stop_reflectors(kin_informer *informer);
void kin__informer_free_reflectors(kin_informer *informer);
/* (strand) Whether one that was started has ended, although nobody has stopped it. */
bool kin__informer_has_lost_reflector(const kin_informer *informer);

/* --- informer_status.c --- */

/* Of the reflector of a ns; any thread. */
void kin__namespace_reflector_count(const kin__namespace_reflector *ns, kin__counts *sums);

/* --- processor.c --- */

enum { KIN__INFORMER_BATCH = 1000 }; /* keys that are applied at once */

/*
 * Pop a batch from a reflector's queue, apply it to the store and distribute it to the listeners. (strand) Whether
 * there is more; 0: nothing, 1: more, or a code: it could not be applied, and waits again.
 */
int kin__informer_pop(kin__namespace_reflector *ns, kin_error *err);
/* Those that were added are given what the store has. 0, KIN_ENOMEM. (strand) */
int kin__informer_join(kin_informer *informer, kin_error *err);
/* The store has all of the first list: handlers may get to know. (strand) */
void kin__informer_tell_synced(kin_informer *informer);
/* Whether one that was added can still sync: who waits for that is to know. */
void kin__informer_tell_life_locked(kin_informer *informer, kin_registration *registration)
    KIN_REQUIRES(informer->lock);
/* Let those be syncing whose time has come; whether there are any. (strand) */
bool kin__informer_begin_resync(kin_informer *informer, int64_t now);

/* --- handlers.c --- */

/* Removed handlers that have ended are let go, and their threads joined. Waits for no handler. */
void kin__informer_reap(kin_informer *informer);
/* All are removed: nothing that waits is told, and calls that are under way may go on. */
void kin__informer_drop_handlers(kin_informer *informer);
/* The same, and those calls are waited for. */
void kin__informer_end_handlers(kin_informer *informer);
/* Whether the caller is a handler, its filter or its arg_free: of any delivery, removed or not. */
bool kin__informer_is_told_here(kin_informer *informer);
/* Whether the caller is one of the handlers, but for those of event loops. */
bool kin__informer_handler_calls_here(kin_informer *informer);
/*
 * Until all handlers, but for those of event loops, have been told of all that waits. Of an informer that
 * is stopped, and from none of its handlers. 0, KIN_ETIMEOUT.
 */
int kin__informer_wait_told(kin_informer *informer, int64_t timeout_ms, kin_error *err);
/* Nanoseconds, but no more than can be added to a time. */
int64_t kin__informer_resync_period(int64_t ms);

#endif
