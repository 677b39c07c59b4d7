/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading what a plugin answered.
 *
 * The decoder of documents must not see secrets: it remembers what it reads, in pools that live as
 * long as the process and are never wiped. So it gets the text with its strings replaced by where they
 * stand ("token":"hush" becomes "token":"9"), and judges the grammar, the types, and which of two
 * members of one name counts. The strings that are asked for are then read where they stand, into
 * secrets. Only the values of apiVersion, kind and expirationTimestamp are left in the text.
 *
 * Strings that nobody asks for are not looked into, beyond finding their end.
 */
#include "client/exec_credential.h"

#include "base/assert.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/str.h"
#include "base/utf8.h"
#include "client/pem.h"
#include "kinform/json.h"
#include "kinform/path.h"

void kin__exec_credential_done(kin__exec_credential *credential)
{
    kin__secret_done(&credential->token);
    kin__secret_done(&credential->certificate);
    kin__secret_done(&credential->key);
    credential->expires = INT64_MAX;
}

bool kin__token_is_usable(kin_str token)
{
    for (size_t i = 0; i < token.len; i++) {
        unsigned char c = (unsigned char)token.data[i];

        if (c < 0x20 || c == 0x7f)
            return false;
    }
    return token.len > 0 && token.data[0] != ' ' && token.data[token.len - 1] != ' ';
}

/* --- the text without its strings --- */

/* Where the string ends whose opening quote stands at `at`: behind its last quote. 0: nowhere. */
static size_t string_end(kin_str text, size_t at)
{
    for (size_t i = at + 1; i < text.len; i++) {
        if (text.data[i] == '\\')
            i++;
        else if (text.data[i] == '"')
            return i + 1;
    }
    return 0;
}

static bool is_key(kin_str text, size_t end)
{
    while (end < text.len && strchr(" \t\r\n", text.data[end]) && text.data[end])
        end++;
    return end < text.len && text.data[end] == ':';
}

static bool may_be_seen(kin_str key)
{
    return kin_str_equal(key, kin_str_of("\"apiVersion\"")) ||
           kin_str_equal(key, kin_str_of("\"kind\"")) ||
           kin_str_equal(key, kin_str_of("\"expirationTimestamp\""));
}

/* 0, or KIN_EPARSE: a string without an end. A failure of the buffer sticks in it. */
static int mask(kin__buf *masked, kin_str text)
{
    kin_str key = {NULL, 0}; /* of the member whose value comes next */
    size_t at = 0;

    while (at < text.len) {
        if (text.data[at] != '"') {
            if (strchr(",[]{}", text.data[at]) && text.data[at])
                key = kin_str_make(NULL, 0);
            kin__buf_append_char(masked, text.data[at++]);
            continue;
        }
        size_t end = string_end(text, at);
        if (end == 0)
            return KIN_EPARSE;
        kin_str string = kin_str_make(text.data + at, end - at);
        bool is_name = is_key(text, end);
        if (is_name || may_be_seen(key))
            kin__buf_append(masked, string);
        else
            kin__buf_appendf(masked, "\"%zu\"", at);
        key = is_name ? string : kin_str_make(NULL, 0);
        at = end;
    }
    return 0;
}

/* --- a string of JSON, read into a secret --- */

struct unescape {
    const char *p;
    const char *end; /* the closing quote */
    char *out;
};

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool read_hex4(struct unescape *u, uint32_t *ret)
{
    uint32_t value = 0;

    if (u->end - u->p < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        int digit = hex_value(*u->p++);

        if (digit < 0)
            return false;
        value = value << 4 | (uint32_t)digit;
    }
    *ret = value;
    return true;
}

static void put_character(struct unescape *u, uint32_t c)
{
    if (c < 0x80) {
        *u->out++ = (char)c;
        return;
    }
    if (c < 0x800) {
        *u->out++ = (char)(0xc0 | c >> 6);
    } else {
        if (c < 0x10000) {
            *u->out++ = (char)(0xe0 | c >> 12);
        } else {
            *u->out++ = (char)(0xf0 | c >> 18);
            *u->out++ = (char)(0x80 | (c >> 12 & 63));
        }
        *u->out++ = (char)(0x80 | (c >> 6 & 63));
    }
    *u->out++ = (char)(0x80 | (c & 63));
}

/* Behind "\u": the character of one escape, or of the two of a surrogate pair. */
static bool unescape_unicode(struct unescape *u)
{
    uint32_t c;
    uint32_t low;

    if (!read_hex4(u, &c))
        return false;
    if (c >= 0xd800 && c < 0xe000) {
        if (c >= 0xdc00 || u->end - u->p < 2 || u->p[0] != '\\' || u->p[1] != 'u')
            return false;
        u->p += 2;
        if (!read_hex4(u, &low) || low < 0xdc00 || low >= 0xe000)
            return false;
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    }
    put_character(u, c);
    return true;
}

/* Behind a backslash. */
static bool unescape_one(struct unescape *u)
{
    static const char names[] = "\"\\/bfnrt";
    static const char meant[] = "\"\\/\b\f\n\r\t";
    char c = *u->p++;

    if (c == 'u')
        return unescape_unicode(u);
    const char *name = memchr(names, c, sizeof(names) - 1);
    if (!name)
        return false;
    *u->out++ = meant[name - names];
    return true;
}

/* All of it; what an escape stands for is never longer than the escape. */
static bool unescape(struct unescape *u)
{
    while (u->p < u->end) {
        char c = *u->p++;

        if ((unsigned char)c < 0x20)
            return false;
        if (c != '\\')
            *u->out++ = c;
        else if (!unescape_one(u))
            return false;
    }
    return true;
}

/* The string that begins at `at`. 0, KIN_EPARSE, KIN_ENOMEM. */
static int read_string(kin__secret *ret, kin_str text, size_t at)
{
    kin__assert(at < text.len && text.data[at] == '"');
    size_t end = string_end(text, at);
    kin__secret secret = {kin__malloc(end - at), end - at - 2};
    struct unescape u = {text.data + at + 1, text.data + end - 1, secret.data};

    if (!secret.data)
        return KIN_ENOMEM;
    bool is_good = unescape(&u);
    size_t len = (size_t)(u.out - secret.data);
    is_good = is_good && kin__utf8_check(secret.data, len);
    int code = is_good ? kin__secret_set(ret, kin_str_make(secret.data, len)) : KIN_EPARSE;
    kin__secret_done(&secret);
    return code;
}

/* --- what the text says --- */

static int refuse(kin_error *err, const char *what)
{
    return kin_error_set(err, KIN_EPARSE, "%s", what);
}

/* A member of the status that was masked; not there and null are the empty secret. */
static int read_secret(kin__secret *ret, kin_value status, const char *key, kin_str text,
                       kin_error *err)
{
    kin_value value = kin_value_get(status, kin_str_of(key));
    kin_scratch scratch;
    kin_str place;
    uint64_t at;

    if (kin_value_type(value) == KIN_NONE || kin_value_type(value) == KIN_NULL)
        return 0;
    if (kin_value_string(&place, value, &scratch) < 0 || kin__str_to_u64(&at, place) < 0)
        return kin_error_set(err, KIN_EPARSE, "status.%s is not a string", key);
    int code = read_string(ret, text, (size_t)at);
    if (code == KIN_EPARSE)
        return kin_error_set(err, KIN_EPARSE, "status.%s is not a string of JSON", key);
    return code == 0 ? 0 : kin__error_no_memory(err);
}

static int read_expiry(int64_t *ret, kin_value status, kin_error *err)
{
    kin_value value = kin_value_get(status, kin_str_of("expirationTimestamp"));
    int64_t ns;
    kin_time time;

    if (kin_value_type(value) == KIN_NONE || kin_value_type(value) == KIN_NULL)
        return 0;
    if (kin_value_time(&time, value) < 0)
        return refuse(err, "status.expirationTimestamp is not a timestamp of RFC 3339");
    if (__builtin_mul_overflow(time.seconds, INT64_C(1000000000), &ns) ||
        __builtin_add_overflow(ns, time.nanoseconds, &ns))
        ns = time.seconds < 0 ? INT64_MIN : INT64_MAX;
    *ret = ns;
    return 0;
}

static bool is_text(const kin_object *object, const char *path, const char *expected)
{
    kin_scratch scratch;
    kin_str text;

    return kin_value_string(&text, kin_object_find(object, path), &scratch) == 0 &&
           kin_str_equal(text, kin_str_of(expected));
}

/* Whether what was read is something to go with. */
static int judge(const kin__exec_credential *credential, kin_error *err)
{
    const char *defect;

    if (credential->token.len == 0 && credential->certificate.len == 0 && credential->key.len == 0)
        return refuse(err, "status has neither a token nor a certificate and its key");
    if ((credential->certificate.len == 0) != (credential->key.len == 0))
        return refuse(err, "status has only one of clientCertificateData and clientKeyData");
    if (credential->token.len > 0 && !kin__token_is_usable(kin__secret_str(&credential->token)))
        return refuse(err, "status.token has control characters or spaces around it");
    if (credential->certificate.len == 0)
        return 0;
    defect = kin__pem_defect(kin__secret_str(&credential->certificate), KIN__PEM_CERTIFICATES);
    if (defect)
        return kin_error_set(err, KIN_EPARSE, "status.clientCertificateData %s", defect);
    defect = kin__pem_defect(kin__secret_str(&credential->key), KIN__PEM_KEY);
    if (defect)
        return kin_error_set(err, KIN_EPARSE, "status.clientKeyData %s", defect);
    return 0;
}

static int read_status(kin__exec_credential *credential, const kin_object *object, kin_str text,
                       const char *api_version, kin_error *err)
{
    kin_value status = kin_object_find(object, "status");
    int code;

    if (!is_text(object, "kind", "ExecCredential"))
        return refuse(err, "kind is not ExecCredential");
    if (!is_text(object, "apiVersion", api_version))
        return kin_error_set(err, KIN_EPARSE, "apiVersion is not %s, as the configuration has it",
                             api_version);
    if (kin_value_type(status) != KIN_MAP)
        return refuse(err, "there is no status");
    if ((code = read_secret(&credential->token, status, "token", text, err)) < 0 ||
        (code = read_secret(&credential->certificate, status, "clientCertificateData", text, err)) <
            0 ||
        (code = read_secret(&credential->key, status, "clientKeyData", text, err)) < 0 ||
        (code = read_expiry(&credential->expires, status, err)) < 0)
        return code;
    return judge(credential, err);
}

static int decode(const kin_object **ret, kin_str text, kin_error *err)
{
    kin__buf masked;

    /* A place takes 9 bytes with its quotes, a string at least 2. */
    kin__buf_init(&masked, KIN__EXEC_OUTPUT_MAX * 5);
    int code = mask(&masked, text);
    if (code == 0)
        code = masked.len > 0 || masked.failed ? masked.failed : KIN_EPARSE;
    if (code == 0)
        code = kin_object_from_json(ret, kin__buf_str(&masked), NULL, err);
    kin__buf_done(&masked);
    if (code == KIN_EPARSE)
        return refuse(err, "it is not one JSON object");
    return code == KIN_ENOMEM ? kin__error_no_memory(err) : code;
}

int kin__exec_credential_parse(kin__exec_credential *ret, kin_str text, const char *api_version,
                               kin_error *err)
{
    kin__exec_credential credential = KIN__EXEC_CREDENTIAL_INIT;
    const kin_object *object = NULL;

    if (text.len > KIN__EXEC_OUTPUT_MAX)
        return kin_error_set(err, KIN_ELIMIT, "it is longer than %zu bytes", KIN__EXEC_OUTPUT_MAX);
    int code = decode(&object, text, err);
    if (code < 0)
        return code;
    code = read_status(&credential, object, text, api_version, err);
    kin_object_unref(object);
    if (code < 0)
        kin__exec_credential_done(&credential);
    else
        *ret = credential;
    return code;
}
