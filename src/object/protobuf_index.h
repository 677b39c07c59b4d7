/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An index of the fields of protobuf messages. Fields may come in any order, lists and messages also in pieces. The index
 * has the fields in the order of the table, so that each is written once.
 */
#ifndef KIN_OBJECT_PROTOBUF_INDEX_H
#define KIN_OBJECT_PROTOBUF_INDEX_H

#include "kinform/error.h"
#include "object/protobuf_tables.h"

/* One value that is there. */
typedef struct kin__pb_entry {
    uint32_t at; /* where it begins, without tag and length */
    uint32_t len;
    uint16_t field; /* which of its message's */
} kin__pb_entry;

/* Of several messages, one after the other. */
typedef struct kin__pb_index {
    kin_str data;           /* BORROWED */
    kin__pb_entry *entries; /* at most as many as there are bytes */
    size_t n;
    size_t cap;
    bool has_unknown; /* fields were passed over */
} kin__pb_index;

/* `data` has less than 4 GiB. */
void kin__pb_index_init(kin__pb_index *index, kin_str data);
void kin__pb_index_done(kin__pb_index *index);

/* Append an entry for all of the data, to begin with. 0, KIN_ENOMEM. */
int kin__pb_index_all(kin__pb_index *index, kin_error *err);

/*
 * Append the fields of a message. Its pieces are the entries from `first` to before `end`. Unknown fields are skipped,
 * and `has_unknown` is set. 0, KIN_EPARSE (in the words of the real server), KIN_ENOMEM.
 */
int kin__pb_index_message(kin__pb_index *index, const kin__pb_message *message, size_t first,
                          size_t end, kin_error *err);

/* The bytes of an entry. */
kin_str kin__pb_text(const kin__pb_index *index, size_t entry);

#endif
