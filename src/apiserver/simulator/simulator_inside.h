/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulator's insides, for its own files.
 *
 * Everything that acts is an actor: a state machine with a timer that is always in the heap, at
 * INT64_MAX while there is nothing to do, so that setting it never fails. An actor's run() makes
 * its next write and only then moves on; if the write fails the timer is set again and the same
 * write is made later. What has to be told with an Event is remembered in the actor until it was
 * told.
 *
 * `now` is the time for which the timer was set, not the time of the step: how large steps are
 * changes nothing.
 */
#ifndef KIN_APISERVER_SIMULATOR_SIMULATOR_INSIDE_H
#define KIN_APISERVER_SIMULATOR_SIMULATOR_INSIDE_H

#include "apiserver/simulator/simulator.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/list.h"
#include "base/map.h"
#include "base/timers.h"
#include "kinform/editor.h"
#include "kinform/json.h"
#include "kinform/path.h"

#define SIM_HASH_LEN 10
#define SIM_SUFFIX_LEN 5 /* of the name of a Pod */
#define SIM_IP_SIZE 20

struct sim_actor;
typedef int sim_run_fn(kin__simulator *sim, struct sim_actor *actor, kin_error *err);

struct sim_actor {
    kin__timer timer;
    kin__map_node node; /* in sim->names */
    int64_t due;        /* its next own action; the timer may be set earlier, to look or to tell */
    sim_run_fn *run;
    const kin_object *object; /* the newest state that is known; NULL: not written yet */
    uint32_t tell;            /* bits of enum sim_event: what is still to be told */
    uint8_t kind;             /* enum kin__simulated */
    char *key;                /* 'p' or so, "namespace/name" */
};

/* In this order with each other; `ahead` in simulator_pods.c goes along. */
enum sim_pod_state {
    SIM_POD_NEW,      /* not written yet */
    SIM_POD_PENDING,  /* no node yet */
    SIM_POD_BOUND,    /* has a node, whose kubelet has not seen it */
    SIM_POD_CREATING, /* images are pulled */
    SIM_POD_RUNNING,  /* not ready yet */
    SIM_POD_READY,
    SIM_POD_UNREADY,  /* its probe fails for a moment */
    SIM_POD_LOST,     /* was ready; its node does not answer */
    SIM_POD_CRASHED,  /* its first container has ended */
    SIM_POD_BACKOFF,  /* CrashLoopBackOff */
    SIM_POD_STOPPING, /* has a deletionTimestamp */
    SIM_POD_STOPPED,  /* all containers have ended */
    SIM_POD_STATES
};

struct sim_pod {
    struct sim_actor actor;
    kin__list link; /* in set->pods */
    struct sim_set *set;
    struct sim_node *node;                               /* NULL: not scheduled */
    size_t index;                                        /* in sim->pods */
    uint64_t id;                                         /* random: its name's end */
    int64_t bound, started, restarted, crashed, changed; /* when; changed: its readiness */
    int64_t ahead;                                       /* its part of sim->ahead */
    const kin_object *back_off; /* the Event that tells of it; NULL: none yet */
    unsigned restarts;
    uint8_t state;   /* enum sim_pod_state */
    uint8_t address; /* on its node: the last number of its IP address */
    uint8_t crash;   /* how often it is going to crash again */
    bool warm;       /* of the beginning: runs as soon as it is written */
    bool doomed;     /* to be deleted */
    bool forced;     /* at once: its node has gone */
    bool flap;       /* its probe is to fail */
    bool complained; /* that there is no node for it */
    bool look;       /* somebody else may have changed it */
};

struct sim_counts {
    int64_t replicas, labeled, ready, available, updated, generation;
};

/* A ReplicaSet. */
struct sim_set {
    struct sim_actor actor;
    kin__list link; /* in deployment->sets, oldest first */
    struct sim_deployment *deployment;
    kin__list pods;
    const kin_object *skeleton; /* what its Pods have in common; NULL: not made yet */
    uint64_t template_hash;
    int64_t revision;
    int64_t desired;  /* what spec.replicas is to be */
    int64_t previous; /* what it was, for the Event */
    int64_t seen;     /* the generation that was acted upon */
    char hash[SIM_HASH_LEN + 1];
    bool doomed; /* to be deleted */
    bool gone;   /* was deleted: its Pods go too */
};

struct sim_deployment {
    struct sim_actor actor;
    kin__list sets;
    size_t index; /* in sim->deployments */
    uint64_t template_hash;
    int64_t hashed_generation; /* of which template_hash is */
    int64_t revision;
    int64_t progressed; /* when its conditions changed last */
    int64_t available_since;
    int64_t ahead;       /* its part of sim->ahead */
    int64_t replicas;    /* that it begins with */
    int64_t cold;        /* Pods of the beginning that are not made yet */
    int64_t warm;        /* and those that are not running yet */
    uint64_t collisions; /* names of sets that somebody else has taken */
    int64_t scale_to;    /* what the churn wants; -1: nothing */
    unsigned words;      /* which name it has; UINT_MAX: not ours */
    unsigned release;    /* counts the images that were rolled out */
    bool roll;           /* the churn wants a new release */
    bool gone;
};

enum sim_node_state {
    SIM_NODE_NEW,
    SIM_NODE_UP,
    SIM_NODE_SILENT,  /* sends no heartbeats any more */
    SIM_NODE_DOWN,    /* the others have noticed */
    SIM_NODE_TAINTED, /* and have said so */
    SIM_NODE_EVICTED, /* its Pods were told to go */
    SIM_NODE_GONE     /* somebody has deleted it; it will register again */
};

struct sim_node {
    struct sim_actor actor;
    const kin_object *lease;
    unsigned number; /* from 1 */
    unsigned beats;
    size_t pods;        /* that are on it */
    unsigned addresses; /* that were given to Pods */
    int64_t since;      /* when its Ready condition changed */
    uint8_t state;      /* enum sim_node_state */
    int64_t beat;       /* when it was heard last */
    unsigned renew;     /* the churn wants so many heartbeats more */
    bool fail;          /* the churn wants it to fall silent */
    bool refresh;       /* the churn wants a new status */
    bool cordoned;      /* spec.unschedulable */
    bool look;          /* somebody else may have changed it */
};

enum sim_event {
    SIM_EVENT_POD_CREATED, /* about the ReplicaSet */
    SIM_EVENT_SCHEDULED,
    SIM_EVENT_UNSCHEDULABLE,
    SIM_EVENT_PULLING,
    SIM_EVENT_PULLED,
    SIM_EVENT_CONTAINER_CREATED,
    SIM_EVENT_STARTED,
    SIM_EVENT_UNHEALTHY,
    SIM_EVENT_BACKOFF,
    SIM_EVENT_EVICTED,
    SIM_EVENT_KILLING,
    SIM_EVENT_POD_DELETED, /* about the ReplicaSet */
    SIM_EVENT_SCALED,      /* about the Deployment */
    SIM_EVENT_NODE_READY,
    SIM_EVENT_NODE_NOT_READY,
    SIM_EVENT_REGISTERED,
    SIM_EVENTS
};

/* An Event that was written. */
struct sim_told {
    int64_t at;
    const kin_object *object;
};

struct kin__simulator {
    kin__simulator_sink *sink;
    kin_decoder *decoder;
    kin__buf text; /* of what is being made */
    kin__timers timers;
    kin__map names; /* actors by key */
    uint64_t random;
    int64_t now;  /* of what is being done */
    int64_t wall; /* what to add to get nanoseconds since 1970 */

    struct sim_node **nodes;
    size_t n_nodes;
    struct sim_deployment **deployments;
    size_t n_deployments, cap_deployments;
    struct sim_pod **pods;
    size_t n_pods, cap_pods;
    struct sim_told *told; /* a ring */
    size_t told_first, n_told, max_told;

    /* What it begins with */
    unsigned want_nodes, want_deployments, want_pods;
    unsigned made_namespaces, made_nodes, made_deployments;
    unsigned left_pods;
    bool took_events; /* that there are already */
    bool took_nodes;  /* those beyond the wanted ones */
    bool taken_over;  /* all else */
    bool missed;      /* changes of others */
    struct sim_actor populate;

    /* Churn */
    struct sim_actor tick;
    unsigned churn;
    double owed;       /* writes that are due and not made */
    int64_t ahead;     /* writes that will follow from what was begun */
    int64_t ahead_now; /* the same, of what this tick has begun */
    bool ticked;
    uint64_t counted; /* stats.writes when `owed` was computed */
    size_t audited_pod, audited_deployment;
    unsigned down;        /* nodes that are not up by our own doing */
    int64_t next_failure; /* when the next one may fail */

    kin__simulator_stats stats;
};

/* --- simulator.c --- */

uint64_t kin__sim_random(kin__simulator *sim);
/* 0 <= result < n; 0 if n is 0. */
uint64_t kin__sim_below(kin__simulator *sim, uint64_t n);
/* `from` milliseconds and up to `spread` more, in nanoseconds. */
int64_t kin__sim_delay(kin__simulator *sim, int64_t from, int64_t spread);
/* Have an actor run after a while; never fails. */
void kin__sim_wake(kin__simulator *sim, struct sim_actor *actor, int64_t delay);
/* The same for its next own action; INT64_MAX: there is none. */
void kin__sim_after(kin__simulator *sim, struct sim_actor *actor, int64_t delay);
/* Whether its own action is due; if not, it is waited for. */
bool kin__sim_is_due(kin__simulator *sim, struct sim_actor *actor);
/* As wake(), unless it runs earlier anyway. */
void kin__sim_wake_by(kin__simulator *sim, struct sim_actor *actor, int64_t delay);
/* Set up an actor under a name; 0, KIN_EEXISTS (there is one), KIN_ENOMEM. */
int kin__sim_actor_init(kin__simulator *sim, struct sim_actor *actor, enum kin__simulated kind,
                        kin_str namespace_, kin_str name, sim_run_fn *run, kin_error *err);
void kin__sim_actor_done(kin__simulator *sim, struct sim_actor *actor);
kin_str kin__sim_namespace(const struct sim_actor *actor);
kin_str kin__sim_name(const struct sim_actor *actor);
struct sim_actor *kin__sim_find(kin__simulator *sim, enum kin__simulated kind, kin_str namespace_,
                                kin_str name);
/* `ret` and the terminator: letters that make no words. */
void kin__sim_suffix(char *ret, size_t len, uint64_t number);

/* --- simulator_writes.c: through the sink, and counted --- */

/* What is to be changed. The object that is known is not NULL. */
typedef int sim_edit_fn(kin__simulator *sim, kin_editor *ed, void *arg, kin_error *err);
enum sim_part { SIM_ALL, SIM_STATUS };

/*
 * Read the newest state into *held. KIN_ENOTFOUND also if it is another object of that name.
 */
int kin__sim_refresh(kin__simulator *sim, enum kin__simulated kind, const kin_object **held,
                     kin_error *err);
/* Change it, on the newest state if somebody else has changed it meanwhile. KIN_ENOTFOUND. */
int kin__sim_update(kin__simulator *sim, enum kin__simulated kind, enum sim_part part,
                    const kin_object **held, sim_edit_fn *edit, void *arg, kin_error *err);
/* Write what sim->text says. *held is NULL before. KIN_EEXISTS, KIN_ENOTFOUND. */
int kin__sim_create_text(kin__simulator *sim, enum kin__simulated kind, const kin_object **held,
                         kin_error *err);
int kin__sim_create(kin__simulator *sim, enum kin__simulated kind, const kin_object *object,
                    const kin_object **held, kin_error *err);
/* Delete; *held is NULL afterwards, or has a deletionTimestamp. Nothing there is no failure. */
int kin__sim_remove(kin__simulator *sim, enum kin__simulated kind, const kin_object **held,
                    int64_t grace_s, kin_error *err);
bool kin__sim_is_deleted(const kin_object *object);
/* spec.replicas and the like; `absent` if there is none. */
int64_t kin__sim_int(const kin_object *object, const char *path, int64_t absent);

/* --- text: appended to sim->text --- */

void kin__sim_put(kin__simulator *sim, const char *text);
void kin__sim_put_str(kin__simulator *sim, kin_str text);
/* The same, escaped to stand between quotes. */
void kin__sim_put_escaped(kin__simulator *sim, kin_str text);
void kin__sim_put_int(kin__simulator *sim, int64_t number);
/* A point in time between quotes. */
void kin__sim_put_time(kin__simulator *sim, int64_t at);
void kin__sim_put_micro_time(kin__simulator *sim, int64_t at);
kin_time kin__sim_time(const kin__simulator *sim, int64_t at);
/* Set a path to what sim->text says. */
int kin__sim_set_text(kin__simulator *sim, kin_editor *ed, const char *path, kin_error *err);

/* --- simulator_objects.c, simulator_skeleton.c: first states --- */

#define SIM_NAMESPACES 8u
extern const char *const kin__sim_namespaces[SIM_NAMESPACES];
const char *kin__sim_deployment_namespace(unsigned number);
/* The name of a Deployment; at most 63 bytes with the terminator. */
void kin__sim_deployment_name(char *ret, size_t size, unsigned number);
void kin__sim_put_namespace(kin__simulator *sim, const char *name);
void kin__sim_put_node(kin__simulator *sim, const struct sim_node *node);
void kin__sim_put_lease(kin__simulator *sim, const struct sim_node *node);
void kin__sim_put_deployment(kin__simulator *sim, const struct sim_deployment *d);
/* The image of a Deployment's first container, in its present release. */
void kin__sim_put_image(kin__simulator *sim, const struct sim_deployment *d);
/* From the Deployment's template; needs its object. */
int kin__sim_make_set(const kin_object **ret, kin__simulator *sim, const struct sim_set *set,
                      kin_error *err);
/* What the Pods of a set have in common; needs the set's object. */
int kin__sim_make_skeleton(const kin_object **ret, kin__simulator *sim, const struct sim_set *set,
                           kin_error *err);
int kin__sim_make_pod(const kin_object **ret, kin__simulator *sim, const struct sim_pod *pod,
                      kin_error *err);
/* What the kubelet of its node is said to manage. */
int kin__sim_set_kubelet_fields(kin__simulator *sim, kin_editor *ed, const struct sim_pod *pod,
                                kin_error *err);

/* --- simulator_takeover.c: what there is already --- */

/* All that is not known yet. Again, after changes were missed: all else is looked at, too. */
int kin__sim_take_over(kin__simulator *sim, kin_error *err);
/* Before any was told. */
int kin__sim_take_over_events(kin__simulator *sim, kin_error *err);
/* More nodes of ours than are wanted now: there were more of them before. */
int kin__sim_take_over_nodes(kin__simulator *sim, kin_error *err);
/* Have all of it looked at again, soon: some changes were missed. */
void kin__sim_take_over_later(kin__simulator *sim);
/* Of what template a ReplicaSet is: comparable with that of a Deployment. */
int kin__sim_hash_set_template(uint64_t *ret, const kin_object *set, kin_error *err);
/* The same of spec.template as it is. */
int kin__sim_hash_template(uint64_t *ret, const kin_object *object, kin_error *err);
/* Whether `object` has this owner as its controller. */
bool kin__sim_is_owned(const kin_object *object, const struct sim_actor *owner);
/* deployment.kubernetes.io/revision; 0: none. */
int64_t kin__sim_revision(const kin_object *object);
/* What a Pod is doing, by its status: state, node and times. Returns the delay until it goes on. */
int64_t kin__sim_restore_pod(kin__simulator *sim, struct sim_pod *pod);
/* Which release it has, if its image is one of ours: true. */
bool kin__sim_restore_release(struct sim_deployment *d);
/* `at` of a time in an object; `absent` if there is none. */
int64_t kin__sim_time_at(const kin__simulator *sim, const kin_object *object, const char *path,
                         int64_t absent);

/* --- simulator_status.c --- */

/* Of SIM_IP_SIZE bytes. */
void kin__sim_pod_ip(char *ret, const struct sim_pod *pod);
void kin__sim_node_ip(char *ret, const struct sim_node *node);

sim_edit_fn kin__sim_edit_pod_status;  /* arg: struct sim_pod, in the state that is to be shown */
sim_edit_fn kin__sim_edit_node_status; /* arg: struct sim_node, likewise */

/* --- the actors' files --- */

int kin__sim_tell(kin__simulator *sim, enum sim_event event, struct sim_actor *actor,
                  kin_error *err);
/* All that is in actor->tell. */
int kin__sim_tell_all(kin__simulator *sim, struct sim_actor *actor, kin_error *err);
/* Those that there are already. */
int kin__sim_take_events(kin__simulator *sim, const kin_object_list *events, kin_error *err);
/* Events that are too old, at most some at a time. */
int kin__sim_forget_events(kin__simulator *sim, kin_error *err);

int kin__sim_node_add(kin__simulator *sim, kin_error *err);
void kin__sim_node_free(kin__simulator *sim, struct sim_node *node);
/* A node that takes Pods, or NULL. */
struct sim_node *kin__sim_node_choose(kin__simulator *sim);

/* How long a crashed container waits. */
int64_t kin__sim_back_off_s(const struct sim_pod *pod);
int kin__sim_pod_add(kin__simulator *sim, struct sim_set *set, bool warm, kin_error *err);
/* One that is there already. KIN_EEXISTS: it is known. */
int kin__sim_pod_take(kin__simulator *sim, struct sim_set *set, const kin_object *object,
                      kin_error *err);
void kin__sim_pod_free(kin__simulator *sim, struct sim_pod *pod);
void kin__sim_pod_doom(kin__simulator *sim, struct sim_pod *pod);
/* The churn wants it to crash some times, or its probe to fail once; whether it can. */
bool kin__sim_pod_crash(kin__simulator *sim, struct sim_pod *pod, unsigned times);
bool kin__sim_pod_flap(kin__simulator *sim, struct sim_pod *pod);
/* Its node is up again, or down. */
void kin__sim_pod_node_changed(kin__simulator *sim, struct sim_pod *pod);

int kin__sim_set_add(struct sim_set **ret, kin__simulator *sim, struct sim_deployment *d,
                     kin_error *err);
/* One that is there already. KIN_EEXISTS: it is known. */
int kin__sim_set_take(kin__simulator *sim, struct sim_deployment *d, const kin_object *object,
                      kin_error *err);
void kin__sim_set_free(kin__simulator *sim, struct sim_set *set);
void kin__sim_set_changed(kin__simulator *sim, struct sim_set *set);
struct sim_counts kin__sim_set_count(const kin__simulator *sim, const struct sim_set *set);

int kin__sim_deployment_add(kin__simulator *sim, unsigned words, int64_t replicas, kin_error *err);
/* One that somebody else has made. */
int kin__sim_deployment_adopt(kin__simulator *sim, kin_str namespace_, kin_str name, int64_t delay,
                              kin_error *err);
/* The same, whose state is known. KIN_EEXISTS. */
int kin__sim_deployment_take(kin__simulator *sim, const kin_object *object, kin_error *err);
void kin__sim_deployment_free(kin__simulator *sim, struct sim_deployment *d);
void kin__sim_deployment_changed(kin__simulator *sim, struct sim_deployment *d);
/* Its status, with the counts of all its sets. */
int kin__sim_deployment_write_status(kin__simulator *sim, struct sim_deployment *d, kin_error *err);
/* Where its sets should go from here; sets their `desired`. */
void kin__sim_roll_out(kin__simulator *sim, struct sim_deployment *d, struct sim_set *newest);

sim_run_fn kin__sim_tick;

#endif
