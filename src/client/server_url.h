/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The addresses of servers and proxies, as people write them: checked, and brought into one form.
 */
#ifndef KIN_CLIENT_SERVER_URL_H
#define KIN_CLIENT_SERVER_URL_H

#include "kinform/error.h"

/*
 * "https://host:port/prefix", with a scheme in small letters and without a slash at its end;
 * "unix:///path"; of "host:port" "http://host:port". OWNED. 0, KIN_ENOMEM, KIN_EINVAL: *ret_why
 * says what is wrong without repeating the text, which may hold a password.
 */
int kin__server_url(char **ret, kin_str text, const char **ret_why);

/* NULL, or what is wrong with the URL of a proxy. */
const char *kin__proxy_url_defect(kin_str text);

#endif
