/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a YAML document by the fields that are known, with errors that name file, line and field.
 *
 * The document may hold secrets: nothing of it is repeated in an error, and its texts are wiped.
 * Types are those of JSON: a number is no string. A null is as good as nothing. Of a key that is
 * written twice the last counts, merge keys included, as Kubernetes has it.
 */
#ifndef KIN_CLIENT_YAML_FIELDS_H
#define KIN_CLIENT_YAML_FIELDS_H

#include "base/stack.h"
#include "client/secret.h"
#include "kinform/error.h"
#include "kinform/yaml.h"

/* No node: the field is not there, or null. The root, which is no field's value, has this number. */
#define KIN__FIELD_NONE 0u

typedef struct kin__fields {
    const char *file; /* BORROWED: for messages */
    kin_str text;     /* BORROWED */
    kin_yaml_reader *reader;
    kin__stack steps; /* maps that are being gone through */
    bool is_empty;    /* there is no document */
    size_t path_len;
    char path[192]; /* of the field that is read, cut if it is long */
} kin__fields;

/* 0, KIN_EPARSE, KIN_ELIMIT, KIN_ENOMEM, KIN_ESYSTEM. */
int kin__fields_open(kin__fields *fields, const char *file, kin_str text, kin_error *err);
void kin__fields_close(kin__fields *fields);

/* The path for messages: append to it, and go back to what it was. */
size_t kin__fields_enter(kin__fields *fields, const char *fmt, ...) KIN_PRINTF(2, 3);
void kin__fields_leave(kin__fields *fields, size_t path_len);

/* Report what is wrong with a node, as "file:line: path: …". Returns the code. */
int kin__fields_fail(const kin__fields *fields, uint32_t at, int code, kin_error *err,
                     const char *fmt, ...) KIN_PRINTF(5, 6);
/* Where a node begins, from 1. */
uint32_t kin__fields_line(const kin__fields *fields, uint32_t at);

/*
 * The values of those members of a map that have one of these names; KIN__FIELD_NONE where there is
 * none. 0, KIN_EPARSE (no map), KIN_ELIMIT, KIN_ENOMEM. The root is KIN__FIELD_NONE here.
 */
int kin__fields_find(kin__fields *fields, uint32_t map, const char *const *names, size_t n,
                     uint32_t *ret, kin_error *err);

/*
 * Go through all members of a map, those behind replacing those before. fn returns 0 to go on. The
 * value may be KIN__FIELD_NONE.
 */
typedef int kin__fields_member_fn(kin__fields *fields, kin_str key, uint32_t value, void *arg,
                                  kin_error *err);
int kin__fields_members(kin__fields *fields, uint32_t map, kin__fields_member_fn *fn, void *arg,
                        kin_error *err);

/*
 * Go through the items of a list of at most `max`. fn is called with "[index]" on the path; an item
 * that is null is KIN__FIELD_NONE.
 */
typedef int kin__fields_item_fn(kin__fields *fields, uint32_t item, uint32_t index, void *arg,
                                kin_error *err);
int kin__fields_items(kin__fields *fields, uint32_t list, uint32_t max, kin__fields_item_fn *fn,
                      void *arg, kin_error *err);
/* How many items a list has; 0 if it is none. */
size_t kin__fields_count(const kin__fields *fields, uint32_t list);

/* A string without zero bytes. KIN__FIELD_NONE is empty. 0, KIN_EPARSE, KIN_ENOMEM. */
int kin__fields_text(kin__fields *fields, uint32_t at, kin__secret *ret, kin_error *err);
/* The same as an ordinary string, never NULL. The old one is not freed. */
int kin__fields_string(kin__fields *fields, uint32_t at, char **ret, kin_error *err);
/* True or false. 0, KIN_EPARSE. */
int kin__fields_bool(kin__fields *fields, uint32_t at, bool *ret, kin_error *err);
/* What a base64 string stands for. 0, KIN_EPARSE, KIN_ENOMEM. */
int kin__fields_data(kin__fields *fields, uint32_t at, kin__secret *ret, kin_error *err);
/* Any value as JSON, OWNED. 0, KIN_EPARSE, KIN_ELIMIT, KIN_ENOMEM. */
int kin__fields_json(kin__fields *fields, uint32_t at, char **ret, kin_error *err);

#endif
