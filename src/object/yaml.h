/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What plain scalars of YAML mean: the rules that the reader obeys and that the writer quotes
 * against. Nothing here allocates, and nothing depends on the locale.
 */
#ifndef KIN_OBJECT_YAML_H
#define KIN_OBJECT_YAML_H

#include "base/buf.h"
#include "kinform/value.h"

enum kin__yaml_kind {
    KIN__YAML_STRING,
    KIN__YAML_NULL,
    KIN__YAML_FALSE,
    KIN__YAML_TRUE,
    KIN__YAML_INTEGER,  /* of 64 bits and not in decimal: sign and magnitude */
    KIN__YAML_DECIMAL,  /* any other number; kin__yaml_decimal() gives its text */
    KIN__YAML_INFINITE, /* .inf, .nan: no number of JSON */
};

typedef struct kin__yaml_plain {
    enum kin__yaml_kind kind;
    bool negative;      /* INTEGER */
    bool is_whole;      /* INTEGER, DECIMAL: an integer by its form */
    uint64_t magnitude; /* INTEGER */
} kin__yaml_plain;

/* What a plain scalar without tag is, as go-yaml v2 has it, but for numbers of any size. */
kin__yaml_plain kin__yaml_resolve(kin_str text);

/*
 * The JSON text of a scalar that is KIN__YAML_DECIMAL: without plus sign, underscores and leading
 * zeros, with a digit before the point. Needs room for text.len + 1 bytes; returns the length.
 */
size_t kin__yaml_decimal(char *out, kin_str text);

/* Whether it looks like a date or a point in time, real or not. */
bool kin__yaml_is_time(kin_str text);

/*
 * Whether a string written plain would be the same string to every reader of YAML 1.1, as far as
 * its meaning goes. Whether its characters can stand unquoted is another question.
 */
bool kin__yaml_stays_string(kin_str text);

/*
 * Standard base64 with padding; line ends do not count. Needs room for text.len bytes; returns the
 * length, or SIZE_MAX if it is none.
 */
size_t kin__yaml_base64(char *out, kin_str text);

/* Room for what kin__yaml_float_key() writes, terminator included. */
#define KIN__YAML_FLOAT_KEY_SIZE 64

/*
 * A float as Go's strconv writes a float32 with the 'g' format and as few digits as tell it
 * apart: that is what the key of such a member is in Kubernetes. Returns the length.
 */
size_t kin__yaml_float_key(char *buf, size_t size, double number);

/* Append a value as YAML. 0, KIN_ENOMEM or the code of the buffer, with part of it written. */
int kin__yaml_append(kin__buf *out, kin_value value);

#endif
