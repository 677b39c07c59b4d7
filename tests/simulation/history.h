/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What has happened in a simulation, in the order in which it did. The checkers read nothing else.
 */
#ifndef KIN_SIMULATION_HISTORY_H
#define KIN_SIMULATION_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan.h"

enum { SIM_RECORDS = 1 << 16 };
/* Of no handler, of no object */
enum { SIM_NONE = 255 };

typedef enum sim_what {
    SIM_ACTS,  /* an action of the plan: `version` is its index */
    SIM_WROTE, /* the server: the object has this version now */
    SIM_DELETED, /* the server: it is gone; `version` is that of the deletion, `old` of its last state */
    SIM_RESTORED,    /* the server has the state of this version again */
    SIM_LIED,        /* a watch has left out an event */
    SIM_DIED,        /* the process is gone, and begins again */
    SIM_LOADED,      /* the informer has begun with a snapshot of this version */
    SIM_SCOPE,       /* the informer is to look at another scope: flags */
    SIM_SCOPED,      /* the call returned */
    SIM_SOURCE,      /* the informer has begun to look at a part of a scope: `handler`, sim_part */
    SIM_JOINED,      /* the handler was added */
    SIM_LEAVES,      /* its removal was asked for */
    SIM_GONE,        /* it returned: no call may begin */
    SIM_LEFT,        /* it returned after the last call has ended */
    SIM_ADD,         /* the handler was called; flags */
    SIM_UPDATE,      /* `old`: the version of the old object */
    SIM_DELETE,      /* `version` of the last state */
    SIM_CALL_ENDS,   /* that call of the handler returned */
    SIM_SYNC_BEGINS, /* a wait for the handler, or the informer; `old`: milliseconds */
    SIM_SYNCED,      /* it ended; flags 1: it is synced */
    SIM_SYNC_HAS,    /* what the store has of an object after the informer said so; 0: nothing */
    SIM_STATUS,      /* the informer's state; flags 1: it watches */
    SIM_LISTED,      /* the server has sent all of a list of this version; `handler`: the part */
    SIM_AGREED,      /* the server has agreed to a watch; flags 1: the informer is notified of it */
    SIM_ENDED,       /* such a watch has ended */
    SIM_VIEW,        /* a view was opened; `version` is its number */
    SIM_VIEW_ITEM, /* what it has of an object: `version`, 0: nothing; `old` is the view's number */
    SIM_INDEX_READ,  /* an index has an object: `version`; flags: the index value */
    SIM_WAIT_BEGINS, /* for an object in this version; `old`: milliseconds */
    SIM_WAIT_ENDS, /* `flags` 1: it succeeded, 2: nothing was sent meanwhile; `old`: the version in the store then, 0: none */
    SIM_QUIET,     /* nothing changes and nothing fails from now on */
    SIM_STORE_HAS, /* at the end; 0: nothing */
    SIM_INDEX_HAS, /* at the end, by its index; flags: the index value */
    SIM_PUT, /* a queue of its own gets a key; flags 1: a deletion; `old`: it is due after this time */
    SIM_PUT_ENDS,  /* that has returned */
    SIM_PUT_FAILS, /* that has failed */
    SIM_TAKEN, /* the queue hands the key out; flags: see below; `version` of the object; `old`: the newest of all deltas */
    SIM_DONE,  /* that work has ended; flags 1: well */
    SIM_CALM,  /* the end; flags 1: the status says that the store keeps what lists lack */
} sim_what;

/* Of SIM_TAKEN: the last of the deltas is a deletion, and one of them is. */
#define SIM_LAST_DELETES 1u
#define SIM_SOME_DELETE 2u

/* Of the work queue. */
enum { SIM_WORKERS = 2 };
/* `handler` of records about queues. */
typedef enum sim_queue { SIM_DELTA_FIFO, SIM_WORK_QUEUE, SIM_RECONCILER, SIM_QUEUES } sim_queue;

/* What one source is of: one namespace or all of them, with the colors of the scope. */
enum { SIM_PARTS = 3 * 8 };
static inline unsigned sim_part(unsigned scope)
{
    return sim_scope_namespaces(scope) * 8 + sim_scope_colors(scope);
}

enum {
    SIM_INITIAL = 1,   /* of an add */
    SIM_SYNC = 2,      /* of an update */
    SIM_TOMBSTONE = 4, /* of a delete */
};

typedef struct sim_record {
    uint64_t step;
    int64_t now;
    char thread[16];
    uint8_t what;
    uint8_t handler;
    uint8_t key;
    uint8_t flags;
    uint64_t version;
    uint64_t old;
} sim_record;

typedef struct sim_history {
    size_t n;
    bool is_full;
    sim_record at[SIM_RECORDS];
} sim_history;

/* Why a history breaks a guarantee. */
typedef struct sim_verdict {
    bool is_bad;
    char guarantee[24];
    char text[4096];
    size_t at;    /* the record at which it broke */
    unsigned key; /* the object that it is about; SIM_NONE: none */
} sim_verdict;

/* What the guarantees say of a history. */
void sim_check(const sim_history *history, const sim_config *config, sim_verdict *ret);
/* A readable line. */
void sim_record_text(const sim_record *record, const sim_plan *plan, char *ret, size_t size);

#endif
