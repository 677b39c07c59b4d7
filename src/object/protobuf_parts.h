/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small messages of protobuf, which are read at once: entries of maps, timestamps, quantities, JSON itself. The functions
 * return 0, KIN_EPARSE, KIN_ELIMIT, KIN_ENOMEM or, for a field that the tables lack, KIN_EPROTOCOL.
 */
#ifndef KIN_OBJECT_PROTOBUF_PARTS_H
#define KIN_OBJECT_PROTOBUF_PARTS_H

#include "object/protobuf_scalar.h"

/* A value is not written as those of the field are. Returns the code. */
int kin__pb_fail_wire_at(const kin__protobuf_reader *r, const unsigned char *at,
                         const kin__pb_field *field, unsigned wire);
/* A field that the table lacks: 0 if it is to be skipped. */
int kin__pb_pass_unknown(kin__protobuf_reader *r, const unsigned char *at, uint32_t number,
                         unsigned wire);

/* Reads the next field; NULL on failure. */
static inline const unsigned char *kin__pb_read_part(const kin__protobuf_reader *r,
                                                     const unsigned char *p,
                                                     const unsigned char *end, kin__pb_part *ret)
{
    const unsigned char *at = p;
    const char *why = NULL;

    p = kin__pb_next_field(p, end, ret, &why);
    if (kin__unlikely(!p))
        kin__pb_fail(r, at, why);
    return p;
}

/* Reads the fields of a small message in order: numbers from 1 to `n` into parts[0] and so on; wire 7: not there. */
int kin__pb_read_parts(kin__protobuf_reader *r, unsigned message, const unsigned char *p,
                       size_t len, kin__pb_part *parts, unsigned n);
/* A timestamp; `is_zero` if JSON has null. Nanoseconds count in those with a fraction only. */
int kin__pb_read_time(kin__protobuf_reader *r, unsigned message, const unsigned char *p, size_t len,
                      kin_time *ret, bool *ret_is_zero);
/* The JSON in a message; empty: null. */
int kin__pb_read_json(kin__protobuf_reader *r, unsigned message, const unsigned char *p, size_t len,
                      kin_str *ret);
/*
 * The last field of a message that has any, from its first tag on. `ret_field` is NULL if the message is empty, or else
 * the tag has `ret_tag_len` bytes.
 */
int kin__pb_find_choice(kin__protobuf_reader *r, unsigned message, const unsigned char *p,
                        size_t len, const kin__pb_field **ret_field,
                        const unsigned char **ret_items, size_t *ret_tag_len);
/*
 * Whether it is a map or array in JSON. True also for values that cannot be read: a projection must keep them, so
 * that reading them fails. This function itself reports no failure.
 */
bool kin__pb_is_container(kin__protobuf_reader *r, unsigned message, const unsigned char *p,
                          size_t len);

int kin__pb_add_int_or_string(kin__protobuf_reader *r, unsigned message, const unsigned char *p,
                              size_t len);
/* Nothing is chosen: a quantity that is not there is 0. */
int kin__pb_add_no_choice(kin__protobuf_reader *r, unsigned message, const unsigned char *at);

#endif
