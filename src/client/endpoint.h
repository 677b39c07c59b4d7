/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a configuration's server is, in the words that libcurl understands. Const once made.
 */
#ifndef KIN_CLIENT_ENDPOINT_H
#define KIN_CLIENT_ENDPOINT_H

#include <stdbool.h>

#include "kinform/error.h"

struct kin_config;

/* Strings are OWNED, and NULL where there is nothing to say. */
typedef struct kin__endpoint {
    char *name;       /* for messages: scheme, host and port; never a user or a password */
    char *base;       /* targets are appended to it */
    char *host;       /* "Host: …", where the host of `base` is a name to verify */
    char *connect_to; /* where to connect instead of to the host of `base` */
    char *socket;     /* path of a unix socket */
    char *proxy;      /* "" for none at all; NULL as the environment says */
    bool is_tls;
    bool insecure;
} kin__endpoint;

/* 0, KIN_EINVAL (a server that is no URL, or is one of another protocol), KIN_ENOMEM. */
int kin__endpoint_init(kin__endpoint *endpoint, const struct kin_config *config, kin_error *err);
void kin__endpoint_done(kin__endpoint *endpoint);

#endif
