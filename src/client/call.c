/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state machine of a call; see call.h. What the answer says is read in call_answer.c.
 *
 *     BEGIN ──▶ HEAD ──▶ BODY ──▶ ENDED
 *       ▲─────────┴────────┘ retry
 *
 * BEGIN gets an identity and starts an exchange, HEAD waits for its headers, BODY takes bytes. A thread
 * that runs a call waits for a plugin where it is; a worker is for others meanwhile, and is told. Each
 * failure on the way goes through tried(), which decides whether there is another try. A try whose
 * answer has reached a callback is the last: nobody can take back what was called back.
 *
 * | what | written by | read by |
 * |------|-----------|---------|
 * | exchange | the consumer, under `lock` | whoever cancels, under `lock`; the consumer |
 * | cancelled | anyone | anyone |
 * | ended, runner | the consumer, under `lock` | whoever waits, under `lock` |
 * | all else | the consumer | the consumer; others once it has ended |
 */
#include "client/call.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/str.h"
#include "client/call_answer.h"
#include "client/headers.h"
#include "client/retry.h"
#include "object/protobuf.h"

enum {
    /* Bytes that one step takes before others on the same worker have their turn. */
    STEP_BYTES = 1 << 20,
};

/* A longer wait for the rate limit is logged; so often as a warning. */
#define WAIT_TOLD KIN__SECOND
#define WAIT_WARNED_EVERY (10 * KIN__SECOND)

enum phase { BEGIN, HEAD, BODY, ENDED };

struct kin_call {
    kin__ref ref;
    kin_client *client;
    kin__list link; /* (client's lock) */

    /* Const: what is asked. */
    enum kin_verb verb;
    enum kin__lane_kind lane;
    char *method;
    char *target;
    char *accept;
    char *json_accept;      /* for when `accept` is of no use; NULL: it is that already */
    kin_resource *resource; /* SHARED or NULL */
    char *content_type;
    kin__secret body; /* objects may be secrets */
    int64_t deadline;
    int64_t idle_ns;
    bool unlimited;   /* by the rate limit */
    bool leaves_json; /* set before it is begun: see KIN__JSON_LEFT */
    int max_retries;

    /* The consumer's. */
    enum phase phase;
    int n_retries;
    int code;
    bool refreshed;        /* a 401 had its second try */
    bool renewed;          /* so had certificates that no connection could be made with */
    kin_error refusal;     /* of protobuf; code 0: none, or it is dealt with */
    bool in_doubt;         /* what the handler was called with last */
    bool asks;             /* `waiter` has a reference, unless it was told */
    int64_t not_before;    /* of the next try */
    int64_t begun_at;      /* this try, where it was not kept waiting */
    kin__reservation turn; /* under the rate limit */
    kin__identity identity;
    kin__call_answer answer;
    kin_error err;

    kin__mutex lock; /* rank CALL */
    kin__cond has_ended;
    kin__exchange *exchange; /* (lock) for others than the consumer */
    atomic_bool cancelled;
    atomic_int encoding;    /* of the answer */
    atomic_bool fell_back;  /* JSON was used, or will be, where protobuf was asked for */
    atomic_bool needs_json; /* it failed for want of JSON, which the next call asks for */
    atomic_bool posted;     /* `task` waits for a worker */
    bool ended;             /* (lock) and its last callback has returned */
    bool running;           /* (lock) `runner` is in a step */
    pthread_t runner;       /* (lock) */

    /* On the workers. */
    kin__strand strand;
    kin__task task;
    kin__credentials_waiter waiter; /* for an identity */
    bool on_workers;                /* const once it is begun: it was started, not run */
};

static void step_on_worker(kin__task *task, bool dropped);
static void on_credentials(kin__credentials_waiter *waiter);

/* --- life --- */

static void call_destroy(kin_call *call)
{
    kin__exchange_unref(call->exchange);
    kin__identity_done(&call->identity);
    kin__call_answer_done(&call->answer);
    kin__secret_done(&call->body);
    kin__free(call->method);
    kin__free(call->target);
    kin__free(call->accept);
    kin__free(call->json_accept);
    kin_resource_unref(call->resource);
    kin__free(call->content_type);
    if (kin__client_check(call->client, NULL) == 0) {
        kin__strand_done(&call->strand);
        kin__cond_done(&call->has_ended);
        kin__mutex_done(&call->lock);
    }
    kin__client_unref(call->client);
    kin__free(call);
}

kin_call *kin_call_ref(kin_call *call)
{
    if (call)
        kin__ref_get(&call->ref);
    return call;
}

static void destroy_on_worker(kin__task *task, bool dropped)
{
    (void)dropped;
    call_destroy(kin__container_of(task, kin_call, task));
}

/*
 * A step gives its reference back before it returns to its worker, which looks at the strand then.
 * So whoever has the last one lets the strand itself end the call, behind that step.
 */
void kin_call_unref(kin_call *call)
{
    if (!call || !kin__ref_put(&call->ref))
        return;
    call->task.run = destroy_on_worker;
    if (!call->on_workers || kin__strand_post(&call->strand, &call->task) < 0)
        call_destroy(call);
}

static bool is_cancelled(const kin_call *call)
{
    return atomic_load(&call->cancelled);
}

static void take_json_accept(kin_call *call)
{
    kin__free(call->accept);
    call->accept = call->json_accept;
    call->json_accept = NULL;
}

void kin__call_use_json(kin_call *call, enum kin__json_use use)
{
    call->leaves_json = use == KIN__JSON_LEFT;
    if (use != KIN__JSON_FIRST || !call->json_accept)
        return;
    kin_error_set(&call->refusal, KIN_EREFUSED, "the server has refused a streaming list in it");
    take_json_accept(call);
}

int64_t kin__call_last_heard(kin_call *call)
{
    int64_t heard;

    kin__mutex_lock(&call->lock);
    heard = call->exchange ? kin__exchange_heard(call->exchange) : 0;
    kin__mutex_unlock(&call->lock);
    return heard;
}

static int copy_spec(kin_call *call, const kin__call_spec *spec)
{
    call->method = kin__memdup_str(kin_str_of(spec->method));
    call->target = kin__memdup_str(kin_str_of(spec->target));
    call->accept = kin__memdup_str(kin_str_of(spec->accept));
    call->resource = kin_resource_ref(spec->resource);
    if (spec->json_accept)
        call->json_accept = kin__memdup_str(kin_str_of(spec->json_accept));
    if (spec->content_type)
        call->content_type = kin__memdup_str(kin_str_of(spec->content_type));
    if (!call->method || !call->target || !call->accept ||
        (spec->json_accept && !call->json_accept) || (spec->content_type && !call->content_type))
        return KIN_ENOMEM;
    return kin__secret_set(&call->body, spec->body);
}

int kin__call_new(kin_call **ret, kin_client *client, const kin__call_spec *spec, kin_error *err)
{
    kin_call *call = kin__calloc(1, sizeof(*call));
    int code;

    if (!call)
        return kin__error_no_memory(err);
    kin__ref_init(&call->ref);
    call->client = kin__client_ref(client);
    kin__list_init(&call->link);
    kin__mutex_init(&call->lock, KIN__RANK_CALL);
    kin__cond_init(&call->has_ended);
    kin__error_begin(&call->err);
    kin__error_begin(&call->refusal);
    atomic_init(&call->cancelled, false);
    atomic_init(&call->posted, false);
    atomic_init(&call->encoding, KIN_ENCODING_DEFAULT);
    atomic_init(&call->fell_back, false);
    atomic_init(&call->needs_json, false);
    kin__list_init(&call->task.link);
    call->task.run = step_on_worker;
    kin__strand_init(&call->strand, client->workers);
    kin__list_init(&call->waiter.link);
    call->waiter.wake = on_credentials;
    call->verb = spec->verb;
    call->lane = spec->lane;
    call->deadline = kin__clock_deadline_ms(client->clock, spec->timeout_ms);
    call->waiter.deadline = call->deadline;
    call->idle_ns = spec->idle_ns;
    call->max_retries = spec->max_retries ? kin__retry_max(spec->max_retries) : client->max_retries;
    call->unlimited = spec->unlimited || spec->kind == KIN__ANSWER_WATCH;
    code = kin__call_answer_init(&call->answer, spec, &call->cancelled, err);
    call->answer.list_limit = client->max_list_bytes;
    if (code == 0 && copy_spec(call, spec) < 0)
        code = kin__error_no_memory(err);
    if (code < 0)
        kin_call_unref(call);
    else
        *ret = call;
    return code;
}

/* --- one try --- */

static void set_exchange(kin_call *call, kin__exchange *exchange)
{
    kin__exchange *old;

    kin__mutex_lock(&call->lock);
    old = call->exchange;
    call->exchange = exchange;
    kin__mutex_unlock(&call->lock);
    kin__exchange_unref(old);
    /* Whoever cancelled before has not seen this one. */
    if (exchange && is_cancelled(call))
        kin__exchange_cancel(exchange);
}

/*
 * A line for who wants to know what is going on. The target has names and selectors in it; credentials are
 * in headers, which are not told.
 */
static void tell(const kin_call *call, const char *message, int code, const kin_error *why)
{
    kin_logger *logger = call->client->logger;
    const kin__answer *head = call->exchange ? kin__exchange_answer(call->exchange) : NULL;

    if (!kin_logger_enabled(logger, KIN_LOG_DEBUG))
        return;
    int64_t took = call->begun_at > 0 ? kin_clock_now(call->client->clock) - call->begun_at : 0;
    kin_log_field fields[6] = {
        KIN__LOG_S("method", call->method), KIN__LOG_S("target", call->target),
        KIN__LOG_I("ms", took > 0 ? took / KIN__MILLISECOND : 0), /* its turn may be to come */
    };
    size_t n = 3;
    if (head)
        fields[n++] = KIN__LOG_I("status", head->status);
    if (call->n_retries > 0)
        fields[n++] = KIN__LOG_I("retries", call->n_retries);
    if (code < 0)
        fields[n++] = KIN__LOG_S("error", why->message[0] ? why->message : kin_error_string(code));
    kin_logger_log(logger, KIN_LOG_DEBUG, "client", message, fields, n);
}

static void end(kin_call *call, int code, const kin_error *why)
{
    kin_client *client = call->client;
    int64_t now = kin_clock_now(client->clock);

    tell(call, is_cancelled(call) ? "a request was cancelled" : "a request has ended", code, why);
    set_exchange(call, NULL);
    kin__identity_done(&call->identity);
    /* A turn that has not come yet is for somebody else. */
    if (now < call->turn.at)
        kin__rate_limit_cancel(&client->rate_limit, call->turn, now);
    call->phase = ENDED;
    call->code = code;
    /* Whatever came in the meantime: who has cancelled relies on that. */
    if (is_cancelled(call))
        call->code = kin__call_cancelled(&call->err);
    else if (code < 0)
        kin__error_pass(&call->err, code, why);
}

static void reset_try(kin_call *call)
{
    set_exchange(call, NULL);
    kin__identity_done(&call->identity);
    kin__call_answer_reset(&call->answer);
    call->turn = (kin__reservation){0, false};
    call->begun_at = 0;
    call->phase = BEGIN;
}

/*
 * Whether certificates may be why there is no answer. A server that does not like ours may just close,
 * and may do so only when the request was sent: what a write has done then, nobody knows.
 */
static bool may_be_certificates(const kin_call *call, int code)
{
    bool is_read = strcmp(call->method, "GET") == 0;

    return (code == KIN_ETLS || code == KIN_ECONNECT) &&
           (is_read || !kin__exchange_was_sent(call->exchange));
}

/* Whether newer credentials may do better: after a 401, or without a connection. Each once. */
static bool has_newer_credentials(kin_call *call, int code, int http_status)
{
    kin__credentials *credentials = call->client->credentials;

    if (call->answer.delivered || is_cancelled(call))
        return false;
    if (http_status == 401 && !call->refreshed) {
        call->refreshed = true;
        return kin__credentials_rejected(credentials, &call->identity);
    }
    if (http_status == 0 && !call->renewed && may_be_certificates(call, code)) {
        call->renewed = true;
        return kin__credentials_distrusted(credentials, &call->identity);
    }
    return false;
}

static void try_json(kin_call *call, const kin_error *why)
{
    tell(call, "a request is tried again, for JSON", why->code, why);
    take_json_accept(call);
    reset_try(call);
}

/*
 * Protobuf cannot be used, for the reason in `why`. Later calls for the resource ask for JSON, and so does this one, unless
 * an object was delivered already or JSON is left to the caller. Returns whether this call goes on.
 */
static bool fall_back(kin_call *call, const kin_error *why)
{
    bool is_last = call->answer.delivered || call->leaves_json;
    bool is_kept;

    if (!call->json_accept || is_cancelled(call))
        return false;
    is_kept = kin__client_use_json(call->client, call->resource, why->message);
    atomic_store(&call->fell_back, is_kept || !is_last);
    if (is_last) {
        /* If this could not be kept, the next call asks for protobuf again: it must not follow at once. */
        atomic_store(&call->needs_json, is_kept);
        return false;
    }
    try_json(call, why);
    return true;
}

/*
 * The refusal may come from a proxy, or concern more than protobuf. So JSON is tried in this call only, and
 * learn_from_json() decides about later calls.
 */
static bool try_json_after_refusal(kin_call *call, const kin_error *why)
{
    if (!call->json_accept || is_cancelled(call))
        return false;
    if (call->leaves_json) {
        kin_error left = *why;

        atomic_store(&call->needs_json, true);
        end(call, kin__protobuf_leave_to_json(&left), &left);
        return true;
    }
    call->refusal = *why;
    try_json(call, why);
    return true;
}

/* The server has refused protobuf and answers in JSON: later calls for the resource ask for JSON. */
static void learn_from_json(kin_call *call)
{
    if (call->refusal.code == 0 || call->answer.encoding != KIN_ENCODING_JSON)
        return;
    (void)kin__client_use_json(call->client, call->resource, call->refusal.message);
    call->refusal.code = 0;
    atomic_store(&call->fell_back, true);
}

static bool is_refused_format(int http_status)
{
    return http_status == 406 || http_status == 415;
}

/*
 * A try has failed: another one, or the end. `http_status` is 0 if there was no answer, and
 * `retry_after_ms` -1 if nobody has asked to wait.
 */
static void tried(kin_call *call, int code, const kin_error *why, int http_status,
                  int64_t retry_after_ms)
{
    kin__attempt attempt = {
        .verb = call->verb,
        .retries = call->n_retries,
        .max_retries = call->max_retries,
        .code = http_status ? 0 : code,
        .http_status = http_status,
        .retry_after_ms = retry_after_ms,
        .was_sent = kin__exchange_was_sent(call->exchange),
    };
    int64_t delay_ns;

    if (is_refused_format(http_status) && try_json_after_refusal(call, why))
        return;
    if (has_newer_credentials(call, code, http_status)) {
        tell(call, "a request is tried again, with newer credentials", code, why);
        reset_try(call);
        return;
    }
    delay_ns = call->answer.delivered || is_cancelled(call) ? -1 : kin__retry_delay_ns(&attempt);
    if (delay_ns >= 0)
        call->not_before = kin__clock_deadline(call->client->clock, delay_ns);
    if (delay_ns < 0 || call->not_before >= call->deadline) {
        end(call, code, why);
    } else {
        tell(call, "a request is tried again", code, why);
        call->n_retries++;
        reset_try(call);
    }
}

/* Let a worker look, which keeps the call until then. Once, however often it is asked for. */
static void post_step(kin_call *call)
{
    if (atomic_exchange(&call->posted, true))
        return;
    kin_call_ref(call);
    /* Workers are stopped when there is no call any more. */
    if (kin__strand_post(&call->strand, &call->task) < 0)
        kin_call_unref(call);
}

/* On the I/O thread. */
static void on_notify(kin__exchange *exchange, void *arg)
{
    (void)exchange;
    post_step(arg);
}

static void release_call(void *arg)
{
    kin_call_unref(arg);
}

/*
 * A wait that people notice is logged, as client-go does it: else a program is slow, and nothing says that
 * it slows itself down. Each at DEBUG, and one in ten seconds as a warning. Without the query.
 */
static void tell_wait(kin_call *call, int64_t now)
{
    kin_client *client = call->client;
    int64_t last = atomic_load(&client->wait_warned);
    int64_t wait = call->turn.at - now;
    enum kin_log_level level = KIN_LOG_DEBUG;

    if (wait <= WAIT_TOLD)
        return;
    if ((last == INT64_MIN || now - last >= WAIT_WARNED_EVERY) &&
        atomic_compare_exchange_strong(&client->wait_warned, &last, now))
        level = KIN_LOG_WARN;
    kin_log_field fields[] = {
        KIN__LOG_S("method", call->method),
        KIN__LOG_S("path", call->target),
        KIN__LOG_I("ms", wait / KIN__MILLISECOND),
    };
    fields[1].value.str.len = strcspn(call->target, "?");
    kin_logger_log(client->logger, level, "client",
                   "a request waits for the client's own rate limit, not for the server", fields,
                   sizeof(fields) / sizeof(fields[0]));
}

/* When the try may be sent. 0, KIN_ETIMEOUT: that is too late. */
static int wait_for_turn(kin_call *call, kin_error *why)
{
    kin_client *client = call->client;
    int64_t now = 0;

    if (!call->unlimited) {
        now = kin_clock_now(client->clock);
        call->turn = kin__rate_limit_reserve(&client->rate_limit, now);
        if (call->turn.at > call->not_before)
            call->not_before = call->turn.at;
    }
    if (call->not_before < call->deadline) {
        if (!call->unlimited)
            tell_wait(call, now);
        return 0;
    }
    return kin_error_set(why, KIN_ETIMEOUT,
                         "the client's rate limit would send it only after its timeout");
}

static int start_exchange(kin_call *call, kin__exchange **ret, kin_error *why)
{
    kin__exchange_spec spec = {
        .method = call->method,
        .target = call->target,
        .body = kin__secret_str(&call->body),
        .identity = &call->identity,
        .not_before = call->not_before,
        .deadline = call->deadline,
        .idle_ns = call->idle_ns,
        .is_probed = call->lane != KIN__LANE_SHORT,
        .kind = call->lane,
    };
    kin__headers headers;
    int code;

    if (call->on_workers) {
        spec.notify = on_notify;
        spec.arg = kin_call_ref(call);
        spec.arg_free = release_call;
    }
    kin__headers_init(&headers);
    code = kin__headers_of_call(&headers, call->client, call->accept, call->content_type, why);
    spec.headers = headers.items;
    spec.n_headers = headers.n;
    if (code == 0)
        code = kin__transport_start(call->client->transport, ret, &spec, why);
    kin__headers_done(&headers);
    if (code < 0 && spec.arg)
        kin_call_unref(call);
    return code;
}

/* Of the credentials, under their lock. */
static void on_credentials(kin__credentials_waiter *waiter)
{
    kin_call *call = kin__container_of(waiter, kin_call, waiter);

    post_step(call);
    kin_call_unref(call);
}

static void stop_asking(kin_call *call)
{
    if (call->asks && kin__credentials_forget(call->client->credentials, &call->waiter))
        kin_call_unref(call);
    call->asks = false;
}

/* 0, 1: there is a step to come when there is one, or a failure. */
static int get_identity(kin_call *call, kin_error *why)
{
    kin__credentials *credentials = call->client->credentials;
    int code;

    if (!call->on_workers)
        return kin__credentials_get(credentials, &call->identity, call->deadline, &call->cancelled,
                                    why);
    kin_call_ref(call);
    code = kin__credentials_ask(credentials, &call->identity, &call->waiter, &call->cancelled, why);
    call->asks = code > 0;
    if (!call->asks)
        kin_call_unref(call);
    return code;
}

/* False: there is nothing to do until there is an identity. */
static bool begin(kin_call *call)
{
    kin__exchange *exchange = NULL;
    kin_error why;
    int code;

    kin__error_begin(&why);
    stop_asking(call);
    if (is_cancelled(call)) {
        end(call, KIN_ECANCELED, &why);
        return true;
    }
    code = get_identity(call, &why);
    if (code > 0)
        return false;
    if (code == 0)
        code = wait_for_turn(call, &why);
    if (code == 0)
        code = start_exchange(call, &exchange, &why);
    if (code < 0) {
        end(call, code, &why);
        return true;
    }
    call->phase = HEAD;
    call->begun_at = call->not_before;
    if (call->begun_at < kin_clock_now(call->client->clock))
        call->begun_at = kin_clock_now(call->client->clock);
    set_exchange(call, exchange);
    return true;
}

/* --- the answer --- */

static void ended_whole(kin_call *call)
{
    const kin__answer *head = kin__exchange_answer(call->exchange);
    kin_error why;
    bool lost;
    int code;

    kin__error_begin(&why);
    code = kin__call_answer_finish(&call->answer, &lost, head, call->method, &why);
    /* Of the error 0 may mean that nothing was said. */
    if (call->answer.is_failure)
        tried(call, code, &why, head->status, head->retry_after_ms);
    else if (lost)
        tried(call, code, &why, 0, -1);
    else if (code == 0 || !call->answer.needs_json || !fall_back(call, &why))
        end(call, code, &why);
}

/*
 * Whether a write was refused, though its connection was lost within the answer. The head has said it,
 * and that is more than nothing: a server may refuse what is too large before it has come, and libcurl
 * 7.88 does not read the rest of such an answer.
 */
static bool is_refused_write(const kin_call *call, int code)
{
    bool is_read =
        call->verb == KIN_VERB_GET || call->verb == KIN_VERB_LIST || call->verb == KIN_VERB_WATCH;

    return code == KIN_ECONNECT && call->answer.is_failure && !is_read;
}

/* False: there are no more bytes for now. Else it has ended, or others have their turn. */
static bool step_body(kin_call *call, size_t *budget)
{
    kin_error why;
    kin_str bytes;
    int code = 0;

    kin__error_begin(&why);
    while (code == 0 && *budget > 0 && !kin__call_answer_has_enough(&call->answer) &&
           kin__exchange_read(call->exchange, &bytes)) {
        *budget -= bytes.len < *budget ? bytes.len : *budget;
        code = kin__call_answer_take(&call->answer, bytes, &why);
    }
    if (code != 0) {
        kin__exchange_cancel(call->exchange);
        if (!call->answer.needs_json || !fall_back(call, &why))
            end(call, code < 0 ? code : KIN_ECANCELED, &why);
        return true;
    }
    if (kin__call_answer_has_enough(&call->answer)) {
        ended_whole(call);
        return true;
    }
    /* There may be more, of which nobody tells again. */
    if (*budget == 0)
        return true;
    if (!kin__exchange_ended(call->exchange, &code, &why)) {
        kin__call_answer_rest(&call->answer);
        return false;
    }
    if (code < 0 && !is_refused_write(call, code))
        tried(call, code, &why, 0, -1);
    else
        ended_whole(call);
    return true;
}

static void look_at_head(kin_call *call, const kin__answer *head)
{
    kin_error why;
    int code;

    for (size_t i = 0; i < head->n_warnings; i++)
        kin__warnings_take(&call->client->warnings, kin_str_of(head->warnings[i]));
    kin__error_begin(&why);
    call->phase = BODY;
    code = kin__call_answer_head(&call->answer, head, &why);
    /* A failure may come from a proxy, or before the server looks at Accept. */
    if (!call->answer.is_failure)
        atomic_store(&call->encoding, (int)call->answer.encoding);
    if (code == 0 && !call->answer.is_failure)
        learn_from_json(call);
    if (code < 0)
        end(call, code, &why);
    else if (call->verb == KIN_VERB_WATCH && !call->answer.is_failure)
        tell(call, "a watch stands", 0, &why); /* its end may be far away */
}

static bool step_head(kin_call *call)
{
    const kin__answer *head = kin__exchange_answer(call->exchange);
    kin_error why;
    int code = 0;

    if (head) {
        look_at_head(call, head);
        return true;
    }
    kin__error_begin(&why);
    if (!kin__exchange_ended(call->exchange, &code, &why))
        return false;
    tried(call, code < 0 ? code : KIN_EPROTOCOL, &why, 0, -1);
    return true;
}

static void report_doubt(kin_call *call)
{
    bool in_doubt;

    if (!call->answer.handlers.doubt || !call->exchange || is_cancelled(call))
        return;
    in_doubt = kin__exchange_in_doubt(call->exchange);
    if (in_doubt == call->in_doubt)
        return;
    call->in_doubt = in_doubt;
    kin__assert_no_locks();
    call->answer.handlers.doubt(in_doubt, call->answer.handlers.arg);
}

/* Go on as far as possible. False: there is nothing to do until the exchange has more. */
static bool step(kin_call *call, size_t *budget)
{
    bool moved = true;

    while (moved && call->phase != ENDED && *budget > 0) {
        if (call->phase == BEGIN)
            moved = begin(call);
        else
            moved = call->phase == HEAD ? step_head(call) : step_body(call, budget);
    }
    return moved;
}

/* --- who steps --- */

static int enroll(kin_call *call, kin_error *err)
{
    kin_client *client = call->client;
    bool closed;

    kin__mutex_lock(&client->lock);
    closed = client->closed;
    if (!closed) {
        kin__list_push_back(&client->calls, &call->link);
        client->n_calls++;
    }
    kin__mutex_unlock(&client->lock);
    return closed ? kin_error_set(err, KIN_ECLOSED, "the client is closed") : 0;
}

/* The last that its consumer does. */
static void leave(kin_call *call)
{
    kin_client *client = call->client;

    kin__mutex_lock(&call->lock);
    call->ended = true;
    kin__cond_broadcast(&call->has_ended);
    kin__mutex_unlock(&call->lock);
    kin__mutex_lock(&client->lock);
    kin__list_remove(&call->link);
    if (--client->n_calls == 0)
        kin__cond_broadcast(&client->idle);
    kin__mutex_unlock(&client->lock);
}

static void set_running(kin_call *call, bool running)
{
    kin__mutex_lock(&call->lock);
    call->running = running;
    call->runner = pthread_self();
    kin__mutex_unlock(&call->lock);
}

int kin__call_run(kin_call *call, kin_error *err)
{
    int code = enroll(call, err);

    if (code < 0)
        return code;
    set_running(call, true);
    while (call->phase != ENDED) {
        size_t budget = SIZE_MAX;

        if (!step(call, &budget))
            kin__exchange_wait(call->exchange, INT64_MAX);
    }
    set_running(call, false);
    leave(call);
    return call->code < 0 ? kin__error_pass(err, call->code, &call->err) : 0;
}

static void report_end(kin_call *call)
{
    const kin_call_handlers *handlers = &call->answer.handlers;
    const kin_result result = {sizeof(result),
                               call->code,
                               &call->err,
                               call->code == 0 ? call->answer.object : NULL,
                               call->answer.status,
                               call->answer.stood,
                               kin__call_listed(call)};

    kin__assert_no_locks();
    if (handlers->done)
        handlers->done(&result, handlers->arg);
    if (handlers->arg_free)
        handlers->arg_free(handlers->arg);
}

/* Not when it has ended: the exchange may have had something to say behind its end. */
static void step_and_tell(kin_call *call)
{
    size_t budget = STEP_BYTES;
    bool moved;

    set_running(call, true);
    /* Before the step: it looks for bytes last, so none of them is missed. */
    report_doubt(call);
    moved = step(call, &budget);
    if (call->phase == ENDED)
        report_end(call);
    set_running(call, false);
    if (call->phase == ENDED)
        leave(call);
    else if (moved)
        post_step(call);
}

static void step_on_worker(kin__task *task, bool dropped)
{
    kin_call *call = kin__container_of(task, kin_call, task);

    /* What comes from here on may be behind what this step looks at. */
    atomic_store(&call->posted, false);
    if (!dropped && call->phase != ENDED)
        step_and_tell(call);
    kin_call_unref(call);
}

int kin__call_start(kin_call *call, kin_error *err)
{
    int code = kin__workers_start(call->client->workers, err);

    if (code < 0)
        return code;
    kin__call_answer_read_ahead(&call->answer, call->client->workers);
    /* From then on it can be cancelled, which lets a worker look. */
    call->on_workers = true;
    code = enroll(call, err);
    if (code < 0)
        call->on_workers = false;
    else
        post_step(call);
    return code;
}

/* --- from outside --- */

void kin_call_cancel(kin_call *call)
{
    kin__exchange *exchange;
    bool ended;

    if (!call || kin__client_check(call->client, NULL) < 0)
        return;
    atomic_store(&call->cancelled, true);
    kin__mutex_lock(&call->lock);
    ended = call->ended;
    exchange = call->exchange ? kin__exchange_ref(call->exchange) : NULL;
    kin__mutex_unlock(&call->lock);
    if (exchange)
        kin__exchange_cancel(exchange);
    kin__exchange_unref(exchange);
    if (ended)
        return;
    /* It waits for a plugin without a worker, or for somebody who reads a file. */
    if (call->on_workers)
        post_step(call);
    kin__credentials_wake(call->client->credentials);
}

uint64_t kin__call_listed(const kin_call *call)
{
    const kin__call_answer *answer = &call->answer;

    return answer->kind == KIN__ANSWER_LIST ? answer->listed + answer->taken : 0;
}

bool kin__call_runs_here(kin_call *call)
{
    bool here;

    kin__mutex_lock(&call->lock);
    here = call->running && pthread_equal(call->runner, pthread_self());
    kin__mutex_unlock(&call->lock);
    return here;
}

kin_call *kin__call_of_link(kin__list *link)
{
    return kin__list_entry(link, kin_call, link);
}

int kin_call_wait(kin_call *call, int64_t timeout_ms, kin_error *err)
{
    bool in_time = true;
    int64_t deadline;
    int code;

    if (!call)
        return kin__error_null(err, "call");
    code = kin__client_check(call->client, err);
    if (code < 0)
        return code;
    deadline = kin__clock_deadline_ms(call->client->clock, timeout_ms);
    if (kin__call_runs_here(call))
        return kin_error_set(err, KIN_EBUSY, "a request is waited for by its own callback");
    kin__mutex_lock(&call->lock);
    while (code == 0 && !call->ended) {
        if (!in_time)
            code = KIN_ETIMEOUT;
        else
            in_time =
                kin__cond_wait_until(&call->has_ended, &call->lock, call->client->clock, deadline);
    }
    kin__mutex_unlock(&call->lock);
    return code < 0 ? kin_error_set(err, code, "the request has not ended in time") : 0;
}

const kin_object *kin__call_object(const kin_call *call)
{
    return call->answer.object;
}

const kin_object *kin__call_status(const kin_call *call)
{
    return call->answer.status;
}

bool kin__call_stood(const kin_call *call)
{
    return call->answer.stood;
}

kin_encoding kin__call_encoding(const kin_call *call)
{
    return (kin_encoding)atomic_load(&call->encoding);
}

bool kin__call_fell_back(const kin_call *call)
{
    return atomic_load(&call->fell_back);
}

bool kin__call_needs_json(const kin_call *call)
{
    return atomic_load(&call->needs_json);
}

kin_str kin__call_text(const kin_call *call)
{
    return kin__buf_str(&call->answer.bytes);
}
