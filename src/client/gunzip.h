/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A gzip body while it comes: pieces in, pieces out. No I/O.
 *
 * What comes out is never more than the caller's buffer at a time, so a small body that unfolds into
 * gigabytes costs time, not memory.
 */
#ifndef KIN_CLIENT_GUNZIP_H
#define KIN_CLIENT_GUNZIP_H

#include "kinform/error.h"

typedef struct kin__gunzip kin__gunzip;

/* NULL: no memory. */
kin__gunzip *kin__gunzip_new(void);
void kin__gunzip_free(kin__gunzip *gunzip); /* may be NULL */

/* More input; BORROWED until it was used up. The input before was used up. */
void kin__gunzip_give(kin__gunzip *gunzip, kin_str input);
/*
 * Fill `out`. *ret_len is 0 if all input was used up. 0, KIN_EPROTOCOL (not gzip, or damaged),
 * KIN_ENOMEM.
 */
int kin__gunzip_take(kin__gunzip *gunzip, char *out, size_t size, size_t *ret_len);
/* Bytes that went in and were used, and bytes that came out. */
uint64_t kin__gunzip_total_in(const kin__gunzip *gunzip);
uint64_t kin__gunzip_total_out(const kin__gunzip *gunzip);
/* Whether the input may end here. */
bool kin__gunzip_is_complete(const kin__gunzip *gunzip);

#endif
