/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The guarantees of docs/guarantees.md, judged by a history alone. Nothing of the library is used here.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "history.h"

enum { MAX_VIEWS = 4096 };

struct handler {
    bool has_joined;
    bool has_left;
    bool in_call;
    uint64_t has[SIM_KEYS];    /* 0: not there */
    uint64_t newest[SIM_KEYS]; /* that it has received */
};

struct checker {
    const sim_history *history;
    sim_verdict *verdict;
    size_t at;
    struct handler handlers[SIM_NONE];
    uint64_t truth[SIM_KEYS];
    uint64_t deleted[SIM_KEYS]; /* the version of the last deletion */
    uint64_t read[SIM_KEYS];    /* the newest version that a view has shown */
    uint64_t view[SIM_KEYS];
    uint64_t view_number;
    unsigned view_items;
    uint64_t store[SIM_KEYS];
    unsigned indexed[SIM_KEYS];
    bool is_over; /* the end was recorded */
};

__attribute__((format(printf, 3, 4))) static void breaks(struct checker *c, const char *guarantee,
                                                         const char *format, ...)
{
    sim_verdict *verdict = c->verdict;
    va_list args;

    if (verdict->is_bad)
        return;
    verdict->is_bad = true;
    verdict->at = c->at;
    snprintf(verdict->guarantee, sizeof(verdict->guarantee), "%s", guarantee);
    va_start(args, format);
    vsnprintf(verdict->text, sizeof(verdict->text), format, args);
    va_end(args);
}

/* Whether the server ever had the object in this version, deletions included. */
static bool has_existed(const struct checker *c, unsigned key, uint64_t version)
{
    for (size_t i = 0; i < c->at; i++) {
        const sim_record *r = &c->history->at[i];

        if ((r->what == SIM_WROTE || r->what == SIM_DELETED) && r->key == key &&
            r->version == version)
            return true;
    }
    return false;
}

static void check_call(struct checker *c, const sim_record *r)
{
    struct handler *h = &c->handlers[r->handler];
    uint64_t *has = &h->has[r->key];

    if (h->has_left)
        breaks(c, "Nothing-after-removal", "handler %u was called after its removal had returned",
               r->handler);
    if (h->in_call)
        breaks(c, "Ordered", "handler %u was called while it ran", r->handler);
    h->in_call = true;
    if (!has_existed(c, r->key, r->version))
        breaks(c, "Ordered", "handler %u: object %u never had version %llu", r->handler, r->key,
               (unsigned long long)r->version);
    if (r->version < h->newest[r->key])
        breaks(c, "Ordered", "handler %u: object %u goes back from version %llu to %llu",
               r->handler, r->key, (unsigned long long)h->newest[r->key],
               (unsigned long long)r->version);
    h->newest[r->key] = r->version;
    if (r->what == SIM_ADD && *has != 0)
        breaks(c, "Unique", "handler %u: object %u is added twice", r->handler, r->key);
    if (r->what != SIM_ADD && *has == 0)
        breaks(c, "Unique", "handler %u: object %u changes, and was never added", r->handler,
               r->key);
    if (r->what == SIM_UPDATE && r->old != *has)
        breaks(c, "Unique",
               "handler %u: object %u has version %llu as the old one, and received %llu before",
               r->handler, r->key, (unsigned long long)r->old, (unsigned long long)*has);
    if (r->what == SIM_UPDATE && ((r->flags & SIM_SYNC) != 0) != (r->version == *has))
        breaks(c, "Unique",
               "handler %u: an update of object %u from version %llu to %llu is %sa resync",
               r->handler, r->key, (unsigned long long)*has, (unsigned long long)r->version,
               r->flags & SIM_SYNC ? "" : "not ");
    *has = r->what == SIM_DELETE ? 0 : r->version;
}

static void check_view_item(struct checker *c, const sim_record *r)
{
    if (c->view_items < SIM_KEYS) {
        c->view[r->key] = r->version;
        if (r->version != 0 && r->version < c->read[r->key])
            breaks(c, "Monotonic", "the store had object %u in version %llu, and has %llu now",
                   r->key, (unsigned long long)c->read[r->key], (unsigned long long)r->version);
        if (r->version != 0)
            c->read[r->key] = r->version;
    } else if (c->view[r->key] != r->version) {
        breaks(c, "Consistent", "a view shows object %u in version %llu, and then in %llu", r->key,
               (unsigned long long)c->view[r->key], (unsigned long long)r->version);
    }
    c->view_items++;
}

/* After a success the store has the object in that version or a later one, or it was deleted since. */
static void check_wait(struct checker *c, const sim_record *r)
{
    if (r->flags == 0)
        return;
    if (r->old == 0 ? c->deleted[r->key] < r->version : r->old < r->version)
        breaks(c, "Truthful",
               "a wait for object %u in version %llu succeeded, and the store has %llu", r->key,
               (unsigned long long)r->version, (unsigned long long)r->old);
}

static void check_end(struct checker *c)
{
    for (unsigned key = 0; key < SIM_KEYS; key++) {
        if (c->store[key] != c->truth[key])
            breaks(c, "Converges", "the store has object %u in version %llu, the server in %llu",
                   key, (unsigned long long)c->store[key], (unsigned long long)c->truth[key]);
        if (c->indexed[key] != (c->store[key] != 0))
            breaks(c, "Indexed", "object %u is %u times in the index", key, c->indexed[key]);
    }
    for (unsigned i = 0; i < SIM_NONE; i++) {
        const struct handler *h = &c->handlers[i];

        for (unsigned key = 0; key < SIM_KEYS && h->has_joined && !h->has_left; key++) {
            if (h->has[key] != c->truth[key])
                breaks(c, "Reliable",
                       "handler %u received object %u in version %llu, the server has %llu", i, key,
                       (unsigned long long)h->has[key], (unsigned long long)c->truth[key]);
        }
    }
}

static void check_record(struct checker *c, const sim_record *r)
{
    switch (r->what) {
    case SIM_WROTE:
        c->truth[r->key] = r->version;
        break;
    case SIM_DELETED:
        c->truth[r->key] = 0;
        c->deleted[r->key] = r->version;
        break;
    case SIM_JOINED:
        c->handlers[r->handler].has_joined = true;
        break;
    case SIM_LEAVES:
        c->handlers[r->handler].has_joined = false;
        break;
    case SIM_LEFT:
        c->handlers[r->handler].has_left = true;
        if (c->handlers[r->handler].in_call)
            breaks(c, "Nothing-after-removal", "handler %u still runs when its removal returns",
                   r->handler);
        break;
    case SIM_ADD:
    case SIM_UPDATE:
    case SIM_DELETE:
        check_call(c, r);
        break;
    case SIM_CALL_ENDS:
        c->handlers[r->handler].in_call = false;
        break;
    case SIM_VIEW:
        c->view_number = r->version;
        c->view_items = 0;
        break;
    case SIM_VIEW_ITEM:
        check_view_item(c, r);
        break;
    case SIM_WAIT_ENDS:
        check_wait(c, r);
        break;
    case SIM_STORE_HAS:
        c->store[r->key] = r->version;
        break;
    case SIM_INDEX_HAS:
        c->indexed[r->key] += r->version == c->store[r->key];
        c->is_over = true;
        break;
    case SIM_CALM:
        c->is_over = true;
        break;
    default:
        break;
    }
}

void sim_check(const sim_history *history, sim_verdict *ret)
{
    static struct checker checker;
    struct checker *c = &checker;

    memset(c, 0, sizeof(*c));
    c->history = history;
    c->verdict = ret;
    for (c->at = 0; c->at < history->n && !ret->is_bad; c->at++)
        check_record(c, &history->at[c->at]);
    if (!ret->is_bad && !history->is_full && c->is_over)
        check_end(c);
    else if (!ret->is_bad && !history->is_full)
        breaks(c, "Live", "the simulation has no end");
}

void sim_record_text(const sim_record *r, const sim_plan *plan, char *ret, size_t size)
{
    char text[160] = "";
    unsigned long long version = r->version;
    unsigned long long old = r->old;

    switch (r->what) {
    case SIM_ACTS:
        sim_action_text(&plan->actions[r->version], text, sizeof(text));
        break;
    case SIM_WROTE:
        snprintf(text, sizeof(text), "    object %u has version %llu", r->key, version);
        break;
    case SIM_DELETED:
        snprintf(text, sizeof(text), "    object %u is gone in version %llu", r->key, version);
        break;
    case SIM_JOINED:
        snprintf(text, sizeof(text), "    handler %u joins", r->handler);
        break;
    case SIM_LEAVES:
        snprintf(text, sizeof(text), "    handler %u is being removed", r->handler);
        break;
    case SIM_LEFT:
        snprintf(text, sizeof(text), "    handler %u was removed", r->handler);
        break;
    case SIM_ADD:
        snprintf(text, sizeof(text), "    handler %u: add %u, version %llu%s", r->handler, r->key,
                 version, r->flags & SIM_INITIAL ? " (initial)" : "");
        break;
    case SIM_UPDATE:
        snprintf(text, sizeof(text), "    handler %u: update %u, version %llu to %llu%s",
                 r->handler, r->key, old, version, r->flags & SIM_SYNC ? " (resync)" : "");
        break;
    case SIM_DELETE:
        snprintf(text, sizeof(text), "    handler %u: delete %u, version %llu%s", r->handler,
                 r->key, version, r->flags & SIM_TOMBSTONE ? " (tombstone)" : "");
        break;
    case SIM_VIEW_ITEM:
        snprintf(text, sizeof(text), "    view %llu has object %u in version %llu", old, r->key,
                 version);
        break;
    case SIM_WAIT_BEGINS:
        snprintf(text, sizeof(text), "    waits for object %u in version %llu", r->key, version);
        break;
    case SIM_WAIT_ENDS:
        snprintf(text, sizeof(text),
                 "    the wait for object %u in version %llu %s; the store has %llu", r->key,
                 version, r->flags ? "succeeded" : "ended in vain", old);
        break;
    case SIM_QUIET:
        snprintf(text, sizeof(text), "everything is quiet");
        break;
    case SIM_STORE_HAS:
        snprintf(text, sizeof(text), "    the store has object %u in version %llu", r->key,
                 version);
        break;
    default:
        break;
    }
    ret[0] = '\0';
    if (text[0])
        snprintf(ret, size, "%12.6f s  %-15s %s", (double)(r->now - plan->schedule.start_ns) / 1e9,
                 r->thread, text);
}
