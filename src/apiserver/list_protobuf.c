/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The body of a list in protobuf, made while it is sent. The envelope begins with the length of all
 * that it holds: so each object is measured first, and encoded when its turn comes. Keeping what
 * was measured would cost the memory of the whole list.
 *
 * Measuring goes in slices. The first one is done at once, and with it most lists. A reader of a longer
 * one waits for its next slice until the schedule's thread wakes it: others get their turn.
 */
#include <string.h>

#include "apiserver/encode_protobuf.h"
#include "apiserver/op.h"
#include "base/compiler.h"
#include "base/memory.h"

/* Bytes that are made at once. */
#define PIECE ((size_t)64 * 1024)
/* Bytes that are measured in a slice: one or two milliseconds. */
#define SLICE ((size_t)1024 * 1024)
/* Objects of a list: each is a field of it. */
#define ITEMS_FIELD 2u

struct list {
    kin__source source; /* first */
    kin__api *api;
    kin__encoding encoding;
    const kin__kind *kind; /* a reference */
    kin_object_list objects;
    kin__pb_writer writer;
    kin__buf meta;   /* the field of the list's metadata */
    size_t measured; /* how many objects are */
    size_t len;      /* of the metadata and the objects that are measured */
    size_t next;     /* the object that is written next */
    bool has_head;   /* it was written */
    bool is_ended;   /* the end was written */
    kin__buf text;   /* the piece */
    size_t sent;     /* of the piece */
    kin__due due;    /* the next slice */
};

static void list_free(struct list *list)
{
    kin__kind_unref(list->kind);
    kin_object_list_done(&list->objects);
    kin__pb_writer_done(&list->writer);
    kin__buf_done(&list->meta);
    kin__buf_done(&list->text);
    kin__free(list);
}

static int measure_slice(struct list *list, kin_error *err)
{
    size_t end = list->len + SLICE;
    int code = 0;

    while (code == 0 && list->measured < list->objects.len && list->len < end) {
        char head[KIN__PB_HEAD_MAX];
        size_t len = 0;

        code = kin__measure_protobuf_item(&len, &list->writer, &list->encoding,
                                          list->objects.items[list->measured++], err);
        list->len += kin__pb_head(head, ITEMS_FIELD, len) + len;
    }
    return code;
}

static bool is_measured(const struct list *list)
{
    return list->measured == list->objects.len;
}

static void write_next(struct list *list)
{
    kin_str item;
    int code;

    if (!list->has_head) {
        list->has_head = true;
        kin__encode_protobuf_list_head(&list->text, &list->encoding, list->len);
        kin__buf_append(&list->text, kin__buf_str(&list->meta));
        return;
    }
    if (list->next == list->objects.len) {
        list->is_ended = true;
        kin__buf_append(&list->text, kin__pb_envelope_tail());
        return;
    }
    code = kin__encode_protobuf_item(&item, &list->writer, &list->encoding,
                                     list->objects.items[list->next], NULL);
    if (code == 0)
        kin__pb_append_text(&list->text, ITEMS_FIELD, item);
    else
        list->text.failed = code;
    kin_object_unref(list->objects.items[list->next]);
    list->objects.items[list->next++] = NULL;
}

static void fill(struct list *list)
{
    while (!list->is_ended && !list->text.failed && list->text.len < PIECE)
        write_next(list);
}

static void slice_due(kin__due *due)
{
    struct list *list = kin__container_of(due, struct list, due);

    list->source.wake(list->source.wake_arg);
}

static enum kin__source_result list_read(kin__source *source, char *buf, size_t size,
                                         size_t *ret_len)
{
    struct list *list = (struct list *)source;
    size_t len;

    if (!is_measured(list)) {
        if (measure_slice(list, NULL) < 0)
            return KIN__SOURCE_ABORT;
        kin__schedule_now(&list->api->schedule, &list->due);
        return KIN__SOURCE_WAIT;
    }
    if (list->sent == list->text.len && !list->is_ended) {
        kin__buf_recycle(&list->text, PIECE * 4);
        list->sent = 0;
        fill(list);
    }
    if (list->text.failed)
        return KIN__SOURCE_ABORT;
    if (list->sent == list->text.len)
        return KIN__SOURCE_END;
    len = list->text.len - list->sent < size ? list->text.len - list->sent : size;
    memcpy(buf, list->text.data + list->sent, len);
    list->sent += len;
    *ret_len = len;
    return KIN__SOURCE_DATA;
}

static void list_close(kin__source *source)
{
    struct list *list = (struct list *)source;

    kin__schedule_cancel(&list->api->schedule, &list->due);
    list_free(list);
}

/* The page is CONSUMED. NULL: no memory. */
static struct list *list_new(const kin__op *op, kin__state_page *page, kin_str continue_token)
{
    struct list *list = kin__calloc(1, sizeof(*list));
    kin__buf meta;

    if (!list) {
        kin_object_list_done(&page->objects);
        return NULL;
    }
    list->source.read = list_read;
    list->source.close = list_close;
    list->api = op->api;
    list->encoding = op->encoding;
    list->kind = kin__kind_ref(op->kind);
    list->objects = page->objects;
    kin__pb_writer_init(&list->writer, KIN__TEXT_MAX);
    kin__buf_init(&list->text, KIN__TEXT_MAX);
    kin__buf_init(&list->meta, KIN__TEXT_MAX);
    kin__due_init(&list->due, slice_due);
    kin__buf_init(&meta, KIN__TEXT_MAX);
    kin__encode_protobuf_list_meta(&meta, page->version, continue_token,
                                   page->more ? page->remaining : 0);
    kin__pb_append_text(&list->meta, 1, kin__buf_str(&meta));
    list->len = list->meta.len;
    bool is_failed = meta.failed || list->meta.failed;
    kin__buf_done(&meta);
    if (!is_failed)
        return list;
    list_free(list);
    return NULL;
}

static void fail_list(kin__op *op, int code, const kin_error *err)
{
    kin__failure failure;

    kin__op_fail_code(&failure, code, err);
    kin__op_fail(op, &failure);
}

void kin__op_answer_list_protobuf(kin__op *op, kin__state_page *page, kin_str continue_token)
{
    struct list *list = list_new(op, page, continue_token);
    kin_error err = KIN_ERROR_INIT;
    kin__reply reply;
    int code = list ? measure_slice(list, &err) : KIN_ENOMEM;

    if (code < 0) {
        if (list)
            list_free(list);
        fail_list(op, code, &err);
        return;
    }
    memset(&reply, 0, sizeof(reply));
    reply.status = 200;
    reply.content_type = KIN__PROTOBUF;
    kin__buf_init(&reply.body, KIN__TEXT_MAX);
    if (is_measured(list))
        fill(list);
    if (list->is_ended || list->text.failed) {
        reply.body = list->text;
        kin__buf_init(&list->text, KIN__TEXT_MAX);
        list_free(list);
    } else {
        reply.source = &list->source;
        reply.is_long = true;
    }
    kin__op_answer(op, &reply);
}
