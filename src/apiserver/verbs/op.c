/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers. Whatever memory is missing for, there is an answer: the last resort is a status without
 * a body.
 */
#include "apiserver/verbs/api_inside.h"

#include <string.h>

#include "apiserver/protocol/encode_protobuf.h"
#include "apiserver/protocol/indent.h"
#include "base/memory.h"
#include "base/str.h"

/* By how much an answer is longer than the body: uid, version, time. */
enum { ANSWER_MORE = 512, ANSWER_GUESS_MAX = 65536 };

static void op_free(kin__op *op)
{
    kin__api *api = op->api;

    kin__request_info_done(&op->info);
    kin__kind_unref(op->kind);
    kin__kind_unref(op->new_kind);
    kin__buf_done(&op->key);
    kin_object_unref(op->body);
    kin_object_unref(op->result);
    kin_object_unref(op->base);
    kin__free(op->refusal);
    kin__free(op);

    kin__mutex_lock(&api->lock);
    if (--api->n_ops == 0)
        kin__cond_broadcast(&api->idle);
    kin__mutex_unlock(&api->lock);
}

static void warn_deprecated(const kin__op *op, kin__reply *reply)
{
    kin__reply_header *header = &reply->headers[reply->n_headers];
    kin__cutline line;

    if (!op->kind || !op->version || !op->version->deprecated ||
        reply->n_headers == kin__array_len(reply->headers))
        return;
    reply->n_headers++;
    header->name = "Warning";
    kin__cutline_init(&line, header->value, sizeof(header->value));
    kin__cutline_append(&line, kin_str_of("299 - "));
    if (op->version->warning) {
        kin__cutline_append_quoted(&line, kin_str_of(op->version->warning));
        return;
    }
    kin__cutline_appendf(&line, "\"%s%s%s %s is deprecated\"", op->kind->group,
                         op->kind->group[0] ? "/" : "", op->version->name, op->kind->kind);
}

static bool is_write(const kin__op *op)
{
    kin_str method = op->call->request->method;

    return !kin_str_equal(method, kin_str_of("GET")) && !kin_str_equal(method, kin_str_of("HEAD"));
}

/*
 * There was no memory for the body. A write that has succeeded must not look as if it had failed: the
 * client would repeat it. It is answered with a Status instead of the object.
 */
static void replace_body(const kin__op *op, kin__reply *reply)
{
    int status = reply->status;
    kin__failure failure;

    kin__buf_done(&reply->body);
    if (is_write(op) && status >= 200 && status < 300) {
        kin__buf_init(&reply->body, KIN__TEXT_MAX);
        kin__buf_appendf(&reply->body,
                         "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
                         "\"status\":\"Success\",\"code\":%d}\n",
                         status);
        reply->content_type = "application/json";
    } else {
        kin__fail_no_memory(&failure);
        kin__failure_reply(&failure, reply);
    }
    if (reply->body.failed)
        kin__buf_reset(&reply->body);
}

void kin__op_answer(kin__op *op, kin__reply *reply)
{
    kin__api_call *call = op->call;

    if (reply->body.failed)
        replace_body(op, reply);
    warn_deprecated(op, reply);
    /* The request may go with the answer, but what was read of it does not point into it. */
    call->answer(call, reply);
    op_free(op);
}

/* The same in protobuf. A kind that the tables lack stays JSON. */
static bool dress_in_protobuf(kin__reply *reply)
{
    kin__buf body;
    int code;

    if (reply->body.failed)
        return true;
    kin__buf_init(&body, KIN__TEXT_MAX);
    code = kin__encode_protobuf_json(&body, kin__buf_str(&reply->body), NULL);
    if (code < 0 && code != KIN_ENOMEM) {
        kin__buf_done(&body);
        return false;
    }
    kin__buf_done(&reply->body);
    reply->body = body;
    if (code < 0)
        reply->body.failed = code;
    reply->content_type = KIN__PROTOBUF;
    return true;
}

/* The body, which is JSON in one line, as the client wants to see it. */
static void dress(const kin__op *op, kin__reply *reply)
{
    kin__indent indent = {.depth = 0};
    kin_str json = kin__str_trim(kin__buf_str(&reply->body));
    kin__buf text;

    if (op->accepted.is_protobuf && dress_in_protobuf(reply))
        return;
    if (!op->accepted.is_yaml && !op->info.options.pretty && !op->accepted.pretty) {
        if (reply->body.len == json.len)
            kin__buf_append_char(&reply->body, '\n');
        return;
    }
    kin__buf_init(&text, KIN__TEXT_MAX);
    if (op->accepted.is_yaml) {
        kin__encode_yaml(&text, json, false);
        reply->content_type = "application/yaml";
    } else {
        kin__indent_append(&indent, &text, json);
    }
    if (reply->body.failed)
        text.failed = reply->body.failed;
    kin__buf_done(&reply->body);
    reply->body = text;
}

void kin__op_fail(kin__op *op, const kin__failure *failure)
{
    kin__reply reply;

    kin__failure_reply(failure, &reply);
    dress(op, &reply);
    kin__op_answer(op, &reply);
}

static void reply_init(kin__reply *reply, int status, const char *content_type)
{
    memset(reply, 0, sizeof(*reply));
    reply->status = status;
    reply->content_type = content_type;
    kin__buf_init(&reply->body, KIN__TEXT_MAX);
}

void kin__op_answer_text(kin__op *op, int status, const char *content_type, kin_str text)
{
    kin__reply reply;

    reply_init(&reply, status, content_type);
    reply.headers[0] = (kin__reply_header){"X-Content-Type-Options", "nosniff"};
    reply.n_headers = 1;
    kin__buf_append(&reply.body, text);
    kin__op_answer(op, &reply);
}

void kin__op_answer_json(kin__op *op, int status, kin__buf *text)
{
    kin__reply reply;

    reply_init(&reply, status, "application/json");
    reply.body = *text;
    dress(op, &reply);
    kin__op_answer(op, &reply);
}

static void answer_inside(kin__op *op, int status, const kin_object *object)
{
    kin__reply reply;

    reply_init(&reply, status, NULL);
    reply.object = kin_object_ref(object);
    reply.is_gone = op->is_gone;
    kin__op_answer(op, &reply);
}

bool kin__op_leave_protobuf(kin__op *op, int code, const kin_error *err, kin__failure *failure)
{
    bool is_list = op->info.verb == KIN__VERB_DELETE_COLLECTION;

    if (code != KIN_ETYPE && code != KIN_EINVAL)
        return kin__op_fail_code(failure, code, err);
    if (!kin__accept_read_without_protobuf(op->call->request->accept, op->kind,
                                           is_list ? KIN__VERB_LIST : op->info.verb, &op->accepted))
        return kin__fail(failure, 406, "NotAcceptable", "%s", err->message);
    op->encoding.is_protobuf = false;
    op->encoding.form = op->accepted.form;
    op->encoding.form_version = op->accepted.version;
    return true;
}

/* See replace_body(). */
void kin__op_fail_encoding(kin__op *op, int status, int code, const kin__failure *failure)
{
    kin__reply reply;

    if (!is_write(op)) {
        kin__op_fail(op, failure);
        return;
    }
    reply_init(&reply, status, NULL);
    reply.body.failed = code;
    kin__op_answer(op, &reply);
}

/* False: the object has to be answered in JSON. */
static bool answer_protobuf(kin__op *op, int status, const kin_object *object)
{
    kin_error err = KIN_ERROR_INIT;
    kin__pb_writer writer;
    kin__failure failure;
    kin__reply reply;
    int code;

    reply_init(&reply, status, KIN__PROTOBUF);
    kin__pb_writer_init(&writer, KIN__TEXT_MAX);
    code = kin__encode_protobuf(&reply.body, &writer, &op->encoding, object, &err);
    kin__pb_writer_done(&writer);
    if (code == 0) {
        kin__op_answer(op, &reply);
        return true;
    }
    kin__buf_done(&reply.body);
    if (kin__op_leave_protobuf(op, code, &err, &failure))
        return false;
    kin__op_fail_encoding(op, status, code, &failure);
    return true;
}

void kin__op_answer_object(kin__op *op, int status, const kin_object *object)
{
    size_t body_len = op->call->request->body.len;
    kin__buf text;

    if (op->call->request->is_inside) {
        answer_inside(op, status, object);
        return;
    }
    if (op->accepted.is_protobuf && answer_protobuf(op, status, object))
        return;
    kin__buf_init(&text, KIN__TEXT_MAX);
    /* What a write is answered with is about as long as its body. A failure sticks. */
    if (body_len > 0 && body_len <= ANSWER_GUESS_MAX)
        (void)kin__buf_reserve(&text, body_len + ANSWER_MORE);
    kin__encode_object(&text, &op->encoding, object, false);
    kin__op_answer_json(op, status, &text);
}

void kin__op_run(kin__op *op, kin__op_fn *fn)
{
    kin__failure failure;

    kin__failure_init(&failure);
    if (!fn(op, &failure))
        kin__op_fail(op, &failure);
}

bool kin__op_fail_code(kin__failure *failure, int code, const kin_error *err)
{
    if (code == KIN_ENOMEM)
        return kin__fail_no_memory(failure);
    if (code == KIN_ELIMIT)
        return kin__fail(failure, 413, "RequestEntityTooLarge", "%s", err->message);
    return kin__fail_internal(failure, err);
}

kin_time kin__api_now(const kin__api *api)
{
    const int64_t second = 1000000000;

    return (kin_time){kin_clock_unix_now(api->clock) / second, 0};
}
