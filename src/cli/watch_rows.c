/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes as rows of tables, as kubectl get --watch has them. The objects that are there at the beginning are kept until
 * all of them have come, and are one table in the order of get. Each change is a row below, of the object as it is, or as
 * it was last. Columns get wider as they must.
 */
#include <stdlib.h>
#include <time.h>

#include "cli/base/report.h"
#include "cli/print/printer_table.h"
#include "cli/watch_inside.h"

bool watch_has_rows(const struct watch *w)
{
    return w->settings->as_get && printer_is_table(&w->view.printer);
}

void watch_rows_keep(struct watched *item, const kin_object *object)
{
    objects_add(&item->rows.objects, object);
}

static void add_rows(struct watched *item)
{
    struct watch *w = item->watch;
    bool is_first = !item->widths;

    if (is_first && w->view.n_shown > 0)
        text_add_char(&w->out, '\n'); /* between the tables of two kinds */
    w->view.printer.now = (int64_t)time(NULL);
    add_table_rows(&w->view.printer, &w->out, &item->rows, is_first, &item->widths);
    w->view.n_shown += item->rows.objects.len;
    objects_clear(&item->rows.objects);
}

static void sort(struct watched *item)
{
    struct watch *w = item->watch;
    struct objects *objects = &item->rows.objects;

    objects_sort_by_key(objects);
    if (w->order && objects_sort_by_path(objects, w->order) == 0)
        tell("Warning: --sort-by %s: no object has anything there", w->settings->sort_by);
}

void watch_rows_begin(struct watched *item)
{
    if (item->rows.objects.len == 0)
        return;
    sort(item);
    add_rows(item);
}

void watch_rows_add(struct watched *item, const kin_event *event)
{
    const kin_object *object = event->object;

    watch_rows_begin(item);
    /* What a tombstone knows is the last state; it may know nothing. */
    if ((kin_object_is_tombstone(event->object, &object) && !object) ||
        watch_view_skips(&item->watch->view, event))
        return;
    objects_add(&item->rows.objects, object);
    add_rows(item);
}
