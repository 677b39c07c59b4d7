/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JSON decoder: any text is read or refused, and jansson reads or refuses it too; what was
 * read is the same value to both. Encoding and decoding again gives an equal document. The
 * decoders and a set of documents live from input to input, so that what is shared, learnt and
 * remembered from earlier inputs takes part.
 *
 * The first byte chooses which decoder reads: with everything, with projections, or with narrow
 * limits.
 */
#include <jansson.h>
#include <string.h>

#include "fuzz.h"
#include "kinform/json.h"
#include "kinform/memory.h"

#define KEPT 64

enum { ALL, DROP, KEEP, NARROW, DECODERS };

static kin_decoder *decoders[DECODERS];
/* Documents of earlier inputs, and their texts as they were encoded then. */
static const kin_object *kept[KEPT];
static char *kept_texts[KEPT];
static unsigned kept_next;

static void make_decoder(kin_decoder **ret,
                         int (*make)(const kin_projection **, kin_str, kin_error *),
                         const char *paths)
{
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    const kin_projection *projection = NULL;

    if (make)
        FUZZ_CHECK(make(&projection, kin_str_of(paths), NULL) == 0);
    options.projection = projection;
    FUZZ_CHECK(kin_decoder_new(ret, &options, NULL) == 0);
    kin_projection_unref(projection);
}

static void make_decoders(void)
{
    kin_decode_options narrow = KIN_DECODE_OPTIONS_INIT;

    make_decoder(&decoders[ALL], NULL, NULL);
    make_decoder(&decoders[DROP], kin_projection_drop, "metadata.managedFields,a,spec.*.b,c[*].d");
    make_decoder(&decoders[KEEP], kin_projection_keep, "metadata.labels,a.b,c[*].d,e.*");
    narrow.max_bytes = 200;
    narrow.max_depth = 4;
    narrow.max_string_bytes = 10;
    narrow.api_version = "v1";
    narrow.kind = "Pod";
    FUZZ_CHECK(kin_decoder_new(&decoders[NARROW], &narrow, NULL) == 0);
}

static char *encode(const kin_object *object, enum kin_json_style style, size_t *ret_len)
{
    char *text;

    FUZZ_CHECK(kin_object_to_json(&text, ret_len, object, style, NULL) == 0);
    FUZZ_CHECK(strlen(text) == *ret_len);
    return text;
}

static void check_failure(int code, const kin_error *err, size_t size)
{
    FUZZ_CHECK(code == KIN_EPARSE || code == KIN_ELIMIT);
    FUZZ_CHECK(err->code == code && err->message[0] != '\0');
    FUZZ_CHECK(err->offset <= size);
}

/* Encoded and read again by the decoder and by a new one, it is the same. */
static void check_round_trip(const kin_object *object)
{
    size_t len;
    char *text = encode(object, KIN_JSON_PRETTY, &len);
    const kin_object *again = NULL;
    const kin_object *fresh = NULL;

    FUZZ_CHECK(kin_decoder_decode(decoders[ALL], &again, kin_str_make(text, len), NULL) == 0);
    FUZZ_CHECK(kin_object_from_json(&fresh, kin_str_make(text, len), NULL, NULL) == 0);
    FUZZ_CHECK(kin_object_equal(object, again) && kin_object_equal(again, fresh));
    FUZZ_CHECK(kin_object_hash(object) == kin_object_hash(again));
    FUZZ_CHECK(kin_object_hash(object) == kin_object_hash(fresh));
    FUZZ_CHECK(strcmp(kin_object_key(object), kin_object_key(fresh)) == 0);
    kin_free(text);

    size_t again_len;
    char *compact = encode(object, KIN_JSON_COMPACT, &len);
    char *compact_again = encode(fresh, KIN_JSON_COMPACT, &again_len);
    FUZZ_CHECK(len == again_len && memcmp(compact, compact_again, len) == 0);
    kin_free(compact);
    kin_free(compact_again);
    kin_object_unref(again);
    kin_object_unref(fresh);
}

/* What jansson cannot tell: numbers beyond 64 bits or doubles, and zero bytes in keys. */
static bool is_unable(const json_error_t *error)
{
    enum json_error_code code = json_error_code(error);

    return code == json_error_numeric_overflow || code == json_error_null_byte_in_key ||
           code == json_error_null_character || code == json_error_stack_overflow ||
           code == json_error_out_of_memory;
}

static void check_same_value(const json_t *json, const kin_object *object)
{
    json_error_t error;
    size_t len;
    char *text = encode(object, KIN_JSON_COMPACT, &len);
    json_t *ours = json_loadb(text, len, JSON_ALLOW_NUL, &error);

    FUZZ_CHECK(ours != NULL);
    FUZZ_CHECK(json_equal(json, ours));
    json_decref(ours);
    kin_free(text);
}

/* `code` and `object` are what the decoder that reads everything made of the text. */
static void check_with_jansson(kin_str text, int code, const kin_object *object)
{
    json_error_t error;
    json_t *json = json_loadb(text.data, text.len, JSON_ALLOW_NUL, &error);

    /* It steps over a zero byte behind a number. */
    if (json && !memchr(text.data, '\0', text.len))
        FUZZ_CHECK((code == 0) == json_is_object(json) || code == KIN_ELIMIT);
    else if (json)
        FUZZ_CHECK(code != 0 || json_is_object(json));
    else
        FUZZ_CHECK(code != 0 || is_unable(&error));
    if (json && code == 0)
        check_same_value(json, object);
    json_decref(json);
}

/* The document takes the place of an older one, which must be what it was. CONSUMES it. */
static void keep_document(const kin_object *object)
{
    unsigned i = kept_next++ % KEPT;
    size_t len;

    if (kept[i]) {
        char *text = encode(kept[i], KIN_JSON_COMPACT, &len);

        FUZZ_CHECK(strcmp(text, kept_texts[i]) == 0);
        kin_free(text);
        kin_free(kept_texts[i]);
        kin_object_unref(kept[i]);
    }
    kept[i] = object;
    kept_texts[i] = encode(object, KIN_JSON_COMPACT, &len);
}

/* With a projection: refused if and only if it is refused without, and nothing new in it. */
static void check_projected(kin_decoder *decoder, kin_str text, int expected,
                            const kin_object *whole)
{
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;
    int code = kin_decoder_decode(decoder, &object, text, &err);

    FUZZ_CHECK(code == expected);
    if (code != 0) {
        check_failure(code, &err, text.len);
        return;
    }
    FUZZ_CHECK(strcmp(kin_object_key(object), kin_object_key(whole)) == 0);
    FUZZ_CHECK(kin_value_len(kin_object_root(object)) <= kin_value_len(kin_object_root(whole)));
    check_round_trip(object);
    kin_object_unref(object);
}

static void check_narrow(kin_str text)
{
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;
    int code = kin_decoder_decode(decoders[NARROW], &object, text, &err);

    if (code != 0) {
        check_failure(code, &err, text.len);
        return;
    }
    FUZZ_CHECK(kin_value_type(kin_value_get(kin_object_root(object), kin_str_of("kind"))) !=
               KIN_NONE);
    check_round_trip(object);
    kin_object_unref(object);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;

    if (!decoders[ALL])
        make_decoders();
    if (size == 0)
        return 0;

    kin_str text = kin_str_make((const char *)data + 1, size - 1);
    int code = kin_decoder_decode(decoders[ALL], &object, text, &err);

    if (code != 0)
        check_failure(code, &err, text.len);
    check_with_jansson(text, code, object);
    switch (data[0] % DECODERS) {
    case DROP:
        check_projected(decoders[DROP], text, code, object);
        break;
    case KEEP:
        check_projected(decoders[KEEP], text, code, object);
        break;
    case NARROW:
        check_narrow(text);
        break;
    default:
        break;
    }
    if (code == 0) {
        check_round_trip(object);
        keep_document(object);
    }
    return 0;
}
