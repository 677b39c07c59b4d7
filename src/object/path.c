/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Field paths: one scanner, two users. Compiling scans twice, to count and to keep; a lookup by
 * text scans once and goes along with it.
 *
 * A key without escapes is a view of the text. One with escapes is shorter than its spelling, and
 * is written into the scanner's room, at the place where its spelling stands in the text. The
 * room may be the text itself: writing never gets ahead of reading. So a compiled path keeps a
 * copy of its text, unescaped in place, and a lookup needs as much stack as a path may be long.
 *
 * Keys are checked to be UTF-8 because the editor makes members of them. Every path whose
 * text is accepted can be printed, and the print is no longer than the text: each step is spelled
 * in the shortest way, so that the limit on the length holds for it too.
 *
 * A compiled step remembers the dictionary's number of its key. A key may be learnt later; a
 * step without a number is looked up by its text every time.
 */
#include "object/path.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/str.h"
#include "base/utf8.h"
#include "object/keys.h"
#include "object/limits.h"
#include "object/tape.h"

_Static_assert(KIN_PATH_MAX_STEPS >= KIN__DEPTH_MAX, "no value is too deep for a path");

struct scan {
    kin_str text;
    size_t at;
    char *room; /* as long as the text; NULL: keys with escapes are not wanted */
    unsigned steps;
    bool pattern;
};

static int bad(const struct scan *s, kin_error *err, const char *what)
{
    return kin__error_parse(err, s->at, "path: %s", what);
}

static bool next_is(const struct scan *s, char c)
{
    return s->at < s->text.len && s->text.data[s->at] == c;
}

/* Take a character of the key that began at `start` and has `*len` bytes so far. */
static int take_char(struct scan *s, size_t start, size_t *len, kin_error *err)
{
    const char *text = s->text.data;
    bool escaped = text[s->at] == '\\';
    size_t at = s->at + escaped;

    if (at == s->text.len)
        return bad(s, err, "a backslash with nothing behind it");
    size_t n = (unsigned char)text[at] < 0x80 ? 1 : kin__utf8_char_len(text + at, s->text.len - at);
    if (n == 0)
        return kin__error_parse(err, at, "path: malformed UTF-8");
    if (s->room && escaped && *len == s->at - start) /* the first escape: no longer a view */
        memmove(s->room + start, text + start, *len);
    if (s->room && at - start != *len)
        memmove(s->room + start + *len, text + at, n);
    *len += n;
    s->at = at + n;
    return 0;
}

static void make_key(const struct scan *s, size_t start, size_t len, kin__step *ret)
{
    bool is_view = s->at - start == len;

    ret->type = KIN__STEP_KEY;
    ret->key = kin_str_make(is_view || !s->room ? s->text.data + start : s->room + start, len);
}

/* name */
static int scan_name(struct scan *s, kin__step *ret, kin_error *err)
{
    size_t start = s->at;
    size_t len = 0;

    while (s->at < s->text.len && !next_is(s, '.') && !next_is(s, '[')) {
        if (next_is(s, ']'))
            return bad(s, err, "a ']' without '['");
        int code = take_char(s, start, &len, err);
        if (code < 0)
            return code;
    }
    if (len == 0)
        return bad(s, err, "a name is missing");
    make_key(s, start, len, ret);
    if (s->at == start + 1 && s->text.data[start] == '*') {
        if (!s->pattern)
            return kin__error_parse(err, start, "path: '*' is no name here; '\\*' would be");
        ret->type = KIN__STEP_ANY_KEY;
    }
    return 0;
}

/* The quote has been seen: 'name'] */
static int scan_quoted(struct scan *s, char quote, kin__step *ret, kin_error *err)
{
    size_t start = ++s->at;
    size_t len = 0;

    while (!next_is(s, quote)) {
        if (s->at == s->text.len)
            return bad(s, err, "a quote is not closed");
        int code = take_char(s, start, &len, err);
        if (code < 0)
            return code;
    }
    make_key(s, start, len, ret);
    s->at++;
    return 0;
}

static int scan_index(struct scan *s, kin__step *ret, kin_error *err)
{
    size_t start = s->at;
    uint64_t index;

    while (s->at < s->text.len && s->text.data[s->at] >= '0' && s->text.data[s->at] <= '9')
        s->at++;
    kin_str digits = kin_str_make(s->text.data + start, s->at - start);
    if (digits.len == 0)
        return bad(s, err, "an index or a name in quotes is missing");
    if (digits.len > 1 && digits.data[0] == '0')
        return kin__error_parse(err, start, "path: an index with a leading zero");
    if (kin__str_to_u64(&index, digits) < 0 || index > UINT32_MAX)
        return kin__error_parse(err, start, "path: an index that no document has");
    ret->type = KIN__STEP_INDEX;
    ret->index = (uint32_t)index;
    return 0;
}

/* [3] ['name'] ["name"] [*] */
static int scan_bracket(struct scan *s, kin__step *ret, kin_error *err)
{
    int code = 0;

    s->at++;
    if (next_is(s, '\'') || next_is(s, '"')) {
        code = scan_quoted(s, s->text.data[s->at], ret, err);
    } else if (next_is(s, '*') && s->pattern) {
        ret->type = KIN__STEP_ANY_INDEX;
        s->at++;
    } else {
        code = scan_index(s, ret, err);
    }
    if (code < 0)
        return code;
    if (!next_is(s, ']'))
        return bad(s, err, "a ']' is missing");
    s->at++;
    return 0;
}

static int scan_init(struct scan *s, kin_str text, bool pattern, char *room, kin_error *err)
{
    memset(s, 0, sizeof(*s));
    if (text.len > KIN_PATH_MAX_LENGTH)
        return kin__error_input(err, KIN_ELIMIT, KIN_PATH_MAX_LENGTH,
                                "a path of more than %d bytes", KIN_PATH_MAX_LENGTH);
    s->text = text;
    s->pattern = pattern;
    s->room = room;
    return 0;
}

/* 1: a step; 0: the end; or a failure. */
static int scan_next(struct scan *s, kin__step *ret, kin_error *err)
{
    int code;

    if (s->at == 0 && next_is(s, '.')) {
        s->at++;
        if (s->at < s->text.len && !next_is(s, '['))
            s->at--; /* scanned below, as any other dot */
    }
    if (s->at == s->text.len)
        return 0;
    if (s->steps++ == KIN_PATH_MAX_STEPS)
        return kin__error_input(err, KIN_ELIMIT, s->at, "a path of more than %d steps",
                                KIN_PATH_MAX_STEPS);
    memset(ret, 0, sizeof(*ret));
    if (next_is(s, '[')) {
        code = scan_bracket(s, ret, err);
    } else if (next_is(s, '.') || s->at == 0) {
        s->at += next_is(s, '.');
        code = scan_name(s, ret, err);
    } else {
        code = bad(s, err, "a '.' or '[' is missing");
    }
    return code < 0 ? code : 1;
}

static int count_steps(size_t *ret, kin_str text, bool pattern, kin_error *err)
{
    struct scan s;
    kin__step step;
    int code = scan_init(&s, text, pattern, NULL, err);

    if (code < 0)
        return code;
    while ((code = scan_next(&s, &step, err)) > 0) {
    }
    *ret = s.steps;
    return code;
}

int kin__path_parse(kin_path **ret, kin_str text, bool pattern, kin_error *err)
{
    struct scan s;
    size_t len = 0;
    int code = count_steps(&len, text, pattern, err);

    if (code < 0)
        return code;
    size_t text_at = sizeof(kin_path) + len * sizeof(kin__step);
    kin_path *path = kin__malloc(text_at + text.len);
    if (!path)
        return kin__error_no_memory(err);
    char *copy = (char *)path + text_at;
    if (text.len)
        memcpy(copy, text.data, text.len);
    code = scan_init(&s, kin_str_make(copy, text.len), pattern, copy, err);
    for (path->len = 0; code >= 0 && path->len < len; path->len++) {
        kin__step *step = &path->steps[path->len];

        code = scan_next(&s, step, err);
        step->id = step->type == KIN__STEP_KEY ? kin__keys_find(step->key) : KIN__KEY_TEXT;
    }
    *ret = path;
    return 0;
}

int kin_path_parse(kin_path **ret, kin_str text, kin_error *err)
{
    if (!ret)
        return kin__error_null(err, "ret");
    return kin__path_parse(ret, text, false, err);
}

void kin_path_free(kin_path *path)
{
    kin__free(path);
}

/* --- lookups --- */

kin_value kin_path_get(const kin_path *path, kin_value root)
{
    if (!path)
        return (kin_value){NULL, 0};
    for (size_t i = 0; i < path->len; i++) {
        const kin__step *step = &path->steps[i];

        if (step->type == KIN__STEP_INDEX)
            root = kin_value_at(root, step->index);
        else if (step->id != KIN__KEY_TEXT)
            root = kin__value_get_key(root, step->id, step->key);
        else
            root = kin_value_get(root, step->key);
    }
    return root;
}

kin_value kin_object_get(const kin_object *object, const kin_path *path)
{
    return kin_path_get(path, kin_object_root(object));
}

int kin_value_find(kin_value *ret, kin_value value, kin_str path, kin_error *err)
{
    if (!ret)
        return kin__error_null(err, "ret");

    char room[KIN_PATH_MAX_LENGTH];
    struct scan s;
    kin__step step;
    int code = scan_init(&s, path, false, room, err);

    if (code < 0)
        return code;
    /* To the end also when nothing is there any more: what is no path is never "not found". */
    while ((code = scan_next(&s, &step, err)) > 0) {
        value = step.type == KIN__STEP_INDEX ? kin_value_at(value, step.index)
                                             : kin_value_get(value, step.key);
    }
    if (code < 0)
        return code;
    if (kin_value_type(value) == KIN_NONE)
        return kin_error_set(err, KIN_ENOTFOUND, "nothing is at %" KIN_STR_FMT, KIN_STR_ARG(path));
    *ret = value;
    return 0;
}

kin_value kin_object_find(const kin_object *object, const char *path)
{
    kin_value value = {NULL, NULL};

    kin_value_find(&value, kin_object_root(object), kin_str_of(path), NULL);
    return value;
}

/* --- typed getters --- */

static int find_field(kin_value *ret, const kin_object *object, const char *path)
{
    if (!object || !path)
        return KIN_EINVAL;

    int code = kin_value_find(ret, kin_object_root(object), kin_str_of(path), NULL);

    /* The codes for a wrong path would look like a field that has the wrong content. */
    return code == KIN_EPARSE || code == KIN_ELIMIT ? KIN_EINVAL : code;
}

int kin_object_get_string(const kin_object *object, const char *path, char *buf, size_t size)
{
    kin_value value = {NULL, NULL};
    kin_scratch scratch;
    kin_str text = {"", 0};
    int code = buf ? find_field(&value, object, path) : KIN_EINVAL;

    if (code == 0)
        code = kin_value_string(&text, value, &scratch);
    if (code < 0)
        return code;
    if (text.len >= size)
        return KIN_ELIMIT;
    if (memchr(text.data, '\0', text.len))
        return KIN_ERANGE;
    memcpy(buf, text.data, text.len);
    buf[text.len] = '\0';
    return 0;
}

int kin_object_get_int64(const kin_object *object, const char *path, int64_t *ret)
{
    kin_value value = {NULL, NULL};
    int code = find_field(&value, object, path);

    return code < 0 ? code : kin_value_int64(ret, value);
}

int kin_object_get_double(const kin_object *object, const char *path, double *ret)
{
    kin_value value = {NULL, NULL};
    int code = find_field(&value, object, path);

    return code < 0 ? code : kin_value_double(ret, value);
}

int kin_object_get_bool(const kin_object *object, const char *path, bool *ret)
{
    kin_value value = {NULL, NULL};
    int code = find_field(&value, object, path);

    return code < 0 ? code : kin_value_bool(ret, value);
}

int kin_object_get_time(const kin_object *object, const char *path, kin_time *ret)
{
    kin_value value = {NULL, NULL};
    int code = find_field(&value, object, path);

    return code < 0 ? code : kin_value_time(ret, value);
}

int kin_object_get_quantity(const kin_object *object, const char *path, kin_quantity *ret)
{
    kin_value value = {NULL, NULL};
    int code = find_field(&value, object, path);

    return code < 0 ? code : kin_value_quantity(ret, value);
}

/* --- printing --- */

/* How many bytes of the text are in a set. */
static size_t count_in(kin_str text, const char *set, size_t set_len)
{
    size_t n = 0;

    for (size_t i = 0; i < text.len; i++)
        n += memchr(set, text.data[i], set_len) != NULL;
    return n;
}

static void append_escaped(kin__buf *buf, kin_str text, const char *set, size_t set_len)
{
    for (size_t i = 0; i < text.len; i++) {
        if (memchr(set, text.data[i], set_len))
            kin__buf_append_char(buf, '\\');
        kin__buf_append_char(buf, text.data[i]);
    }
}

static void append_quoted(kin__buf *buf, kin_str key, char quote)
{
    char set[2] = {quote, '\\'};

    kin__buf_append_char(buf, '[');
    kin__buf_append_char(buf, quote);
    append_escaped(buf, key, set, sizeof(set));
    kin__buf_append_char(buf, quote);
    kin__buf_append_char(buf, ']');
}

void kin__path_append_key(kin__buf *buf, kin_str key)
{
    static const char special[4] = {'.', '[', ']', '\\'};
    bool is_star = key.len == 1 && key.data[0] == '*';
    size_t dot = buf->len > 0;
    size_t bare = dot + is_star + count_in(key, special, sizeof(special));
    size_t single = 4 + count_in(key, "'\\", 2);
    size_t twofold = 4 + count_in(key, "\"\\", 2);
    size_t quoted = single <= twofold ? single : twofold;

    if (key.len == 0 || quoted < bare) {
        append_quoted(buf, key, single <= twofold ? '\'' : '"');
        return;
    }
    if (dot)
        kin__buf_append_char(buf, '.');
    if (is_star)
        kin__buf_append_char(buf, '\\');
    append_escaped(buf, key, special, sizeof(special));
}

void kin__path_append_index(kin__buf *buf, size_t index)
{
    kin__buf_appendf(buf, "[%zu]", index);
}

void kin__path_append_step(kin__buf *buf, const kin__step *step)
{
    switch (step->type) {
    case KIN__STEP_KEY:
        kin__path_append_key(buf, step->key);
        break;
    case KIN__STEP_INDEX:
        kin__path_append_index(buf, step->index);
        break;
    case KIN__STEP_ANY_KEY:
        kin__buf_append(buf, kin_str_of(buf->len > 0 ? ".*" : "*"));
        break;
    default:
        kin__buf_append(buf, kin_str_of("[*]"));
        break;
    }
}

int kin_path_print(char **ret, size_t *ret_len, const kin_path *path, kin_error *err)
{
    kin__buf buf;

    if (!ret || !path)
        return kin__error_null(err, !ret ? "ret" : "path");
    kin__buf_init(&buf, KIN_PATH_MAX_LENGTH);
    for (size_t i = 0; i < path->len; i++)
        kin__path_append_step(&buf, &path->steps[i]);
    int code = kin__buf_take(&buf, ret, ret_len);
    if (code < 0) {
        kin__buf_done(&buf);
        return kin__error_no_memory(err);
    }
    return 0;
}
