/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects from templates.
 *
 * 1. The format is scanned: each conversion takes its argument from the va_list, in textual order,
 *    and is replaced by a mark of the same number of characters (object/make.h).
 * 2. The YAML reader parses the marked text and asks here for the arguments of each scalar that has
 *    marks. No argument is ever parsed, so none can change the structure of the document.
 *
 * Marks carry their numbers: comments, anchors and aliases cannot shift arguments. A mark that is
 * met twice comes from an escape in the format ("\uE000"), since aliases copy replaced scalars.
 */
#include "kinform/make.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "object/make.h"

#define MARK_FIRST 0xe000u /* of the first conversion */
#define MARK_PAD 0xf8ffu
#define MARK_BYTES 3u /* in UTF-8, as all characters of this area */

_Static_assert(MARK_FIRST + KIN_MAKE_MAX_CONVERSIONS <= MARK_PAD, "each conversion has its mark");

/* --- marks --- */

static void append_mark(kin__buf *text, unsigned mark)
{
    const char bytes[MARK_BYTES] = {(char)(0xe0 | mark >> 12), (char)(0x80 | (mark >> 6 & 0x3f)),
                                    (char)(0x80 | (mark & 0x3f))};

    kin__buf_append(text, kin_str_make(bytes, sizeof(bytes)));
}

/* The character at `at`, if it is one of the area U+E000 to U+F8FF; else 0. */
static unsigned mark_at(kin_str text, size_t at)
{
    if (text.len - at < MARK_BYTES)
        return 0;
    unsigned char lead = (unsigned char)text.data[at];
    unsigned char middle = (unsigned char)text.data[at + 1];
    unsigned char last = (unsigned char)text.data[at + 2];
    unsigned mark = (lead & 0xfu) << 12 | (middle & 0x3fu) << 6 | (last & 0x3fu);

    if (lead < 0xee || lead > 0xef || (middle & 0xc0) != 0x80 || (last & 0xc0) != 0x80)
        return 0;
    return mark <= MARK_PAD ? mark : 0;
}

/* The first byte that can begin a mark, from `at`. */
static size_t find_mark(kin_str text, size_t at)
{
    while (at < text.len && mark_at(text, at) == 0)
        at++;
    return at;
}

/* --- the format --- */

struct scan {
    kin__make *make;
    va_list *ap;
};

/*
 * The next argument. NOLINT: clang 14 takes every va_list that a pointer leads to for an uninitialized one; the only
 * caller of these, make_begin(), copies it before.
 */
#define NEXT(name, type)                                                                           \
    static type next_##name(va_list *ap)                                                           \
    {                                                                                              \
        return va_arg(*ap, type);                                                                  \
    }
/* NOLINTBEGIN(clang-analyzer-valist.Uninitialized) */
NEXT(int, int)
NEXT(unsigned, unsigned)
NEXT(long, long)
NEXT(ulong, unsigned long)
NEXT(llong, long long)
NEXT(ullong, unsigned long long)
NEXT(double, double)
NEXT(string, const char *)
NEXT(pointer, const void *)
/* NOLINTEND(clang-analyzer-valist.Uninitialized) */

/* Report what is wrong with a conversion. Its argument is not repeated: it may be a secret. */
static int fail(const kin__make *make, const kin__make_argument *argument, int code, kin_error *err,
                const char *what)
{
    kin_str conversion = kin_str_make(make->format.data + argument->at, argument->len);

    return kin__error_input(err, code, argument->at, "conversion %zu, `%" KIN_STR_FMT "`: %s",
                            (size_t)(argument - make->arguments) + 1, KIN_STR_ARG(conversion),
                            what);
}

static int fail_buffer(const kin__buf *buf, kin_error *err)
{
    return kin_error_set(err, buf->failed, "%s", kin_error_string(buf->failed));
}

static int take_string(struct scan *scan, kin__make_argument *argument, bool has_length,
                       kin_error *err)
{
    int length = has_length ? next_int(scan->ap) : 0;
    const char *text = next_string(scan->ap);

    if (!text)
        return fail(scan->make, argument, KIN_EINVAL, err, "the string is NULL");
    if (length < 0)
        return fail(scan->make, argument, KIN_EINVAL, err, "the length is negative");
    argument->type = KIN__YAML_NODE_STRING;
    argument->text = kin_str_make(text, has_length ? strnlen(text, (size_t)length) : strlen(text));
    if (!kin__utf8_check(argument->text.data, argument->text.len))
        return fail(scan->make, argument, KIN_EINVAL, err, "the string is not UTF-8");
    return 0;
}

/* So that some lengths are the same. */
_Static_assert(sizeof(long) == sizeof(ssize_t) && sizeof(long) == sizeof(ptrdiff_t),
               "z and t are l");
_Static_assert(sizeof(long long) == sizeof(intmax_t), "j is ll");

static int64_t take_signed(struct scan *scan, char length)
{
    switch (length) {
    case 'h':
        return (short)next_int(scan->ap);
    case 'l':
    case 'z':
    case 't':
        return next_long(scan->ap);
    case 'L': /* ll */
    case 'j':
        return next_llong(scan->ap);
    default:
        return next_int(scan->ap);
    }
}

static uint64_t take_unsigned(struct scan *scan, char length)
{
    switch (length) {
    case 'h':
        return (unsigned short)next_unsigned(scan->ap);
    case 'l':
    case 'z':
    case 't':
        return next_ulong(scan->ap);
    case 'L': /* ll */
    case 'j':
        return next_ullong(scan->ap);
    default:
        return next_unsigned(scan->ap);
    }
}

static int take_bool(struct scan *scan, kin__make_argument *argument, kin_error *err)
{
    int value = next_int(scan->ap);

    if (value != 0 && value != 1)
        return fail(scan->make, argument, KIN_EINVAL, err, "a bool is 0 or 1; use %d for integers");
    argument->type = value ? KIN__YAML_NODE_TRUE : KIN__YAML_NODE_FALSE;
    argument->text = kin_str_of(value ? "true" : "false");
    return 0;
}

static void take_integer(struct scan *scan, kin__make_argument *argument, char length,
                         bool is_signed)
{
    char *digits = argument->digits;
    size_t size = sizeof(argument->digits);
    int len = is_signed ? snprintf(digits, size, "%" PRId64, take_signed(scan, length))
                        : snprintf(digits, size, "%" PRIu64, take_unsigned(scan, length));

    argument->type = KIN__YAML_NODE_NUMBER;
    argument->text = kin_str_make(digits, (size_t)len);
}

static int take_double(struct scan *scan, kin__make_argument *argument, kin_error *err)
{
    size_t len = kin__number_format_double(argument->digits, sizeof(argument->digits),
                                           next_double(scan->ap));

    if (len == 0)
        return fail(scan->make, argument, KIN_EINVAL, err,
                    "JSON has no number for infinity and NaN");
    argument->type = KIN__YAML_NODE_NUMBER;
    argument->text = kin_str_make(argument->digits, len);
    return 0;
}

static int take_value(struct scan *scan, kin__make_argument *argument, bool is_object,
                      kin_error *err)
{
    const void *pointer = next_pointer(scan->ap);

    if (!pointer)
        return fail(scan->make, argument, KIN_EINVAL, err, "the pointer is NULL");
    argument->type = KIN__YAML_NODE_VALUE;
    argument->value = is_object ? kin_object_root(pointer) : *(const kin_value *)pointer;
    if (is_object && kin_value_type(argument->value) == KIN_NONE)
        return fail(scan->make, argument, KIN_EINVAL, err, "the object is not a document");
    return 0;
}

/* "h" and so on, as one letter: 'H' for hh, 'L' for ll, 0 for none. */
static char scan_length(const char **at)
{
    char length = **at;

    if (length == '\0' || !strchr("hljzt", length))
        return '\0';
    ++*at;
    if (**at != length || (length != 'h' && length != 'l'))
        return length;
    ++*at;
    return length == 'h' ? 'H' : 'L';
}

static int fail_unknown(kin__make *make, kin__make_argument *argument, kin_error *err)
{
    const char *at = make->format.data + argument->at;

    argument->len = 1 + strspn(at + 1, "#0123456789-+ '.*hlLjzt");
    if (at[argument->len] > ' ' && at[argument->len] < '\x7f')
        argument->len++;
    return fail(make, argument, KIN_EINVAL, err,
                "not a conversion of templates; kinform/make.h lists them");
}

/* Take the argument of the conversion that begins at argument->at. */
static int take_argument(struct scan *scan, kin__make_argument *argument, kin_error *err)
{
    const char *begin = scan->make->format.data + argument->at;
    const char *at = begin + 1;
    bool has_precision = strncmp(at, ".*s", 3) == 0;

    at += has_precision ? 2 : 0;
    char length = scan_length(&at);
    bool is_pointer = length == '\0' && at[0] == 'p';

    at += is_pointer;
    argument->len = (size_t)(at - begin) + 1;
    if (is_pointer && (*at == 'V' || *at == 'O'))
        return take_value(scan, argument, *at == 'O', err);
    if (!is_pointer && *at != '\0' && strchr("diu", *at)) {
        if (length == 'H')
            return take_bool(scan, argument, err);
        take_integer(scan, argument, length, *at != 'u');
        return 0;
    }
    if (is_pointer || length != '\0')
        return fail_unknown(scan->make, argument, err);
    switch (*at) {
    case 's':
        return take_string(scan, argument, has_precision, err);
    case 'g':
    case 'f':
    case 'e':
        return take_double(scan, argument, err);
    case '%':
        argument->type = KIN__YAML_NODE_STRING;
        argument->text = kin_str_of("%");
        return 0;
    default:
        return fail_unknown(scan->make, argument, err);
    }
}

/* One conversion: take its argument, and put a mark in its place. */
static int scan_conversion(struct scan *scan, size_t at, kin_error *err)
{
    kin__make *make = scan->make;
    kin__make_argument *argument = &make->arguments[make->len];

    argument->at = at;
    int code = take_argument(scan, argument, err);
    if (code)
        return code;
    append_mark(&make->text, MARK_FIRST + (unsigned)make->len++);
    for (size_t i = 1; i < argument->len; i++)
        append_mark(&make->text, MARK_PAD);
    return 0;
}

static int scan_format(struct scan *scan, kin_error *err)
{
    kin__make *make = scan->make;
    kin_str format = make->format;
    size_t mark = find_mark(format, 0);

    if (mark < format.len)
        return kin__error_input(err, KIN_EINVAL, mark,
                                "a format cannot have the characters U+E000 to U+F8FF");
    for (size_t at = 0; at < format.len;) {
        const char *next = memchr(format.data + at, '%', format.len - at);
        size_t end = next ? (size_t)(next - format.data) : format.len;

        kin__buf_append(&make->text, kin_str_make(format.data + at, end - at));
        at = end;
        if (!next)
            break;
        int code = scan_conversion(scan, at, err);
        if (code)
            return code;
        at += make->arguments[make->len - 1].len;
    }
    return make->text.failed ? fail_buffer(&make->text, err) : 0;
}

static int new_arguments(kin__make *make, kin_error *err)
{
    size_t n = 0; /* percent signs; a doubled one counts twice */

    for (size_t i = 0; i < make->format.len; i++)
        n += make->format.data[i] == '%';
    if (n > KIN_MAKE_MAX_CONVERSIONS)
        return kin_error_set(err, KIN_ELIMIT, "%zu conversions, more than %d", n,
                             KIN_MAKE_MAX_CONVERSIONS);
    make->arguments = kin__calloc(n + 1, sizeof(*make->arguments));
    return make->arguments ? 0 : kin__error_no_memory(err);
}

static void make_done(kin__make *make)
{
    kin_yaml_reader_free(make->reader);
    kin__buf_done(&make->text);
    kin__buf_done(&make->scalar);
    kin__free(make->arguments);
}

/* Scan a format and make a reader of its text; make_done() on failure too. */
static int make_begin(kin__make *make, const char *format, va_list ap, kin_error *err)
{
    struct scan scan = {.make = make};
    va_list copy;

    *make = (kin__make){.format = kin_str_of(format)};
    kin__buf_init(&make->text, SIZE_MAX - 1);
    kin__buf_init(&make->scalar, KIN__TEXT_MAX);
    int code = new_arguments(make, err);
    if (code)
        return code;
    va_copy(copy, ap);
    scan.ap = &copy;
    code = scan_format(&scan, err);
    va_end(copy);
    if (!code)
        code = kin_yaml_reader_new(&make->reader, kin__buf_str(&make->text), NULL, err);
    if (!code) {
        make->reader->make = make;
        make->reader->source.data = format + make->reader->skipped;
    }
    return code;
}

/* --- arguments in scalars --- */

/* The argument of the mark at `at`, which is whole; else NULL. */
static kin__make_argument *argument_at(const kin__make *make, kin_str text, size_t at)
{
    unsigned mark = mark_at(text, at);

    if (mark < MARK_FIRST || mark - MARK_FIRST >= make->len)
        return NULL;
    kin__make_argument *argument = &make->arguments[mark - MARK_FIRST];
    for (size_t i = 1; i < argument->len; i++) {
        if (mark_at(text, at + i * MARK_BYTES) != MARK_PAD)
            return NULL;
    }
    return argument;
}

/* An argument becomes part of the document, which happens once. */
static int use(kin__make_argument *argument, kin_error *err)
{
    if (!argument || argument->is_used)
        return kin_error_set(
            err, KIN_EINVAL,
            "a format cannot have the characters U+E000 to U+F8FF, escaped either");
    argument->is_used = true;
    return 0;
}

int kin__make_alone(const kin__make *make, kin__make_argument **ret, kin_str text, kin_error *err)
{
    kin__make_argument *argument = argument_at(make, text, 0);

    if (!argument || text.len != argument->len * MARK_BYTES)
        return 0;
    int code = use(argument, err);
    if (!code)
        *ret = argument;
    return code;
}

static int fail_text(const kin__make *make, const kin__make_argument *argument, kin_error *err)
{
    char what[64];

    snprintf(what, sizeof(what), "a value of type %s cannot be text",
             kin_type_name(kin_value_type(argument->value)));
    return fail(make, argument, KIN_ETYPE, err, what);
}

static int append_argument(kin__make *make, const kin__make_argument *argument, kin_error *err)
{
    kin_str text = argument->text;
    bool is_true = false;
    kin_scratch scratch;

    if (argument->type == KIN__YAML_NODE_VALUE) {
        if (kin_value_bool(&is_true, argument->value) == 0)
            text = kin_str_of(is_true ? "true" : "false");
        else if (kin_value_string(&text, argument->value, &scratch) < 0 &&
                 kin_value_number(&text, argument->value, &scratch) < 0)
            return fail_text(make, argument, err);
    }
    kin__buf_append(&make->scalar, text);
    return 0;
}

int kin__make_expand(kin__make *make, kin_str *text, bool *ret_any, kin_error *err)
{
    size_t mark = find_mark(*text, 0);
    size_t at = 0;

    if (mark == text->len)
        return 0;
    kin__buf_reset(&make->scalar);
    for (; mark < text->len; mark = find_mark(*text, at)) {
        kin__make_argument *argument = argument_at(make, *text, mark);
        int code = use(argument, err);

        if (code)
            return code;
        kin__buf_append(&make->scalar, kin_str_make(text->data + at, mark - at));
        code = append_argument(make, argument, err);
        if (code)
            return code;
        at = mark + argument->len * MARK_BYTES;
    }
    kin__buf_append(&make->scalar, kin_str_make(text->data + at, text->len - at));
    if (make->scalar.failed)
        return fail_buffer(&make->scalar, err);
    *text = kin__buf_str(&make->scalar);
    *ret_any = true;
    return 0;
}

/* --- the public face --- */

int kin_object_vmake(const kin_object **ret, kin_error *err, const char *format, va_list ap)
{
    kin__make make;

    if (!ret || !format)
        return kin__error_null(err, !ret ? "ret" : "format");
    int code = make_begin(&make, format, ap, err);
    if (!code)
        code = kin__yaml_read_object(make.reader, ret, err);
    make_done(&make);
    return code;
}

int kin_object_make(const kin_object **ret, kin_error *err, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    int code = kin_object_vmake(ret, err, format, ap);
    va_end(ap);
    return code;
}

int kin__make_value(const kin_object **ret_holder, kin_value *ret, kin_error *err,
                    const char *format, va_list ap)
{
    kin__make make;
    int code = make_begin(&make, format, ap, err);

    if (!code)
        code = kin__yaml_read_value(make.reader, ret_holder, ret, err);
    make_done(&make);
    return code;
}
