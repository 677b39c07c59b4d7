/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What libcurl tells in words only, to its debug function. Pure.
 *
 * Words differ from version to version. One that is not understood is as if nothing had been said,
 * and then what was sent is taken for seen by the server.
 */
#ifndef KIN_CLIENT_CURL_WORDS_H
#define KIN_CLIENT_CURL_WORDS_H

#include "kinform/common.h"

/* The transfer goes over this stream of HTTP/2. */
bool kin__curl_says_stream(kin_str text, uint32_t *ret);
/* GOAWAY came on the transfer's connection, and this is the last stream that the server has seen. */
bool kin__curl_says_goaway(kin_str text, uint32_t *ret);

#endif
