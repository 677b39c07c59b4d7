/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replies as responses of libmicrohttpd. A whole body is handed over without being copied; one that
 * is made while it is sent is read straight into the connection's buffer.
 */
#include <gnutls/gnutls.h>
#include <string.h>

#include "apiserver/http/fault_source.h"
#include "apiserver/http/gzip_source.h"
#include "apiserver/http/gzip_watch.h"
#include "apiserver/http/http_inside.h"
#include "apiserver/http/memory_source.h"
#include "apiserver/protocol/encode_protobuf.h"
#include "base/memory.h"
#include "base/str.h"

/* As the real server: smaller answers are not worth it. */
#define GZIP_MIN ((size_t)128 * 1024)
/* Of bodies with a known length that go wrong; others use the connection's own buffer. */
#define BLOCK_SIZE 4096u

void kin__reply_done(kin__reply *reply)
{
    if (reply->source)
        reply->source->close(reply->source);
    reply->source = NULL;
    kin__buf_done(&reply->body);
}

/* --- bodies that are made while they are sent --- */

static void wake(void *arg)
{
    kin__http_call_wake(arg);
}

/* The log names the first rule that a request meets, be it in the midst of a watch. */
static void note_fault(kin__http_call *call)
{
    const kin__http_options *options = &call->http->options;

    if (!call->source->fault || call->fault.id)
        return;
    call->fault.id = call->source->fault;
    kin__request_log_met(options->log, call->log_id, call->fault.id);
    kin__metrics_add(&options->metrics->faults, 1);
}

static ssize_t read_source(void *arg, uint64_t position, char *buf, size_t size)
{
    kin__http_call *call = arg;
    size_t len = 0;

    (void)position;
    for (;;) {
        enum kin__source_result result = call->source->read(call->source, buf, size, &len);

        note_fault(call);
        switch (result) {
        case KIN__SOURCE_DATA:
            call->sent += len;
            return (ssize_t)len;
        case KIN__SOURCE_END:
            return MHD_CONTENT_READER_END_OF_STREAM;
        case KIN__SOURCE_ABORT:
            return MHD_CONTENT_READER_END_WITH_ERROR;
        case KIN__SOURCE_WAIT:
            break;
        }
        kin__http_call_watch_hangup(call);
        if (kin__http_call_is_lost(call))
            return MHD_CONTENT_READER_END_WITH_ERROR;
        if (kin__http_call_park(call))
            return 0;
    }
}

static void close_source(void *arg)
{
    kin__http_call *call = arg;

    call->source->close(call->source);
    call->source = NULL;
    kin__http_call_unref(call);
}

/* --- what faults do to the connection; called while the source is read --- */

static void reset(void *arg)
{
    const kin__http_call *call = arg;

    kin__socket_reset(call->connection->fd);
}

/*
 * Past libmicrohttpd, which has sent all that it had when it asks for more. It would send a whole
 * chunk or none.
 */
static void truncate_chunk(void *arg)
{
    static const char chunk[] = "1000\r\n{\"type\":\"ADD";
    const kin__http_call *call = arg;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(call->mhd, MHD_CONNECTION_INFO_GNUTLS_SESSION);

    if (!call->is_chunked)
        return;
    if (info && info->tls_session)
        (void)gnutls_record_send((gnutls_session_t)info->tls_session, chunk, sizeof(chunk) - 1);
    else
        (void)send(call->connection->fd, chunk, sizeof(chunk) - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* --- making a response --- */

/* When there is no memory to say so otherwise. */
static struct MHD_Response *out_of_memory(kin__reply *reply)
{
    static char text[] =
        "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
        "\"message\":\"Internal error occurred: out of memory\",\"reason\":\"InternalError\","
        "\"details\":{\"causes\":[{\"message\":\"out of memory\"}]},\"code\":500}\n";

    reply->status = 500;
    return MHD_create_response_from_buffer(sizeof(text) - 1, text, MHD_RESPMEM_PERSISTENT);
}

static struct MHD_Response *whole_response(kin__http_call *call)
{
    char *text = NULL;
    size_t len = 0;

    if (call->reply.body.len == 0 && call->reply.body.failed == 0)
        return MHD_create_response_from_buffer(0, kin__unconst(""), MHD_RESPMEM_PERSISTENT);
    if (kin__buf_take(&call->reply.body, &text, &len) < 0)
        return out_of_memory(&call->reply);
    struct MHD_Response *response =
        MHD_create_response_from_buffer_with_free_callback(len, text, kin__free);
    if (response)
        call->sent = len;
    else
        kin__free(text);
    return response;
}

/* The body of the reply as a source. False: no memory. */
static bool make_source(kin__reply *reply)
{
    return reply->source || kin__memory_source_new(&reply->source, &reply->body, NULL) == 0;
}

/*
 * Look at the beginning of a body that is being made. True: it is worth compressing. A short one
 * becomes a whole one. One that makes us wait is left alone: from then on it may wake its reader,
 * who must not change any more.
 */
static bool peek_source(kin__http_call *call)
{
    kin__reply *reply = &call->reply;
    kin__source *ahead = NULL;
    kin__buf nothing;

    kin__buf_init(&nothing, SIZE_MAX - 1);
    if (kin__memory_source_new(&ahead, &nothing, reply->source) < 0)
        return false;
    reply->source = ahead;
    ahead->wake = wake;
    ahead->wake_arg = call;
    enum kin__source_result result = kin__memory_source_fill(ahead, GZIP_MIN);
    if (result == KIN__SOURCE_END) {
        kin__buf_done(&reply->body);
        kin__memory_source_take(ahead, &reply->body);
        ahead->close(ahead);
        reply->source = NULL;
    }
    return result == KIN__SOURCE_DATA;
}

static bool compress_watch(kin__reply *reply)
{
    kin__source *gzip = NULL;

    if (kin__gzip_watch_new(&gzip, reply->source) < 0)
        return false; /* it goes as it is */
    reply->source = gzip;
    return true;
}

/* Whether the body is compressed from now on. */
static bool compress(kin__http_call *call)
{
    kin__reply *reply = &call->reply;
    kin__source *gzip = NULL;

    if (!call->accepts_gzip || call->fault.id || reply->status != 200)
        return false;
    if (call->is_watch)
        return call->http->options.gzip_watches && compress_watch(reply);
    if (reply->source ? !reply->is_long && !peek_source(call) : reply->body.len <= GZIP_MIN)
        return false;
    if (!make_source(reply) || kin__gzip_source_new(&gzip, reply->source) < 0)
        return false; /* it goes as it is */
    reply->source = gzip;
    return true;
}

static bool is_protobuf(const kin__reply *reply)
{
    return reply->content_type &&
           kin__str_starts_with(kin_str_of(reply->content_type), kin_str_of(KIN__PROTOBUF));
}

/* False: no memory. */
static bool add_fault(kin__http_call *call)
{
    const kin__fault_wire wire = {.pulse = call->http->pulse,
                                  .reset = reset,
                                  .truncate = truncate_chunk,
                                  .arg = call,
                                  .verb = call->target.verb,
                                  .is_protobuf = is_protobuf(&call->reply)};
    kin__source *faulty = NULL;

    if (!make_source(&call->reply) ||
        kin__fault_source_new(&faulty, call->reply.source, &call->fault.fault, &wire) < 0)
        return false;
    call->reply.source = faulty;
    return true;
}

static struct MHD_Response *source_response(kin__http_call *call, uint64_t size)
{
    struct MHD_Response *response = NULL;

    call->source = call->reply.source;
    call->reply.source = NULL;
    if (!call->source->wake) {
        call->source->wake = wake;
        call->source->wake_arg = call;
    }
    call->is_chunked = size == MHD_SIZE_UNKNOWN;
    kin__ref_get(&call->ref);
    response = MHD_create_response_from_callback(size, BLOCK_SIZE, read_source, call, close_source);
    if (!response)
        close_source(call);
    return response;
}

static bool add_headers(kin__http_call *call, struct MHD_Response *response, bool is_gzip)
{
    const kin__reply *reply = &call->reply;
    const char *type = reply->content_type ? reply->content_type : "application/json";
    bool done = MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type) == MHD_YES &&
                MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL,
                                        "no-cache, private") == MHD_YES;

    for (unsigned i = 0; i < reply->n_headers && done; i++)
        done = MHD_add_response_header(response, reply->headers[i].name, reply->headers[i].value) ==
               MHD_YES;
    if (done && is_gzip)
        done = MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip") ==
                   MHD_YES &&
               MHD_add_response_header(response, MHD_HTTP_HEADER_VARY,
                                       MHD_HTTP_HEADER_ACCEPT_ENCODING) == MHD_YES;
    if (done && (call->http->draining || call->connection->is_beyond_limit))
        done = MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close") == MHD_YES;
    return done;
}

static struct MHD_Response *make_response(kin__http_call *call)
{
    kin__reply *reply = &call->reply;
    uint64_t size = reply->body.len;
    bool is_known = !reply->source;
    bool is_gzip = compress(call);

    if (is_gzip)
        is_known = false;
    else if (!reply->source)
        is_known = true;
    bool is_faulty = call->fault.id && kin__fault_is_of_body(&call->fault.fault);

    if (reply->body.failed == 0 && is_faulty) {
        if (!add_fault(call))
            return NULL;
        if (call->fault.fault.type == KIN_FAULT_OVERSIZE)
            size += call->fault.fault.bytes;
        if (call->fault.fault.type == KIN_FAULT_OVERSIZE_OBJECT || is_protobuf(reply))
            is_known = false; /* there may be no object in it */
    }
    struct MHD_Response *response = reply->source && reply->body.failed == 0
                                        ? source_response(call, is_known ? size : MHD_SIZE_UNKNOWN)
                                        : whole_response(call);
    if (response && !add_headers(call, response, is_gzip)) {
        MHD_destroy_response(response);
        return NULL;
    }
    return response;
}

enum MHD_Result kin__http_reply(kin__http_call *call, struct MHD_Connection *mhd)
{
    const kin__http_options *options = &call->http->options;

    call->step = KIN__CALL_REPLIED;
    call->is_watch = call->reply.source && strcmp(call->target.verb, "watch") == 0;
    struct MHD_Response *response = make_response(call);
    if (!response) {
        call->is_watch = false;
        return MHD_NO;
    }
    kin__metrics_move(&options->metrics->watches, call->is_watch ? 1 : 0);
    kin__metrics_answered(options->metrics, call->target.verb, call->reply.status);
    kin__request_log_answered(options->log, call->log_id, call->reply.status);
    enum MHD_Result result = MHD_queue_response(mhd, (unsigned)call->reply.status, response);
    MHD_destroy_response(response);
    return result;
}
