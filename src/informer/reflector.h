/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of a reflector.
 *
 * Two kinds of threads come here. The *stepper* moves the state machine: one thread at a time, usually a
 * worker that runs the reflector's strand; once the workers have ended, whoever would have woken them.
 * The *source's thread* calls back for what an operation brings, and puts it into the store at once.
 *
 * A list or watch of the source is a *call*. The stepper closes it before anything else may follow. Callbacks after
 * that are ignored. A callback that is in the store at that moment is waited for, but not by blocking: its end wakes
 * the stepper. The call lives until the source has released it, however late.
 *
 * | what                  | written by                             | read by                     |
 * |-----------------------|----------------------------------------|-----------------------------|
 * | (lock)                | anyone, under the lock                 | anyone, under the lock      |
 * | (stepper)             | the stepper                            | the stepper                 |
 * | (call)                | the source's thread within a callback; the stepper while no call is open |
 * | const                 | kin_reflector_new()                    | anyone                      |
 *
 * What was skipped is a gap: see gaps.h for what heals one. While there is any, or a list has deleted nothing
 * for it, another list is due, which is what `relist` is for:
 *
 * | it watches, and     | what comes                               | becomes                               |
 * |---------------------|------------------------------------------|---------------------------------------|
 * | has no gap          | a gap; a list with one                   | due, after the next delay             |
 * | a list is due       | what heals the last gap                  | not due                               |
 * | a list is due       | its time, while it waits for a watch     | due when that wait is over            |
 * | a list is due       | its time                                 | the watch is closed, a round begins   |
 * | a list is due       | any other end of the round               | not due: that round lists             |
 * | such a round        | ends with a list without gaps            | not due, and the delays begin anew    |
 * | such a round        | ends with a list that has some           | due, after the next delay, a longer one |
 * | such a round        | fails                                    | the same, and the watch goes on       |
 *
 * The last line is why `heals` is kept: nothing was wrong with the watch, and the store is as it left it.
 *
 * With the option `relist_ms` a list is due, too, when the last one began that long ago (`period_at`). It is a round of
 * the same kind. It `verifies`: its list has no version, so that the server answers with the most recent state. After a
 * failure it is due again after the next delay of those for gaps. `relist_at` is the earlier of both times.
 */
#ifndef KIN_INFORMER_REFLECTOR_H
#define KIN_INFORMER_REFLECTOR_H

#include <stdatomic.h>

#include "base/clock.h"
#include "base/log_limit.h"
#include "base/mutex.h"
#include "base/process.h"
#include "base/ref.h"
#include "informer/backoff.h"
#include "informer/gaps.h"
#include "informer/shared_workers.h"
#include "kinform/reflector.h"

typedef char kin__version[KIN_RESOURCE_VERSION_BYTES_MAX + 1];

/* What a call is for, and, together with the outcome, decides what follows. */
typedef enum kin__reflector_call_kind {
    KIN__CALL_LIST,   /* a page, or all */
    KIN__CALL_STREAM, /* a streaming list whose end has not come */
    KIN__CALL_BEGIN,  /* a watch that the server has not agreed to yet */
    KIN__CALL_WATCH,
} kin__reflector_call_kind;

typedef enum kin__outcome {
    KIN__OUTCOME_OK,          /* complete; of a watch, it came to its end */
    KIN__OUTCOME_SHORT,       /* a watch that ended at once, with nothing */
    KIN__OUTCOME_NO_END,      /* a streaming list without the bookmark at its end */
    KIN__OUTCOME_EXPIRED,     /* the version is too old */
    KIN__OUTCOME_TOO_LARGE,   /* the version is of the future */
    KIN__OUTCOME_REFUSED,     /* nobody listens at the server's address */
    KIN__OUTCOME_TOO_MANY,    /* 429; before a watch was agreed to, any failure with Retry-After */
    KIN__OUTCOME_INTERNAL,    /* InternalError */
    KIN__OUTCOME_UNSUPPORTED, /* the server does not understand the request */
    KIN__OUTCOME_DENIED,      /* 401, 403 */
    KIN__OUTCOME_NOT_FOUND,   /* 404 */
    KIN__OUTCOME_LOST,        /* the connection, or patience */
    KIN__OUTCOME_UNREADABLE,  /* no JSON, another kind */
    KIN__OUTCOME_NEEDS_JSON,  /* protobuf cannot say it; the client asks for JSON from now on */
    KIN__OUTCOME_LIMIT,       /* more than a limit allows */
    KIN__OUTCOME_STORE,       /* the store did not take it */
    KIN__OUTCOME_OTHER,
    KIN__N_OUTCOMES,
} kin__outcome;

typedef enum kin__reaction {
    KIN__GO_ON = 1,   /* the list is complete: watch */
    KIN__LIST_FRESH,  /* list at once, the newest there is; the second time as FAIL_ROUND */
    KIN__END_ROUND,   /* back off, list again */
    KIN__FAIL_ROUND,  /* the same, and the error function is told */
    KIN__WATCH_AGAIN, /* at once, from the last version */
    KIN__WATCH_LATER, /* back off, and watch from the last version */
    KIN__WATCH_TRY,  /* WATCH_LATER with a call of the error function; after ten tries FAIL_ROUND */
    KIN__PAGE_LATER, /* back off, and ask for the same page; after ten tries as FAIL_ROUND */
    KIN__WATCH_FOR_A_WHILE, /* WATCH_AGAIN while the option allows, then END_ROUND */
    KIN__PAGE_AGAIN,        /* the same page at once */
    KIN__BEGIN_ANEW,        /* the list at once, in whichever way suits its encoding */
    KIN__STREAM_LATER,      /* back off, and try the streaming list again */
    KIN__STREAM_FRESH,      /* again at once, the newest there is; the second time as FALL_BACK */
    KIN__STREAM_AGAIN,      /* again at once; the second time as FALL_BACK, and not for a while */
    KIN__FALL_BACK,         /* list, this time */
    KIN__FALL_BACK_LONG,    /* list, and do not try for a long time */
    KIN__FAIL_STREAM,       /* FAIL_ROUND, and no streaming lists for a while */
    KIN__RELIST,            /* at once another round, because of gaps */
    KIN__LIST_NOW,          /* at once another round: what it began with is of no use */
    KIN__RESUME,            /* that one has failed: back off, and watch as before */
} kin__reaction;

/* The reaction matrix. */
kin__reaction kin__reaction_to(kin__reflector_call_kind kind, kin__outcome outcome);

/* What can be told from how an operation ended, but for what only its call knows. */
kin__outcome kin__outcome_of(int code, const kin_error *err, bool too_large);
/* Whether a Status says that a version is larger than the server knows. */
bool kin__status_is_too_large(const kin_object *status);

/* An event of a streaming list that cannot be part of the list. */
typedef struct kin__held_event {
    enum kin_watch_type type;
    const kin_object *object; /* SHARED */
} kin__held_event;

typedef struct kin__reflector_call {
    kin__ref ref;             /* the reflector's, and the source's until it releases its argument */
    kin_reflector *reflector; /* SHARED, const */
    kin_operation *operation; /* (stepper) NULL: it could not be begun, or was released */
    int64_t begun;            /* const: when */

    kin__reflector_call_kind kind; /* (reflector's lock) a streaming list becomes a watch */
    bool busy;      /* (reflector's lock) the source's thread is in a callback that counts */
    bool closed;    /* (reflector's lock) its callbacks no longer count */
    bool ended;     /* (reflector's lock) */
    bool stood;     /* (reflector's lock) the server had agreed */
    bool stands;    /* (reflector's lock) the source has agreed to the watch, or sent an event */
    bool too_large; /* (reflector's lock) the failure is about a version of the future */
    int code;       /* (reflector's lock) once it has ended */
    kin_error err;  /* (reflector's lock) once it has ended */
    int64_t last_initial; /* (reflector's lock) when it was last heard of what a list begins with */

    /* (call) */
    kin_error own_err;        /* why we have ended it; code 0: we have not */
    enum kin_watch_type took; /* of the event that was just taken; 0: none */
    kin_str took_version;     /* BORROWED during the event; empty: it does not count */
    kin__version version;     /* of a list */
    bool is_continued;        /* const: it is a page behind the first */
    bool resolves;            /* const: it only finds out what the source is of */
    char *token;              /* of the next page, OWNED; NULL: none */
    uint64_t listed_bytes;    /* of a page and those before it; 0: the source does not say */
    bool store_failed;
    bool synced;       /* a streaming list whose end has come */
    bool propagates;   /* versions of added objects count */
    bool gaps_changed; /* in the callback that is under way */
    uint64_t n_events;
    kin__held_event *held;
    size_t n_held;
    size_t held_cap;
} kin__reflector_call;

/* What a reflector does in the midst of; state that is told is made of it. */
typedef enum kin__phase {
    KIN__PHASE_ROUND,   /* a round is to begin */
    KIN__PHASE_CALL,    /* a call is open */
    KIN__PHASE_CLOSING, /* a call was closed, and a callback of it runs; `reaction` follows */
    KIN__PHASE_DELAY,   /* backs off; `then` follows */
    KIN__PHASE_END,     /* is to end */
} kin__phase;

/* What follows a delay. */
typedef enum kin__then {
    KIN__THEN_ROUND,
    KIN__THEN_WATCH,
    KIN__THEN_STREAM,
    KIN__THEN_PAGE,
} kin__then;

struct kin_reflector {
    kin__ref ref;
    kin__fork_guard guard;
    char *name;
    kin_logger *logger;
    kin__shared_workers *shared_workers;
    kin_clock *clock; /* BORROWED from shared_workers */
    kin_list_watch *source;
    kin_reflector_store store;
    struct kin__reflector_queue
        *queue; /* const from the start on: what `store` fills; NULL: another's store */
    kin_reflector_options options; /* its texts are OWNED */
    kin_reflector_metrics metrics; /* const */
    int64_t list_timeout_ms;
    int64_t min_watch_ms;
    bool can_stream;
    bool made;             /* const: all of it is there */
    bool expects_resource; /* const from the start on: objects are of the resource of the source */
    kin_key_fn *key; /* const from the start on: the informer's; NULL: the objects' own keys */
    void *key_arg;

    kin__strand strand;
    kin__task task;
    kin__alarm delay;
    kin__alarm resync;
    kin__alarm watchdog;
    kin__alarm relist;
    kin__alarm quiet;

    kin__mutex lock; /* rank REFLECTOR */
    kin__cond ended;
    bool running;      /* (lock) from the start until it has ended */
    bool stopping;     /* (lock) */
    bool at_end;       /* (lock) the stepper is in its last step */
    bool freed;        /* (lock) nobody is told anything any more */
    bool closed;       /* (lock) the workers have ended */
    bool posted;       /* (lock) `task` */
    bool stepping;     /* (lock) */
    bool wanted;       /* (lock) there is something for the stepper */
    pthread_t stepper; /* (lock) while stepping */
    pthread_t inside;  /* (lock) the thread of the callbacks below */
    unsigned n_inside; /* (lock) callbacks of calls that count: one, or none */
    bool tells_begin;  /* (lock) a client's source, or one that has reported an agreement before */
    bool sees_bookmarks;         /* (lock) a watch of the source has brought some */
    kin_operation *listened;     /* (lock) the operation of the call; NULL: none */
    kin__version version;        /* (lock) the last */
    kin_reflector_status status; /* (lock) but for `listed`, which is: */
    _Atomic uint64_t n_listed;   /* written by (call); 0: no list is under way */
    kin__log_limit skip_log;     /* of warnings about skipped objects */

    /* (stepper) */
    kin__phase phase;
    kin__then then;
    kin__reaction reaction; /* follows a call that was closed */
    unsigned n_tries; /* failures in a row of the same page, or of a watch before its agreement */
    kin_error reason; /* why it was closed */
    kin_failed_operation failed; /* noted, and the error function was not called yet; 0: none */
    kin__reflector_call *call;
    kin__backoff backoff;
    kin__backoff relist_backoff;
    kin__random random;
    kin__version list_version; /* of the list that is under way; "" the newest */
    int64_t limit;             /* of its pages */
    char *page_token;          /* of the page that is under way, OWNED; NULL: the first */
    kin__version first_page;   /* the version that its first page had */
    int64_t list_begun;        /* when the list was that is under way */
    bool has_first_page;
    bool is_relist;
    bool warm;           /* begin with a watch */
    bool was_warm;       /* it has, and nothing has come by it */
    bool unavailable;    /* the last version cannot be listed at: the next list is of the newest */
    bool fresh_in_round; /* it was found so in this round */
    bool paginated;      /* the first list came in pages */
    bool watching;       /* the list of this round is complete */
    bool full_list;      /* a page was too old: all at once */
    bool
        heals; /* this round is for gaps, or verifies: the last version can still be watched from */
    bool verifies;        /* this round is for `relist_ms`: its list is of the most recent state */
    bool page_has_gaps;   /* `list_has_gaps` before the page that is under way */
    bool repeats;         /* the next call brings again what the last one has brought */
    bool reported_doubt;  /* what the status function was called with */
    unsigned n_no_end;    /* streaming lists of this round that ended without the bookmark */
    uint64_t page_items;  /* `list_items` before the page that is under way */
    uint64_t page_listed; /* `n_listed` before it */
    uint64_t page_bytes;  /* of the pages before it */
    int64_t stream_off_until;
    int64_t delay_until; /* INT64_MAX: none; so those that follow, but for `listed_at` */
    int64_t resync_at;
    int64_t watchdog_at;
    int64_t relist_at;      /* the earlier of the next two */
    int64_t gap_at;         /* when a list is due for gaps */
    int64_t period_at;      /* when one is due by `relist_ms` */
    int64_t listed_at;      /* when the last complete list began; without one, the reflector */
    int64_t quiet_at;       /* when a watch without events and bookmarks is given up */
    int64_t bookmark_ns;    /* const: how long it may be; 0: for ever */
    int64_t first_internal; /* of a series of internal errors; INT64_MAX: none */
    int64_t last_internal;

    kin_replace *replace; /* (call) of the list that is under way; NULL: none */
    bool list_has_gaps;   /* (call) something in it could not be read, and who knows what */
    uint64_t list_items;  /* (call) that have come of the list that is under way */
    kin__gaps list_gaps;  /* (call) of the list that is under way, up to its last complete page */
    kin__gaps page_gaps;  /* (call) of the page, or of a streaming list, that is under way */
    uint64_t n_skipped;   /* (call) objects that it has skipped */
    uint64_t n_counted;   /* (call) the most that it, or one that it repeats, has skipped */
    kin__gaps gaps;       /* (call) of what the store has */
};

/* The error of a function that failed: it may have said nothing of it. Returns the code. */
static inline int kin__said(kin_error *err, int code)
{
    if (err->code != code || err->message[0] == '\0')
        kin_error_set(err, code, "%s", kin_error_string(code));
    return code;
}

/* --- reflector.c --- */

/* As kin_reflector_new(), on the workers of who makes it; NULL: the source's, or its own. */
int kin__reflector_new_on(kin_reflector **ret, kin__shared_workers *shared_workers,
                          kin_list_watch *source, const kin_reflector_store *store,
                          const kin_reflector_options *options, kin_error *err);
/* Whether all settings make sense. 0, KIN_EINVAL, KIN_ELIMIT. */
int kin__reflector_check_options(const kin_reflector_options *options, kin_error *err);
kin_reflector *kin__reflector_ref(kin_reflector *reflector);
void kin__reflector_unref(kin_reflector *reflector);
/* Whether the caller is in one of its callbacks. Any thread; locks of lower ranks. */
bool kin__reflector_calls_here(kin_reflector *reflector);
/* Whether the caller is in one of its callbacks, or on a worker that they may need. */
bool kin__reflector_runs_here(kin_reflector *reflector);
/* There is something for the stepper. Any thread with a reference, no lock held. */
void kin__reflector_wake(kin_reflector *reflector);
/*
 * Whether it is to end, so that nothing has to be begun any more: a callback may have stopped it. The
 * stepper looks again then. (stepper)
 */
bool kin__reflector_ends(kin_reflector *reflector);
/*
 * Whether it has ended, and calls nobody any more. Waits for no more than the last instructions of its
 * last step, so that it may be called where kin_reflector_wait() may not: on a worker. Not from its
 * own callbacks.
 */
bool kin__reflector_has_ended(kin_reflector *reflector);
/* There is more for the step that follows. (stepper) */
void kin__reflector_look_again(kin_reflector *reflector);
/* Let an alarm wake it, or not. (stepper) */
void kin__reflector_set_alarm(kin_reflector *reflector, kin__alarm *alarm, int64_t deadline);
void kin__reflector_cancel_alarm(kin_reflector *reflector, kin__alarm *alarm);

/* --- reflector_round.c --- */

/* One look at what there is to do. (stepper) */
void kin__reflector_step(kin_reflector *reflector);
/* A call could not even be made; `is_continued`: of a page after the first. (stepper) */
void kin__reflector_failed(kin_reflector *reflector, kin__reflector_call_kind kind,
                           bool is_continued, const kin_error *why);

/* --- reflector_call.c --- */

/* A call without an operation, with the reflector's reference. NULL: no memory. */
kin__reflector_call *kin__reflector_call_new(kin_reflector *reflector,
                                             kin__reflector_call_kind kind);
void kin__reflector_call_unref(kin__reflector_call *call);
/*
 * Begin its operation. What fails at once ends it, as if it had been told so. (stepper)
 */
void kin__reflector_call_begin(kin__reflector_call *call, const kin_request_options *options);
void kin__reflector_call_drop_held(kin__reflector_call *call);
/* What it calls back for counts no more. Whether nobody is in it: else the stepper is woken. (stepper) */
bool kin__reflector_call_close(kin__reflector_call *call);

/* --- reflector_list.c --- */

/* The list of a round, at its version; the next page of it. (stepper) */
void kin__reflector_begin_list(kin_reflector *reflector);
/* Find out what a source with a name is of: how to list depends on its encoding. */
void kin__reflector_begin_resolve(kin_reflector *reflector);
void kin__reflector_begin_page(kin_reflector *reflector, const char *token);
int kin__reflector_begin_replace(kin_reflector *reflector, kin_error *err);
void kin__reflector_abort_replace(kin_reflector *reflector);
/* Make the list visible. 0, or the store's code. (call) */
int kin__reflector_commit(kin_reflector *reflector, kin_str version, kin_error *err);
/* An item of a list; an object of a streaming list. 0, or why the list cannot go on. (call) */
int kin__reflector_call_take_item(kin__reflector_call *call, const kin_object *object,
                                  kin_error *err);
int kin__reflector_call_stage(kin__reflector_call *call, const kin_object *object, kin_error *err);
/* Whether a store's code blames the object, so that the others can go on without it. */
bool kin__is_about_object(int code);
/* Skip an unusable object of a list; the store keeps its state of the object. (call) */
void kin__reflector_call_skip_item(kin__reflector_call *call, const kin_object *object,
                                   const char *why);
/* An object that could not be read; `key` may be empty. 0 to go on without it, or why not. (call) */
int kin__reflector_call_take_bad(kin__reflector_call *call, enum kin_watch_type type, kin_str key,
                                 const kin_error *why, kin_error *err);
/* Note what the end of a list says. 0, KIN_EPROTOCOL, KIN_ENOMEM. (call) */
int kin__reflector_call_read_list(kin__reflector_call *call, const kin_object *list,
                                  kin_error *err);

/* --- reflector_watch.c --- */

void kin__reflector_begin_watch(kin_reflector *reflector);
void kin__reflector_begin_stream(kin_reflector *reflector);
/* When a streaming list has gone without an event for too long. */
int64_t kin__reflector_call_end_due(kin__reflector_call *call);
/* The source has agreed to a watch. 0, or why it cannot go on. (call) */
int kin__reflector_call_take_begin(kin__reflector_call *call, kin_error *err);
/* An event of a watch or a streaming list. 0, or why it cannot go on. (call) */
int kin__reflector_call_take_event(kin__reflector_call *call, enum kin_watch_type type,
                                   const kin_object *object, kin_error *err);

/* --- reflector_metrics.c --- */

/* The last digits of a version, as many as a double can hold. Whether it is a number. */
bool kin__version_number(double *ret, kin_str version);
/* A list is begun (stepper), or is in the store (stepper or call). */
void kin__reflector_measure_list(kin_reflector *reflector);
void kin__reflector_measure_list_end(kin_reflector *reflector);
/* A watch is begun; one has ended that was none. (stepper) */
void kin__reflector_measure_watch(kin_reflector *reflector);
void kin__reflector_measure_short_watch(kin_reflector *reflector);
/* A call is over, and no callback of it runs. (stepper) */
void kin__reflector_measure_call_end(kin_reflector *reflector, kin__reflector_call *call);
/* Whether the server is in doubt. (stepper) */
void kin__reflector_measure_doubt(kin_reflector *reflector, bool in_doubt);
/* The store has all up to a version. (stepper or call) */
void kin__reflector_measure_version(kin_reflector *reflector, kin_str version);

/* --- reflector_status.c --- */

/* Whether nobody is told anything any more. */
bool kin__reflector_is_freed(kin_reflector *reflector);
void kin__reflector_set_state(kin_reflector *reflector, kin_reflector_state state);
/* Call the status function although the state is the same. (stepper) */
void kin__reflector_report(kin_reflector *reflector);
/* Set `last_error`. A call of kin__reflector_tell_error() follows. (stepper) */
void kin__reflector_note_error(kin_reflector *reflector, kin_failed_operation operation,
                               const kin_error *err);
/* Call the error function if a failure was noted; without one, log those that client-go reports. (stepper) */
void kin__reflector_tell_error(kin_reflector *reflector, const kin_error *err, bool is_watch_error);
/* The key that gaps are counted by; empty if the object lacks one. BORROWED from the object. Any thread, no lock held. */
kin_str kin__reflector_key(const kin_reflector *reflector, const kin_object *object);
/* An object that cannot be used. Any thread, no lock held. */
void kin__reflector_skip(kin_reflector *reflector, const kin_object *object, const char *why);
/* One that could not even be read. `key` may be empty. */
void kin__reflector_skip_bad(kin_reflector *reflector, kin_str key, const char *why);
/* Whether an object is of the kind that is expected. */
bool kin__reflector_expects(const kin_reflector *reflector, const kin_object *object);
void kin__reflector_set_version(kin_reflector *reflector, kin_str version);
void kin__reflector_get_version(kin_reflector *reflector, kin__version *ret);
/* What the status says of gaps is as they are now. With the lock. (call) */
/* Adds what the operation under way knows of the server and its answer. */
void kin__reflector_look_locked(const kin_reflector *reflector, kin_reflector_status *status)
    KIN_REQUIRES(reflector->lock);
void kin__reflector_note_gaps_locked(kin_reflector *reflector) KIN_REQUIRES(reflector->lock);
/* Add to a count of the status. */
void kin__reflector_count(kin_reflector *reflector, uint64_t *count);

#endif
