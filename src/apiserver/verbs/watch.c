/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watches: a source over a watcher. First, if asked for, the present state as ADDED events and a
 * bookmark behind them; then changes as they come.
 *
 * The reader's thread does it all, in read(). Others only set a flag and wake the reader: the state
 * when there is something new, and the schedule when a bookmark or the end is due. A watch with a
 * selector tells what happens in its eyes: what leaves the selection is DELETED, as it was before,
 * and what enters it is ADDED.
 *
 * An event whose object protobuf cannot hold ends a watch in protobuf before it, and the collection keeps its
 * version. The watch that resumes there is in JSON, or 406, since it begins before that version; one that begins with
 * the present state is so if that has such an object.
 */
#include <stdio.h>
#include <string.h>

#include "apiserver/faults/faults.h"
#include "apiserver/protocol/encode_protobuf.h"
#include "apiserver/protocol/selector.h"
#include "apiserver/verbs/api_inside.h"
#include "apiserver/verbs/watch_text.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/str.h"
#include "object/object.h"

enum { BATCH = 16, PARTS = 5 };

enum phase { INITIAL, INITIAL_END, LIVE, OVER };

/* What is still to be sent of an event. */
enum part {
    HEAD,           /* up to the object */
    PADDING_BEGIN,  /* as a fault has it: a member in front of the others */
    PADDING_BEHIND, /* and its end; its value goes between these two */
    OBJECT,
    TAIL
};

enum event_type { ADDED, MODIFIED, DELETED, BOOKMARK, ERROR };

struct event {
    enum event_type type;
    kin_str parts[PARTS]; /* the first ones may be empty */
    uint64_t padding;     /* bytes of the value of the member */
    kin__change *change;  /* a reference, if the text is the change's; else NULL */
};

struct watch {
    kin__source source; /* first */
    kin__watcher watcher;
    kin__api *api;
    const kin__kind *kind; /* a reference */
    kin__encoding encoding;
    kin__selector selector;
    kin__buf prefix;
    kin__buf path;    /* of the request; rules for faults go by it */
    uint64_t from;    /* changes up to this one are not told */
    uint64_t version; /* nothing up to it is missing in what was sent */
    uint64_t told;    /* the version of the last event */
    enum phase phase;
    bool is_open;    /* the watcher is */
    bool has_failed; /* break the connection off */
    bool with_bookmarks;
    bool with_end_bookmark; /* behind the initial events */
    kin__pb_writer writer;  /* of initial events */
    kin_object_list initial;
    size_t next_initial;
    uint64_t initial_version;
    kin__change *changes[BATCH]; /* a reference to each that was not told yet */
    size_t n_changes;
    size_t next_change;
    uint64_t batch_version; /* nothing up to it is missing behind these */

    struct event event;
    char head[KIN__FRAME_HEAD_SIZE]; /* of protobuf: the frame up to the object */
    kin__buf text;                   /* of an event that has none of its own */
    kin__buf held;                   /* an event that was moved after the next one */
    bool is_behind;                  /* the next event is out: now what was held */

    kin__due bookmark;
    kin__due timeout;
    _Atomic bool is_armed; /* there is a reader that can be woken */
    _Atomic bool is_bookmark_due;
    _Atomic bool is_timed_out;
    _Atomic bool is_ended; /* the API stops */
    kin__list link;        /* (api's lock) */
    unsigned n_waking;     /* (api's lock) */
};

/* --- events as text --- */

static const char *const prefixes[] = {
    "{\"type\":\"ADDED\",\"object\":", "{\"type\":\"MODIFIED\",\"object\":",
    "{\"type\":\"DELETED\",\"object\":", "{\"type\":\"BOOKMARK\",\"object\":",
    "{\"type\":\"ERROR\",\"object\":"};

static const char *const type_names[] = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"};

static void event_done(struct event *event)
{
    kin__change_unref(event->change);
    memset(event, 0, sizeof(*event));
}

static void set_event(struct watch *w, enum event_type type, kin_str object, kin__change *change)
{
    w->event.type = type;
    w->event.parts[OBJECT] = object;
    w->event.change = change;
    if (w->encoding.is_protobuf) {
        size_t len = kin__protobuf_frame_head(w->head, type_names[type], object.len);

        w->event.parts[HEAD] = kin_str_make(w->head, len);
    } else {
        w->event.parts[HEAD] = kin_str_of(prefixes[type]);
        w->event.parts[TAIL] = kin_str_of("}\n");
    }
    w->told = w->version;
}

/* One whose object is in w->text. */
static bool set_own_event(struct watch *w, enum event_type type)
{
    if (w->text.failed)
        return false;
    set_event(w, type, kin__buf_str(&w->text), NULL);
    return true;
}

/* The Status of a failure in w->text. */
static void write_failure(struct watch *w, const kin__failure *failure)
{
    kin__buf json;

    kin__buf_reset(&w->text);
    if (!w->encoding.is_protobuf) {
        kin__failure_write(failure, &w->text);
        return;
    }
    kin__buf_init(&json, KIN__TEXT_MAX);
    kin__failure_write(failure, &json);
    int code = json.failed;
    if (code == 0)
        code = kin__encode_protobuf_json(&w->text, kin__buf_str(&json), NULL);
    if (code < 0)
        w->text.failed = code;
    kin__buf_done(&json);
}

static bool set_error(struct watch *w, const kin__failure *failure)
{
    write_failure(w, failure);
    w->phase = OVER;
    kin__buf_reset(&w->held); /* nothing comes behind it */
    return set_own_event(w, ERROR);
}

static bool set_expired(struct watch *w)
{
    kin__failure failure;

    kin__fail_expired(&failure, "too old resource version: %llu (%llu)",
                      (unsigned long long)w->version,
                      (unsigned long long)kin__state_version(w->api->state));
    return set_error(w, &failure);
}

static bool set_bookmark(struct watch *w, bool is_end)
{
    kin__buf_reset(&w->text);
    kin__encode_bookmark(&w->text, &w->encoding, w->version, is_end);
    return set_own_event(w, BOOKMARK);
}

/* --- faults --- */

/* Copy the event, which is about to be sent, behind what is in `to`. */
static void copy_event(const struct event *event, kin__buf *to)
{
    for (size_t i = 0; i < PARTS; i++)
        kin__buf_append(to, event->parts[i]);
}

/* Twice the same: the second one is held, and sent as if it had been put back. */
static void duplicate(struct watch *w)
{
    copy_event(&w->event, &w->held);
    w->is_behind = true;
}

/* The field comes before those of the envelope, which begins with a prefix. */
static void pad_protobuf(struct watch *w, uint64_t bytes)
{
    kin_str *object = &w->event.parts[OBJECT];
    char padding[KIN__PB_HEAD_MAX];
    size_t padding_len = kin__protobuf_padding_head(padding, bytes);
    size_t len = kin__protobuf_frame_head(w->head, type_names[w->event.type],
                                          object->len + padding_len + (size_t)bytes);

    memcpy(w->head + len, object->data, KIN__PROTOBUF_PREFIX_LEN);
    len += KIN__PROTOBUF_PREFIX_LEN;
    memcpy(w->head + len, padding, padding_len);
    w->event.parts[HEAD] = kin_str_make(w->head, len + padding_len);
    w->event.padding = bytes;
    *object = kin_str_make(object->data + KIN__PROTOBUF_PREFIX_LEN,
                           object->len - KIN__PROTOBUF_PREFIX_LEN);
}

/* Every object begins with a brace and has members. */
static void pad(struct watch *w, uint64_t bytes)
{
    kin_str *object = &w->event.parts[OBJECT];

    if (w->encoding.is_protobuf) {
        pad_protobuf(w, bytes);
        return;
    }
    w->event.parts[PADDING_BEGIN] = kin_str_of("{" KIN__PADDING_BEGIN);
    w->event.parts[PADDING_BEHIND] = kin_str_of(KIN__PADDING_END);
    w->event.padding = bytes;
    *object = kin_str_make(object->data + 1, object->len - 1);
}

static bool say_error(struct watch *w, const kin_fault *fault)
{
    kin__failure failure;

    if (fault->status == 410)
        return set_expired(w);
    kin__fault_fail(fault, &failure);
    return set_error(w, &failure);
}

enum step { STEP_EVENT, STEP_AGAIN, STEP_WAIT, STEP_END, STEP_FAIL };

static bool is_unfit(int code)
{
    return code == KIN_ETYPE || code == KIN_EINVAL;
}

/*
 * The object of an event of this version could not be encoded. If protobuf cannot hold it, the watch ends as if its time were
 * over. In JSON that is an Event without the other form: the watch ends with a Status. Other failures break the connection off.
 */
static enum step end_before(struct watch *w, uint64_t version, int code, const kin_error *err)
{
    kin__failure failure;

    if (!is_unfit(code))
        return STEP_FAIL;
    if (!w->encoding.is_protobuf) {
        kin__fail_internal(&failure, err);
        return set_error(w, &failure) ? STEP_EVENT : STEP_FAIL;
    }
    kin__collection_met_unfit(w->watcher.collection, w->encoding.form == KIN__FORM_METADATA,
                              version);
    w->phase = OVER;
    return STEP_AGAIN;
}

/* Ask about the event that was set. */
static enum step offer(struct watch *w, enum kin__watch_event_type type)
{
    enum kin__watch_action action = KIN__WATCH_PASS;
    kin__met_fault met = {.id = 0};

    if (w->api->faults)
        action = kin__faults_on_event(w->api->faults, kin__buf_str(&w->path), type, &met);
    if (action != KIN__WATCH_PASS && w->source.fault == 0)
        w->source.fault = met.id;
    if (w->held.len > 0)
        w->is_behind = action == KIN__WATCH_PASS || action == KIN__WATCH_PAD;
    switch (action) {
    case KIN__WATCH_PASS:
        return STEP_EVENT;
    case KIN__WATCH_PAD:
        pad(w, met.fault.bytes);
        return STEP_EVENT;
    case KIN__WATCH_TWICE:
        duplicate(w);
        return STEP_EVENT;
    case KIN__WATCH_SAY_ERROR:
        event_done(&w->event);
        return say_error(w, &met.fault) ? STEP_EVENT : STEP_FAIL;
    case KIN__WATCH_LATER:
        copy_event(&w->event, &w->held);
        break;
    case KIN__WATCH_END_NOW:
        w->phase = OVER;
        break;
    case KIN__WATCH_LOSE:
        break;
    }
    event_done(&w->event);
    return STEP_AGAIN;
}

/* --- which events there are --- */

static enum step next_initial(struct watch *w)
{
    const kin_object *object;
    enum step step = STEP_FAIL;
    kin_error err = KIN_ERROR_INIT;
    int code = 0;

    if (w->next_initial == w->initial.len) {
        kin_object_list_done(&w->initial);
        kin__pb_writer_done(&w->writer);
        kin__pb_writer_init(&w->writer, KIN__TEXT_MAX);
        w->version = w->initial_version;
        w->phase = INITIAL_END;
        return STEP_AGAIN;
    }
    object = w->initial.items[w->next_initial];
    kin__buf_recycle(&w->text, 65536);
    if (w->encoding.is_protobuf)
        code = kin__encode_protobuf(&w->text, &w->writer, &w->encoding, object, &err);
    else
        kin__encode_object(&w->text, &w->encoding, object, false);
    if (code < 0)
        step = end_before(w, w->initial_version, code, &err);
    else if (set_own_event(w, ADDED))
        step = offer(w, KIN__WATCH_CHANGE);
    kin_object_unref(object);
    w->initial.items[w->next_initial++] = NULL;
    return step;
}

static enum step next_initial_end(struct watch *w)
{
    w->phase = LIVE;
    if (!w->with_end_bookmark)
        return STEP_AGAIN;
    return set_bookmark(w, true) ? offer(w, KIN__WATCH_INITIAL_END) : STEP_FAIL;
}

/* What a change is in the eyes of the watch; false: nothing. */
static bool judge(struct watch *w, const kin__change *change, enum event_type *ret_type)
{
    bool is_in;
    bool was_in;

    if (change->version <= w->from ||
        !kin__str_starts_with(kin__object_key(change->object), kin__buf_str(&w->prefix)))
        return false;
    was_in = change->old && kin__selector_matches(&w->selector, change->old);
    is_in = !change->is_deletion && kin__selector_matches(&w->selector, change->object);
    if (!is_in && !was_in)
        return false;
    *ret_type = !is_in ? DELETED : was_in ? MODIFIED : ADDED;
    return true;
}

/* `change` is this function's. */
static enum step tell(struct watch *w, kin__change *change)
{
    enum event_type type;
    kin_error err = KIN_ERROR_INIT;
    kin_str object;
    bool is_old;
    int code;

    w->version = change->version;
    if (!judge(w, change, &type)) {
        kin__change_unref(change);
        return STEP_AGAIN;
    }
    is_old = type == DELETED && !change->is_deletion;
    code = kin__watch_text(&object, change, &w->encoding, is_old, &w->text, &err);
    if (code < 0) {
        kin__change_unref(change);
        return end_before(w, w->version, code, &err);
    }
    set_event(w, type, object, change);
    return offer(w, KIN__WATCH_CHANGE);
}

static enum step end_or_wait(struct watch *w)
{
    if (atomic_load(&w->is_timed_out)) {
        w->phase = OVER;
        if (!w->with_bookmarks || w->told == w->version)
            return STEP_AGAIN;
        return set_bookmark(w, false) ? offer(w, KIN__WATCH_BOOKMARK) : STEP_FAIL;
    }
    if (!atomic_exchange(&w->is_bookmark_due, false) || w->version > w->batch_version)
        return STEP_WAIT; /* the second: its version is not there yet, and is told to nobody */
    return set_bookmark(w, false) ? offer(w, KIN__WATCH_BOOKMARK) : STEP_FAIL;
}

static enum step next_live(struct watch *w)
{
    int code;

    if (w->next_change < w->n_changes && !atomic_load(&w->is_timed_out)) {
        kin__change *change = w->changes[w->next_change++];

        return tell(w, change);
    }
    if (w->next_change < w->n_changes)
        return end_or_wait(w);
    if (w->n_changes > 0 && w->batch_version > w->version)
        w->version = w->batch_version;
    w->next_change = 0;
    w->n_changes = 0;
    code = kin__watcher_read(&w->watcher, w->changes, BATCH, &w->n_changes, &w->batch_version);
    if (code < 0) {
        w->n_changes = 0;
        return set_expired(w) ? STEP_EVENT : STEP_FAIL;
    }
    if (w->n_changes > 0)
        return STEP_AGAIN;
    if (w->batch_version > w->version)
        w->version = w->batch_version;
    return end_or_wait(w);
}

/* Copied out: what comes next may be held again. */
static enum step next_held(struct watch *w)
{
    kin__buf_reset(&w->text);
    kin__buf_append(&w->text, kin__buf_str(&w->held));
    if (w->text.failed)
        return STEP_FAIL;
    kin__buf_reset(&w->held);
    w->is_behind = false;
    w->event.parts[HEAD] = kin__buf_str(&w->text);
    return STEP_EVENT;
}

static enum step next_step(struct watch *w)
{
    bool is_over = atomic_load(&w->is_ended) || w->phase == OVER;

    if (w->has_failed || w->held.failed)
        return STEP_FAIL;
    if (w->held.len > 0 && (w->is_behind || is_over))
        return next_held(w);
    if (is_over)
        return STEP_END;
    switch (w->phase) {
    case INITIAL:
        if (!atomic_load(&w->is_timed_out))
            return next_initial(w);
        w->phase = OVER;
        return STEP_AGAIN;
    case INITIAL_END:
        return next_initial_end(w);
    default:
        return next_live(w);
    }
}

/* --- the source --- */

static size_t at_most(uint64_t n, size_t max)
{
    return n < max ? (size_t)n : max;
}

/* Send what fits; true if all of the event was sent. */
static bool send_event(struct watch *w, char *buf, size_t size, size_t *len)
{
    for (size_t i = 0; i < PARTS; i++) {
        kin_str *part = &w->event.parts[i];
        size_t n;

        if (i == PADDING_BEHIND && w->event.padding > 0) {
            n = at_most(w->event.padding, size - *len);
            memset(buf + *len, 'x', n);
            *len += n;
            w->event.padding -= n;
        }
        n = at_most(part->len, size - *len);
        if (n > 0)
            memcpy(buf + *len, part->data, n);
        *len += n;
        *part = kin_str_make(part->data ? part->data + n : NULL, part->len - n);
        if (part->len > 0)
            return false;
    }
    event_done(&w->event);
    return true;
}

static bool has_event(const struct watch *w)
{
    size_t left = 0;

    for (size_t i = 0; i < PARTS; i++)
        left += w->event.parts[i].len;
    return left > 0;
}

static enum kin__source_result watch_read(kin__source *source, char *buf, size_t size,
                                          size_t *ret_len)
{
    struct watch *w = (struct watch *)source;
    enum step step = STEP_AGAIN;

    atomic_store(&w->is_armed, true);
    *ret_len = 0;
    while (*ret_len < size && (step == STEP_AGAIN || step == STEP_EVENT)) {
        if (!has_event(w) || send_event(w, buf, size, ret_len))
            step = *ret_len < size ? next_step(w) : STEP_WAIT;
    }
    /* An event that could not be made is missing: nothing may follow what was sent before it. */
    if (step == STEP_FAIL)
        w->has_failed = true;
    if (*ret_len > 0)
        return KIN__SOURCE_DATA;
    if (step == STEP_FAIL)
        return KIN__SOURCE_ABORT;
    if (step == STEP_END) {
        w->phase = OVER;
        return KIN__SOURCE_END;
    }
    return KIN__SOURCE_WAIT;
}

static void watch_free(struct watch *w)
{
    /* Changes first: with the watcher go the texts that nobody has a reference to. */
    for (size_t i = w->next_change; i < w->n_changes; i++)
        kin__change_unref(w->changes[i]);
    event_done(&w->event);
    if (w->is_open)
        kin__watcher_close(&w->watcher);
    kin_object_list_done(&w->initial);
    if (w->selector.labels)
        kin__selector_done(&w->selector);
    kin__buf_done(&w->prefix);
    kin__buf_done(&w->path);
    kin__buf_done(&w->text);
    kin__buf_done(&w->held);
    kin__pb_writer_done(&w->writer);
    kin__kind_unref(w->kind);
    kin__free(w);
}

static void watch_close(kin__source *source)
{
    struct watch *w = (struct watch *)source;
    kin__api *api = w->api;

    kin__schedule_cancel(&api->schedule, &w->bookmark);
    kin__schedule_cancel(&api->schedule, &w->timeout);
    kin__mutex_lock(&api->lock);
    kin__list_remove(&w->link);
    while (w->n_waking > 0)
        kin__cond_wait(&api->idle, &api->lock);
    kin__mutex_unlock(&api->lock);
    watch_free(w);
}

static void wake(struct watch *w)
{
    if (atomic_load(&w->is_armed))
        w->source.wake(w->source.wake_arg);
}

static void notify(kin__watcher *watcher)
{
    wake(kin__container_of(watcher, struct watch, watcher));
}

static void bookmark_due(kin__due *due)
{
    struct watch *w = kin__container_of(due, struct watch, bookmark);

    atomic_store(&w->is_bookmark_due, true);
    /* Moving a timer that was set needs no memory; if it does after all, bookmarks end here. */
    (void)kin__schedule_at(&w->api->schedule, due,
                           kin__clock_deadline(w->api->clock, w->api->bookmark_ns));
    wake(w);
}

static void timed_out(kin__due *due)
{
    struct watch *w = kin__container_of(due, struct watch, timeout);

    atomic_store(&w->is_timed_out, true);
    wake(w);
}

void kin__watches_end(kin__api *api)
{
    kin__list ended;
    kin__list *link;

    kin__list_init(&ended);
    kin__mutex_lock(&api->lock);
    while ((link = kin__list_pop_front(&api->watches))) {
        struct watch *w = kin__list_entry(link, struct watch, link);

        /* One that is closed meanwhile leaves whichever list it is in. */
        kin__list_push_back(&ended, link);
        atomic_store(&w->is_ended, true);
        w->n_waking++;
        kin__mutex_unlock(&api->lock);
        wake(w);
        kin__mutex_lock(&api->lock);
        w->n_waking--;
        kin__cond_broadcast(&api->idle);
    }
    kin__list_splice_back(&api->watches, &ended);
    kin__mutex_unlock(&api->lock);
}

/* --- opening --- */

/* The present state, and the watcher behind it. */
static int open_with_state(struct watch *w, kin_error *err)
{
    kin__state_query query = {.prefix = kin__buf_str(&w->prefix)};
    kin__state_page page;
    int code = KIN_EEXPIRED;

    if (!kin__selector_is_empty(&w->selector)) {
        query.match = kin__selector_match;
        query.match_arg = &w->selector;
    }
    /* Between list and watch the version may be forgotten: then both again. */
    for (unsigned i = 0; code == KIN_EEXPIRED && i < 100; i++) {
        code = kin__state_list(w->api->state, w->watcher.collection, &query, &page, err);
        if (code < 0)
            continue;
        code =
            kin__watcher_open(&w->watcher, w->api->state, w->watcher.collection, page.version, err);
        if (code < 0)
            kin_object_list_done(&page.objects);
    }
    if (code < 0)
        return code;
    w->is_open = true;
    w->initial = page.objects;
    w->initial_version = page.version;
    w->version = page.version;
    return 0;
}

/*
 * From a version on. One that is not there yet is waited for without a word, as the real server
 * does.
 */
static int open_from(struct watch *w, uint64_t version, kin_error *err)
{
    uint64_t current = kin__state_version(w->api->state);
    int code;

    w->phase = LIVE;
    w->version = version;
    w->told = version;
    w->from = version;
    code = kin__watcher_open(&w->watcher, w->api->state, w->watcher.collection,
                             version < current ? version : current, err);
    w->is_open = code == 0;
    if (code == KIN_EEXPIRED && set_expired(w))
        return 0;
    return code;
}

/* Whether an object of the present state cannot be written; *err says why. 0, or what else went wrong. */
static int find_unfit(struct watch *w, bool *ret_is_found, kin_error *err)
{
    size_t len;
    int code = 0;

    for (size_t i = 0; code == 0 && i < w->initial.len; i++)
        code = kin__measure_protobuf_item(&len, &w->writer, &w->encoding, w->initial.items[i], err);
    *ret_is_found = is_unfit(code);
    return *ret_is_found ? 0 : code;
}

/* Leave protobuf if an event that is known to come cannot be written. */
static bool choose_encoding(kin__op *op, struct watch *w, kin__failure *failure)
{
    bool is_metadata = w->encoding.form == KIN__FORM_METADATA;
    uint64_t unfit = kin__collection_unfit(op->collection, is_metadata);
    kin_error err = KIN_ERROR_INIT;
    bool is_found = unfit > w->version;
    int code = 0;

    if (!w->encoding.is_protobuf || unfit == 0 || w->phase == OVER)
        return true;
    if (is_found)
        kin_error_set(&err, KIN_EINVAL,
                      "the watch has an object that cannot be written in protobuf");
    else if (w->phase == INITIAL)
        code = find_unfit(w, &is_found, &err);
    if (code < 0)
        return kin__op_fail_code(failure, code, &err);
    if (is_found && !kin__op_leave_protobuf(op, KIN_EINVAL, &err, failure))
        return false;
    w->encoding = op->encoding;
    return true;
}

static int start_timers(struct watch *w, int64_t timeout_seconds)
{
    kin__api *api = w->api;
    int64_t ns = api->watch_timeout_ns;
    int code = 0;

    if (timeout_seconds != 0)
        ns = timeout_seconds < INT64_MAX / KIN__SECOND ? timeout_seconds * KIN__SECOND : INT64_MAX;
    else
        ns += (int64_t)(kin__random_next(&api->random) % (uint64_t)(ns > 0 ? ns : 1));
    if (ns <= 0)
        atomic_store(&w->is_timed_out, true);
    else
        code = kin__schedule_at(&api->schedule, &w->timeout, kin__clock_deadline(api->clock, ns));
    if (code == 0 && w->with_bookmarks)
        code = kin__schedule_at(&api->schedule, &w->bookmark,
                                kin__clock_deadline(api->clock, api->bookmark_ns));
    return code;
}

static struct watch *watch_new(kin__op *op)
{
    struct watch *w = kin__calloc(1, sizeof(*w));

    if (!w)
        return NULL;
    w->source.read = watch_read;
    w->source.close = watch_close;
    w->watcher.notify = notify;
    w->watcher.collection = op->collection;
    w->api = op->api;
    w->kind = kin__kind_ref(op->kind);
    w->encoding = op->encoding;
    w->with_bookmarks = op->info.options.allow_bookmarks;
    kin__buf_init(&w->prefix, KIN__PATH_MAX + 1);
    kin__buf_init(&w->path, SIZE_MAX - 1);
    kin__buf_init(&w->text, KIN__TEXT_MAX);
    kin__buf_init(&w->held, KIN__TEXT_MAX);
    kin__pb_writer_init(&w->writer, KIN__TEXT_MAX);
    kin__due_init(&w->bookmark, bookmark_due);
    kin__due_init(&w->timeout, timed_out);
    kin__list_init(&w->link);
    return w;
}

static bool open_watch(kin__op *op, struct watch *w, uint64_t version, kin__failure *failure)
{
    const kin__query_options *o = &op->info.options;
    uint64_t current = kin__state_version(op->api->state);
    kin_error err = KIN_ERROR_INIT;
    int code;

    if (!kin__selector_for(&w->selector, op->kind, op->version, o->labels, o->fields, failure) ||
        !kin__op_prefix(op, &w->prefix, failure))
        return false;
    if (op->api->faults)
        kin__buf_append(&w->path, op->call->request->path);
    if (w->path.failed)
        return kin__fail_no_memory(failure);
    w->with_end_bookmark = o->send_initial_events && o->allow_bookmarks;
    if (o->send_initial_events && version > current) {
        kin__fail_too_large_version(failure, version, current);
        code = set_error(w, failure) ? 0 : KIN_ENOMEM;
    } else if (o->send_initial_events) {
        code = open_with_state(w, &err);
    } else {
        code = open_from(w, version, &err);
    }
    if (code == 0 && !choose_encoding(op, w, failure))
        return false;
    if (code == 0)
        code = start_timers(w, o->timeout_seconds);
    return code == 0 || kin__op_fail_code(failure, code, &err);
}

/* Among those that end when the API stops. */
static void enlist(struct watch *w)
{
    kin__api *api = w->api;

    kin__mutex_lock(&api->lock);
    if (api->is_stopped)
        atomic_store(&w->is_ended, true);
    kin__list_push_back(&api->watches, &w->link);
    kin__mutex_unlock(&api->lock);
}

bool kin__serve_watch(kin__op *op, kin__failure *failure)
{
    kin__reply reply;
    struct watch *w;
    uint64_t version;

    if (!kin__resource_version_read(op->info.options.resource_version, op->info.verb, &version,
                                    failure))
        return false;
    if (op->info.options.send_initial_events && version > kin__state_version(op->api->state) &&
        !kin__op_has_waited(op))
        return kin__op_wait(op, version, kin__serve_watch, failure);
    w = watch_new(op);
    if (!w)
        return kin__fail_no_memory(failure);
    enlist(w);
    if (!open_watch(op, w, version, failure)) {
        watch_close(&w->source);
        return false;
    }
    memset(&reply, 0, sizeof(reply));
    reply.status = 200;
    reply.content_type =
        w->encoding.is_protobuf ? KIN__PROTOBUF ";stream=watch" : "application/json";
    kin__buf_init(&reply.body, KIN__TEXT_MAX);
    reply.source = &w->source;
    kin__op_answer(op, &reply);
    return true;
}
