/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state machine of a call; see call.h.
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

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/str.h"
#include "client/headers.h"
#include "client/retry.h"
#include "client/status.h"
#include "kinform/metadata.h"
#include "kinform/path.h"
#include "kinform/status.h"

enum {
    /* Bytes that one step takes before others on the same worker have their turn. */
    STEP_BYTES = 1 << 20,
};

enum phase { BEGIN, HEAD, BODY, ENDED };

struct kin_call {
    kin__ref ref;
    kin_client *client;
    kin__list link; /* (client's lock) */

    /* Const: what is asked. */
    enum kin_verb verb;
    enum kin__answer_kind kind;
    enum kin__lane_kind lane;
    char *method;
    char *target;
    char *accept;
    char *content_type;
    kin__secret body; /* objects may be secrets */
    int64_t deadline;
    int64_t idle_ns;
    bool unlimited; /* by the rate limit */
    kin_list_item_fn *item;
    kin_watch_event_fn *event;
    void *arg;

    /* The consumer's. */
    enum phase phase;
    int n_retries;
    int code;
    bool refreshed;        /* a 401 had its second try */
    bool renewed;          /* so had certificates that no connection could be made with */
    bool is_failure;       /* the answer's status is none of success */
    bool delivered;        /* something was called back */
    bool asks;             /* `waiter` has a reference, unless it was told */
    int64_t not_before;    /* of the next try */
    kin__reservation turn; /* under the rate limit */
    kin__identity identity;
    kin_decoder *decoder; /* of an object */
    kin_list_decoder *list;
    kin_watch_decoder *watch;
    kin__buf bytes; /* of an object, a text or a failure */
    size_t limit;   /* const: bytes of an object or a text */
    uint64_t taken; /* bytes of the body so far */
    const kin_object *object;
    const kin_object *status;
    kin_error err;

    kin__mutex lock; /* rank CALL */
    kin__cond has_ended;
    kin__exchange *exchange; /* (lock) for others than the consumer */
    atomic_bool cancelled;
    atomic_bool posted; /* `task` waits for a worker */
    bool ended;         /* (lock) and its last callback has returned */
    bool running;       /* (lock) `runner` is in a step */
    pthread_t runner;   /* (lock) */

    /* On the workers. */
    kin__strand strand;
    kin__task task;
    kin__credentials_waiter waiter; /* for an identity */
    kin__call_done_fn *done;
    void *done_arg;
};

static void step_on_worker(kin__task *task, bool dropped);
static void on_credentials(kin__credentials_waiter *waiter);

/* --- life --- */

static void call_destroy(kin_call *call)
{
    kin__exchange_unref(call->exchange);
    kin__identity_done(&call->identity);
    kin_decoder_free(call->decoder);
    kin_list_decoder_free(call->list);
    kin_watch_decoder_free(call->watch);
    kin__secret_wipe(call->bytes.data, call->bytes.len);
    kin__buf_done(&call->bytes);
    kin_object_unref(call->object);
    kin_object_unref(call->status);
    kin__secret_done(&call->body);
    kin__free(call->method);
    kin__free(call->target);
    kin__free(call->accept);
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
    if (!call->done || kin__strand_post(&call->strand, &call->task) < 0)
        call_destroy(call);
}

static bool is_cancelled(const kin_call *call)
{
    return atomic_load(&call->cancelled);
}

static int cancelled(kin_error *err)
{
    return kin_error_set(err, KIN_ECANCELED, "the request was cancelled");
}

/* Whoever has cancelled is told of nothing more, even if it is there already. */
static int deliver_item(const kin_object *object, void *arg, kin_error *err)
{
    kin_call *call = arg;
    int code = 0;

    call->delivered = true;
    if (!is_cancelled(call))
        code = call->item(object, call->arg, err);
    return code == 0 && is_cancelled(call) ? cancelled(err) : code;
}

/* An error event ends the watch: it says why, not what has happened to an object. */
static int deliver_event(enum kin_watch_type type, const kin_object *object, void *arg,
                         kin_error *err)
{
    kin_call *call = arg;
    int code;

    call->delivered = true;
    if (is_cancelled(call))
        return cancelled(err);
    if (type == KIN_WATCH_ERROR) {
        code = kin__status_error(object, err);
        if (code == 0)
            code = kin_error_set(err, KIN_EPROTOCOL, "an error event that tells of no error");
        call->status = kin_object_ref(object);
    } else {
        code = call->event(type, object, call->arg, err);
    }
    return code == 0 && is_cancelled(call) ? cancelled(err) : code;
}

static int make_decoder(kin_call *call, const kin_decode_options *options, kin_error *err)
{
    switch (call->kind) {
    case KIN__ANSWER_OBJECT:
        return kin_decoder_new(&call->decoder, options, err);
    case KIN__ANSWER_LIST:
        return kin_list_decoder_new(&call->list, options, deliver_item, call, NULL, err);
    case KIN__ANSWER_WATCH:
        return kin_watch_decoder_new(&call->watch, options, deliver_event, call, NULL, err);
    case KIN__ANSWER_TEXT:
        break;
    }
    return 0;
}

static size_t limit_of(const kin_decode_options *options)
{
    return options && options->max_bytes ? options->max_bytes : KIN_DECODE_MAX_BYTES;
}

static int copy_spec(kin_call *call, const kin__call_spec *spec)
{
    call->method = kin__memdup_str(kin_str_of(spec->method));
    call->target = kin__memdup_str(kin_str_of(spec->target));
    call->accept = kin__memdup_str(kin_str_of(spec->accept));
    if (spec->content_type)
        call->content_type = kin__memdup_str(kin_str_of(spec->content_type));
    if (!call->method || !call->target || !call->accept ||
        (spec->content_type && !call->content_type))
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
    call->limit = limit_of(spec->decode);
    kin__buf_init(&call->bytes, call->limit);
    kin__error_begin(&call->err);
    atomic_init(&call->cancelled, false);
    atomic_init(&call->posted, false);
    kin__list_init(&call->task.link);
    call->task.run = step_on_worker;
    kin__strand_init(&call->strand, client->workers);
    kin__list_init(&call->waiter.link);
    call->waiter.wake = on_credentials;
    call->verb = spec->verb;
    call->kind = spec->kind;
    call->lane = spec->lane;
    call->deadline = kin__clock_deadline_ms(client->clock, spec->timeout_ms);
    call->waiter.deadline = call->deadline;
    call->idle_ns = spec->idle_ns;
    call->unlimited = spec->unlimited || spec->kind == KIN__ANSWER_WATCH;
    call->item = spec->item;
    call->event = spec->event;
    call->arg = spec->arg;
    code = copy_spec(call, spec) < 0 ? kin__error_no_memory(err) : 0;
    if (code == 0)
        code = make_decoder(call, spec->decode, err);
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

static void end(kin_call *call, int code, const kin_error *why)
{
    kin_client *client = call->client;
    int64_t now = kin_clock_now(client->clock);

    set_exchange(call, NULL);
    kin__identity_done(&call->identity);
    /* A turn that has not come yet is for somebody else. */
    if (now < call->turn.at)
        kin__rate_limit_cancel(&client->rate_limit, call->turn, now);
    call->phase = ENDED;
    call->code = code;
    /* Whatever came in the meantime: who has cancelled relies on that. */
    if (is_cancelled(call))
        call->code = cancelled(&call->err);
    else if (code < 0)
        kin__error_pass(&call->err, code, why);
}

static void reset_try(kin_call *call)
{
    set_exchange(call, NULL);
    kin__identity_done(&call->identity);
    kin__secret_wipe(call->bytes.data, call->bytes.len);
    kin__buf_reset(&call->bytes);
    if (call->list)
        kin_list_decoder_reset(call->list, NULL);
    if (call->watch)
        kin_watch_decoder_reset(call->watch, NULL);
    kin_object_unref(call->status);
    call->status = NULL;
    call->turn = (kin__reservation){0, false};
    call->is_failure = false;
    call->taken = 0;
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

    if (call->delivered || is_cancelled(call))
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
        .max_retries = call->client->max_retries,
        .code = http_status ? 0 : code,
        .http_status = http_status,
        .retry_after_ms = retry_after_ms,
        .was_sent = kin__exchange_was_sent(call->exchange),
    };
    int64_t delay_ns;

    if (has_newer_credentials(call, code, http_status)) {
        reset_try(call);
        return;
    }
    delay_ns = call->delivered || is_cancelled(call) ? -1 : kin__retry_delay_ns(&attempt);
    if (delay_ns >= 0)
        call->not_before = kin__clock_deadline(call->client->clock, delay_ns);
    if (delay_ns < 0 || call->not_before >= call->deadline) {
        end(call, code, why);
    } else {
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

/* When the try may be sent. 0, KIN_ETIMEOUT: that is too late. */
static int wait_for_turn(kin_call *call, kin_error *why)
{
    kin_client *client = call->client;

    if (!call->unlimited) {
        call->turn = kin__rate_limit_reserve(&client->rate_limit, kin_clock_now(client->clock));
        if (call->turn.at > call->not_before)
            call->not_before = call->turn.at;
    }
    if (call->not_before < call->deadline)
        return 0;
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
        .kind = call->lane,
    };
    kin__headers headers;
    int code;

    if (call->done) {
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

    if (!call->done)
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
    set_exchange(call, exchange);
    return true;
}

/* --- the answer --- */

static bool is_success(const kin__answer *answer)
{
    return answer->status >= 200 && answer->status < 300;
}

static void refuse_content(kin_call *call, const char *content_type)
{
    kin_error why;
    int code;

    kin__error_begin(&why);
    code = kin_error_set(&why, KIN_EPROTOCOL, "the server answered with %s instead of JSON",
                         content_type[0] ? content_type : "something");
    end(call, code, &why);
}

static void look_at_head(kin_call *call, const kin__answer *answer)
{
    for (size_t i = 0; i < answer->n_warnings; i++)
        kin__warnings_take(&call->client->warnings, kin_str_of(answer->warnings[i]));
    call->is_failure = !is_success(answer);
    /* The limit of what is asked for says nothing of what is said instead. */
    call->bytes.limit = call->is_failure ? KIN__STATUS_MAX_BYTES : call->limit;
    call->phase = BODY;
    if (!call->is_failure && call->kind != KIN__ANSWER_TEXT &&
        strcmp(answer->content_type, "application/json") != 0)
        refuse_content(call, answer->content_type);
}

/* 0, or why the answer cannot be used. */
static int take_bytes(kin_call *call, kin_str bytes, kin_error *why)
{
    call->taken += bytes.len;
    if (call->is_failure) {
        size_t room = KIN__STATUS_MAX_BYTES - call->bytes.len;

        kin__buf_append(&call->bytes, bytes.len > room ? kin_str_make(bytes.data, room) : bytes);
        return call->bytes.failed == KIN_ENOMEM ? kin__error_no_memory(why) : 0;
    }
    if (call->list)
        return kin_list_decoder_feed(call->list, bytes, why);
    if (call->watch)
        return kin_watch_decoder_feed(call->watch, bytes, why);
    kin__buf_append(&call->bytes, bytes);
    if (call->bytes.failed == KIN_ENOMEM)
        return kin__error_no_memory(why);
    if (call->bytes.failed < 0)
        return kin_error_set(why, KIN_ELIMIT, "the answer has more than %zu bytes",
                             call->bytes.limit);
    return 0;
}

/* A Status that tells of a failure, whatever the HTTP status was, is what the call fails with. */
static int look_at_status(kin_call *call, kin_error *why)
{
    int code = kin__status_error(call->object, why);

    if (code < 0) {
        call->status = call->object;
        call->object = NULL;
    }
    return code;
}

static bool is_kind_of_list(kin_str kind)
{
    return kind.len >= 4 && memcmp(kind.data + kind.len - 4, "List", 4) == 0;
}

static bool has_items(const kin_object *object)
{
    return kin_value_type(kin_object_find(object, "items")) == KIN_ARRAY;
}

/*
 * An empty list means that there is nothing. So what is no list must not pass for one: a proxy's
 * greeting, or an object, which has a name where a list has none.
 */
static int finish_list(kin_call *call, kin_error *why)
{
    kin_scratch scratch;
    kin_str kind;
    int code = kin_list_decoder_finish(call->list, &call->object, why);

    if (code < 0)
        return code;
    if (kin_object_is_status(call->object)) {
        code = look_at_status(call, why);
        return code < 0 ? code
                        : kin_error_set(why, KIN_EPROTOCOL, "a Status came instead of a list");
    }
    kind = kin_object_kind(call->object, &scratch);
    if (kind.len == 0)
        return kin_error_set(why, KIN_EPROTOCOL, "what came instead of a list has no kind");
    if (!is_kind_of_list(kind) && kin_object_name(call->object).len > 0)
        return kin_error_set(why, KIN_EPROTOCOL, "a %" KIN_STR_FMT " came instead of a list",
                             KIN_STR_ARG(kind));
    return 0;
}

static int finish_object(kin_call *call, kin_error *why)
{
    bool may_be_list = call->verb == KIN_VERB_DELETE_COLLECTION;
    kin_scratch scratch;
    int code;

    if (call->bytes.len == 0)
        return kin_error_set(why, KIN_EPROTOCOL, "the server answered with nothing");
    code = kin_decoder_decode(call->decoder, &call->object, kin__buf_str(&call->bytes), why);
    if (code == 0 && kin_object_is_status(call->object))
        code = look_at_status(call, why);
    else if (code == 0 && !may_be_list && has_items(call->object) &&
             is_kind_of_list(kin_object_kind(call->object, &scratch)))
        code = kin_error_set(why, KIN_EPROTOCOL, "a list came instead of an object");
    return code;
}

/* All bytes of a success are there. */
static int finish(kin_call *call, kin_error *why)
{
    if (call->decoder)
        return finish_object(call, why);
    if (call->list)
        return finish_list(call, why);
    return call->watch ? kin_watch_decoder_finish(call->watch, why) : 0;
}

/* Whether it begins with a character of which the rest is missing. */
static bool is_half_a_character(kin_str text)
{
    unsigned char first = text.len ? (unsigned char)text.data[0] : 0;
    size_t len = 1;

    if (first >= 0xc0)
        len = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    return text.len < len;
}

/*
 * Whether nothing is wrong with what came but that more should have come. What is wrong before the end
 * may be found only here, too, if an object of a list that was cut into pieces seems to go on there.
 */
static bool is_cut_off(const kin_call *call, int code, const kin_error *why)
{
    if (call->decoder && call->bytes.len == 0)
        return true;
    if (code != KIN_EPARSE)
        return false;
    return why->offset == call->taken ||
           (call->decoder && why->offset < call->bytes.len &&
            is_half_a_character(kin_str_make(call->bytes.data + why->offset,
                                             call->bytes.len - (size_t)why->offset)));
}

static void ended_early(kin_call *call, bool is_delimited, int code, kin_error *why)
{
    if (!is_delimited) {
        code = kin_error_set(why, KIN_ECONNECT, "the connection was lost within the answer");
        tried(call, code, why, 0, -1);
        return;
    }
    /* The server says that this is all. */
    if (!call->decoder)
        code = kin_error_set(why, KIN_EPROTOCOL, "the answer ended too early");
    end(call, code, why);
}

static void ended_whole(kin_call *call)
{
    const kin__answer *answer = kin__exchange_answer(call->exchange);
    kin_error why;
    int code;

    kin__error_begin(&why);
    if (call->is_failure) {
        kin__failure failure = {answer->status, call->method, answer->retry_after_ms,
                                kin__buf_str(&call->bytes)};

        code = kin__failure_read(&call->status, &failure, &why);
        /* Of the error 0 may mean that nothing was said. */
        tried(call, code, &why, answer->status, answer->retry_after_ms);
        return;
    }
    code = finish(call, &why);
    if (code < 0 && is_cut_off(call, code, &why))
        ended_early(call, answer->is_delimited, code, &why);
    else
        end(call, code, &why);
}

/* Of what is too long to be a Status the beginning is enough: the rest may have no end. */
static bool has_enough(const kin_call *call)
{
    return call->is_failure && call->bytes.len == KIN__STATUS_MAX_BYTES;
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

    return code == KIN_ECONNECT && call->is_failure && !is_read;
}

/* False: there are no more bytes for now. Else it has ended, or others have their turn. */
static bool step_body(kin_call *call, size_t *budget)
{
    kin_error why;
    kin_str bytes;
    int code = 0;

    kin__error_begin(&why);
    while (code == 0 && *budget > 0 && !has_enough(call) &&
           kin__exchange_read(call->exchange, &bytes)) {
        *budget -= bytes.len < *budget ? bytes.len : *budget;
        code = take_bytes(call, bytes, &why);
    }
    if (code != 0) {
        kin__exchange_cancel(call->exchange);
        end(call, code < 0 ? code : KIN_ECANCELED, &why);
        return true;
    }
    if (has_enough(call)) {
        ended_whole(call);
        return true;
    }
    /* There may be more, of which nobody tells again. */
    if (*budget == 0)
        return true;
    if (!kin__exchange_ended(call->exchange, &code, &why))
        return false;
    if (code < 0 && !is_refused_write(call, code))
        tried(call, code, &why, 0, -1);
    else
        ended_whole(call);
    return true;
}

static bool step_head(kin_call *call)
{
    const kin__answer *answer = kin__exchange_answer(call->exchange);
    kin_error why;
    int code = 0;

    if (answer) {
        look_at_head(call, answer);
        return true;
    }
    kin__error_begin(&why);
    if (!kin__exchange_ended(call->exchange, &code, &why))
        return false;
    tried(call, code < 0 ? code : KIN_EPROTOCOL, &why, 0, -1);
    return true;
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

/* Not when it has ended: the exchange may have had something to say behind its end. */
static void step_and_tell(kin_call *call)
{
    size_t budget = STEP_BYTES;
    bool moved;

    set_running(call, true);
    moved = step(call, &budget);
    if (call->phase == ENDED) {
        kin__assert_no_locks();
        call->done(call, call->code, &call->err, call->done_arg);
    }
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

int kin__call_start(kin_call *call, kin__call_done_fn *done, void *arg, kin_error *err)
{
    int code = kin__workers_start(call->client->workers, err);

    if (code < 0)
        return code;
    /* From then on it can be cancelled, which lets a worker look. */
    call->done = done;
    call->done_arg = arg;
    code = enroll(call, err);
    if (code < 0)
        call->done = NULL;
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
    if (call->done)
        post_step(call);
    kin__credentials_wake(call->client->credentials);
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
    return call->object;
}

const kin_object *kin__call_status(const kin_call *call)
{
    return call->status;
}

kin_str kin__call_text(const kin_call *call)
{
    return kin__buf_str(&call->bytes);
}
