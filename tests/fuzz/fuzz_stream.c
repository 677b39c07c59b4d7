/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decoders of lists and watches: wherever the text is cut, the same objects and the same
 * error come out. A list is accepted if and only if its text is as a whole, and gives the same
 * items.
 *
 * Objects that cannot be read end it, or are skipped and told of.
 *
 * With a worker that reads ahead it is the same. Every piece, however short, is read ahead if it can
 * be, and the worker is waited for: whether it comes in time does not depend on the machine.
 *
 * The first byte says which decoder, which options and which format, the second how to cut; the rest is the text.
 */
#include <pthread.h>
#include <string.h>

#include "base/buf.h"
#include "base/workers.h"
#include "fuzz.h"
#include "kinform/memory.h"
#include "kinform/stream.h"
#include "object/ahead.h"
#include "object/stream_reader.h"

struct run {
    kin__buf transcript; /* a line for each object, one for the end */
    int code;
    unsigned n_objects;
};

static void write_object(kin__buf *out, const kin_object *object)
{
    char *json;
    size_t len;

    FUZZ_CHECK(kin_object_to_json(&json, &len, object, KIN_JSON_COMPACT, NULL) == 0);
    kin__buf_append(out, kin_str_make(json, len));
    kin__buf_append_char(out, '\n');
    kin_free(json);
}

static int on_item(const kin_object *object, void *arg, kin_error *err)
{
    struct run *run = arg;

    (void)err;
    run->n_objects++;
    write_object(&run->transcript, object);
    return 0;
}

static int on_event(enum kin_watch_type type, const kin_object *object, void *arg, kin_error *err)
{
    struct run *run = arg;

    kin__buf_appendf(&run->transcript, "%s ", kin_watch_type_name(type));
    return on_item(object, run, err);
}

static int on_bad(enum kin_watch_type type, kin_str key, const kin_error *why, void *arg,
                  kin_error *err)
{
    struct run *run = arg;

    (void)err;
    FUZZ_CHECK(why->code == KIN_EPARSE || why->code == KIN_ELIMIT);
    kin__buf_appendf(&run->transcript, "bad %s %" KIN_STR_FMT ": %llu: %s\n",
                     kin_watch_type_name(type), KIN_STR_ARG(key), (unsigned long long)why->offset,
                     why->message);
    return 0;
}

/* --- the worker --- */

static kin__workers *workers;

struct errand {
    kin__task task;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool has_run; /* (lock) */
};

static void run_errand(kin__task *task, bool dropped)
{
    struct errand *errand = kin__container_of(task, struct errand, task);

    (void)dropped;
    pthread_mutex_lock(&errand->lock);
    errand->has_run = true;
    pthread_cond_signal(&errand->changed);
    pthread_mutex_unlock(&errand->lock);
}

/* There is one: what was posted before has run. */
static void wait_for_worker(void)
{
    struct errand errand = {
        {.run = run_errand}, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
    kin__strand strand;

    kin__list_init(&errand.task.link);
    kin__strand_init(&strand, workers);
    FUZZ_CHECK(kin__strand_post(&strand, &errand.task) == 0);
    pthread_mutex_lock(&errand.lock);
    while (!errand.has_run)
        pthread_cond_wait(&errand.changed, &errand.lock);
    pthread_mutex_unlock(&errand.lock);
    kin__strand_done(&strand);
}

void end_late(kin__ahead *ahead, kin__ahead_result *ret) __asm__("__wrap_kin__ahead_end");
void really_end(kin__ahead *ahead, kin__ahead_result *ret) __asm__("__real_kin__ahead_end");

void end_late(kin__ahead *ahead, kin__ahead_result *ret)
{
    wait_for_worker();
    really_end(ahead, ret);
}

static void stop_worker(void)
{
    kin__workers_free(workers);
}

static void start_worker(void)
{
    if (workers)
        return;
    FUZZ_CHECK(kin__workers_new(&workers, "kin-fuzz", 1, kin_clock_system(), NULL) == 0);
    FUZZ_CHECK(kin__workers_start(workers, NULL) == 0);
    FUZZ_CHECK(atexit(stop_worker) == 0);
}

/* --- the decoders --- */

/* The decoders live as long as the process: what they remember must not change what they say. */
static struct {
    kin_list_decoder *list;
    kin_watch_decoder *watch;
    const kin_projection *projection;
} decoders[8];
static struct run current;
static bool is_protobuf; /* the text of this input */

/* Which of them: the bits of make_options(), and this one. */
#define AHEAD 4u

static void make_options(kin_decode_options *options, unsigned which)
{
    if (which & 1) {
        options->projection = decoders[which].projection;
        options->api_version = "v1";
        options->kind = "Pod";
    }
    if (which & 2) {
        options->max_bytes = 40;
        options->max_depth = 4;
        options->max_string_bytes = 12;
    }
}

static void make_decoders(unsigned which)
{
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    kin_str paths = kin_str_of("a,metadata.annotations,spec.b");

    if (decoders[which].list)
        return;
    FUZZ_CHECK(kin_projection_drop(&decoders[which].projection, paths, NULL) == 0);
    make_options(&options, which);
    FUZZ_CHECK(
        kin_list_decoder_new(&decoders[which].list, &options, on_item, &current, NULL, NULL) == 0);
    FUZZ_CHECK(kin_watch_decoder_new(&decoders[which].watch, &options, on_event, &current, NULL,
                                     NULL) == 0);
    if (!(which & AHEAD))
        return;
    start_worker();
    FUZZ_CHECK(kin__list_decoder_read_ahead(decoders[which].list, workers, NULL) == 0);
    FUZZ_CHECK(kin__watch_decoder_read_ahead(decoders[which].watch, workers, NULL) == 0);
    ((kin__stream *)decoders[which].list)->ahead_min = 1;
    ((kin__stream *)decoders[which].watch)->ahead_min = 1;
}

/* How items of a list begin is learnt anew from this text. */
static void forget_mark(unsigned which)
{
    ((kin__stream *)decoders[which].list)->mark_len = 0;
}

/* One piece, in a block of its exact size. */
static int feed(unsigned which, bool is_watch, const char *data, size_t len, kin_error *err)
{
    char *block = malloc(len + (len == 0));

    FUZZ_CHECK(block != NULL);
    memcpy(block, data, len);

    kin_str bytes = kin_str_make(block, len);
    int code = is_watch ? kin_watch_decoder_feed(decoders[which].watch, bytes, err)
                        : kin_list_decoder_feed(decoders[which].list, bytes, err);

    free(block);
    return code;
}

/* Pieces of up to `most` bytes, of lengths that the seed gives; 0: all at once. */
static void run_stream(struct run *ret, unsigned which, bool is_watch, kin_str text, size_t most,
                       uint32_t seed)
{
    kin_error err = KIN_ERROR_INIT;
    const kin_object *list = NULL;
    int code = 0;

    memset(&current, 0, sizeof(current));
    kin__buf_init(&current.transcript, SIZE_MAX - 1);
    kin__list_decoder_set_protobuf(decoders[which].list, is_protobuf);
    kin__watch_decoder_set_protobuf(decoders[which].watch, is_protobuf);
    FUZZ_CHECK((is_watch ? kin_watch_decoder_reset(decoders[which].watch, NULL)
                         : kin_list_decoder_reset(decoders[which].list, NULL)) == 0);
    for (size_t at = 0, len; code == 0 && at < text.len; at += len) {
        seed = seed * 1103515245u + 12345u;
        len = most ? 1 + (seed >> 16) % most : text.len;
        if (len > text.len - at)
            len = text.len - at;
        code = feed(which, is_watch, text.data + at, len, &err);
        FUZZ_CHECK(code == err.code);
    }
    if (code == 0)
        code = is_watch ? kin_watch_decoder_finish(decoders[which].watch, &err)
                        : kin_list_decoder_finish(decoders[which].list, &list, &err);
    FUZZ_CHECK(code == err.code && (code == 0 || code == KIN_EPARSE || code == KIN_ELIMIT ||
                                    (code == KIN_EPROTOCOL && is_protobuf)));
    FUZZ_CHECK(code == 0 || (err.offset <= text.len && !list));
    if (code < 0)
        kin__buf_appendf(&current.transcript, "%llu: %s", (unsigned long long)err.offset,
                         err.message);
    else if (!is_watch)
        write_object(&current.transcript, list);
    kin_object_unref(list);
    FUZZ_CHECK(current.transcript.failed == 0);
    current.code = code;
    *ret = current;
}

static void check_same(struct run *a, struct run *b)
{
    if (!kin_str_equal(kin__buf_str(&a->transcript), kin__buf_str(&b->transcript)))
        fprintf(stderr, "--- first:\n%s\n--- second:\n%s\n", a->transcript.data,
                b->transcript.data);
    FUZZ_CHECK(a->code == b->code && a->n_objects == b->n_objects);
    FUZZ_CHECK(kin_str_equal(kin__buf_str(&a->transcript), kin__buf_str(&b->transcript)));
    kin__buf_done(&b->transcript);
}

/* Whether a document is a list; its items are then compared with the lines of the transcript. */
static bool is_list(const kin_object *whole, const struct run *run)
{
    kin_value items = kin_value_get(kin_object_root(whole), kin_str_of("items"));
    enum kin_type type = kin_value_type(items);
    size_t at = 0;
    kin_iter it;

    if (type != KIN_NONE && type != KIN_NULL && type != KIN_ARRAY)
        return false;
    for (kin_iter_init(&it, items); kin_iter_next(&it);) {
        if (kin_value_type(it.value) != KIN_MAP)
            return false;
    }
    for (kin_iter_init(&it, items); run->code == 0 && kin_iter_next(&it);) {
        char *json;
        size_t len;

        FUZZ_CHECK(kin_value_to_json(&json, &len, it.value, KIN_JSON_COMPACT, NULL) == 0);
        FUZZ_CHECK(run->transcript.len > at + len);
        FUZZ_CHECK(memcmp(run->transcript.data + at, json, len) == 0);
        at += len + 1;
        kin_free(json);
    }
    return true;
}

static void check_against_whole(kin_str text, const struct run *run)
{
    kin_error err = KIN_ERROR_INIT;
    const kin_object *whole;
    int code = kin_object_from_json(&whole, text, NULL, &err);

    if (code < 0) {
        /* As a whole it may be nested too deep. Items that are no objects are found first. */
        FUZZ_CHECK(run->code < 0 || code == KIN_ELIMIT);
        return;
    }

    bool accepted = is_list(whole, run);

    /* A second member "items" is the one thing that the whole text does not show. */
    FUZZ_CHECK(run->code < 0 ? !accepted || strstr(run->transcript.data, "\"items\" twice")
                             : accepted);
    kin_object_unref(whole);
}

static void check_ahead(struct run *whole, unsigned which, bool is_watch, kin_str text,
                        unsigned cut)
{
    struct run other;

    forget_mark(which);
    /* The first reading of a list is the one that it learns from. */
    run_stream(&other, which, is_watch, text, 0, 0);
    check_same(whole, &other);
    run_stream(&other, which, is_watch, text, 0, 0);
    check_same(whole, &other);
    run_stream(&other, which, is_watch, text, 1 + text.len, cut);
    check_same(whole, &other);
}

static void take_bad(unsigned which, kin_bad_object_fn *fn)
{
    kin_list_decoder_on_bad(decoders[which].list, fn, NULL);
    kin_watch_decoder_on_bad(decoders[which].watch, fn, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    unsigned options = fuzz_byte(&in);
    unsigned cut = fuzz_byte(&in);
    unsigned which = options & 3;
    bool is_watch = options & 4;
    bool skips = options & 8;
    kin_str text = kin_str_make((const char *)in.data, in.len);
    struct run whole;
    struct run other;

    is_protobuf = options & 16;
    make_decoders(which);
    make_decoders(which | AHEAD);
    take_bad(which, skips ? on_bad : NULL);
    take_bad(which | AHEAD, skips ? on_bad : NULL);
    run_stream(&whole, which, is_watch, text, 0, 0);
    run_stream(&other, which, is_watch, text, 1, 0);
    check_same(&whole, &other);
    run_stream(&other, which, is_watch, text, 1 + cut % 32, cut);
    check_same(&whole, &other);
    run_stream(&other, which, is_watch, text, 1 + text.len, cut);
    check_same(&whole, &other);
    check_ahead(&whole, which | AHEAD, is_watch, text, cut);
    if (which == 0 && !is_watch && !skips && !is_protobuf)
        check_against_whole(text, &whole);
    kin__buf_done(&whole.transcript);
    return 0;
}
