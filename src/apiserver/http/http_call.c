/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request, from its first line to its end, as a machine of steps that libmicrohttpd's thread
 * drives: it calls kin__http_call_run() when the head is there, for each piece of the body, at the
 * end of it, and each time after the connection was suspended and resumed.
 *
 * Suspending is where the races are. Whoever has news sets `woken` and resumes the connection only
 * if it is suspended, both under the request's lock; parking looks at `woken` and suspends under the
 * same lock. So libmicrohttpd never sees a resume without a suspend, and no news is lost.
 */
#include <string.h>
#include <strings.h>

#include "apiserver/http/gzip_source.h"
#include "apiserver/http/http_head.h"
#include "apiserver/http/http_inside.h"
#include "base/memory.h"
#include "base/str.h"

/*
 * What is beyond the limit of a body is read and thrown away up to here, so that the client gets to
 * reading why: a connection that is closed with unread bytes is reset.
 */
#define DISCARD_MAX (UINT64_C(8) << 20)
/*
 * As many bodies of the largest size are kept at a time, of all requests: connections are many, and
 * clients that send slowly would fill the memory with what they have sent so far.
 */
#define BODIES_MAX UINT64_C(100)

/* --- life --- */

static void call_free(kin__http_call *call)
{
    kin__reply_done(&call->reply);
    kin__buf_done(&call->body);
    kin__free(call->fault.body);
    kin__free(call->failure);
    kin__free(call->texts);
    kin__free(call->uri);
    kin__mutex_done(&call->lock);
    kin__free(call);
}

void kin__http_call_unref(kin__http_call *call)
{
    if (kin__ref_put(&call->ref))
        call_free(call);
}

static kin__http_call *of_api(kin__api_call *api)
{
    return kin__container_of(api, kin__http_call, api);
}

static void wake_locked(kin__http_call *call) KIN_REQUIRES(call->lock)
{
    call->woken = true;
    if (call->suspended) {
        call->suspended = false;
        MHD_resume_connection(call->mhd);
        /* Its end takes this lock first, so that the worker is there. */
        kin__http_worker_wake(call->worker);
    }
}

void kin__http_call_wake(kin__http_call *call)
{
    kin__mutex_lock(&call->lock);
    wake_locked(call);
    kin__mutex_unlock(&call->lock);
}

bool kin__http_call_park(kin__http_call *call)
{
    kin__mutex_lock(&call->lock);
    bool parked = !call->woken && !call->http->stopping;
    call->woken = false;
    if (parked) {
        call->suspended = true;
        MHD_suspend_connection(call->mhd);
    }
    kin__mutex_unlock(&call->lock);
    return parked;
}

bool kin__http_call_is_lost(kin__http_call *call)
{
    kin__mutex_lock(&call->lock);
    bool lost = call->gone || call->http->stopping;
    kin__mutex_unlock(&call->lock);
    return lost;
}

static void delay_over(kin__pulse_timer *timer)
{
    kin__http_call_wake(kin__container_of(timer, kin__http_call, timer));
}

static void hung_up(kin__hangup *hangup)
{
    kin__http_call *call = kin__container_of(hangup, kin__http_call, hangup);

    kin__mutex_lock(&call->lock);
    call->gone = true;
    wake_locked(call);
    kin__mutex_unlock(&call->lock);
}

/* The API's answer. */
static void answer(kin__api_call *api, kin__reply *reply)
{
    kin__http_call *call = of_api(api);

    kin__mutex_lock(&call->lock);
    call->reply = *reply;
    call->answered = true;
    wake_locked(call);
    kin__mutex_unlock(&call->lock);
    kin__http_call_unref(call);
}

/* Of "http://host/path", as one says to a proxy, the path; anything else as it is. Has no query. */
static kin_str without_authority(kin_str uri)
{
    static const char *const schemes[] = {"http://", "https://"};

    for (size_t i = 0; i < kin__array_len(schemes); i++) {
        size_t len = strlen(schemes[i]);

        if (uri.len >= len && strncasecmp(uri.data, schemes[i], len) == 0) {
            kin_str rest = kin_str_make(uri.data + len, uri.len - len);
            size_t host = kin__str_find(rest, '/');

            return host < rest.len ? kin_str_make(rest.data + host, rest.len - host)
                                   : kin_str_make("/", 1);
        }
    }
    return uri;
}

/* The path and the query, each terminated. */
static bool copy_uri(kin__http_call *call, const char *uri)
{
    size_t mark = strcspn(uri, "?");
    kin_str path = without_authority(kin_str_make(uri, mark));
    kin_str query = kin_str_of(uri[mark] ? uri + mark + 1 : "");

    call->uri_len = mark + strlen(uri + mark);
    call->uri = kin__malloc(path.len + query.len + 2);
    if (!call->uri)
        return false;
    char *query_copy = call->uri + path.len + 1;
    memcpy(call->uri, path.data, path.len);
    call->uri[path.len] = '\0';
    memcpy(query_copy, query.data, query.len + 1);
    call->request.path = kin_str_make(call->uri, path.len);
    call->request.query = kin_str_make(query_copy, query.len);
    return true;
}

static kin__connection *connection_of(struct MHD_Connection *mhd)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    return info ? info->socket_context : NULL;
}

void *kin__http_call_begin(void *arg, const char *uri, struct MHD_Connection *mhd)
{
    kin__http_worker *worker = arg;
    kin__http *http = worker->http;
    kin__http_call *call = kin__calloc(1, sizeof(*call));

    if (!call || !copy_uri(call, uri)) {
        kin__free(call);
        return NULL; /* kin__http_call_run() breaks it off */
    }
    kin__ref_init(&call->ref);
    kin__mutex_init(&call->lock, KIN__RANK_API_CALL);
    kin__buf_init(&call->body, http->options.max_body_bytes);
    kin__buf_init(&call->reply.body, 0);
    kin__timer_init(&call->timer.timer);
    call->timer.fire = delay_over;
    call->hangup.fire = hung_up;
    call->api.request = &call->request;
    call->api.answer = answer;
    call->http = http;
    call->worker = worker;
    call->mhd = mhd;
    call->connection = connection_of(mhd);
    kin__mutex_lock(&http->lock);
    kin__list_push_back(&http->calls, &call->link);
    if (call->connection)
        kin__list_remove(&call->connection->unused);
    kin__mutex_unlock(&http->lock);
    /* Of the first request the time runs since the connection was made. */
    if (call->connection && call->connection->has_served)
        kin__connection_expect(call->connection, http->options.header_timeout_ms);
    return call;
}

static void uncount_body(kin__http_call *call)
{
    atomic_fetch_sub_explicit(&call->http->body_bytes, call->kept, memory_order_relaxed);
    call->kept = 0;
}

static void unlink_call(kin__http_call *call)
{
    kin__http *http = call->http;

    kin__mutex_lock(&http->lock);
    kin__list_remove(&call->link);
    if (call->is_serving && --http->n_serving == 0)
        kin__cond_broadcast(&http->emptied);
    kin__mutex_unlock(&http->lock);
}

void kin__http_call_over(void *arg, struct MHD_Connection *mhd, void **context,
                         enum MHD_RequestTerminationCode why)
{
    kin__http *http = arg;
    kin__http_call *call = *context;
    const kin__http_options *options = &http->options;

    (void)mhd;
    *context = NULL;
    if (!call)
        return;
    kin__mutex_lock(&call->lock);
    call->mhd = NULL;
    call->suspended = false;
    bool answered = call->answered;
    kin__mutex_unlock(&call->lock);
    kin__pulse_unwatch(http->pulse, &call->hangup);
    kin__pulse_cancel(http->pulse, &call->timer);
    uncount_body(call);
    unlink_call(call);
    if (call->log_id) {
        kin__metrics_move(&options->metrics->in_flight, -1);
        kin__metrics_move(&options->metrics->watches, call->is_watch ? -1 : 0);
        kin__metrics_add(&options->metrics->response_bytes, call->sent);
        kin__metrics_add(&options->metrics->aborted, call->step == KIN__CALL_REPLIED ? 0 : 1);
        kin__request_log_ended(options->log, call->log_id, call->sent);
    }
    if (call->connection && why == MHD_REQUEST_TERMINATED_COMPLETED_OK) {
        call->connection->has_served = true;
        kin__connection_expect(call->connection, options->idle_timeout_ms);
    }
    call->connection = NULL;
    if (answered && call->reply.over)
        call->reply.over(call->reply.over_arg);
    kin__http_call_unref(call);
}

/* --- the head --- */

/* Headers that the API looks at, copied: the request may outlive its connection. */
static bool copy_texts(kin__http_call *call, struct MHD_Connection *mhd, const char *method)
{
    const kin_str from[] = {kin_str_of(method), kin__http_header(mhd, MHD_HTTP_HEADER_ACCEPT),
                            kin__http_header(mhd, MHD_HTTP_HEADER_CONTENT_TYPE),
                            kin__http_header(mhd, MHD_HTTP_HEADER_USER_AGENT),
                            kin__http_header(mhd, MHD_HTTP_HEADER_IF_NONE_MATCH)};
    kin_str *const to[] = {&call->request.method, &call->request.accept,
                           &call->request.content_type, &call->request.user_agent,
                           &call->request.if_none_match};
    size_t len = 0;

    for (size_t i = 0; i < kin__array_len(from); i++)
        len += from[i].len;
    call->texts = kin__malloc(len);
    if (!call->texts)
        return false;
    len = 0;
    for (size_t i = 0; i < kin__array_len(from); i++) {
        memcpy(call->texts + len, from[i].len ? from[i].data : "", from[i].len);
        *to[i] = kin_str_make(call->texts + len, from[i].len);
        len += from[i].len;
    }
    return true;
}

static uint64_t content_length(struct MHD_Connection *mhd)
{
    uint64_t length = 0;
    kin_str text = kin__http_header(mhd, MHD_HTTP_HEADER_CONTENT_LENGTH);

    /* libmicrohttpd has refused what is no number. */
    return text.len > 0 && kin__str_to_u64(&length, text) == 0 ? length : 0;
}

static bool fail_too_large(const kin__http *http, kin__failure *failure)
{
    return kin__fail(failure, 413, "RequestEntityTooLarge",
                     "Request entity too large: limit is %zu", http->options.max_body_bytes);
}

static bool fail_too_many(kin__failure *failure)
{
    kin__fail(failure, 429, "TooManyRequests", "Too many requests, please try again later.");
    failure->retry_after_s = 1;
    return false;
}

static bool check_size(const kin__http *http, struct MHD_Connection *mhd, kin__failure *failure)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    kin_str encoding = kin__http_header(mhd, MHD_HTTP_HEADER_CONTENT_ENCODING);

    if (info && info->header_size > http->options.max_header_bytes)
        return kin__fail(failure, 431, "BadRequest",
                         "the head of the request is too large: limit is %zu",
                         http->options.max_header_bytes);
    if (content_length(mhd) > http->options.max_body_bytes)
        return fail_too_large(http, failure);
    if (encoding.len > 0 && !kin_str_equal(encoding, kin_str_of("identity")))
        return kin__fail(failure, 415, "UnsupportedMediaType",
                         "the body of the request was in an unknown format - content encoding "
                         "%" KIN_STR_FMT " is not accepted",
                         KIN_STR_ARG(encoding));
    return true;
}

static bool check_head(kin__http_call *call, struct MHD_Connection *mhd, const kin__http_head *head,
                       kin__failure *failure)
{
    const kin__http *http = call->http;
    const kin__origin own = {.address = &http->options.address,
                             .names = kin_str_of(http->options.host_names),
                             .is_tls = http->options.cert != NULL};

    call->request.caller = (kin__caller){.name = "system:anonymous", .read_only = true};
    if (call->connection->is_beyond_limit)
        return fail_too_many(failure);
    return kin__http_head_check(head, mhd, &own, failure) &&
           kin__tokens_check(http->options.tokens,
                             kin__http_header(mhd, MHD_HTTP_HEADER_AUTHORIZATION),
                             &call->request.caller, failure) &&
           kin__caller_may(&call->request.caller, &call->target, call->request.path, failure) &&
           check_size(http, mhd, failure);
}

/* Room for what it is refused with; NULL: no memory. */
static kin__failure *failure_of(kin__http_call *call)
{
    if (!call->failure)
        call->failure = kin__calloc(1, sizeof(*call->failure));
    return call->failure;
}

/* It is large, and most requests need none: only a copy is kept. */
static bool keep_failure(kin__http_call *call, const kin__failure *failure)
{
    kin__failure *kept = failure_of(call);

    if (kept)
        *kept = *failure;
    return kept != NULL;
}

/* The refusal as a reply. */
static enum MHD_Result refuse(kin__http_call *call, struct MHD_Connection *mhd)
{
    kin__failure_reply(call->failure, &call->reply);
    return kin__http_reply(call, mhd);
}

static void log_request(kin__http_call *call)
{
    const kin__logged_request logged = {
        .method = call->request.method,
        .path = call->request.path,
        .query = call->request.query,
        .verb = call->target.verb,
        .caller = call->request.caller.name,
        .fault = call->fault.id,
    };

    call->log_id = kin__request_log_add(call->http->options.log, &logged);
    kin__metrics_move(&call->http->options.metrics->in_flight, 1);
    kin__metrics_add(&call->http->options.metrics->request_bytes, call->received);
    kin__metrics_add(&call->http->options.metrics->faults, call->fault.id ? 1 : 0);
}

/* Whether a body follows that it is of no use to receive. The connection ends with the refusal. */
static bool refuse_early(const kin__http_call *call, struct MHD_Connection *mhd)
{
    uint64_t max = call->http->options.max_body_bytes + DISCARD_MAX;

    return content_length(mhd) > max || call->failure->status == 400 ||
           (kin__http_header(mhd, MHD_HTTP_HEADER_EXPECT).len > 0 && content_length(mhd) > 0);
}

static enum MHD_Result run_head(kin__http_call *call, struct MHD_Connection *mhd,
                                const char *method, const char *url, const char *version)
{
    const kin__http_head head = {.method = method,
                                 .url = url,
                                 .version = version,
                                 .uri_len = call->uri_len,
                                 .path = call->request.path,
                                 .query = call->request.query};
    kin__failure failure; /* large; set where it is used */

    call->step = KIN__CALL_BODY;
    if (!copy_texts(call, mhd, method))
        return MHD_NO;
    kin__target_read(&call->target, call->request.method, call->request.path, call->request.query);
    call->accepts_gzip = kin__accepts_gzip(kin__http_header(mhd, MHD_HTTP_HEADER_ACCEPT_ENCODING));
    kin__connection_expect(call->connection, call->http->options.body_timeout_ms);
    if (check_head(call, mhd, &head, &failure))
        return MHD_YES;
    if (!keep_failure(call, &failure))
        return MHD_NO;
    if (!refuse_early(call, mhd))
        return MHD_YES;
    log_request(call);
    return refuse(call, mhd);
}

/* --- the body --- */

/* False: *failure says why there is no room for it. */
static bool keep_piece(kin__http_call *call, kin_str piece, kin__failure *failure)
{
    kin__http *http = call->http;
    uint64_t before = atomic_fetch_add_explicit(&http->body_bytes, piece.len, memory_order_relaxed);

    call->kept += piece.len;
    if (before + piece.len > http->options.max_body_bytes * BODIES_MAX)
        return fail_too_many(failure);
    kin__buf_append(&call->body, piece);
    return call->body.failed != KIN_ELIMIT || fail_too_large(http, failure);
}

static enum MHD_Result run_body(kin__http_call *call, const char *data, size_t size)
{
    kin__http *http = call->http;
    kin__failure failure; /* large; set where it is used */

    call->received += size;
    if (call->received > http->options.max_body_bytes + DISCARD_MAX)
        return MHD_NO;
    if (call->failure || keep_piece(call, kin_str_make(data, size), &failure))
        return call->body.failed ? MHD_NO : MHD_YES;
    uncount_body(call);
    kin__buf_done(&call->body);
    kin__buf_init(&call->body, http->options.max_body_bytes);
    return keep_failure(call, &failure) ? MHD_YES : MHD_NO;
}

/* --- the answer --- */

static enum MHD_Result reply_with_fault(kin__http_call *call, struct MHD_Connection *mhd)
{
    kin__failure *failure = failure_of(call);

    if (!failure)
        return MHD_NO;
    kin__fault_fail(&call->fault.fault, failure);
    kin__failure_reply(failure, &call->reply);
    if (call->fault.body) {
        kin__buf_done(&call->reply.body);
        kin__buf_init(&call->reply.body, SIZE_MAX - 1);
        kin__buf_append(&call->reply.body, kin_str_of(call->fault.body));
    }
    return kin__http_reply(call, mhd);
}

void kin__http_call_watch_hangup(kin__http_call *call)
{
    /* Without memory it is noticed when something is sent. */
    if (call->hangup.slot == 0)
        (void)kin__pulse_watch(call->http->pulse, &call->hangup, call->connection->fd);
}

static enum MHD_Result run_stalled(kin__http_call *call)
{
    call->step = KIN__CALL_STALLED;
    kin__http_call_watch_hangup(call);
    while (!kin__http_call_is_lost(call)) {
        if (kin__http_call_park(call))
            return MHD_YES;
    }
    return MHD_NO;
}

static bool is_answered(kin__http_call *call)
{
    kin__mutex_lock(&call->lock);
    bool answered = call->answered;
    kin__mutex_unlock(&call->lock);
    return answered;
}

static enum MHD_Result run_served(kin__http_call *call, struct MHD_Connection *mhd)
{
    while (!is_answered(call)) {
        if (kin__http_call_park(call))
            return MHD_YES;
        if (call->http->stopping && !is_answered(call))
            return MHD_NO;
    }
    return kin__http_reply(call, mhd);
}

static enum MHD_Result serve(kin__http_call *call, struct MHD_Connection *mhd)
{
    kin__http *http = call->http;

    call->step = KIN__CALL_SERVED;
    kin__mutex_lock(&http->lock);
    call->is_serving = true;
    http->n_serving++;
    kin__mutex_unlock(&http->lock);
    kin__ref_get(&call->ref); /* the API's, until it answers */
    http->options.serve(http->options.serve_arg, &call->api);
    return run_served(call, mhd);
}

/* What a fault does in the place of an answer, or the answer. */
static enum MHD_Result act(kin__http_call *call, struct MHD_Connection *mhd)
{
    const kin_fault *fault = &call->fault.fault;

    if (call->fault.id && fault->type == KIN_FAULT_STATUS)
        return reply_with_fault(call, mhd);
    if (call->fault.id && fault->type == KIN_FAULT_STALL && fault->bytes == 0)
        return run_stalled(call);
    if (call->fault.id && fault->type == KIN_FAULT_RESET && fault->bytes == 0) {
        kin__socket_reset(call->connection->fd);
        return MHD_NO;
    }
    return serve(call, mhd);
}

static enum MHD_Result run_delayed(kin__http_call *call, struct MHD_Connection *mhd)
{
    if (kin__http_call_is_lost(call))
        return MHD_NO;
    return act(call, mhd);
}

/* False: no memory. */
static bool meet_fault(kin__http_call *call)
{
    const kin__http_options *options = &call->http->options;

    return options->is_exempt(options->serve_arg, call->request.path) ||
           kin__faults_meet(options->faults, &call->target, call->request.path, &call->fault) == 0;
}

/* All of the request is here. */
static enum MHD_Result run_end(kin__http_call *call, struct MHD_Connection *mhd)
{
    kin__connection_relax(call->connection);
    call->request.body = kin__buf_str(&call->body);
    if (call->failure) {
        log_request(call);
        return refuse(call, mhd);
    }
    if (!meet_fault(call))
        return MHD_NO;
    log_request(call);
    if (!call->fault.id || call->fault.fault.delay_ms == 0)
        return act(call, mhd);
    call->step = KIN__CALL_DELAYED;
    if (kin__pulse_set_ms(call->http->pulse, &call->timer, call->fault.fault.delay_ms) < 0)
        return MHD_NO;
    return kin__http_call_park(call) ? MHD_YES : run_delayed(call, mhd);
}

enum MHD_Result kin__http_call_run(void *arg, struct MHD_Connection *mhd, const char *url,
                                   const char *method, const char *version, const char *data,
                                   size_t *size, void **context)
{
    kin__http_call *call = *context;
    size_t n = *size;

    (void)arg;
    if (!call || !call->connection)
        return MHD_NO; /* there was no memory */
    *size = 0;
    switch (call->step) {
    case KIN__CALL_HEAD:
        return run_head(call, mhd, method, url, version);
    case KIN__CALL_BODY:
        return n > 0 ? run_body(call, data, n) : run_end(call, mhd);
    case KIN__CALL_DELAYED:
        return run_delayed(call, mhd);
    case KIN__CALL_SERVED:
        return run_served(call, mhd);
    case KIN__CALL_STALLED:
        return run_stalled(call);
    default:
        return MHD_NO;
    }
}
