/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Kubernetes' protobuf messages have, and how they look as JSON. tools/protobuf-tables makes
 * the tables. They hold no pointers, so that loading the library need not touch them.
 */
#ifndef KIN_OBJECT_PROTOBUF_TABLES_H
#define KIN_OBJECT_PROTOBUF_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kin__pb_type {
    KIN__PB_STRING,
    KIN__PB_BYTES, /* base64 */
    KIN__PB_BOOL,
    KIN__PB_INT32,
    KIN__PB_INT64,
    KIN__PB_DOUBLE,
    KIN__PB_MESSAGE
};

/* Flags of fields. */
#define KIN__PB_REPEATED 1u
#define KIN__PB_MAP 2u       /* its messages are entries */
#define KIN__PB_OMIT_ZERO 4u /* JSON does not have it if it is zero or empty */
#define KIN__PB_NULL 8u      /* JSON has null if it is not there */
#define KIN__PB_INLINE 16u   /* its fields are those of the message around it */
#define KIN__PB_POINTER 32u  /* of a time: Go has a pointer, so that JSON's null is no time */

typedef struct kin__pb_field {
    uint16_t number;
    uint16_t name;    /* see kin__pb_name() */
    uint16_t message; /* of KIN__PB_MESSAGE: its place in kin__pb_messages */
    uint8_t type;
    uint8_t flags;
} kin__pb_field;

/* How a message looks as JSON. */
enum kin__pb_form {
    KIN__PB_OBJECT,
    KIN__PB_ENTRY,         /* a key and a value */
    KIN__PB_CHOICE,        /* the value of its last field that is there */
    KIN__PB_RAW,           /* its only field is JSON */
    KIN__PB_TIME,          /* seconds and nanoseconds: a timestamp without fraction */
    KIN__PB_MICRO_TIME,    /* the same with six digits of it */
    KIN__PB_INT_OR_STRING, /* which, the number, the string */
};

typedef struct kin__pb_message {
    uint16_t first_field; /* its place in kin__pb_fields; they are ordered by number */
    uint8_t n_fields;
    uint8_t form;
    bool has_nulls; /* some of the fields have KIN__PB_NULL */
} kin__pb_message;

/* A message that can be a body, or, in a list, its metadata. */
typedef struct kin__pb_kind {
    uint16_t api_version; /* as `name`; "": any */
    uint16_t kind;
    uint16_t message;
} kin__pb_kind;

/* In texts of a length that every compiler takes; none is in two of them. */
#define KIN__PB_NAMES 4096
extern const char kin__pb_names[][KIN__PB_NAMES];
extern const kin__pb_field kin__pb_fields[];
extern const kin__pb_message kin__pb_messages[];
/* By kind, then API version; the first has no name and is the envelope of all others. */
extern const kin__pb_kind kin__pb_kinds[];
extern const size_t kin__pb_n_kinds;

static inline const char *kin__pb_name(unsigned place)
{
    return kin__pb_names[place / KIN__PB_NAMES] + place % KIN__PB_NAMES;
}

#endif
