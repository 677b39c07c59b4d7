/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formats of templates and their arguments (kinform/make.h), for the YAML reader and the editor.
 *
 * A conversion of the format is one mark in the text that the YAML reader gets: a private-use
 * character that holds its number, padded to the length of the conversion. So the text has as many
 * characters as the format, and the reader's places are places of the format. The reader replaces
 * marks in scalars, after it has parsed them.
 */
#ifndef KIN_OBJECT_MAKE_H
#define KIN_OBJECT_MAKE_H

#include <stdarg.h>

#include "base/buf.h"
#include "object/number.h"
#include "object/yaml_reader.h"

/* A conversion with its argument. */
typedef struct kin__make_argument {
    uint8_t type;    /* enum kin__yaml_node_type: STRING, NUMBER, FALSE, TRUE, VALUE */
    bool is_used;    /* a scalar has it */
    size_t at;       /* the conversion's place in the format */
    size_t len;      /* its length there */
    kin_str text;    /* all but VALUE; BORROWED from the caller, or `digits` */
    kin_value value; /* VALUE; BORROWED from the caller; may be KIN_NONE */
    char digits[KIN__NUMBER_DOUBLE_SIZE];
} kin__make_argument;

typedef struct kin__make {
    kin_str format;
    kin__make_argument *arguments;
    size_t len;
    kin__buf text; /* what the YAML reader gets */
    kin_yaml_reader *reader;
    kin__buf scalar; /* scratch */
} kin__make;

/*
 * If the whole text is one mark, *ret is its argument; else untouched. 0, KIN_EINVAL (the mark was
 * not made here).
 */
int kin__make_alone(const kin__make *make, kin__make_argument **ret, kin_str text, kin_error *err);

/*
 * Replace the marks in a text. If it has any, *ret_any is true and *text BORROWED until the next
 * call; else both are untouched. 0, KIN_EINVAL (a mark was not made here), KIN_ETYPE (a value that
 * has no text), KIN_ELIMIT, KIN_ENOMEM.
 */
int kin__make_expand(kin__make *make, kin_str *text, bool *ret_any, kin_error *err);

/*
 * The value of a template, of any type. It lives as long as the holder, which is the caller's to
 * unref. Codes as kin_object_vmake().
 */
int kin__make_value(const kin_object **ret_holder, kin_value *ret, kin_error *err,
                    const char *format, va_list ap) KIN_PRINTF(4, 0);

#endif
