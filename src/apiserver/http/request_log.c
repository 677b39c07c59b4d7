/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ring of records; the one with id N is in place N % capacity, so that a request finds its own in
 * one step, or finds that it was overwritten.
 *
 * A visit copies one record at a time under the lock and shows it without: the reader may do
 * anything, and requests go on meanwhile.
 */
#include "apiserver/http/request_log.h"

#include <string.h>

#include "apiserver/protocol/target.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutex.h"
#include "base/options.h"
#include "base/process.h"
#include "object/json.h"

#define TEXT_MAX 2048u
#define CAPACITY_MAX (1u << 20)

struct entry {
    uint64_t id; /* 0: empty */
    int64_t unix_ns;
    int64_t began;
    int64_t ended; /* 0: it goes on */
    kin_request_phase phase;
    int status;
    uint64_t body_bytes;
    uint64_t fault;
    const char *verb;
    char *text; /* method, path, query and caller, each terminated */
    size_t text_len;
};

struct kin__request_log {
    kin_clock *clock;
    size_t capacity;
    kin__fork_guard guard;
    kin__mutex lock;
    kin__cond changed;     /* (lock) something was added, or has come further */
    unsigned waiters;      /* (lock) */
    uint64_t last_id;      /* (lock) */
    struct entry *entries; /* (lock) */
};

int kin__request_log_new(kin__request_log **ret, size_t capacity, kin_clock *clock, kin_error *err)
{
    if (capacity > CAPACITY_MAX)
        return kin_error_set(err, KIN_EINVAL, "a log of %zu requests is too long", capacity);
    kin__request_log *log = kin__calloc(1, sizeof(*log));
    if (!log)
        return kin__error_no_memory(err);
    log->capacity = capacity ? capacity : 1024;
    log->clock = clock;
    log->entries = kin__calloc(log->capacity, sizeof(*log->entries));
    int code = log->entries ? kin__fork_guard_init(&log->guard, err) : kin__error_no_memory(err);
    if (code < 0) {
        kin__free(log->entries);
        kin__free(log);
        return code;
    }
    kin__mutex_init(&log->lock, KIN__RANK_API_LOG);
    kin__cond_init(&log->changed);
    *ret = log;
    return 0;
}

void kin__request_log_free(kin__request_log *log)
{
    if (!log)
        return;
    for (size_t i = 0; i < log->capacity; i++)
        kin__free(log->entries[i].text);
    kin__free(log->entries);
    if (kin__fork_guard_check(&log->guard, NULL) == 0) {
        kin__cond_done(&log->changed);
        kin__mutex_done(&log->lock);
    }
    kin__free(log);
}

static kin_str cut(kin_str s)
{
    return s.len > TEXT_MAX ? kin_str_make(s.data, TEXT_MAX) : s;
}

/* The texts behind each other; NULL: no memory. */
static char *join_texts(const kin_str *texts, size_t n, size_t *ret_len)
{
    size_t len = 0;

    for (size_t i = 0; i < n; i++)
        len += texts[i].len + 1;
    char *joined = kin__malloc(len);
    if (!joined)
        return NULL;
    *ret_len = len;
    len = 0;
    for (size_t i = 0; i < n; i++) {
        memcpy(joined + len, texts[i].len ? texts[i].data : "", texts[i].len);
        len += texts[i].len;
        joined[len++] = '\0';
    }
    return joined;
}

/* A request may hold bytes that are no text; the log is shown as JSON. */
static void make_plain(char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if ((unsigned char)text[i] > '~' || (text[i] != '\0' && text[i] < ' '))
            text[i] = '?';
    }
}

static void notify_locked(kin__request_log *log) KIN_REQUIRES(log->lock)
{
    if (log->waiters > 0)
        kin__cond_broadcast(&log->changed);
}

uint64_t kin__request_log_add(kin__request_log *log, const kin__logged_request *request)
{
    const kin_str texts[] = {cut(request->method), cut(request->path), cut(request->query),
                             cut(kin_str_of(request->caller))};
    struct entry entry = {.unix_ns = kin_clock_unix_now(log->clock),
                          .began = kin_clock_now(log->clock),
                          .verb = request->verb,
                          .fault = request->fault};
    char *old = NULL;

    entry.text = join_texts(texts, kin__array_len(texts), &entry.text_len);
    if (entry.text)
        make_plain(entry.text, entry.text_len - texts[3].len - 1);
    kin__mutex_lock(&log->lock);
    uint64_t id = ++log->last_id;
    if (entry.text) {
        struct entry *place = &log->entries[id % log->capacity];

        entry.id = id;
        old = place->text;
        *place = entry;
        notify_locked(log);
    }
    kin__mutex_unlock(&log->lock);
    kin__free(old);
    return id;
}

static struct entry *find_locked(kin__request_log *log, uint64_t id) KIN_REQUIRES(log->lock)
{
    struct entry *entry = &log->entries[id % log->capacity];

    return entry->id == id ? entry : NULL;
}

void kin__request_log_met(kin__request_log *log, uint64_t id, uint64_t fault)
{
    kin__mutex_lock(&log->lock);
    struct entry *entry = find_locked(log, id);
    if (entry) {
        entry->fault = fault;
        notify_locked(log);
    }
    kin__mutex_unlock(&log->lock);
}

void kin__request_log_answered(kin__request_log *log, uint64_t id, int status)
{
    kin__mutex_lock(&log->lock);
    struct entry *entry = find_locked(log, id);
    if (entry) {
        entry->status = status;
        entry->phase = KIN_REQUEST_ANSWERED;
        notify_locked(log);
    }
    kin__mutex_unlock(&log->lock);
}

void kin__request_log_ended(kin__request_log *log, uint64_t id, uint64_t body_bytes)
{
    int64_t now = kin_clock_now(log->clock);

    kin__mutex_lock(&log->lock);
    struct entry *entry = find_locked(log, id);
    if (entry) {
        entry->ended = now;
        entry->body_bytes = body_bytes;
        entry->phase = KIN_REQUEST_ENDED;
        notify_locked(log);
    }
    kin__mutex_unlock(&log->lock);
}

/* The record of an entry whose texts are at `text`. */
static void make_record(kin_request_record *ret, const struct entry *entry, const char *text,
                        int64_t now)
{
    const char *path = text + strlen(text) + 1;
    const char *query = path + strlen(path) + 1;

    *ret = (kin_request_record){
        .size = sizeof(*ret),
        .id = entry->id,
        .unix_ns = entry->unix_ns,
        .duration_ns = (entry->phase == KIN_REQUEST_ENDED ? entry->ended : now) - entry->began,
        .phase = entry->phase,
        .status = entry->status,
        .body_bytes = entry->body_bytes,
        .fault = entry->fault,
        .method = text,
        .verb = entry->verb,
        .path = path,
        .query = query,
        .caller = query + strlen(query) + 1,
    };
}

static bool glob_matches(const char *pattern, const char *text)
{
    return !pattern || kin__glob_match(kin_str_of(pattern), kin_str_of(text));
}

static bool matches(const kin_request_filter *filter, const kin_request_record *record)
{
    if (record->id <= filter->after_id || record->phase < filter->phase)
        return false;
    if (filter->status != 0 && filter->status != record->status)
        return false;
    if (filter->verb && strcmp(filter->verb, record->verb) != 0)
        return false;
    return glob_matches(filter->path, record->path) && glob_matches(filter->query, record->query);
}

static int take_filter(kin_request_filter *ret, const kin_request_filter *given, kin_error *err)
{
    *ret = (kin_request_filter)KIN_REQUEST_FILTER_INIT;
    return kin__options_take(ret, sizeof(*ret), given, "KIN_REQUEST_FILTER_INIT", err);
}

static uint64_t oldest_locked(const kin__request_log *log) KIN_REQUIRES(log->lock)
{
    return log->last_id > log->capacity ? log->last_id - log->capacity + 1 : 1;
}

struct copy {
    struct entry entry;
    char text[4 * (TEXT_MAX + 1)];
};

/* The first entry with this id or a later one. False: there is none. */
static bool copy_next(kin__request_log *log, uint64_t *id, struct copy *ret)
{
    bool found = false;

    kin__mutex_lock(&log->lock);
    if (*id < oldest_locked(log))
        *id = oldest_locked(log);
    for (; !found && *id <= log->last_id; (*id)++) {
        const struct entry *entry = find_locked(log, *id);

        if (entry) {
            ret->entry = *entry;
            memcpy(ret->text, entry->text, entry->text_len);
            found = true;
        }
    }
    kin__mutex_unlock(&log->lock);
    return found;
}

int kin__request_log_visit(kin__request_log *log, const kin_request_filter *filter,
                           kin_request_fn *fn, void *arg, kin_error *err)
{
    kin_request_filter all;
    kin_request_record record;
    uint64_t id = 0;
    int code = take_filter(&all, filter, err);

    if (code < 0)
        return code;
    struct copy *copy = kin__malloc(sizeof(*copy));
    if (!copy)
        return kin__error_no_memory(err);
    kin__assert_no_locks();
    while (copy_next(log, &id, copy)) {
        make_record(&record, &copy->entry, copy->text, kin_clock_now(log->clock));
        if (matches(&all, &record) && !fn(&record, arg))
            break;
    }
    kin__free(copy);
    return 0;
}

static size_t count_locked(kin__request_log *log, const kin_request_filter *filter)
    KIN_REQUIRES(log->lock)
{
    kin_request_record record;
    size_t count = 0;

    for (uint64_t id = oldest_locked(log); id <= log->last_id; id++) {
        const struct entry *entry = find_locked(log, id);

        if (!entry)
            continue;
        make_record(&record, entry, entry->text, 0);
        count += matches(filter, &record);
    }
    return count;
}

int kin__request_log_wait(kin__request_log *log, const kin_request_filter *filter, size_t n,
                          int64_t timeout_ms, kin_error *err)
{
    kin_request_filter all;
    bool in_time = true;
    int code = take_filter(&all, filter, err);

    if (code < 0)
        return code;
    if (n > log->capacity)
        return kin_error_set(err, KIN_EINVAL, "%zu requests, and the log has room for %zu", n,
                             log->capacity);
    /* Real time: whoever waits has stopped a fake clock, maybe. */
    int64_t deadline = kin__clock_deadline_ms(kin_clock_system(), timeout_ms);
    kin__mutex_lock(&log->lock);
    log->waiters++;
    size_t count = count_locked(log, &all);
    while (count < n && in_time) {
        in_time = kin__cond_wait_until(&log->changed, &log->lock, kin_clock_system(), deadline);
        count = count_locked(log, &all);
    }
    log->waiters--;
    kin__mutex_unlock(&log->lock);
    if (count < n)
        return kin_error_set(err, KIN_ETIMEOUT, "%zu of %zu requests have come", count, n);
    return 0;
}

static void write_member(kin__buf *out, const char *name, const char *value)
{
    kin__buf_appendf(out, ",\"%s\":", name);
    kin__json_write_string(out, kin_str_of(value));
}

static bool write_record(const kin_request_record *record, void *arg)
{
    static const char *const phases[] = {"Received", "Answered", "Ended"};
    kin__buf *out = arg;

    kin__buf_appendf(out, "%s{\"id\":%llu", out->data[out->len - 1] == '[' ? "" : ",",
                     (unsigned long long)record->id);
    kin__buf_appendf(out, ",\"unixNanoseconds\":%lld,\"durationNanoseconds\":%lld",
                     (long long)record->unix_ns, (long long)record->duration_ns);
    kin__buf_appendf(out, ",\"status\":%d,\"bodyBytes\":%llu,\"fault\":%llu", record->status,
                     (unsigned long long)record->body_bytes, (unsigned long long)record->fault);
    write_member(out, "phase", phases[record->phase]);
    write_member(out, "method", record->method);
    write_member(out, "verb", record->verb);
    write_member(out, "path", record->path);
    write_member(out, "query", record->query);
    write_member(out, "caller", record->caller);
    kin__buf_append_char(out, '}');
    return out->failed == 0;
}

void kin__request_log_write(kin__request_log *log, kin__buf *out)
{
    kin__buf_append(out, kin_str_of("{\"requests\":["));
    if (out->failed == 0 && kin__request_log_visit(log, NULL, write_record, out, NULL) < 0)
        out->failed = KIN_ENOMEM;
    kin__buf_append(out, kin_str_of("]}\n"));
}
