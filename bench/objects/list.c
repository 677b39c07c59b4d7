/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A whole list, as a LIST is read: in pieces, as they come from a connection, the last one smaller. Items
 * that lie across two pieces are put together by the decoder, which is part of the measured time.
 */
#include "objects.h"

#include <stdlib.h>

#include <kinform/stream.h>

#define PIECE ((size_t)64 * 1024)

struct kin_bench_list {
    kin_list_decoder *decoder;
    const kin_object **objects; /* of the list that is being read */
    size_t room;
    size_t n;
};

static int take(const kin_object *object, void *arg, kin_error *err)
{
    struct kin_bench_list *list = arg;

    (void)err;
    if (list->n == list->room)
        kin_bench_die("the list has more items than there are");
    list->objects[list->n++] = kin_object_ref(object);
    return 0;
}

struct kin_bench_list *kin_bench_list_new(const struct kin_bench_arguments *args,
                                          kin_encoding encoding)
{
    struct kin_bench_list *list = kin_bench_alloc(1, sizeof(*list));
    kin_decode_options options = kin_bench_decode_options(args->projection, encoding);
    kin_error err = KIN_ERROR_INIT;

    if (kin_list_decoder_new(&list->decoder, &options, take, list, NULL, &err) < 0)
        kin_bench_die("no decoder of lists: %s", err.message);
    return list;
}

void kin_bench_list_read(struct kin_bench_list *list, const struct kin_bench_items *items,
                         const kin_object **objects)
{
    kin_error err = KIN_ERROR_INIT;
    int rc = kin_list_decoder_reset(list->decoder, &err);

    list->objects = objects;
    list->room = items->n;
    list->n = 0;
    for (size_t at = 0; rc == 0 && at < items->file_size; at += PIECE) {
        size_t left = items->file_size - at;

        rc = kin_list_decoder_feed(
            list->decoder, kin_str_make(items->file + at, left < PIECE ? left : PIECE), &err);
    }
    if (rc == 0)
        rc = kin_list_decoder_finish(list->decoder, NULL, &err);
    if (rc < 0)
        kin_bench_die("cannot decode the list: %s", err.message);
    if (list->n != items->n)
        kin_bench_die("the list has %zu items, %zu were decoded", items->n, list->n);
}

const char *kin_bench_list_note(void)
{
    return "the list was fed in pieces of 64 KiB";
}

void kin_bench_list_free(struct kin_bench_list *list)
{
    if (!list)
        return;
    kin_list_decoder_free(list->decoder);
    free(list);
}
