/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The headers of an answer, line by line, into a kin__answer. Bytes in, values out; no I/O.
 */
#ifndef KIN_CLIENT_ANSWER_H
#define KIN_CLIENT_ANSWER_H

#include "client/transport.h"

/* Warnings beyond these are dropped: they are for people, and the other side decides how many. */
#define KIN__ANSWER_WARNINGS_MAX 32
#define KIN__ANSWER_WARNING_BYTES_MAX 2048

typedef struct kin__answer_reader {
    kin__answer answer;
    size_t bytes; /* of all lines, those of interim answers included */
    size_t max_bytes;
    int64_t length; /* Content-Length; -1: none */
    bool complete;  /* the blank line behind the headers of a final answer came */
    bool is_gzip;
    bool is_encoded;    /* in a way that nobody asked for */
    char location[256]; /* cut; "" if there was none */
} kin__answer_reader;

void kin__answer_reader_init(kin__answer_reader *reader, size_t max_bytes);
void kin__answer_reader_done(kin__answer_reader *reader);

/*
 * The next line, with or without its line end. Lines behind the end are trailers: counted, and
 * ignored. 0, KIN_EPROTOCOL (not a status line), KIN_ELIMIT, KIN_ENOMEM.
 */
int kin__answer_reader_line(kin__answer_reader *reader, kin_str line);

/* Whether it sends us somewhere else. */
bool kin__answer_is_redirect(const kin__answer_reader *reader);
/* The host of the location, for a message; "" if it names none. Printable. */
void kin__answer_location_host(const kin__answer_reader *reader, char *ret, size_t size);

#endif
