/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decoders of lists and watches: wherever the text is cut, the same objects and the same
 * error come out. A list is accepted if and only if its text is as a whole, and gives the same
 * items.
 *
 * The first byte says which decoder and which options, the second how to cut; the rest is the text.
 */
#include <string.h>

#include "base/buf.h"
#include "fuzz.h"
#include "kinform/memory.h"
#include "kinform/stream.h"

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

/* The decoders live as long as the process: what they remember must not change what they say. */
static struct {
    kin_list_decoder *list;
    kin_watch_decoder *watch;
    const kin_projection *projection;
} decoders[4];
static struct run current;

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
    FUZZ_CHECK(code == err.code && (code == 0 || code == KIN_EPARSE || code == KIN_ELIMIT));
    FUZZ_CHECK(code == 0 || (err.offset <= text.len && !list));
    if (code < 0)
        kin__buf_appendf(&current.transcript, "%s", err.message);
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    unsigned options = fuzz_byte(&in);
    unsigned cut = fuzz_byte(&in);
    unsigned which = options & 3;
    bool is_watch = options & 4;
    kin_str text = kin_str_make((const char *)in.data, in.len);
    struct run whole;
    struct run other;

    make_decoders(which);
    run_stream(&whole, which, is_watch, text, 0, 0);
    run_stream(&other, which, is_watch, text, 1, 0);
    check_same(&whole, &other);
    run_stream(&other, which, is_watch, text, 1 + cut % 32, cut);
    check_same(&whole, &other);
    run_stream(&other, which, is_watch, text, 1 + text.len, cut);
    check_same(&whole, &other);
    if (which == 0 && !is_watch)
        check_against_whole(text, &whole);
    kin__buf_done(&whole.transcript);
    return 0;
}
