/* SPDX-License-Identifier: Apache-2.0 */
/* What kinform demo knows at one moment: all that its view, its lines and its summary show. */
#ifndef KIN_CLI_DEMO_FIGURES_H
#define KIN_CLI_DEMO_FIGURES_H

#include "cli/base/text.h"
#include "kinform/handler.h"
#include "kinform/informer.h"

enum { DEMO_KINDS = 5 };

/* An informer. */
struct demo_kind {
    const char *name; /* "pods" */
    kin_informer_state state;
    const char *error; /* why it waits; NULL: it does not */
    size_t objects;
    uint64_t events;    /* changes that came */
    double rate;        /* of them per second, lately */
    size_t queued;      /* changes that came and were not told yet, the most lately */
    int64_t lag_ns;     /* how long one has waited to be told, the longest lately */
    int64_t max_lag_ns; /* the longest of all since it is synced */
    uint64_t bytes;     /* of an object on the average; 0: unknown */
    uint64_t json;      /* the same as JSON; 0: unknown */
};

/* One of the latest changes, in the parts of a line. */
struct demo_change {
    kin_event_type type;
    const char *head;    /* "15:04:05 ~ pod shop/web-0" */
    const char *details; /* "status.phase: Pending → Running"; may be empty */
};

/* How long heartbeats of nodes took from when they were due until they were told. */
struct demo_latency {
    size_t n;
    size_t n_kept; /* of them, the last; the median is of these */
    int64_t median_ns;
    int64_t max_ns;
};

struct demo_figures {
    const char *url;
    const char *kubeconfig; /* a path, for a shell */
    bool is_making;         /* the cluster is not all there yet */
    unsigned percent;       /* of it that is, about */
    int64_t elapsed_ns;     /* since the informers were started */
    int64_t for_ns;         /* how long it is to last; 0: until it is ended */
    int64_t sync_ns;        /* how long it took; -1: not all are synced */
    size_t synced_objects;  /* at that moment */
    uint64_t memory;        /* of the process, in bytes */
    uint64_t shared;        /* of which values that objects have in common, the server's included */
    unsigned churn;         /* changes per second that were asked for, lately */
    uint64_t writes;  /* that the simulated cluster has made since the informers were started */
    const char *note; /* what has happened to the connections; NULL: nothing of late */
    bool is_paused;
    size_t unseen; /* changes since then */
    struct demo_latency latency;
    struct demo_kind kinds[DEMO_KINDS];
    const struct demo_change *changes; /* the newest last */
    size_t n_changes;
};

/* All informers together: sums, and the longest lags. The average of bytes is over all objects. */
struct demo_kind demo_total(const struct demo_figures *f);

/* How much something grows per second, over the last few seconds. Zero is the beginning. */
enum { RATE_SAMPLES = 16 };
struct rate {
    int64_t at_ns[RATE_SAMPLES];
    uint64_t counts[RATE_SAMPLES];
    size_t n; /* samples so far */
};
void rate_sample(struct rate *r, int64_t now_ns, uint64_t count);
double rate_per_second(const struct rate *r);

/* "12,345" */
void add_count(struct text *out, uint64_t n);
/* "12.4", "1,234" */
void add_rate(struct text *out, double per_second);
/* "31 MiB", "1.2 KiB", "17 B" */
void add_bytes(struct text *out, uint64_t bytes);
/* "0.1 ms", "12 ms", "1.5 s"; "-" if there was none. */
void add_lag(struct text *out, int64_t ns);
/* "8s", "1m20s" */
void add_seconds(struct text *out, int64_t ns);

#endif
