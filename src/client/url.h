/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests as the server is asked: method, target (path and query, encoded), and the body of
 * deletes. No I/O.
 */
#ifndef KIN_CLIENT_URL_H
#define KIN_CLIENT_URL_H

#include "base/buf.h"
#include "kinform/client.h"

/* Longest path and query. Servers and what stands before them refuse much less. */
#define KIN__TARGET_MAX 65536

/* What is asked. Everything is BORROWED for the calls below. */
typedef struct kin__request {
    enum kin_verb verb;
    enum kin_patch_type patch_type; /* of a patch */
    const kin_resource *resource;
    const char *namespace_; /* NULL or "": all of them, or there are none */
    const char *name;       /* NULL or "": none */
    /* Of this version's size (kin__options_take()). */
    const kin_request_options *options;
    int64_t timeout_ms; /* what is left of it, told to the server; 0 or less: nothing */
} kin__request;

/* "GET", "POST", …; NULL for what is no verb. BORROWED for ever. */
const char *kin__request_method(enum kin_verb verb);
/* The content type of a patch; NULL for what is none. BORROWED for ever. */
const char *kin__patch_content_type(enum kin_patch_type type);

/*
 * Whether text can be one segment of a path: not empty, not "." or "..", no slash, percent sign or
 * control character, and UTF-8. 0, KIN_EINVAL: the message calls it `what`.
 */
int kin__url_check_segment(kin_str text, const char *what, kin_error *err);
/* Append what it is in a path, or in a query: everything else percent-encoded. */
void kin__url_append_segment(kin__buf *buf, kin_str text);
void kin__url_append_query(kin__buf *buf, kin_str text);

/*
 * "/apis/apps/v1/namespaces/default/deployments/web?timeout=30s". *ret is OWNED, release with
 * kin__free(). 0, KIN_EINVAL (the parts make no request, or could leave their place in the path),
 * KIN_ELIMIT (longer than KIN__TARGET_MAX), KIN_ENOMEM.
 */
int kin__request_target(char **ret, const kin__request *request, kin_error *err);

/*
 * The body of a delete, DeleteOptions as JSON; NULL if nothing is asked for. *ret is OWNED, release
 * with kin__free(). 0, KIN_EINVAL, KIN_ENOMEM.
 */
int kin__request_delete_options(char **ret, const kin__request *request, kin_error *err);

#endif
