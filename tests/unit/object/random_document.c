/* SPDX-License-Identifier: Apache-2.0 */
#include "random_document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEN(array) (sizeof(array) / sizeof((array)[0]))

static bool one_in(kin_test_rng *rng, unsigned n)
{
    return kin_test_below(rng, n) == 0;
}

static const char *pick(kin_test_rng *rng, const char *const *from, size_t n)
{
    return from[kin_test_below(rng, n)];
}

/* --- strings --- */

static const char *const words[] = {
    "True",
    "False",
    "Running",
    "Always",
    "ClusterIP",
    "TCP",
    "a",
    "",
    "app",
    "web-0",
    "example.com",
    "registry.example.com/team-a/web:1.2.3",
    "thirteen-byte",
    "fourteen-bytes",
    "fifteen--bytes.",
    "kubernetes.io/metadata",
    "exactly-sixty-three-bytes-of-text-that-is-plain-and-ascii-only!!",
    "10.0.0.1",
    "null",
    "true",
    "1",
    "-0",
    "2026-01-31T12:00:00Z",
    "metadata",
};

/* Characters that some reader or other gets wrong. */
static const char *const characters[] = {
    "\xc3\xa9",
    "\xe2\x82\xac",
    "\xf0\x9f\x98\x80",
    "\xf4\x8f\xbf\xbf",
    "\xef\xbf\xbf",
    "\xed\x9f\xbf",
    "\xee\x80\x80",
    "\xe2\x80\xa8",
    "\xc2\x80",
    "\x7f",
    "\"",
    "\\",
    "/",
    "\b",
    "\f",
    "\n",
    "\r",
    "\t",
    "\x01",
    "\x1f",
    " ",
    "<",
    "&",
    "\\u0041",
};

static void append_hex(ref_text *out, kin_test_rng *rng, size_t digits)
{
    while (digits-- > 0)
        ref_append_char(out, "0123456789abcdef"[kin_test_below(rng, 16)]);
}

static void append_time(ref_text *out, kin_test_rng *rng)
{
    static const unsigned years[] = {1969, 1970, 1999, 2000, 2024, 2026, 2100, 2105, 2106, 9999};
    char text[64];
    unsigned month = 1 + (unsigned)kin_test_below(rng, one_in(rng, 20) ? 14 : 12);
    unsigned day = 1 + (unsigned)kin_test_below(rng, one_in(rng, 4) ? 32 : 28);
    unsigned second = (unsigned)kin_test_below(rng, one_in(rng, 20) ? 62 : 60);

    snprintf(text, sizeof(text), "%04u-%02u-%02uT%02u:%02u:%02u",
             years[kin_test_below(rng, LEN(years))], month, day, (unsigned)kin_test_below(rng, 24),
             (unsigned)kin_test_below(rng, 60), second);
    ref_append_str(out, text);
    if (one_in(rng, 2)) {
        snprintf(text, sizeof(text), ".%06u", (unsigned)kin_test_below(rng, 1000000));
        ref_append_str(out, text);
    }
    ref_append_str(out, "Z");
}

static void append_uuid(ref_text *out, kin_test_rng *rng)
{
    static const unsigned groups[] = {8, 4, 4, 4, 12};

    for (size_t i = 0; i < LEN(groups); i++) {
        if (i > 0)
            ref_append_char(out, '-');
        append_hex(out, rng, groups[i]);
    }
}

static void append_digest(ref_text *out, kin_test_rng *rng)
{
    static const char *const prefixes[] = {
        "sha256:", "containerd://", "registry.example.com/team-a/web@sha256:", "", "x", "g"};

    ref_append_str(out, pick(rng, prefixes, LEN(prefixes)));
    append_hex(out, rng, one_in(rng, 3) ? 30 + kin_test_below(rng, 240) : 64);
}

static void append_address(ref_text *out, kin_test_rng *rng)
{
    for (unsigned i = 0; i < 4; i++) {
        char text[16];

        snprintf(text, sizeof(text), "%s%s%u", i ? "." : "", one_in(rng, 40) ? "0" : "",
                 (unsigned)kin_test_below(rng, one_in(rng, 20) ? 300 : 256));
        ref_append_str(out, text);
    }
}

static void append_characters(ref_text *out, kin_test_rng *rng)
{
    for (size_t n = kin_test_below(rng, 40); n > 0; n--) {
        if (one_in(rng, 200))
            ref_append_char(out, '\0');
        else if (one_in(rng, 2))
            ref_append_str(out, pick(rng, characters, LEN(characters)));
        else
            ref_append_char(out, (char)('a' + kin_test_below(rng, 26)));
    }
}

/* Lengths at which something changes in how strings are kept. */
static void append_of_length(ref_text *out, kin_test_rng *rng)
{
    static const unsigned lengths[] = {1,   2,   4,   5,   7,   13,  14,   15,    16,    19,
                                       20,  21,  27,  36,  47,  48,  62,   63,    64,    65,
                                       127, 128, 129, 255, 256, 257, 1000, 16383, 16384, 16385};
    size_t n = lengths[kin_test_below(rng, LEN(lengths) - (one_in(rng, 20) ? 0 : 4))];
    char c = (char)('a' + kin_test_below(rng, 3)); /* few: so that they come again */

    while (n-- > 0)
        ref_append_char(out, c);
}

/* One byte another one, so that it is almost of its form. */
static void spoil(ref_text *out, size_t begin, kin_test_rng *rng)
{
    static const char bytes[] = "0ZgA-:. /Ttz";

    if (out->len > begin)
        out->data[begin + kin_test_below(rng, out->len - begin)] =
            bytes[kin_test_below(rng, sizeof(bytes) - 1)];
}

void random_string(ref_text *out, kin_test_rng *rng)
{
    size_t begin = out->len;

    switch (kin_test_below(rng, 12)) {
    case 0:
        append_time(out, rng);
        break;
    case 1:
        append_uuid(out, rng);
        break;
    case 2:
        append_digest(out, rng);
        break;
    case 3:
        append_address(out, rng);
        break;
    case 4:
        append_characters(out, rng);
        return; /* spoiling could make it invalid */
    case 5:
        append_of_length(out, rng);
        break;
    default:
        ref_append_str(out, pick(rng, words, LEN(words)));
        return;
    }
    if (one_in(rng, 5))
        spoil(out, begin, rng);
}

/* --- numbers --- */

static void append_digits(ref_text *out, kin_test_rng *rng, size_t n)
{
    while (n-- > 0)
        ref_append_char(out, (char)('0' + kin_test_below(rng, 10)));
}

static void append_integer(ref_text *out, kin_test_rng *rng)
{
    size_t digits = one_in(rng, 20) ? kin_test_below(rng, 400) : kin_test_below(rng, 22);

    if (one_in(rng, 4)) {
        ref_append_char(out, '0');
        return;
    }
    ref_append_char(out, (char)('1' + kin_test_below(rng, 9)));
    append_digits(out, rng, digits);
}

void random_number(ref_text *out, kin_test_rng *rng)
{
    static const char *const special[] = {
        "0",
        "-0",
        "31",
        "32",
        "-1",
        "63",
        "64",
        "127",
        "128",
        "2147483648",
        "9223372036854775807",
        "-9223372036854775808",
        "9223372036854775808",
        "-9223372036854775809",
        "18446744073709551616",
        "0.0",
        "-0.0",
        "1e3",
        "1E+3",
        "1e-3",
        "5.0",
        "1e400",
        "-1e400",
        "1e-400",
        "100000000000000000000000000000000000001",
        "999999999999999999",
        "1000000000000000000",
        "0e0",
        "0E-0",
        "1.7976931348623157e308",
    };
    char text[24];

    if (one_in(rng, 3)) {
        ref_append_str(out, pick(rng, special, LEN(special)));
        return;
    }
    if (one_in(rng, 3)) {
        snprintf(text, sizeof(text), "%u", (unsigned)kin_test_below(rng, 70));
        ref_append_str(out, text);
        return;
    }
    if (one_in(rng, 4))
        ref_append_char(out, '-');
    append_integer(out, rng);
    if (one_in(rng, 3)) {
        ref_append_char(out, '.');
        append_digits(out, rng, 1 + kin_test_below(rng, 20));
    }
    if (one_in(rng, 4)) {
        ref_append_char(out, one_in(rng, 2) ? 'e' : 'E');
        if (one_in(rng, 2))
            ref_append_char(out, one_in(rng, 2) ? '+' : '-');
        append_digits(out, rng, 1 + kin_test_below(rng, 3));
    }
}

/* --- values --- */

static ref_value *make_text(enum kin_type type, kin_test_rng *rng)
{
    ref_text text = {NULL, 0, 0};

    ref_append(&text, "", 0);
    if (type == KIN_STRING)
        random_string(&text, rng);
    else
        random_number(&text, rng);
    if (type != KIN_STRING)
        type = strpbrk(text.data, ".eE") ? KIN_NUMBER : KIN_INTEGER;

    ref_value *value = ref_new(type, text.data, text.len);

    free(text.data);
    return value;
}

static ref_value *random_scalar(kin_test_rng *rng)
{
    ref_value *value;

    switch (kin_test_below(rng, 8)) {
    case 0:
        return ref_new(KIN_NULL, NULL, 0);
    case 1:
        value = ref_new(KIN_BOOL, NULL, 0);
        value->truth = one_in(rng, 2);
        return value;
    case 2:
    case 3:
        return make_text(KIN_NUMBER, rng);
    default:
        return make_text(KIN_STRING, rng);
    }
}

static void random_key(ref_text *out, kin_test_rng *rng)
{
    static const char *const keys[] = {"name",
                                       "namespace",
                                       "labels",
                                       "metadata",
                                       "spec",
                                       "status",
                                       "containers",
                                       "image",
                                       "env",
                                       "value",
                                       "items",
                                       "annotations",
                                       "app.kubernetes.io/name",
                                       "f:metadata",
                                       "k:{\"name\":\"web\"}",
                                       "uid",
                                       "resourceVersion",
                                       "",
                                       ".",
                                       "time",
                                       "apiVersion",
                                       "kind",
                                       "data",
                                       "ports",
                                       "matchLabels"};

    if (one_in(rng, 12)) {
        random_string(out, rng);
        return;
    }
    if (one_in(rng, 6)) {
        char text[32];

        snprintf(text, sizeof(text), "field%u", (unsigned)kin_test_below(rng, 300));
        ref_append_str(out, text);
        return;
    }
    ref_append_str(out, pick(rng, keys, LEN(keys)));
}

static void put_random(ref_value *map, kin_test_rng *rng, ref_value *value)
{
    ref_text key = {NULL, 0, 0};

    ref_append(&key, "", 0);
    random_key(&key, rng);
    ref_put(map, key.data, key.len, value);
    free(key.data);
}

static void fill(ref_value *container, kin_test_rng *rng, size_t size, unsigned depth)
{
    /* Equal elements are what sharing is about. */
    const ref_value *again = NULL;

    while (size > 0) {
        size_t part = 1 + kin_test_below(rng, one_in(rng, 3) ? size : (size < 5 ? size : 5));
        ref_value *value =
            again && one_in(rng, 6) ? ref_copy(again) : random_value(rng, part, depth - 1);

        size -= part;
        if (container->type == KIN_ARRAY) {
            free(value->key);
            value->key = NULL;
            value->key_len = 0;
            ref_add(container, value);
        } else {
            put_random(container, rng, value);
        }
        again = value;
    }
}

ref_value *random_value(kin_test_rng *rng, size_t size, unsigned depth)
{
    if (depth == 0 || (size < 2 && !one_in(rng, 6)))
        return random_scalar(rng);

    ref_value *value = ref_new(one_in(rng, 3) ? KIN_ARRAY : KIN_MAP, NULL, 0);

    fill(value, rng, size - 1, depth);
    return value;
}

static void put(ref_value *map, const char *key, ref_value *value)
{
    ref_put(map, key, strlen(key), value);
}

static ref_value *string_of(const char *text)
{
    return ref_new(KIN_STRING, text, strlen(text));
}

static ref_value *random_labels(kin_test_rng *rng)
{
    static const char *const keys[] = {"app", "tier", "pod-template-hash",
                                       "id",  "at",   "app.kubernetes.io/name"};
    ref_value *labels = ref_new(KIN_MAP, NULL, 0);

    for (size_t n = kin_test_below(rng, 5); n > 0; n--)
        put(labels, pick(rng, keys, LEN(keys)), make_text(KIN_STRING, rng));
    return labels;
}

static void put_metadata(ref_value *root, kin_test_rng *rng)
{
    static const char *const strings[] = {
        "name", "namespace", "uid", "resourceVersion", "creationTimestamp", "generateName"};
    ref_value *metadata = ref_new(KIN_MAP, NULL, 0);

    for (size_t i = 0; i < LEN(strings); i++) {
        if (!one_in(rng, 5))
            put(metadata, strings[i],
                one_in(rng, 20) ? random_value(rng, 3, 2) : make_text(KIN_STRING, rng));
    }
    if (!one_in(rng, 3))
        put(metadata, "labels", one_in(rng, 20) ? random_value(rng, 3, 2) : random_labels(rng));
    if (one_in(rng, 2))
        put(metadata, "annotations", random_labels(rng));
    put(root, "metadata", metadata);
    if (one_in(rng, 3)) {
        /* The same map where its strings may be packed. */
        const ref_value *labels = ref_get(metadata, "labels", 6);
        ref_value *spec = ref_new(KIN_MAP, NULL, 0);
        ref_value *selector = ref_new(KIN_MAP, NULL, 0);

        put(selector, "matchLabels", labels ? ref_copy(labels) : random_labels(rng));
        put(spec, "selector", selector);
        put(root, "spec", spec);
    }
}

ref_value *random_document(kin_test_rng *rng, size_t size)
{
    ref_value *root = ref_new(KIN_MAP, NULL, 0);

    if (!one_in(rng, 4))
        put(root, "apiVersion", string_of("v1"));
    if (!one_in(rng, 4))
        put(root, "kind", string_of("Pod"));
    if (one_in(rng, 20))
        put(root, "metadata", random_value(rng, 4, 3));
    else if (!one_in(rng, 10))
        put_metadata(root, rng);
    if (size > 0)
        fill(root, rng, kin_test_below(rng, size + 1), one_in(rng, 10) ? 60 : 8);
    return root;
}

/* --- spelling --- */

struct speller {
    ref_text *out;
    kin_test_rng *rng;
    unsigned how;
};

static void spell_space(const struct speller *s)
{
    if (!(s->how & RANDOM_SPACE))
        return;
    while (one_in(s->rng, 3))
        ref_append_char(s->out, " \t\r\n"[kin_test_below(s->rng, 4)]);
}

static void spell_unit(const struct speller *s, unsigned unit)
{
    char escape[8];

    snprintf(escape, sizeof(escape), one_in(s->rng, 2) ? "\\u%04x" : "\\u%04X", unit & 0xffffu);
    ref_append_str(s->out, escape);
}

/* The code of the character at `p`, and its length. */
static unsigned decode(const char *p, size_t *ret_len)
{
    unsigned char c = (unsigned char)*p;
    unsigned code = c;

    *ret_len = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    if (*ret_len > 1)
        code = c & (0x7fu >> *ret_len);
    for (size_t i = 1; i < *ret_len; i++)
        code = code << 6 | ((unsigned char)p[i] & 0x3fu);
    return code;
}

static void spell_escape(const struct speller *s, unsigned code)
{
    static const char from[] = "\"\\/\b\f\n\r\t";
    static const char to[] = "\"\\/bfnrt";
    const char *found = code && code < 0x80 ? strchr(from, (int)code) : NULL;

    if (found && one_in(s->rng, 2)) {
        ref_append_char(s->out, '\\');
        ref_append_char(s->out, to[found - from]);
    } else if (code < 0x10000) {
        spell_unit(s, code);
    } else {
        spell_unit(s, 0xd800 + ((code - 0x10000) >> 10));
        spell_unit(s, 0xdc00 + ((code - 0x10000) & 0x3ff));
    }
}

static void spell_string(const struct speller *s, const char *text, size_t len)
{
    ref_append_char(s->out, '"');
    for (size_t i = 0; i < len;) {
        size_t n;
        unsigned code = decode(text + i, &n);

        if (code < 0x20 || code == '"' || code == '\\' ||
            ((s->how & RANDOM_ESCAPES) && one_in(s->rng, 8)))
            spell_escape(s, code);
        else
            ref_append(s->out, text + i, n);
        i += n;
    }
    ref_append_char(s->out, '"');
}

static void spell_value(const struct speller *s, const ref_value *value);

static void spell_member(const struct speller *s, const ref_value *map, size_t i)
{
    const ref_value *member = map->elements[i];

    if ((s->how & RANDOM_DUPLICATES) && one_in(s->rng, 10)) {
        /* What comes later under the same key counts. */
        const ref_value *later = map->elements[i + kin_test_below(s->rng, map->n_elements - i)];
        ref_value *junk = random_value(s->rng, 4, 2);

        spell_string(s, later->key, later->key_len);
        ref_append_char(s->out, ':');
        spell_value(s, junk);
        ref_append_char(s->out, ',');
        ref_free(junk);
    }
    spell_string(s, member->key, member->key_len);
    spell_space(s);
    ref_append_char(s->out, ':');
    spell_space(s);
    spell_value(s, member);
}

static void spell_value(const struct speller *s, const ref_value *value)
{
    if (value->type != KIN_MAP && value->type != KIN_ARRAY) {
        if (value->type == KIN_STRING)
            spell_string(s, value->text, value->text_len);
        else
            ref_print(s->out, value);
        return;
    }
    ref_append_char(s->out, value->type == KIN_MAP ? '{' : '[');
    spell_space(s);
    for (size_t i = 0; i < value->n_elements; i++) {
        if (i > 0)
            ref_append_char(s->out, ',');
        spell_space(s);
        if (value->type == KIN_MAP)
            spell_member(s, value, i);
        else
            spell_value(s, value->elements[i]);
        spell_space(s);
    }
    ref_append_char(s->out, value->type == KIN_MAP ? '}' : ']');
}

ref_text random_text(const ref_value *value, kin_test_rng *rng, unsigned how)
{
    ref_text text = {NULL, 0, 0};
    struct speller s = {&text, rng, how};

    spell_space(&s);
    spell_value(&s, value);
    spell_space(&s);
    return text;
}

void random_keep(random_keeper *keeper, const kin_object *object)
{
    const kin_object **place = &keeper->objects[keeper->next++ % RANDOM_KEPT];

    kin_object_unref(*place);
    *place = object;
}

void random_keep_none(random_keeper *keeper)
{
    for (size_t i = 0; i < RANDOM_KEPT; i++)
        random_keep(keeper, NULL);
}

void random_clobber_stack(void)
{
    volatile char bytes[8192];

    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = '#';
}

/* --- changes --- */

void random_shuffle(ref_value *value, kin_test_rng *rng)
{
    for (size_t i = 0; i < value->n_elements; i++)
        random_shuffle(value->elements[i], rng);
    for (size_t i = value->n_elements; value->type == KIN_MAP && i > 1; i--) {
        size_t other = kin_test_below(rng, i);
        ref_value *moved = value->elements[other];

        value->elements[other] = value->elements[i - 1];
        value->elements[i - 1] = moved;
    }
}

/* To what is another value in any case. */
static void change(ref_value *value, kin_test_rng *rng)
{
    if (value->type == KIN_BOOL) {
        value->truth = !value->truth;
    } else if (value->type == KIN_STRING && value->text_len > 0 && one_in(rng, 2)) {
        size_t i = kin_test_below(rng, value->text_len);
        char c = value->text[i];

        /* ASCII stays ASCII, so it stays valid. */
        if (c >= ' ' && c < 0x7f)
            value->text[i] = c == 'x' ? 'y' : 'x';
        else
            value->type = KIN_NULL;
    } else if (value->type == KIN_NULL) {
        value->type = KIN_BOOL;
    } else if (one_in(rng, 2) && (value->type == KIN_MAP || value->type == KIN_ARRAY)) {
        if (value->type == KIN_MAP)
            ref_put(value, "one more", 8, ref_new(KIN_NULL, NULL, 0));
        else
            ref_add(value, ref_new(KIN_NULL, NULL, 0));
    } else {
        value->type = KIN_NULL;
        for (size_t i = 0; i < value->n_elements; i++)
            ref_free(value->elements[i]);
        value->n_elements = 0;
        free(value->elements);
        value->elements = NULL;
    }
    if (value->type == KIN_NULL || value->type == KIN_BOOL) {
        free(value->text);
        value->text = NULL;
        value->text_len = 0;
    }
}

/* The n-th value in document order, the value itself is 0; or NULL, and *n is less. */
static ref_value *find(ref_value *value, size_t *n)
{
    if (*n == 0)
        return value;
    for (size_t i = 0; i < value->n_elements; i++) {
        --*n;

        ref_value *found = find(value->elements[i], n);

        if (found)
            return found;
    }
    return NULL;
}

bool random_change(ref_value *root, kin_test_rng *rng)
{
    size_t count = ref_count(root) - 1;
    size_t n = 1 + kin_test_below(rng, count);
    ref_value *value = count ? find(root, &n) : NULL;

    if (!value)
        return false;
    change(value, rng);
    return true;
}

void random_rename(ref_value *document, unsigned n)
{
    const ref_value *metadata = ref_get(document, "metadata", 8);
    ref_value *name = metadata ? ref_get(metadata, "name", 4) : NULL;
    char text[32];

    if (!name || name->type != KIN_STRING)
        return;
    snprintf(text, sizeof(text), "name-%u", n);
    free(name->text);
    name->text_len = strlen(text);
    name->text = strdup(text);
    if (!name->text)
        abort();
}

void random_damage(ref_text *text, kin_test_rng *rng)
{
    static const char bytes[] = "{}[]\",:\\/ue0-+.\x00\xff\x80\xc3\xed\n\x01 tfn";
    size_t at = kin_test_below(rng, text->len);
    char c = bytes[kin_test_below(rng, sizeof(bytes) - 1)];

    switch (text->len ? kin_test_below(rng, 4) : 3) {
    case 0:
        text->data[at] = c;
        break;
    case 1:
        memmove(text->data + at, text->data + at + 1, text->len - at - 1);
        text->len--;
        break;
    case 2:
        text->len = at;
        break;
    default:
        ref_append_char(text, c);
        memmove(text->data + at + 1, text->data + at, text->len - at - 1);
        text->data[at] = c;
        break;
    }
}
