/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How contestants reach a server of ready-made bytes. Nothing here can fail and return.
 */
#ifndef KIN_BENCH_DIAL_H
#define KIN_BENCH_DIAL_H

#include <kinform/client.h>

/* Settings; SHARED, one reference. `ca` NULL: what the system trusts. */
kin_config *kin_bench_config_new(const char *url, const char *ca);
/* A client without a rate limit and without a timeout; release with kin_client_free(). */
kin_client *kin_bench_client_new(const char *url, const char *ca);
/* A resource that the server is not asked about, which has no discovery. SHARED, one reference. */
kin_resource *kin_bench_resource_new(const char *group, const char *resource, const char *kind);

#endif
