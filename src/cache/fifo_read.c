/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking into a FIFO, and its state. What is in flight counts as queued.
 */
#include "base/error.h"
#include "cache/collect.h"
#include "cache/fifo.h"
#include "cache/input.h"

int kin_fifo_get_by_key(kin_fifo *fifo, const kin_object **ret, kin_str key, kin_error *err)
{
    const kin_object *newest;
    uint32_t hash;
    int code = kin__fifo_check(fifo, err);

    if (code < 0)
        return code;
    hash = kin__map_hash(&fifo->line.entries, key);
    kin__mutex_lock(&fifo->line.lock);
    newest =
        kin__fifo_entry_newest(kin__fifo_entry_of(kin__line_find_locked(&fifo->line, key, hash)));
    if (ret && newest)
        *ret = kin_object_ref(newest);
    kin__mutex_unlock(&fifo->line.lock);
    if (!newest)
        return kin_error_set(err, KIN_ENOTFOUND, "nothing is queued for %" KIN_STR_FMT,
                             KIN_STR_ARG(key));
    return 0;
}

int kin_fifo_get(kin_fifo *fifo, const kin_object **ret, const kin_object *object, kin_error *err)
{
    kin_str key = {NULL, 0};
    int code = kin__fifo_check(fifo, err);

    if (code == 0)
        code = kin__input_key(fifo->key, fifo->key_arg, object, &key, err);
    return code < 0 ? code : kin_fifo_get_by_key(fifo, ret, key, err);
}

static int collect_newest(kin__line_entry *entry, void *collector)
{
    const kin_object *newest = kin__fifo_entry_newest(kin__fifo_entry_of(entry));

    return newest ? kin__collect_object(collector, newest) : 0;
}

static int collect_key(kin__line_entry *entry, void *collector)
{
    if (!kin__fifo_entry_newest(kin__fifo_entry_of(entry)))
        return 0;
    return kin__collect_string(collector, kin_str_make(entry->node.key, entry->node.key_len));
}

int kin_fifo_list(kin_fifo *fifo, kin_object_list *ret, kin_error *err)
{
    return kin__line_list_objects(kin__fifo_line(fifo), ret, collect_newest, err);
}

int kin_fifo_list_keys(kin_fifo *fifo, kin_string_list *ret, kin_error *err)
{
    return kin__line_list_strings(kin__fifo_line(fifo), ret, collect_key, err);
}

size_t kin_fifo_len(kin_fifo *fifo)
{
    size_t len;

    if (kin__fifo_check(fifo, NULL) < 0)
        return 0;
    kin__mutex_lock(&fifo->line.lock);
    len = fifo->line.n_waiting - fifo->n_deleted;
    kin__mutex_unlock(&fifo->line.lock);
    return len;
}

bool kin_fifo_has_synced(kin_fifo *fifo)
{
    return kin__line_has_synced(kin__fifo_line(fifo));
}

int kin_fifo_wait_synced(kin_fifo *fifo, int64_t timeout_ms, kin_error *err)
{
    return kin__line_wait_synced(kin__fifo_line(fifo), timeout_ms, err);
}

void kin_fifo_close(kin_fifo *fifo)
{
    kin__line_close(kin__fifo_line(fifo));
}

bool kin_fifo_is_closed(kin_fifo *fifo)
{
    return kin__line_is_closed(kin__fifo_line(fifo));
}
