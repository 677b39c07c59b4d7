/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts hang on the change, in some slots that are filled once. Two who need the same text at the
 * same time both make it, and one of them wins.
 */
#include "apiserver/verbs/watch_text.h"

#include <string.h>

#include "apiserver/protocol/encode_protobuf.h"
#include "apiserver/verbs/api_inside.h"
#include "base/memory.h"

enum { SLOTS = 8 };

struct text {
    kin__encoding encoding;
    const kin__kind *kind; /* a reference: its versions are compared by their address */
    bool is_old;
    kin__buf buf;
};

struct texts {
    kin__encoded encoded; /* first */
    struct text *_Atomic slots[SLOTS];
};

static void text_free(struct text *text)
{
    if (!text)
        return;
    kin__kind_unref(text->kind);
    kin__buf_done(&text->buf);
    kin__free(text);
}

static void texts_free(kin__encoded *encoded)
{
    struct texts *texts = (struct texts *)encoded;

    for (size_t i = 0; i < SLOTS; i++)
        text_free(atomic_load_explicit(&texts->slots[i], memory_order_acquire));
    kin__free(texts);
}

/* What hangs on the change, made if there is nothing. NULL: no memory. */
static struct texts *texts_of(kin__change *change)
{
    kin__encoded *found = atomic_load_explicit(&change->encoded, memory_order_acquire);
    struct texts *texts;

    if (found)
        return (struct texts *)found;
    texts = kin__calloc(1, sizeof(*texts));
    if (!texts)
        return NULL;
    texts->encoded.free = texts_free;
    if (atomic_compare_exchange_strong_explicit(&change->encoded, &found, &texts->encoded,
                                                memory_order_acq_rel, memory_order_acquire))
        return texts;
    kin__free(texts);
    return (struct texts *)found;
}

static int encode_state(kin__buf *out, const kin__encoding *encoding, const kin_object *object,
                        kin_error *err)
{
    kin__pb_writer writer;
    int code;

    if (!encoding->is_protobuf) {
        kin__encode_object(out, encoding, object, false);
        return out->failed;
    }
    kin__pb_writer_init(&writer, KIN__TEXT_MAX);
    code = kin__encode_protobuf(out, &writer, encoding, object, err);
    kin__pb_writer_done(&writer);
    return code;
}

static int encode(kin__buf *out, const kin__change *change, const kin__encoding *encoding,
                  bool is_old, kin_error *err)
{
    const kin_object *old;
    int code;

    if (!is_old)
        return encode_state(out, encoding, change->object, err);
    old = kin_object_ref(change->old);
    code = kin__set_version(&old, change->version, err);
    if (code == 0)
        code = encode_state(out, encoding, old, err);
    kin_object_unref(old);
    return code;
}

static int text_new(struct text **ret, const kin__change *change, const kin__encoding *encoding,
                    bool is_old, kin_error *err)
{
    struct text *text = kin__calloc(1, sizeof(*text));
    int code;

    if (!text)
        return KIN_ENOMEM;
    text->encoding = *encoding;
    text->kind = kin__kind_ref(encoding->kind);
    text->is_old = is_old;
    kin__buf_init(&text->buf, KIN__TEXT_MAX);
    code = encode(&text->buf, change, encoding, is_old, err);
    if (code < 0) {
        text_free(text);
        return code;
    }
    *ret = text;
    return 0;
}

static bool is_wanted(const struct text *text, const kin__encoding *encoding, bool is_old)
{
    return text->is_old == is_old && kin__encoding_equal(&text->encoding, encoding);
}

int kin__watch_text(kin_str *ret, kin__change *change, const kin__encoding *encoding, bool is_old,
                    kin__buf *own, kin_error *err)
{
    struct texts *texts = texts_of(change);
    struct text *made = NULL;
    int code;

    if (!texts)
        return KIN_ENOMEM;
    for (size_t i = 0; i < SLOTS; i++) {
        struct text *text = atomic_load_explicit(&texts->slots[i], memory_order_acquire);

        if (!text && !made && (code = text_new(&made, change, encoding, is_old, err)) < 0)
            return code;
        if (!text &&
            atomic_compare_exchange_strong_explicit(&texts->slots[i], &text, made,
                                                    memory_order_acq_rel, memory_order_acquire)) {
            *ret = kin__buf_str(&made->buf);
            return 0;
        }
        if (is_wanted(text, encoding, is_old)) {
            text_free(made);
            *ret = kin__buf_str(&text->buf);
            return 0;
        }
    }
    text_free(made);
    kin__buf_reset(own);
    code = encode(own, change, encoding, is_old, err);
    if (code == 0)
        *ret = kin__buf_str(own);
    return code;
}
