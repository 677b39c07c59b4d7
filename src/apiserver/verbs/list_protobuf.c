/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The body of a list in protobuf, made while it is sent. The envelope begins with the length of all
 * that it holds: so each object is measured first, and encoded when its turn comes. Keeping what
 * was measured would cost the memory of the whole list.
 *
 * Measuring goes in slices. The first one is done at once, and with it most lists. The slices of a longer
 * one are steps of the schedule's thread, between which others get their turn. The answer begins when all
 * is measured: an object that protobuf cannot hold makes it JSON, or 406.
 */
#include <string.h>

#include "apiserver/protocol/encode_protobuf.h"
#include "apiserver/verbs/api_inside.h"
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
    kin__op *op;        /* until it is answered */
    kin__encoding encoding;
    const kin__kind *kind; /* a reference */
    kin__state_page page;
    kin__buf token;
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
    kin__list link;  /* (api's lock) in `lists` while it waits for that */
};

static void list_free(struct list *list)
{
    kin__kind_unref(list->kind);
    kin_object_list_done(&list->page.objects);
    kin__buf_done(&list->token);
    kin__pb_writer_done(&list->writer);
    kin__buf_done(&list->meta);
    kin__buf_done(&list->text);
    kin__free(list);
}

static int measure_slice(struct list *list, kin_error *err)
{
    size_t end = list->len + SLICE;
    int code = 0;

    while (code == 0 && list->measured < list->page.objects.len && list->len < end) {
        char head[KIN__PB_HEAD_MAX];
        size_t len = 0;

        code = kin__measure_protobuf_item(&len, &list->writer, &list->encoding,
                                          list->page.objects.items[list->measured++], err);
        list->len += kin__pb_head(head, ITEMS_FIELD, len) + len;
    }
    return code;
}

static bool is_measured(const struct list *list)
{
    return list->measured == list->page.objects.len;
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
    if (list->next == list->page.objects.len) {
        list->is_ended = true;
        kin__buf_append(&list->text, kin__pb_envelope_tail());
        return;
    }
    code = kin__encode_protobuf_item(&item, &list->writer, &list->encoding,
                                     list->page.objects.items[list->next], NULL);
    if (code == 0)
        kin__pb_append_text(&list->text, ITEMS_FIELD, item);
    else
        list->text.failed = code;
    kin_object_unref(list->page.objects.items[list->next]);
    list->page.objects.items[list->next++] = NULL;
}

static void fill(struct list *list)
{
    while (!list->is_ended && !list->text.failed && list->text.len < PIECE)
        write_next(list);
}

static enum kin__source_result list_read(kin__source *source, char *buf, size_t size,
                                         size_t *ret_len)
{
    struct list *list = (struct list *)source;
    size_t len;

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
    list_free((struct list *)source);
}

static void slice_due(kin__due *due);

/* The page is CONSUMED. NULL: no memory. */
static struct list *list_new(kin__op *op, kin__state_page *page, kin_str continue_token)
{
    struct list *list = kin__calloc(1, sizeof(*list));
    kin__buf meta;

    if (!list) {
        kin_object_list_done(&page->objects);
        return NULL;
    }
    list->source.read = list_read;
    list->source.close = list_close;
    list->op = op;
    list->encoding = op->encoding;
    list->kind = kin__kind_ref(op->kind);
    list->page = *page;
    kin__list_init(&list->link);
    kin__pb_writer_init(&list->writer, KIN__TEXT_MAX);
    kin__buf_init(&list->token, KIN__TEXT_MAX);
    kin__buf_init(&list->text, KIN__TEXT_MAX);
    kin__buf_init(&list->meta, KIN__TEXT_MAX);
    kin__due_init(&list->due, slice_due);
    kin__buf_append(&list->token, continue_token);
    kin__buf_init(&meta, KIN__TEXT_MAX);
    kin__encode_protobuf_list_meta(&meta, page->version, continue_token,
                                   page->more ? page->remaining : 0);
    kin__pb_append_text(&list->meta, 1, kin__buf_str(&meta));
    list->len = list->meta.len;
    bool is_failed = meta.failed || list->meta.failed || list->token.failed;
    kin__buf_done(&meta);
    if (!is_failed)
        return list;
    list_free(list);
    return NULL;
}

static void list_answer(struct list *list)
{
    kin__op *op = list->op;
    kin__reply reply;

    memset(&reply, 0, sizeof(reply));
    reply.status = 200;
    reply.content_type = KIN__PROTOBUF;
    kin__buf_init(&reply.body, KIN__TEXT_MAX);
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

/* `list` may be NULL. */
static void list_fail(kin__op *op, struct list *list, int code, const kin_error *err)
{
    kin__failure failure;
    bool leaves = kin__op_leave_protobuf(op, code, err, &failure);

    if (!list || !leaves) {
        kin__op_fail_encoding(op, 200, code, &failure);
    } else {
        kin__state_page page = list->page;

        list->page.objects = (kin_object_list){0};
        kin__op_answer_list(op, &page, kin__buf_str(&list->token));
    }
    if (list)
        list_free(list);
}

/* Measure the next slice later. False: the API stops, and the slice will not be measured. */
static bool put_off(struct list *list)
{
    kin__api *api = list->op->api;
    bool goes_on;

    kin__mutex_lock(&api->lock);
    goes_on = !api->is_stopped;
    if (goes_on) {
        kin__list_push_back(&api->lists, &list->link);
        kin__schedule_now(&api->schedule, &list->due);
    }
    kin__mutex_unlock(&api->lock);
    return goes_on;
}

static void fail_stopped(struct list *list)
{
    kin_error err = KIN_ERROR_INIT;

    kin_error_set(&err, KIN_ECLOSED, "the server stops");
    list_fail(list->op, list, KIN_ECLOSED, &err);
}

static void list_step(struct list *list)
{
    kin_error err = KIN_ERROR_INIT;
    int code = measure_slice(list, &err);

    if (code < 0)
        list_fail(list->op, list, code, &err);
    else if (is_measured(list))
        list_answer(list);
    else if (!put_off(list))
        fail_stopped(list);
}

static void slice_due(kin__due *due)
{
    struct list *list = kin__container_of(due, struct list, due);
    kin__api *api = list->op->api;

    kin__mutex_lock(&api->lock);
    kin__list_remove(&list->link);
    kin__mutex_unlock(&api->lock);
    list_step(list);
}

void kin__lists_end(kin__api *api)
{
    kin__list *link;

    do {
        kin__mutex_lock(&api->lock);
        link = kin__list_pop_front(&api->lists);
        kin__mutex_unlock(&api->lock);
        if (link)
            fail_stopped(kin__list_entry(link, struct list, link));
    } while (link);
}

void kin__op_answer_list_protobuf(kin__op *op, kin__state_page *page, kin_str continue_token)
{
    struct list *list = list_new(op, page, continue_token);

    if (list)
        list_step(list);
    else
        list_fail(op, NULL, KIN_ENOMEM, NULL);
}
