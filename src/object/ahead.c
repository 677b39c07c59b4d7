/* SPDX-License-Identifier: Apache-2.0 */
/*
 * | state     | meaning                                          | next                          |
 * |-----------|--------------------------------------------------|-------------------------------|
 * | idle      | nothing is asked                                 | posted, by begin              |
 * | posted    | no worker has begun                              | reading; withdrawn, by end    |
 * | reading   | a worker reads; end waits                        | done                          |
 * | done      | what was read waits for end                      | idle, by end                  |
 * | withdrawn | a worker that comes by now has nothing to do     | idle                          |
 *
 * A task that is posted keeps the memory: freeing never waits.
 */
#include "object/ahead.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/mutex.h"
#include "base/process.h"
#include "base/ref.h"
#include "object/json.h"

enum state { IDLE, POSTED, READING, DONE, WITHDRAWN };

struct kin__ahead {
    kin__ref ref;
    kin__fork_guard guard;
    kin__strand strand;
    kin__task task;
    const kin_decoder *like;  /* const; BORROWED */
    kin__ahead_next_fn *next; /* const */
    kin_decoder *decoder;     /* the worker's while it reads; OWNED; NULL: not needed yet */

    kin__mutex lock; /* rank AHEAD */
    kin__cond changed;
    enum state state; /* (lock) */

    /* Whose turn it is: the worker's while it reads. */
    kin_str text;
    kin__ahead_read_fn *read; /* NULL: JSON, by `next` */
    const void *read_arg;
    kin__ahead_object *objects;
    size_t cap;
    kin__ahead_result result;
};

/* --- the worker --- */

static bool keep(kin__ahead *ahead, kin__ahead_object object)
{
    kin__ahead_object *objects =
        kin__grow_array(ahead->objects, &ahead->cap, ahead->result.n + 1, sizeof(*objects));

    if (!objects) {
        kin_object_unref(object.object);
        return false;
    }
    ahead->objects = objects;
    ahead->objects[ahead->result.n++] = object;
    return true;
}

/* One object of JSON, and in a watch the bracket that closes its event. */
static bool read_json(kin__ahead *ahead, const char **p, const char *end, bool is_first,
                      kin__ahead_object *ret, size_t *ret_len)
{
    enum kin_watch_type type = (enum kin_watch_type)0;
    const char *text = ahead->next(*p, end, is_first, &type);
    const kin_object *object;
    bool incomplete;

    /* One that is as long as the one before it may be cut off: then it is left out. */
    if (!text || (size_t)(end - text) < ahead->result.last)
        return false;
    if (kin__decoder_decode_prefix(ahead->decoder, &object,
                                   kin_str_make(text, (size_t)(end - text)), 0, ret_len,
                                   &incomplete, NULL) < 0)
        return false;
    *p = text + *ret_len;
    if (type != 0 && (*p == end || *(*p)++ != '}')) {
        kin_object_unref(object);
        return false;
    }
    *ret = (kin__ahead_object){object, type};
    return true;
}

/* Whether there may be more. */
static bool read_object(kin__ahead *ahead, const char **p, const char *end, bool is_first)
{
    kin__ahead_object object;
    size_t len = 0;
    bool found = ahead->read ? ahead->read(ahead->decoder, ahead->read_arg, p, end, &object, &len)
                             : read_json(ahead, p, end, is_first, &object, &len);

    if (!found || !keep(ahead, object))
        return false;
    ahead->result.last = len;
    ahead->result.len = (size_t)(*p - ahead->text.data);
    return true;
}

static void read_objects(kin__ahead *ahead)
{
    const char *end = ahead->text.data + ahead->text.len;
    const char *p = ahead->text.data;
    bool is_first = true;

    if (!ahead->decoder && kin__decoder_like(&ahead->decoder, ahead->like, NULL) < 0)
        return;
    while (read_object(ahead, &p, end, is_first))
        is_first = false;
    ahead->result.objects = ahead->objects;
}

static void ahead_destroy(kin__ahead *ahead)
{
    if (kin__fork_guard_check(&ahead->guard, NULL) == 0) {
        kin__strand_done(&ahead->strand);
        kin__cond_done(&ahead->changed);
        kin__mutex_done(&ahead->lock);
    }
    kin_decoder_free(ahead->decoder);
    kin__free(ahead->objects);
    kin__free(ahead);
}

static void ahead_unref(kin__ahead *ahead)
{
    if (kin__ref_put(&ahead->ref))
        ahead_destroy(ahead);
}

static void set_state(kin__ahead *ahead, enum state state)
{
    kin__mutex_lock(&ahead->lock);
    ahead->state = state;
    kin__cond_broadcast(&ahead->changed);
    kin__mutex_unlock(&ahead->lock);
}

static void ahead_run(kin__task *task, bool dropped)
{
    kin__ahead *ahead = kin__container_of(task, kin__ahead, task);
    bool reads;

    kin__mutex_lock(&ahead->lock);
    reads = ahead->state == POSTED && !dropped;
    ahead->state = reads ? READING : IDLE;
    kin__mutex_unlock(&ahead->lock);
    if (reads) {
        read_objects(ahead);
        set_state(ahead, DONE);
    }
    ahead_unref(ahead);
}

/* --- who asks --- */

int kin__ahead_new(kin__ahead **ret, kin__workers *workers, const kin_decoder *like,
                   kin__ahead_next_fn *next, kin_error *err)
{
    kin__ahead *ahead = kin__calloc(1, sizeof(*ahead));
    int code;

    if (!ahead)
        return kin__error_no_memory(err);
    code = kin__fork_guard_init(&ahead->guard, err);
    if (code < 0) {
        kin__free(ahead);
        return code;
    }
    kin__ref_init(&ahead->ref);
    ahead->like = like;
    ahead->next = next;
    kin__strand_init(&ahead->strand, workers);
    kin__list_init(&ahead->task.link);
    ahead->task.run = ahead_run;
    kin__mutex_init(&ahead->lock, KIN__RANK_AHEAD);
    kin__cond_init(&ahead->changed);
    *ret = ahead;
    return 0;
}

void kin__ahead_free(kin__ahead *ahead)
{
    if (ahead)
        ahead_unref(ahead);
}

bool kin__ahead_begin(kin__ahead *ahead, kin_str text)
{
    return kin__ahead_begin_with(ahead, text, NULL, NULL);
}

bool kin__ahead_begin_with(kin__ahead *ahead, kin_str text, kin__ahead_read_fn *read,
                           const void *arg)
{
    bool is_idle;

    kin__mutex_lock(&ahead->lock);
    is_idle = ahead->state == IDLE;
    if (is_idle)
        ahead->state = POSTED;
    kin__mutex_unlock(&ahead->lock);
    if (!is_idle)
        return false;
    ahead->text = text;
    ahead->read = read;
    ahead->read_arg = arg;
    ahead->result = (kin__ahead_result){NULL, 0, 0, 0};
    kin__ref_get(&ahead->ref);
    if (kin__strand_post(&ahead->strand, &ahead->task) == 0)
        return true;
    set_state(ahead, IDLE);
    ahead_unref(ahead);
    return false;
}

void kin__ahead_end(kin__ahead *ahead, kin__ahead_result *ret)
{
    kin__mutex_lock(&ahead->lock);
    while (ahead->state == READING)
        kin__cond_wait(&ahead->changed, &ahead->lock);
    *ret = (kin__ahead_result){NULL, 0, 0, 0};
    if (ahead->state == POSTED) {
        ahead->state = WITHDRAWN;
    } else if (ahead->state == DONE) {
        ahead->state = IDLE;
        *ret = ahead->result;
    }
    kin__mutex_unlock(&ahead->lock);
}

void kin__ahead_rest(kin__ahead *ahead)
{
    kin__mutex_lock(&ahead->lock);
    /* A worker that comes by now has nothing to read. */
    bool is_idle = ahead->state == IDLE || ahead->state == WITHDRAWN;

    kin__mutex_unlock(&ahead->lock);
    if (!is_idle)
        return;
    kin_decoder_free(ahead->decoder);
    ahead->decoder = NULL;
    kin__free(ahead->objects);
    ahead->objects = NULL;
    ahead->cap = 0;
}
