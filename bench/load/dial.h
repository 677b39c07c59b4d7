/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How contestants reach a server. Nothing here can fail and return.
 */
#ifndef KIN_BENCH_DIAL_H
#define KIN_BENCH_DIAL_H

#include <kinform/client.h>

/* The server, and how objects are asked for. Arguments of all contestants that have a client. */
struct kin_bench_server {
    const char *url;
    const char *ca;         /* with `url`; NULL: the CAs of the system */
    const char *kubeconfig; /* instead of `url` */
    bool json;              /* JSON; else protobuf, the client's default for built-in kinds */
    bool gzip;              /* let the server compress; the replay server has nothing compressed */
};

/* Rows for the table of kin_bench_parse(). */
#define KIN_BENCH_SERVER_OPTIONS(server)                                                           \
    {.name = "url", .text = &(server)->url}, {.name = "ca", .text = &(server)->ca},                \
        {.name = "kubeconfig", .text = &(server)->kubeconfig},                                     \
        {.name = "encoding", .flag = &(server)->json, .no = "protobuf", .yes = "json"},            \
    {                                                                                              \
        .name = "gzip", .flag = &(server)->gzip                                                    \
    }

/* Their lines of a usage message. */
#define KIN_BENCH_SERVER_HELP                                                                      \
    "  --url URL             the server; --ca FILE: what to trust, of an https URL\n"              \
    "  --kubeconfig FILE     the server, with credentials, instead of a URL\n"                     \
    "  --encoding E          ask for protobuf (the default), or json\n"                            \
    "  --gzip                let the server compress lists\n"

/* Whether the arguments name one server. */
bool kin_bench_server_is_given(const struct kin_bench_server *server);
kin_encoding kin_bench_server_encoding(const struct kin_bench_server *server);
/* Settings; SHARED, one reference. */
kin_config *kin_bench_config_new(const struct kin_bench_server *server);
/* A client without a rate limit and without a timeout; release with kin_client_free(). */
kin_client *kin_bench_client_new(const struct kin_bench_server *server);
/* A resource that the server is not asked about, which has no discovery. SHARED, one reference. */
kin_resource *kin_bench_resource_new(const char *group, const char *resource, const char *kind);

#endif
