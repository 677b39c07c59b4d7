/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking into a DeltaFIFO, and its state. What is in flight counts as queued.
 */
#include "base/error.h"
#include "base/memory.h"
#include "cache/collect.h"
#include "cache/delta_fifo.h"
#include "cache/input.h"

int kin_delta_fifo_key_of(kin_delta_fifo *fifo, kin_str *ret, const kin_object *object,
                          kin_error *err)
{
    if (!fifo || !ret)
        return kin_error_set(err, KIN_EINVAL, "%s is NULL", fifo ? "ret" : "fifo");
    return kin__input_key(fifo->key, fifo->key_arg, object, ret, err);
}

int kin_delta_fifo_key_of_deltas(kin_delta_fifo *fifo, kin_str *ret, const kin_deltas *deltas,
                                 kin_error *err)
{
    const kin_delta *newest = kin_deltas_newest(deltas);

    if (!newest)
        return kin_error_set(err, KIN_EINVAL, "no deltas, no key");
    return kin_delta_fifo_key_of(fifo, ret, newest->object, err);
}

/* Those that are in flight first. A lingering flight is over. */
static int copy_deltas(const kin__delta_entry *entry, kin_delta_copy *ret)
{
    uint32_t flight = entry->line.flags & KIN__LINE_IN_FLIGHT ? entry->flight.len : 0;
    size_t n = (size_t)flight + entry->queued.len;
    kin_delta *items = kin__malloc(n * sizeof(*items));

    if (!items)
        return KIN_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        items[i] = i < flight ? entry->flight.items[i] : entry->queued.items[i - flight];
        kin_object_ref(items[i].object);
    }
    *ret = (kin_delta_copy){items, n};
    return 0;
}

int kin_delta_fifo_get_by_key(kin_delta_fifo *fifo, kin_delta_copy *ret, kin_str key,
                              kin_error *err)
{
    kin__line_entry *entry;
    uint32_t hash;
    int code = kin__delta_fifo_check(fifo, err);

    if (code < 0)
        return code;
    if (!ret)
        return kin_error_set(err, KIN_EINVAL, "ret is NULL");
    hash = kin__map_hash(&fifo->line.entries, key);
    kin__mutex_lock(&fifo->line.lock);
    entry = kin__line_find_locked(&fifo->line, key, hash);
    code = kin__line_entry_is_queued(entry) ? copy_deltas(kin__delta_entry_of(entry), ret)
                                            : KIN_ENOTFOUND;
    kin__mutex_unlock(&fifo->line.lock);
    if (code == KIN_ENOTFOUND)
        return kin_error_set(err, code, "nothing is queued for %" KIN_STR_FMT, KIN_STR_ARG(key));
    return code < 0 ? kin__error_no_memory(err) : 0;
}

int kin_delta_fifo_get(kin_delta_fifo *fifo, kin_delta_copy *ret, const kin_object *object,
                       kin_error *err)
{
    kin_str key = {NULL, 0};
    int code = kin_delta_fifo_key_of(fifo, &key, object, err);

    return code < 0 ? code : kin_delta_fifo_get_by_key(fifo, ret, key, err);
}

static int collect_newest(kin__line_entry *entry, void *collector)
{
    return kin__collect_object(collector,
                               kin__delta_entry_newest(kin__delta_entry_of(entry))->object);
}

static int collect_key(kin__line_entry *entry, void *collector)
{
    return kin__collect_string(collector, kin_str_make(entry->node.key, entry->node.key_len));
}

int kin_delta_fifo_list(kin_delta_fifo *fifo, kin_object_list *ret, kin_error *err)
{
    return kin__line_list_objects(kin__delta_fifo_line(fifo), ret, collect_newest, err);
}

int kin_delta_fifo_list_keys(kin_delta_fifo *fifo, kin_string_list *ret, kin_error *err)
{
    return kin__line_list_strings(kin__delta_fifo_line(fifo), ret, collect_key, err);
}

size_t kin_delta_fifo_len(kin_delta_fifo *fifo)
{
    return kin__line_len(kin__delta_fifo_line(fifo));
}

bool kin_delta_fifo_has_synced(kin_delta_fifo *fifo)
{
    return kin__line_has_synced(kin__delta_fifo_line(fifo));
}

int kin_delta_fifo_wait_synced(kin_delta_fifo *fifo, int64_t timeout_ms, kin_error *err)
{
    return kin__line_wait_synced(kin__delta_fifo_line(fifo), timeout_ms, err);
}

void kin_delta_fifo_close(kin_delta_fifo *fifo)
{
    kin__line_close(kin__delta_fifo_line(fifo));
}

bool kin_delta_fifo_is_closed(kin_delta_fifo *fifo)
{
    return kin__line_is_closed(kin__delta_fifo_line(fifo));
}
