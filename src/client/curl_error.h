/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What went wrong inside libcurl, as an error of ours. Pure.
 */
#ifndef KIN_CLIENT_CURL_ERROR_H
#define KIN_CLIENT_CURL_ERROR_H

#include <curl/curl.h>

#include "kinform/error.h"

/*
 * `detail` is what libcurl wrote of it, or "", and `os_error` the errno of a failed connect, or 0.
 * The message names the server and the reason; no header, no body, no proxy's password. Returns the
 * code.
 */
int kin__curl_error(kin_error *err, CURLcode curl_code, const char *detail, int os_error,
                    const char *server);

#endif
