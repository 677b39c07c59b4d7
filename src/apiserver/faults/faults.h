/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Misbehaving on purpose: the rules, and who is met by one.
 *
 * Requests ask once, when they have been received; connections ask when they are accepted; watches
 * ask for each event. Where there are no rules of a sort, asking is one relaxed load.
 */
#ifndef KIN_APISERVER_FAULTS_FAULTS_H
#define KIN_APISERVER_FAULTS_FAULTS_H

#include "apiserver/kinds/failure.h"
#include "apiserver/protocol/target.h"
#include "base/buf.h"
#include "kinform/apiserver.h"
#include "kinform/value.h"

typedef struct kin__faults kin__faults; /* any thread */

/* `seed` decides all that is random. 0, KIN_ENOMEM. */
int kin__faults_new(kin__faults **ret, uint64_t seed, kin_error *err);
/* In a forked child it only gives memory back. */
void kin__faults_free(kin__faults *faults);

/* As kin_apiserver_inject(), _remove_fault() and _clear_faults(), but for the listener. */
int kin__faults_add(kin__faults *faults, const kin_fault *fault, uint64_t *ret_id, kin_error *err);
int kin__faults_remove(kin__faults *faults, uint64_t id, uint64_t *ret_hits, kin_error *err);
void kin__faults_clear(kin__faults *faults);

/* A fault that somebody has met. */
typedef struct kin__met_fault {
    uint64_t id;     /* 0: none, and nothing else is set */
    kin_fault fault; /* without texts; `body` is below */
    char *body;      /* OWNED, kin__free(); NULL: none */
} kin__met_fault;

/* What a request meets. 0, KIN_ENOMEM (it was not counted). */
int kin__faults_meet(kin__faults *faults, const kin__target *target, kin_str path,
                     kin__met_fault *ret);

/* Whether a connection that arrives is to be reset. */
bool kin__faults_refuse_one(kin__faults *faults);
/* Whether there is a rule that keeps the port closed. */
bool kin__faults_refuse_all(kin__faults *faults);

/* --- for the code of watches --- */

enum kin__watch_event_type {
    KIN__WATCH_CHANGE,      /* ADDED, MODIFIED, DELETED */
    KIN__WATCH_BOOKMARK,    /* */
    KIN__WATCH_INITIAL_END, /* the bookmark that ends the initial events */
};

enum kin__watch_action {
    KIN__WATCH_PASS,      /* send it */
    KIN__WATCH_LOSE,      /* do not send it, and go on as if it had been sent */
    KIN__WATCH_TWICE,     /* send it twice */
    KIN__WATCH_LATER,     /* send it behind the next one, or at the end of the watch */
    KIN__WATCH_SAY_ERROR, /* send an ERROR event as the fault says instead, and end the watch */
    KIN__WATCH_END_NOW,   /* end the watch without sending it */
    KIN__WATCH_PAD,       /* send it with a member of so many bytes in its object */
};

/*
 * What happens to the next event of a watch. Asked once for each event, before it is written; path
 * is that of the watch's request. *ret is set, without a body, unless it is KIN__WATCH_PASS.
 */
enum kin__watch_action kin__faults_on_event(kin__faults *faults, kin_str path,
                                            enum kin__watch_event_type event, kin__met_fault *ret);

/* What stands in an object that is too large, in front of its other members: before and behind. */
#define KIN__PADDING_BEGIN "\"kinformPadding\":\""
#define KIN__PADDING_END "\","

/* --- what they say --- */

/* The Status of a fault with a status, in the words of the real server. */
void kin__fault_fail(const kin_fault *fault, kin__failure *failure);

/* --- rules as JSON, for the control endpoint --- */

/* {"faults": [{"id": 1, "type": "Reset", …, "hits": 0}]}. Failures stick in the buffer. */
void kin__faults_write(kin__faults *faults, kin__buf *out);
/* Add the rule that a JSON object describes. 0, KIN_EINVAL (says why), KIN_ELIMIT, KIN_ENOMEM. */
int kin__faults_add_json(kin__faults *faults, kin_value rule, uint64_t *ret_id, kin_error *err);

#endif
