/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the tests of the streaming decoders: what comes out of a text is written down as a transcript,
 * a line per object and one for the end; it must be the same wherever the text is cut.
 */
#ifndef KIN_TEST_STREAM_SUPPORT_H
#define KIN_TEST_STREAM_SUPPORT_H

#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "kinform/memory.h"
#include "kinform/stream.h"
#include "rng.h"

/* A decoder of one of the two kinds, and what came out of it. */
struct reader {
    kin_list_decoder *list;
    kin_watch_decoder *watch;
    kin__buf transcript;
    bool is_silent; /* objects are not written down */
    unsigned n_objects;
    unsigned fail_at; /* this object, from 1, makes the callback fail */
    int fail_code;
    bool fails_silently;
};

static inline void write_json(kin__buf *out, const kin_object *object)
{
    char *json;
    size_t len;

    assert_code(kin_object_to_json(&json, &len, object, KIN_JSON_COMPACT, NULL), 0);
    kin__buf_append(out, kin_str_make(json, len));
    kin_free(json);
}

static inline int take_object(struct reader *r, const char *type, const kin_object *object,
                              kin_error *err)
{
    r->n_objects++;
    if (r->n_objects == r->fail_at && r->fails_silently)
        return r->fail_code;
    if (r->n_objects == r->fail_at)
        return kin_error_set(err, r->fail_code, "object %u is not wanted", r->n_objects);
    if (r->is_silent)
        return 0;
    kin__buf_appendf(&r->transcript, "%s", type);
    write_json(&r->transcript, object);
    kin__buf_append_char(&r->transcript, '\n');
    return 0;
}

static inline int on_item(const kin_object *object, void *arg, kin_error *err)
{
    return take_object(arg, "", object, err);
}

static inline int on_event(enum kin_watch_type type, const kin_object *object, void *arg,
                           kin_error *err)
{
    char text[32];

    snprintf(text, sizeof(text), "%s ", kin_watch_type_name(type));
    return take_object(arg, text, object, err);
}

static inline void reader_init(struct reader *r, bool is_watch, const kin_decode_options *options)
{
    memset(r, 0, sizeof(*r));
    kin__buf_init(&r->transcript, SIZE_MAX - 1);
    if (is_watch)
        assert_code(kin_watch_decoder_new(&r->watch, options, on_event, r, NULL, NULL), 0);
    else
        assert_code(kin_list_decoder_new(&r->list, options, on_item, r, NULL, NULL), 0);
}

static inline void reader_done(struct reader *r)
{
    kin_list_decoder_free(r->list);
    kin_watch_decoder_free(r->watch);
    kin__buf_done(&r->transcript);
}

static inline void reader_reset(struct reader *r)
{
    kin__buf_reset(&r->transcript);
    r->n_objects = 0;
    if (r->watch)
        assert_code(kin_watch_decoder_reset(r->watch, NULL), 0);
    else
        assert_code(kin_list_decoder_reset(r->list, NULL), 0);
}

/* From a block of the exact size, so that sanitizers see reads beyond it. */
static inline int reader_feed(struct reader *r, const char *data, size_t len, kin_error *err)
{
    char *block = malloc(len + (len == 0));

    assert_non_null(block);
    if (len > 0)
        memcpy(block, data, len);

    kin_str bytes = kin_str_make(block, len);
    int code = r->watch ? kin_watch_decoder_feed(r->watch, bytes, err)
                        : kin_list_decoder_feed(r->list, bytes, err);

    free(block);
    return code;
}

/* The last line: the list itself, "end", or what went wrong. */
static inline void reader_finish(struct reader *r, int code, kin_error *err)
{
    const kin_object *list = NULL;

    if (code == 0 && r->watch)
        code = kin_watch_decoder_finish(r->watch, err);
    else if (code == 0)
        code = kin_list_decoder_finish(r->list, &list, err);
    if (code < 0) {
        assert_int_equal(code, err->code);
        assert_null(list);
        kin__buf_appendf(&r->transcript, "%s: %s", kin_error_name(code), err->message);
    } else if (list) {
        write_json(&r->transcript, list);
    } else {
        kin__buf_appendf(&r->transcript, "end");
    }
    kin_object_unref(list);
}

/* Pieces end at `cuts`, which are ascending. */
static inline const char *transcript_cut(struct reader *r, kin_str text, const size_t *cuts,
                                         size_t n_cuts)
{
    kin_error err = KIN_ERROR_INIT;
    size_t at = 0;
    int code = 0;

    reader_reset(r);
    for (size_t i = 0; code == 0 && i <= n_cuts; i++) {
        size_t end = cuts && i < n_cuts ? cuts[i] : text.len;

        code = reader_feed(r, text.data + at, end - at, &err);
        if (code == 0)
            assert_int_equal(err.code, 0);
        at = end;
    }
    reader_finish(r, code, &err);
    assert_int_equal(r->transcript.failed, 0);
    return r->transcript.data;
}

/* Pieces of `min` to `max` bytes. */
static inline const char *transcript_random(struct reader *r, kin_str text, kin_test_rng *rng,
                                            size_t min, size_t max)
{
    size_t *cuts = calloc(text.len / min + 1, sizeof(*cuts));
    size_t n = 0;
    size_t at = 0;

    assert_non_null(cuts);
    for (;;) {
        at += min + (size_t)kin_test_below(rng, max - min + 1);
        if (at >= text.len)
            break;
        cuts[n++] = at;
    }

    const char *transcript = transcript_cut(r, text, cuts, n);

    free(cuts);
    return transcript;
}

/* In two pieces everywhere, in three pieces everywhere if it is short, and byte by byte. */
static inline void check_all_cuts(struct reader *r, kin_str text, const char *expected)
{
    kin_test_rng rng = {1};

    assert_string_equal(transcript_cut(r, text, NULL, 0), expected);
    assert_string_equal(transcript_random(r, text, &rng, 1, 1), expected);
    for (size_t first = 0; first <= text.len; first++) {
        assert_string_equal(transcript_cut(r, text, &first, 1), expected);
        for (size_t second = first + 1; text.len < 48 && second < text.len; second++)
            assert_string_equal(transcript_cut(r, text, (size_t[]){first, second}, 2), expected);
    }
}

struct sample {
    const char *text;
    const char *expected;
    size_t len; /* of the text, if it holds a zero byte */
};

static inline void check_samples(bool is_watch, const kin_decode_options *options,
                                 const struct sample *samples, size_t n)
{
    struct reader r;

    reader_init(&r, is_watch, options);
    for (size_t i = 0; i < n; i++) {
        kin_str text = kin_str_of(samples[i].text);

        if (samples[i].len)
            text.len = samples[i].len;
        check_all_cuts(&r, text, samples[i].expected);
    }
    reader_done(&r);
}

/* Strings with what scans stumble over. */
static inline void random_string(kin__buf *out, kin_test_rng *rng)
{
    static const char *const parts[] = {"a",   "\\\"", "\\\\",  "}",        "]",
                                        "{",   "[",    ",",     "\\u0022",  "\\ud83d\\udc33",
                                        "\\/", " ",    ":",     "\xc3\xa4", "\xf0\x9f\x90\xb3",
                                        "\\n", "nine", "items", "\\u005c",  "0123456789abcdef"};
    size_t n = (size_t)kin_test_below(rng, 12);

    kin__buf_append_char(out, '"');
    for (size_t i = 0; i < n; i++)
        kin__buf_appendf(out, "%s", parts[kin_test_below(rng, kin__array_len(parts))]);
    kin__buf_append_char(out, '"');
}

#endif
