/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The body of a list, made while it is sent: objects become text a piece at a time, and are let go
 * of as they do. A list that fits into the first piece is a plain body, whose length is known.
 */
#include <string.h>

#include "apiserver/protocol/indent.h"
#include "apiserver/verbs/api_inside.h"
#include "base/memory.h"

/* Text is made until there is this much. */
#define PIECE 65536

struct list_body {
    kin__source source; /* first */
    kin__encoding encoding;
    const kin__kind *kind; /* a reference */
    kin_object_list objects;
    size_t next;   /* which object */
    bool is_ended; /* the end was written */
    bool is_pretty;
    bool is_yaml;
    kin__indent indent;
    kin__buf text; /* the piece */
    kin__buf raw;  /* what is to be indented, or to become YAML */
    size_t sent;   /* of the piece */
};

static void body_free(struct list_body *body)
{
    kin__kind_unref(body->kind);
    kin_object_list_done(&body->objects);
    kin__buf_done(&body->text);
    kin__buf_done(&body->raw);
    kin__free(body);
}

static kin__buf *target(struct list_body *body)
{
    return body->is_pretty || body->is_yaml ? &body->raw : &body->text;
}

/* What stands between parts: JSON has it, YAML does not. */
static void punctuate(struct list_body *body, const char *text)
{
    if (!body->is_yaml)
        kin__buf_append(target(body), kin_str_of(text));
}

/* A part is whole: a map, if the list becomes YAML. */
static void flush(struct list_body *body, bool is_item)
{
    if (body->is_yaml)
        kin__encode_yaml(&body->text, kin__buf_str(&body->raw), is_item);
    else if (body->is_pretty)
        kin__indent_append(&body->indent, &body->text, kin__buf_str(&body->raw));
    if (body->raw.failed)
        body->text.failed = body->raw.failed;
    kin__buf_reset(&body->raw);
}

/* As single objects do, a text for people has no line end. */
static void write_end(struct list_body *body)
{
    body->is_ended = true;
    if (body->is_yaml)
        return;
    punctuate(body, body->objects.len > 0 ? "]}" : "}");
    flush(body, false);
    if (!body->is_pretty)
        kin__buf_append_char(&body->text, '\n');
}

static void write_head(struct list_body *body, const kin__state_page *page, kin_str continue_token)
{
    bool is_empty = page->objects.len == 0;

    kin__encode_list_head(target(body), &body->encoding, page->version, continue_token,
                          page->more ? page->remaining : 0);
    if (body->is_yaml) {
        kin__buf_append_char(target(body), '}');
        flush(body, false);
        kin__buf_appendf(&body->text, "items:%s%s\n", is_empty ? " " : "",
                         is_empty ? kin__encode_no_items(&body->encoding) : "");
        return;
    }
    kin__buf_appendf(target(body), ",\"items\":%s",
                     is_empty ? kin__encode_no_items(&body->encoding) : "[");
    flush(body, false);
}

static void write_next(struct list_body *body)
{
    if (body->next == body->objects.len) {
        write_end(body);
        return;
    }
    if (body->next > 0)
        punctuate(body, ",");
    kin__encode_object(target(body), &body->encoding, body->objects.items[body->next], true);
    flush(body, true);
    kin_object_unref(body->objects.items[body->next]);
    body->objects.items[body->next++] = NULL;
}

static void fill(struct list_body *body)
{
    while (!body->is_ended && !body->text.failed && body->text.len < PIECE)
        write_next(body);
}

static enum kin__source_result body_read(kin__source *source, char *buf, size_t size,
                                         size_t *ret_len)
{
    struct list_body *body = (struct list_body *)source;
    size_t len;

    if (body->sent == body->text.len && !body->is_ended) {
        kin__buf_recycle(&body->text, (size_t)PIECE * 4);
        body->sent = 0;
        fill(body);
    }
    if (body->text.failed)
        return KIN__SOURCE_ABORT;
    if (body->sent == body->text.len)
        return KIN__SOURCE_END; /* the end of YAML is empty, so that it may have been all */
    len = body->text.len - body->sent < size ? body->text.len - body->sent : size;
    memcpy(buf, body->text.data + body->sent, len);
    body->sent += len;
    *ret_len = len;
    return KIN__SOURCE_DATA;
}

static void body_close(kin__source *source)
{
    body_free((struct list_body *)source);
}

void kin__op_answer_list(kin__op *op, kin__state_page *page, kin_str continue_token)
{
    struct list_body *body;
    kin__failure failure;
    kin__reply reply;

    if (op->accepted.is_protobuf) {
        kin__op_answer_list_protobuf(op, page, continue_token);
        return;
    }
    body = kin__calloc(1, sizeof(*body));
    if (!body) {
        kin_object_list_done(&page->objects);
        kin__fail_no_memory(&failure);
        kin__op_fail(op, &failure);
        return;
    }
    body->source.read = body_read;
    body->source.close = body_close;
    body->encoding = op->encoding;
    body->kind = kin__kind_ref(op->kind);
    body->objects = page->objects;
    body->is_yaml = op->accepted.is_yaml;
    body->is_pretty = op->info.options.pretty || op->accepted.pretty;
    kin__buf_init(&body->text, KIN__TEXT_MAX);
    kin__buf_init(&body->raw, KIN__TEXT_MAX);
    write_head(body, page, continue_token);
    fill(body);

    memset(&reply, 0, sizeof(reply));
    reply.status = 200;
    reply.content_type = body->is_yaml ? "application/yaml" : "application/json";
    kin__buf_init(&reply.body, KIN__TEXT_MAX);
    if (body->is_ended || body->text.failed) {
        reply.body = body->text;
        kin__buf_init(&body->text, KIN__TEXT_MAX);
        body_free(body);
    } else {
        reply.source = &body->source;
    }
    kin__op_answer(op, &reply);
}
