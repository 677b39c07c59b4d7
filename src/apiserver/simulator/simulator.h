/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cluster that is not there: what its watch streams look like, from a seed.
 *
 * Nodes send heartbeats; Deployments have ReplicaSets and Pods that are scheduled, start, get
 * ready, crash, roll out and scale; Events tell of it. The simulator is scheduler, controllers and
 * kubelets in one, and writes what they would write through a sink.
 *
 * It has no thread: kin__simulator_step() does what is due, simulator_thread.h drives it. The same
 * options, and the same answers of the sink, give the same writes in the same order with the same
 * times in them, however large the steps are. Others may change and delete what it has written: it
 * looks at what it gets back and acts as the real controllers do. It notices changes when it
 * writes the object itself, when it looks around (each Pod and Deployment at least every 30 s), or
 * when it is told of them with kin__simulator_notice() or by the sink.
 *
 * What a simulator has left behind in the sink, or somebody else has, the next one takes over: its
 * nodes by their names, all Deployments, and the ReplicaSets and Pods that belong to those.
 */
#ifndef KIN_APISERVER_SIMULATOR_SIMULATOR_H
#define KIN_APISERVER_SIMULATOR_SIMULATOR_H

#include "kinform/clock.h"
#include "kinform/object.h"
#include "kinform/object_list.h"

/* The kinds of what it writes. */
enum kin__simulated {
    KIN__SIMULATED_NAMESPACE,
    KIN__SIMULATED_NODE,
    KIN__SIMULATED_LEASE,
    KIN__SIMULATED_DEPLOYMENT,
    KIN__SIMULATED_REPLICA_SET,
    KIN__SIMULATED_POD,
    KIN__SIMULATED_EVENT,
    KIN__SIMULATED_KINDS
};

typedef struct kin__simulated_kind {
    const char *group; /* "" for core */
    const char *version;
    const char *resource; /* "pods" */
    const char *kind;     /* "Pod" */
    bool namespaced;
} kin__simulated_kind;

/* By enum kin__simulated. */
extern const kin__simulated_kind kin__simulated_kinds[KIN__SIMULATED_KINDS];

/*
 * Where writes go. Implementations put this first into their struct. Objects are BORROWED for the
 * call; *ret is SHARED, the reference is the simulator's, and is set on success only.
 *
 * Beside the codes that are named: KIN_ENOMEM, and whatever else went wrong; the write is then
 * tried again later. create(): KIN_EEXISTS, KIN_ENOTFOUND (no such namespace). update(),
 * update_status(), which write what the real server writes there: KIN_ENOTFOUND, KIN_ECONFLICT (not
 * the version, or not the uid, that is in the object).
 */
typedef struct kin__simulator_sink kin__simulator_sink;

/* `object`: the new state, or the last one if it was deleted. BORROWED for the call. */
typedef void kin__simulator_change_fn(void *arg, enum kin__simulated kind, const kin_object *object,
                                      uint64_t version);

typedef struct kin__simulator_sink_class {
    int (*create)(kin__simulator_sink *sink, enum kin__simulated kind, const kin_object *object,
                  const kin_object **ret, kin_error *err);
    int (*update)(kin__simulator_sink *sink, enum kin__simulated kind, const kin_object *object,
                  const kin_object **ret, kin_error *err);
    int (*update_status)(kin__simulator_sink *sink, enum kin__simulated kind,
                         const kin_object *object, const kin_object **ret, kin_error *err);
    /*
     * Delete what has the object's namespace, name and uid, whatever its version. `grace_s`: for
     * Pods, 0 is at once. *ret: what is left of it, with a deletionTimestamp, or NULL if it is
     * gone. KIN_ENOTFOUND, KIN_ECONFLICT (another uid).
     */
    int (*remove)(kin__simulator_sink *sink, enum kin__simulated kind, const kin_object *object,
                  int64_t grace_s, const kin_object **ret, kin_error *err);
    /* The newest state. KIN_ENOTFOUND. */
    int (*get)(kin__simulator_sink *sink, enum kin__simulated kind, kin_str namespace_,
               kin_str name, const kin_object **ret, kin_error *err);
    /* All of a kind. *ret: kin_object_list_done(). */
    int (*list)(kin__simulator_sink *sink, enum kin__simulated kind, kin_object_list *ret,
                kin_error *err);
    /*
     * Tell of what changes from now on: `wake`, from any thread, which must not block, and then
     * poll() says what; it is called again after poll() was. Of Nodes, Deployments, ReplicaSets and
     * Pods, the simulator's own writes included. NULL: no more; `wake` is not running then. Both
     * functions may be NULL. poll(): KIN_EEXPIRED, some were missed.
     */
    int (*listen)(kin__simulator_sink *sink, void (*wake)(void *arg), void *arg, kin_error *err);
    int (*poll)(kin__simulator_sink *sink, kin__simulator_change_fn *fn, void *arg, kin_error *err);
} kin__simulator_sink_class;

struct kin__simulator_sink {
    const kin__simulator_sink_class *sink_class;
};

/* Of each of these. */
#define KIN__SIMULATED_MAX 1000000u

/* Zero means the default. */
typedef struct kin__simulator_options {
    kin__simulator_sink *sink; /* BORROWED until the simulator is freed */
    kin_clock *clock;          /* asked for its two times once, when the simulator is made */
    uint64_t seed;             /* any number, 0 included */
    unsigned nodes;            /* default 10 */
    unsigned deployments;      /* default 12 */
    unsigned pods;             /* default 100: the replicas of all Deployments, at the beginning */
    /*
     * Changes per second, of all kinds together. 0: nothing but heartbeats, and what follows from
     * other people's changes. Heartbeats come first: one per node in 10 s, whatever this says.
     */
    unsigned churn;
    unsigned events; /* most Events that are kept; default 5,000. None lives longer than an hour */
} kin__simulator_options;

/* What it has done so far. */
typedef struct kin__simulator_stats {
    uint64_t writes;                               /* that succeeded */
    uint64_t conflicts;                            /* somebody else had changed the object */
    uint64_t lost;                                 /* somebody else had deleted it */
    uint64_t failures;                             /* anything else; tried again later */
    uint64_t kinds[KIN__SIMULATED_KINDS];          /* the writes by kind */
    size_t nodes, deployments, sets, pods, events; /* that are there */
} kin__simulator_stats;

typedef struct kin__simulator kin__simulator; /* one thread at a time */

/* Nothing is written yet. 0, KIN_EINVAL (no sink, no clock, sizes beyond a million), KIN_ENOMEM. */
int kin__simulator_new(kin__simulator **ret, const kin__simulator_options *options, kin_error *err);
/* What it wrote stays in the sink. NULL is fine. */
void kin__simulator_free(kin__simulator *sim);

/*
 * Do what is due up to `now`, a time of the clock, but not more than some hundred writes: where
 * kin__simulator_next() is still not after `now`, there is more. 0, or the first failure of a
 * write. That one is tried again a little later, and nothing is lost.
 */
int kin__simulator_step(kin__simulator *sim, int64_t now, kin_error *err);
/* When there is something to do; INT64_MAX: never. */
int64_t kin__simulator_next(const kin__simulator *sim);
/* Whether all that it begins with has been written. */
bool kin__simulator_is_populated(const kin__simulator *sim);

/*
 * It could not keep up: churn that was due before `now` is not made up for. What is due of other
 * things still is done, late.
 */
void kin__simulator_skip(kin__simulator *sim, int64_t now);
/* Change the churn from now on. */
void kin__simulator_set_churn(kin__simulator *sim, unsigned churn);

/*
 * Somebody else has made, changed or deleted this object: it is looked at with the next step, at
 * `now`. A Deployment that it did not know becomes one of its own. 0, KIN_ENOMEM.
 */
int kin__simulator_notice(kin__simulator *sim, enum kin__simulated kind, kin_str namespace_,
                          kin_str name, int64_t now, kin_error *err);

/*
 * Notice all that others have changed, of a sink that tells: see listen(). 0, KIN_ENOMEM, or what
 * the sink said.
 */
int kin__simulator_poll(kin__simulator *sim, int64_t now, kin_error *err);

void kin__simulator_get_stats(const kin__simulator *sim, kin__simulator_stats *ret);

#endif
