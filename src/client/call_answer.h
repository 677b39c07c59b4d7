/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What becomes of an answer to a call: whether it is one of success, its bytes while they come, and what
 * it is when all have come. Bytes in, objects and callbacks out; no I/O, no retries, no locks. All of it
 * runs where the call is stepped.
 */
#ifndef KIN_CLIENT_CALL_ANSWER_H
#define KIN_CLIENT_CALL_ANSWER_H

#include <stdatomic.h>

#include "base/buf.h"
#include "client/call.h"

typedef struct kin__call_answer {
    /* Const. */
    enum kin_verb verb;
    enum kin__answer_kind kind;
    bool is_streaming_list; /* a watch that begins with one */
    size_t limit;           /* bytes of an object or a text */
    kin_call_handlers handlers;
    const atomic_bool *cancelled; /* BORROWED from the call */

    bool is_failure;       /* the status is none of success */
    kin_encoding encoding; /* of the body */
    bool needs_json;       /* of the last failure: protobuf that JSON can say */
    bool delivered;        /* something was called back, of this try or one before */
    bool stood;            /* it was one of success, and has begun */
    kin_decoder *decoder;  /* of an object */
    kin_list_decoder *list;
    kin_watch_decoder *watch;
    kin__buf bytes;      /* of an object, a text or a failure */
    uint64_t taken;      /* bytes of the body so far */
    uint64_t list_limit; /* for a list with the pages before it, or a streaming list */
    uint64_t listed;     /* const: bytes of these pages */
    bool is_initial;     /* of a watch: the end of its streaming list has not come */
    const kin_object *object;
    const kin_object *status;
} kin__call_answer;

/* What a cancelled call fails with. */
int kin__call_cancelled(kin_error *err);

/* 0, KIN_EINVAL, KIN_ENOMEM; to be done with in any case. */
int kin__call_answer_init(kin__call_answer *answer, const kin__call_spec *spec,
                          const atomic_bool *cancelled, kin_error *err);
void kin__call_answer_done(kin__call_answer *answer);
/* There is another try. */
void kin__call_answer_reset(kin__call_answer *answer);

/* Large answers are read by two workers. Without memory for that it takes longer. */
void kin__call_answer_read_ahead(kin__call_answer *answer, kin__workers *workers);

/* The headers are there. 0, or why it cannot be used; `begun` may be the one who says so. */
int kin__call_answer_head(kin__call_answer *answer, const kin__answer *head, kin_error *err);
/* More bytes. 0, or why it cannot be used; above 0: a callback wants no more. */
int kin__call_answer_take(kin__call_answer *answer, kin_str bytes, kin_error *err);
/* No more has come for now: what was kept for more goes. */
void kin__call_answer_rest(kin__call_answer *answer);
/* Of what is too long to be a Status the beginning is enough: the rest may have no end. */
bool kin__call_answer_has_enough(const kin__call_answer *answer);
/*
 * All bytes are there. 0, or what the call fails with; *ret_lost: only because the connection was lost
 * within the answer. `method` is for a message.
 */
int kin__call_answer_finish(kin__call_answer *answer, bool *ret_lost, const kin__answer *head,
                            const char *method, kin_error *err);

#endif
