/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of a demo that never ran, for what shows them. */
#ifndef KIN_TEST_DEMO_SAMPLE_H
#define KIN_TEST_DEMO_SAMPLE_H

#include "cli/demo_figures.h"

static const struct demo_change sample_changes[] = {
    {KIN_EVENT_ADD, "15:04:05 + pod shop/cart-1", "0/1  Pending  0"},
    {KIN_EVENT_UPDATE, "15:04:06 ~ pod shop/cart-1", "status.phase: Pending → Running"},
    {KIN_EVENT_DELETE, "15:04:07 - pod shop/cart-0", ""},
};

static inline struct demo_figures sample_figures(void)
{
    return (struct demo_figures){
        .url = "http://127.0.0.1:4321",
        .kubeconfig = "/tmp/kinform-AbCdEf/kubeconfig",
        .elapsed_ns = INT64_C(8500000000),
        .sync_ns = 22400000,
        .synced_objects = 1233,
        .memory = 31 << 20,
        .shared = 86016,
        .churn = 10,
        .writes = 95,
        .latency = {52, 52, 600000, 5300000},
        .kinds =
            {
                {"pods", KIN_INFORMER_WATCHING, NULL, 1200, 100, 12.44, 3, 240000, 3400000, 520,
                 8400},
                {"nodes", KIN_INFORMER_WATCHING, NULL, 10, 1, 0.1, 0, 0, 20000, 280, 3232},
                {"deployments", KIN_INFORMER_LISTING, NULL, 12, 9, 1.2, 0, 0, 0, 204, 3763},
                {"replicasets", KIN_INFORMER_WAITING, "no connection", 12, 10, 1.3, 0, 0, 0, 213,
                 3486},
                {"leases", KIN_INFORMER_NEW, NULL, 0, 0, 0, 0, 0, 0, 0, 0},
            },
        .changes = sample_changes,
        .n_changes = 3,
    };
}

#endif
