/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The guarantees of docs/guarantees.md, judged by a history alone. Nothing of the library is used here.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "history.h"

#define SECOND INT64_C(1000000000)
/* How long a state may be reported after it has ended, and a wait may last beyond its timeout. */
#define GRACE SECOND

struct handler {
    bool has_joined; /* no thread removes it */
    bool is_gone;
    bool in_call;
    uint64_t has[SIM_KEYS];    /* 0: not there */
    uint64_t newest[SIM_KEYS]; /* that it has received; 0: none */
};

/* A key in a queue. */
struct work {
    bool is_known;    /* DeltaFIFO: the consumer has the object */
    bool is_due;      /* it must be handed out */
    int64_t due_at;   /* work queue: at this time; INT64_MAX: unknown */
    bool was_working; /* when it became due */
    bool is_working;
    bool is_deleting;   /* DeltaFIFO: the deltas in flight end with a deletion */
    bool deletes_again; /* DeltaFIFO: deleted while is_deleting */
    unsigned n_putting; /* threads that put it in */
    bool is_disturbed;  /* it was handed out, or came back, since the first of these began */
    bool due_deletes;   /* DeltaFIFO: its last delta is a deletion */
    uint64_t due;       /* DeltaFIFO: the version that must come; of deletions in a row, any */
    uint64_t saw;       /* the version in the last work that went well */
    uint64_t reads;     /* the current call */
};

struct checker {
    const sim_history *history;
    const sim_config *config;
    sim_verdict *verdict;
    size_t at;
    struct handler handlers[SIM_NONE];
    size_t n_log; /* in change_log */
    uint64_t truth[SIM_KEYS];
    uint64_t deleted[SIM_KEYS]; /* the version of the last deletion */
    bool is_restored;           /* the server has returned to a backup: versions come again */
    bool was_lied_to;           /* a watch has left out an event */
    uint64_t read[SIM_KEYS];    /* the newest version that a view has shown */
    uint64_t view[SIM_KEYS];
    unsigned view_items;
    uint64_t store[SIM_KEYS];
    unsigned indexed[SIM_KEYS];
    struct work work[SIM_QUEUES][SIM_KEYS];
    unsigned scope;                /* that the informer is to look at */
    unsigned n_scopes;             /* that it has had */
    int64_t scoped_at;             /* when the last change of the scope began */
    uint64_t listed[SIM_PARTS];    /* the oldest list that the informer may have; 0: none */
    unsigned n_sources[SIM_PARTS]; /* how often it has begun to look at this part */
    unsigned n_watches;            /* that the server has agreed to */
    bool has_heard;                /* of the server: a watch was agreed to, or a list is complete */
    bool has_agreed;               /* to one, at any time */
    bool keeps_missing;  /* a list had objects that could not be taken, and nothing was deleted */
    int64_t watch_ended; /* when the last one has */
    int64_t deadline;    /* of the wait for an object */
    int64_t sync_deadline;
    unsigned n_working;  /* workers of the work queue */
    int64_t idle_since;  /* since when one of them has been idle */
    bool has_reconciled; /* the reconciler has begun */
    bool is_over;        /* the end was recorded */
    unsigned key;        /* that the end is being compared for */
};

/* Records of changes that the server has not lost. */
static size_t change_log[SIM_RECORDS];

__attribute__((format(printf, 3, 4))) static void breaks(struct checker *c, const char *guarantee,
                                                         const char *format, ...)
{
    sim_verdict *verdict = c->verdict;
    va_list args;

    if (verdict->is_bad)
        return;
    verdict->is_bad = true;
    verdict->at = c->at;
    verdict->key = c->at < c->history->n ? c->history->at[c->at].key : c->key;
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

/* --- the server --- */

static void note_change(struct checker *c, const sim_record *r)
{
    c->truth[r->key] = r->what == SIM_WROTE ? r->version : 0;
    if (r->what == SIM_DELETED)
        c->deleted[r->key] = r->version;
}

static void note_restored(struct checker *c, const sim_record *r)
{
    c->is_restored = true;
    memset(c->truth, 0, sizeof(c->truth));
    memset(c->deleted, 0, sizeof(c->deleted));
    while (c->n_log > 0 && c->history->at[change_log[c->n_log - 1]].version > r->version)
        c->n_log--;
    for (size_t i = 0; i < c->n_log; i++)
        note_change(c, &c->history->at[change_log[i]]);
}

/* --- the process --- */

/* It begins again, with nothing but its snapshot. */
static void note_death(struct checker *c, const sim_record *r)
{
    memset(c->handlers, 0, sizeof(c->handlers));
    memset(c->read, 0, sizeof(c->read));
    memset(c->work, 0, sizeof(c->work));
    c->view_items = 0;
    c->n_scopes = 0;
    memset(c->listed, 0, sizeof(c->listed));
    memset(c->n_sources, 0, sizeof(c->n_sources));
    c->n_watches = 0;
    c->watch_ended = r->now;
    c->has_agreed = false;
    c->has_heard = false;
    c->n_working = 0;
    c->has_reconciled = false;
}

/* --- scopes --- */

/* The part of the scope that has the objects of a namespace; SIM_PARTS: none. */
static unsigned part_of(const struct checker *c, unsigned namespace_)
{
    unsigned colors = sim_scope_colors(c->scope) << 2;

    if (sim_scope_namespaces(c->scope) == 0)
        return sim_part(colors);
    return sim_scope_namespaces(c->scope) >> namespace_ & 1 ? sim_part(colors | 1U << namespace_)
                                                            : SIM_PARTS;
}

/*
 * Whether an object may have been outside of the scope that was set, or of that which the informer looked at, at any
 * time since it had this version.
 */
static bool may_have_left(const struct checker *c, unsigned key, uint64_t version)
{
    unsigned seen[SIM_COLORS] = {0}; /* versions by color */
    unsigned scope = 0;
    unsigned asked = 0;
    bool has_begun = false;

    for (size_t i = 0; i < c->at; i++) {
        const sim_record *r = &c->history->at[i];
        bool is_state = r->what == SIM_WROTE && r->key == key && r->version >= version;

        if (r->what == SIM_SCOPE)
            scope = r->flags;
        if (r->what == SIM_SOURCE && (r->handler / 8 == 0 || r->handler / 8 == 1U + key % 2))
            asked = r->handler % 8U << 2;
        has_begun |= is_state;
        if (is_state)
            seen[r->version % SIM_COLORS] = 1;
        for (unsigned color = 0; has_begun && color < SIM_COLORS; color++) {
            if (seen[color] && !(sim_scope_has(scope, key, SIM_COLORS + color) &&
                                 sim_scope_has(asked, key, SIM_COLORS + color)))
                return true;
        }
    }
    return false;
}

/* What the store must have of a state of the server. */
static uint64_t scoped(const struct checker *c, unsigned key, uint64_t version)
{
    return sim_scope_has(c->scope, key, version) ? version : 0;
}

static void note_source(struct checker *c, const sim_record *r)
{
    /* At first it may go on from a snapshot. */
    if (c->n_sources[r->handler]++ > 0)
        c->listed[r->handler] = 0;
}

/* --- handlers --- */

static void check_call(struct checker *c, const sim_record *r)
{
    struct handler *h = &c->handlers[r->handler];
    uint64_t *has = &h->has[r->key];

    if (h->is_gone)
        breaks(c, "Nothing-after-removal", "handler %u was called after its removal had returned",
               r->handler);
    if (h->in_call)
        breaks(c, "Ordered", "handler %u was called while it ran", r->handler);
    h->in_call = true;
    if (!has_existed(c, r->key, r->version))
        breaks(c, "Ordered", "handler %u: object %u never had version %llu", r->handler, r->key,
               (unsigned long long)r->version);
    if (r->version < h->newest[r->key] && !c->is_restored)
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
    /*
     * A change to another version and back to the one before it is merged into one event. Without versions a list may
     * report an object again that has not changed.
     */
    if (r->what == SIM_UPDATE && ((r->flags & SIM_SYNC) != 0) != (r->version == *has) &&
        !c->is_restored && !(c->config->unversioned && r->version == *has))
        breaks(c, "Unique",
               "handler %u: an update of object %u from version %llu to %llu is %sa resync",
               r->handler, r->key, (unsigned long long)*has, (unsigned long long)r->version,
               r->flags & SIM_SYNC ? "" : "not ");
    if (r->what == SIM_DELETE && c->deleted[r->key] <= *has && !c->is_restored &&
        !may_have_left(c, r->key, *has))
        breaks(c, "Ordered", "handler %u: object %u is deleted, and the server has not deleted it",
               r->handler, r->key);
    *has = r->what == SIM_DELETE ? 0 : r->version;
}

/* --- the first list --- */

/* The version of an object at a version of the server; 0: it is not there. */
static uint64_t state_at(const struct checker *c, unsigned key, uint64_t version)
{
    uint64_t state = 0;

    for (size_t i = 0; i < c->n_log; i++) {
        const sim_record *r = &c->history->at[change_log[i]];

        if (r->key == key && r->version <= version)
            state = r->what == SIM_WROTE ? r->version : 0;
    }
    return state;
}

/* Whether the first list had the object, and it was not deleted and has not left the scope since. */
static bool is_in_first_list(const struct checker *c, unsigned key)
{
    unsigned part = part_of(c, key % 2);
    uint64_t listed = part < SIM_PARTS ? c->listed[part] : 0;

    if (listed == 0 || c->is_restored || c->config->rejects ||
        scoped(c, key, state_at(c, key, listed)) == 0)
        return false;
    for (size_t i = 0; i < c->n_log; i++) {
        const sim_record *r = &c->history->at[change_log[i]];

        if (r->key == key && r->version > listed &&
            (r->what == SIM_DELETED || scoped(c, key, r->version) == 0))
            return false;
    }
    return true;
}

static bool has_lists(const struct checker *c)
{
    for (unsigned namespace_ = 0; namespace_ < 2; namespace_++) {
        unsigned part = part_of(c, namespace_);

        if (part < SIM_PARTS && c->listed[part] == 0)
            return false;
    }
    return true;
}

static void check_synced(struct checker *c, const sim_record *r)
{
    if (r->now > c->sync_deadline)
        breaks(c, "Live", "a wait until it is synced lasted longer than its timeout");
    /* Handlers are synced once, with the lists of one of the scopes. */
    if (r->flags == 0 || (r->handler != SIM_NONE && c->n_scopes > 1))
        return;
    if (!has_lists(c) || !c->has_heard)
        breaks(c, r->handler == SIM_NONE ? "Truthful" : "Initial-complete",
               "it is synced before a list was complete, or a watch from a snapshot was agreed to");
    for (unsigned key = 0; key < SIM_KEYS && r->handler != SIM_NONE; key++) {
        const struct handler *h = &c->handlers[r->handler];

        if (h->has_joined && h->newest[key] == 0 && is_in_first_list(c, key))
            breaks(c, "Initial-complete",
                   "handler %u is synced, and has not received object %u of the first list",
                   r->handler, key);
    }
}

static void check_sync_has(struct checker *c, const sim_record *r)
{
    if (r->version == 0 && is_in_first_list(c, r->key))
        breaks(c, "Truthful", "the informer is synced, and the store lacks object %u", r->key);
}

/* After an event was left out, a snapshot may lack it, also one that was saved before a list brought it. */
static void note_loaded(struct checker *c, const sim_record *r)
{
    for (unsigned namespace_ = 0; namespace_ < 2; namespace_++) {
        unsigned part = part_of(c, namespace_);

        if (part < SIM_PARTS)
            c->listed[part] = c->was_lied_to ? 1 : r->version;
    }
}

static void note_list(struct checker *c, const sim_record *r)
{
    c->has_heard = true;
    uint64_t *listed = &c->listed[r->handler];

    if (*listed == 0 || r->version < *listed)
        *listed = r->version;
}

/* --- the status --- */

static void check_status(struct checker *c, const sim_record *r)
{
    /* Before that it is unknown whether a source of the program's own reports its agreement. */
    if (r->flags && (c->has_agreed || c->config->scopes) && c->n_watches == 0 &&
        r->now - c->watch_ended > GRACE)
        breaks(c, "Honest",
               "the state is watching, and the server has agreed to no watch for %lld ms",
               (long long)(r->now - c->watch_ended) / 1000000);
}

/* --- views --- */

static void check_view_item(struct checker *c, const sim_record *r)
{
    if (c->view_items < SIM_KEYS) {
        c->view[r->key] = r->version;
        if (r->version != 0 && r->version < c->read[r->key] && !c->is_restored)
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

/* --- waits --- */

/* Whether a handler has received the object in this version or a later one, some time ago. */
static bool was_stored_before(const struct checker *c, const sim_record *r)
{
    for (size_t i = 0; i < c->at; i++) {
        const sim_record *call = &c->history->at[i];

        if ((call->what == SIM_ADD || call->what == SIM_UPDATE) && call->key == r->key &&
            call->version >= r->version)
            return call->now < r->now - GRACE;
    }
    return false;
}

/* Whether the object had another version that is not older. The library remembers it if it was deleted in that. */
static bool has_reached(const struct checker *c, unsigned key, uint64_t version)
{
    unsigned n = 0;

    for (size_t i = 0; i < c->at; i++) {
        const sim_record *r = &c->history->at[i];

        n += (r->what == SIM_WROTE || r->what == SIM_DELETED) && r->key == key &&
             r->version >= version;
    }
    return n > 1;
}

/* After a success the store has the object in that version or a later one, or it was deleted since. */
static void check_wait(struct checker *c, const sim_record *r)
{
    if (r->now > c->deadline)
        breaks(c, "Live", "a wait for object %u lasted longer than its timeout", r->key);
    /* During a change of the scope it lasts until the change is made, which slow index functions delay. */
    if (!c->is_restored && c->scoped_at < r->now - 600 * SECOND && was_stored_before(c, r))
        breaks(c, "Live", "a wait for object %u in version %llu ended long after the store had it",
               r->key, (unsigned long long)r->version);
    /* Without anything that it could have come with. */
    if (r->flags == 3 && r->old < r->version && !c->config->rejects && c->n_scopes < 2 &&
        !has_reached(c, r->key, r->version))
        breaks(
            c, "Truthful",
            "a wait for object %u in version %llu succeeded before anything has come, and the store has %llu",
            r->key, (unsigned long long)r->version, (unsigned long long)r->old);
    /* A version that the transformer rejects counts as seen. */
    if ((r->flags & 1) == 0 || c->config->rejects || c->is_restored || c->was_lied_to)
        return;
    if (r->old == 0 ? c->deleted[r->key] < r->version && !may_have_left(c, r->key, r->version)
                    : r->old < r->version)
        breaks(c, "Truthful",
               "a wait for object %u in version %llu succeeded, and the store has %llu", r->key,
               (unsigned long long)r->version, (unsigned long long)r->old);
}

/* --- queues --- */

static void note_put(struct work *w, const sim_record *r)
{
    bool is_deletion = r->flags != 0;

    if (w->is_disturbed)
        return; /* before or after the put: unknown */
    w->due = r->version;
    w->due_deletes = is_deletion;
    if (is_deletion && w->is_working && w->is_deleting && !w->is_due) {
        w->deletes_again = true;
        return;
    }
    /* A DeltaFIFO drops the deletion of an object that it does not know. */
    if (is_deletion && !w->is_known && !w->is_due && !w->is_working)
        return;
    if (!w->is_due)
        w->due_at = INT64_MAX;
    if (r->old < (uint64_t)(INT64_MAX - r->now) && r->now + (int64_t)r->old < w->due_at)
        w->due_at = r->now + (int64_t)r->old;
    w->was_working = w->is_working;
    w->is_due = true;
}

/* A key that is due, while a worker waits, is not left waiting. */
static void check_in_time(struct checker *c, const sim_record *r)
{
    const struct work *w = &c->work[r->handler][r->key];

    if (w->is_due && !w->was_working && c->n_working < SIM_WORKERS && w->due_at < r->now - GRACE &&
        c->idle_since < r->now - GRACE)
        breaks(c, "Live", "key %u was due for %lld ms, and a worker waited", r->key,
               (long long)(r->now - w->due_at) / 1000000);
}

static void note_done(struct work *w, bool is_well)
{
    if (is_well) {
        w->is_known = !w->is_deleting;
        w->saw = w->reads;
    } else if (w->deletes_again) {
        w->is_due = true;
        w->was_working = true;
    }
    w->deletes_again = false;
    w->is_working = false;
}

static void check_work(struct checker *c, const sim_record *r)
{
    struct work *w = &c->work[r->handler][r->key];

    switch (r->what) {
    case SIM_PUT:
        if (w->n_putting++ == 0)
            w->is_disturbed = false;
        return;
    case SIM_PUT_FAILS:
        w->n_putting--;
        return;
    case SIM_PUT_ENDS:
        w->n_putting--;
        note_put(w, r);
        return;
    case SIM_TAKEN:
        if (w->is_working)
            breaks(c, "No-concurrent-key", "key %u is handed out twice", r->key);
        if (r->handler == SIM_WORK_QUEUE) {
            check_in_time(c, r);
            c->n_working++;
        }
        if (r->handler == SIM_DELTA_FIFO && (r->version < r->old || r->version < w->saw))
            breaks(c, "Ordered", "DeltaFIFO: object %u comes in version %llu after version %llu",
                   r->key, (unsigned long long)r->version,
                   (unsigned long long)(r->version < r->old ? r->old : w->saw));
        w->is_working = true;
        /* What was put in before this record, and after it was handed out, is still due. */
        w->is_due = w->is_due && r->handler == SIM_DELTA_FIFO &&
                    (w->due_deletes ? !(r->flags & SIM_SOME_DELETE) : r->old < w->due);
        w->is_deleting = r->flags & SIM_LAST_DELETES;
        w->reads = r->version;
        c->has_reconciled |= r->handler == SIM_RECONCILER;
        break;
    default:
        if (r->handler == SIM_WORK_QUEUE && c->n_working-- == SIM_WORKERS)
            c->idle_since = r->now;
        note_done(w, r->flags != 0);
    }
    w->is_disturbed = true;
}

static void check_queues(struct checker *c)
{
    for (unsigned queue = 0; queue < SIM_QUEUES; queue++) {
        for (unsigned key = 0; key < SIM_KEYS; key++) {
            const struct work *w = &c->work[queue][key];

            c->key = key;
            if (w->is_due)
                breaks(c, w->was_working ? "No-lost-key" : "At-least-once",
                       "%s: key %u was put in, and not handed out after that",
                       queue == SIM_DELTA_FIFO ? "DeltaFIFO" : "work queue", key);
        }
    }
    for (unsigned key = 0; key < SIM_KEYS && c->has_reconciled; key++) {
        c->key = key;
        if (c->work[SIM_RECONCILER][key].saw != c->store[key])
            breaks(c, "No-lost-key",
                   "reconciler: the last call for key %u has read version %llu, the store has %llu",
                   key, (unsigned long long)c->work[SIM_RECONCILER][key].saw,
                   (unsigned long long)c->store[key]);
    }
}

/* --- the end --- */

static void check_end(struct checker *c)
{
    for (unsigned key = 0; key < SIM_KEYS; key++) {
        c->key = key;
        if (c->indexed[key] != (c->store[key] != 0))
            breaks(c, "Indexed", "object %u is %u times in the index under its value", key,
                   c->indexed[key]);
        uint64_t truth = scoped(c, key, c->truth[key]);
        if (sim_is_rejected(c->config, truth) || (truth == 0 && c->keeps_missing))
            continue;
        if (c->store[key] != truth)
            breaks(c, "Converges", "the store has object %u in version %llu, the server in %llu",
                   key, (unsigned long long)c->store[key], (unsigned long long)truth);
    }
    for (unsigned i = 0; i < SIM_NONE; i++) {
        const struct handler *h = &c->handlers[i];

        for (unsigned key = 0; key < SIM_KEYS && h->has_joined; key++) {
            c->key = key;
            if (h->has[key] != c->store[key])
                breaks(c, "Reliable",
                       "handler %u received object %u in version %llu, the store has %llu", i, key,
                       (unsigned long long)h->has[key], (unsigned long long)c->store[key]);
        }
    }
    check_queues(c);
}

static void check_record(struct checker *c, const sim_record *r)
{
    switch (r->what) {
    case SIM_WROTE:
    case SIM_DELETED:
        change_log[c->n_log++] = c->at;
        note_change(c, r);
        break;
    case SIM_RESTORED:
        note_restored(c, r);
        break;
    case SIM_LIED:
        c->was_lied_to = true;
        break;
    case SIM_DIED:
        note_death(c, r);
        break;
    case SIM_SCOPE:
        c->scope = r->flags;
        if (c->n_scopes++ > 0)
            c->scoped_at = r->now;
        break;
    case SIM_SOURCE:
        note_source(c, r);
        break;
    case SIM_JOINED:
        c->handlers[r->handler].has_joined = true;
        break;
    case SIM_LEAVES:
        c->handlers[r->handler].has_joined = false;
        break;
    case SIM_GONE:
        c->handlers[r->handler].is_gone = true;
        break;
    case SIM_LEFT:
        c->handlers[r->handler].is_gone = true;
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
        c->view_items = 0;
        break;
    case SIM_VIEW_ITEM:
        check_view_item(c, r);
        break;
    case SIM_INDEX_READ:
        if (r->version % SIM_COLORS != r->flags || !has_existed(c, r->key, r->version))
            breaks(c, "Indexed", "object %u in version %llu is in the index under value %u", r->key,
                   (unsigned long long)r->version, r->flags);
        break;
    case SIM_WAIT_BEGINS:
        c->deadline = r->now + (int64_t)r->old * 1000000 + GRACE;
        break;
    case SIM_WAIT_ENDS:
        check_wait(c, r);
        break;
    case SIM_SYNC_BEGINS:
        c->sync_deadline = r->now + (int64_t)r->old * 1000000 + GRACE;
        break;
    case SIM_SYNCED:
        check_synced(c, r);
        break;
    case SIM_SYNC_HAS:
        check_sync_has(c, r);
        break;
    case SIM_STATUS:
        check_status(c, r);
        break;
    case SIM_LOADED:
        note_loaded(c, r);
        break;
    case SIM_LISTED:
        note_list(c, r);
        break;
    case SIM_AGREED:
        c->n_watches++;
        c->has_heard = true;
        c->has_agreed |= r->flags != 0;
        break;
    case SIM_ENDED:
        c->n_watches--;
        c->watch_ended = r->now;
        break;
    case SIM_PUT:
    case SIM_PUT_ENDS:
    case SIM_PUT_FAILS:
    case SIM_TAKEN:
    case SIM_DONE:
        check_work(c, r);
        break;
    case SIM_STORE_HAS:
        c->store[r->key] = r->version;
        break;
    case SIM_INDEX_HAS:
        if (r->version != c->store[r->key])
            breaks(c, "Indexed", "the index has object %u in version %llu, the store in %llu",
                   r->key, (unsigned long long)r->version, (unsigned long long)c->store[r->key]);
        c->indexed[r->key] += r->version % SIM_COLORS == r->flags;
        break;
    case SIM_CALM:
        c->is_over = true;
        c->keeps_missing = r->flags != 0;
        break;
    default:
        break;
    }
}

void sim_check(const sim_history *history, const sim_config *config, sim_verdict *ret)
{
    static struct checker checker;
    struct checker *c = &checker;

    memset(c, 0, sizeof(*c));
    c->history = history;
    c->config = config;
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
    static const char *const queues[SIM_QUEUES] = {"DeltaFIFO", "work queue", "reconciler"};

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
    case SIM_RESTORED:
        snprintf(text, sizeof(text), "    the server has the state of version %llu again", version);
        break;
    case SIM_LIED:
        snprintf(text, sizeof(text), "    a watch leaves out an event");
        break;
    case SIM_DIED:
        snprintf(text, sizeof(text), "the process dies, and begins again");
        break;
    case SIM_LOADED:
        snprintf(text, sizeof(text), "    begins with a snapshot of version %llu", version);
        break;
    case SIM_SCOPE:
        snprintf(text, sizeof(text), "    the informer is to look at ");
        sim_scope_text(r->flags, text + strlen(text), sizeof(text) - strlen(text));
        break;
    case SIM_SOURCE:
        snprintf(text, sizeof(text), "    the informer begins to look at ");
        sim_scope_text(r->handler / 8 | r->handler % 8U << 2, text + strlen(text),
                       sizeof(text) - strlen(text));
        break;
    case SIM_JOINED:
        snprintf(text, sizeof(text), "    handler %u joins", r->handler);
        break;
    case SIM_LEAVES:
        snprintf(text, sizeof(text), "    handler %u is being removed", r->handler);
        break;
    case SIM_GONE:
        snprintf(text, sizeof(text), "    handler %u was removed", r->handler);
        break;
    case SIM_LEFT:
        snprintf(text, sizeof(text), "    handler %u was removed, and has ended", r->handler);
        break;
    case SIM_SYNC_BEGINS:
    case SIM_SYNCED:
        if (r->handler == SIM_NONE)
            snprintf(text, sizeof(text), "    the informer");
        else
            snprintf(text, sizeof(text), "    handler %u", r->handler);
        strncat(text,
                r->what == SIM_SYNC_BEGINS ? " is waited for"
                : r->flags                 ? " is synced"
                                           : " is not synced",
                sizeof(text) - strlen(text) - 1);
        break;
    case SIM_SYNC_HAS:
        snprintf(text, sizeof(text), "    the store has object %u in version %llu", r->key,
                 version);
        break;
    case SIM_STATUS:
        snprintf(text, sizeof(text), "    the state is %s", r->flags ? "watching" : "not watching");
        break;
    case SIM_LISTED:
        snprintf(text, sizeof(text), "    a list of version %llu is complete", version);
        break;
    case SIM_AGREED:
        snprintf(text, sizeof(text), "    the server agrees to a watch");
        break;
    case SIM_ENDED:
        snprintf(text, sizeof(text), "    the watch has ended");
        break;
    case SIM_PUT:
        snprintf(text, sizeof(text), "    %s key %u of the %s", r->flags ? "deletes" : "puts in",
                 r->key, queues[r->handler]);
        break;
    case SIM_TAKEN:
        snprintf(text, sizeof(text), "    key %u of the %s is worked on", r->key,
                 queues[r->handler]);
        break;
    case SIM_DONE:
        snprintf(text, sizeof(text), "    the work for key %u of the %s %s", r->key,
                 queues[r->handler], r->flags ? "is done" : "has failed");
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
    case SIM_INDEX_READ:
        snprintf(text, sizeof(text), "    value %u of the index has object %u in version %llu",
                 r->flags, r->key, version);
        break;
    case SIM_WAIT_BEGINS:
        snprintf(text, sizeof(text), "    waits for object %u in version %llu", r->key, version);
        break;
    case SIM_WAIT_ENDS:
        snprintf(text, sizeof(text),
                 "    the wait for object %u in version %llu %s; the store has %llu", r->key,
                 version, r->flags & 1 ? "succeeded" : "ended in vain", old);
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
