/* SPDX-License-Identifier: Apache-2.0 */
#include "random_faults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a server answers that was asked for a table of columns; no informer has asked for it. */
#define TABLE                                                                                      \
    "{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{\"resourceVersion\":"     \
    "\"1\"},\"columnDefinitions\":[],\"rows\":[]}"

static const struct {
    kin_fault fault;
    bool is_lie;
} rules[] = {
#define OF(type_, verb_, probability_, ...)                                                        \
    {                                                                                              \
        .size = sizeof(kin_fault), .type = (type_), .verb = (verb_), .times = KIN_FAULT_ALWAYS,    \
        .probability = (probability_), __VA_ARGS__                                                 \
    }
    {OF(KIN_FAULT_WATCH_DROP, NULL, 0.02, .skip = 1), true},
    {OF(KIN_FAULT_WATCH_REORDER, NULL, 0.02, .skip = 1), true},
    {OF(KIN_FAULT_WATCH_NO_BOOKMARKS, NULL, 0.5, .skip = 1), false},
    {OF(KIN_FAULT_WATCH_NO_INITIAL_END, NULL, 0.1, .skip = 1), false},
    {OF(KIN_FAULT_WATCH_ERROR, NULL, 0.005, .status = 410), false},
    {OF(KIN_FAULT_WATCH_ERROR, NULL, 0.005, .status = 500), false},
    {OF(KIN_FAULT_WATCH_ERROR, NULL, 0.005, .status = 429), false},
    {OF(KIN_FAULT_WATCH_END, NULL, 0.01, .skip = 1), false},
    {OF(KIN_FAULT_WATCH_DUPLICATE, NULL, 0.02, .skip = 1), false},
    {OF(KIN_FAULT_WATCH_OVERSIZE, NULL, 0.01, .bytes = 20000), false},
    {OF(KIN_FAULT_REFUSE, NULL, 0.05, .skip = 1), false},
    {OF(KIN_FAULT_STATUS, "list", 0.1, .status = 500), false},
    {OF(KIN_FAULT_STATUS, "list", 0.03, .status = 410), false},
    {OF(KIN_FAULT_STATUS, "list", 0.03, .status = 429), false},
    {OF(KIN_FAULT_STATUS, "list", 0.03, .status = 200, .body = TABLE), true},
    {OF(KIN_FAULT_STATUS, "watch", 0.05, .status = 503), false},
    {OF(KIN_FAULT_STATUS, "watch", 0.03, .status = 410), false},
    {OF(KIN_FAULT_STATUS, "watch", 0.03, .status = 401), false},
    {OF(KIN_FAULT_RESET, "list", 0.05, .bytes = 100), false},
    {OF(KIN_FAULT_RESET, "watch", 0.05, .bytes = 0), false},
    {OF(KIN_FAULT_RESET, "watch", 0.1, .bytes = 1500), false},
    {OF(KIN_FAULT_TRUNCATE, "list", 0.05, .bytes = 1000), false},
    {OF(KIN_FAULT_TRUNCATE, "watch", 0.1, .bytes = 700), false},
    /* One object cannot be read, and is left as it was. */
    {OF(KIN_FAULT_GARBAGE, "list", 0.05, .bytes = 300), true},
    {OF(KIN_FAULT_GARBAGE, "watch", 0.1, .bytes = 900), false},
    {OF(KIN_FAULT_STALL, "watch", 0.02, .bytes = 500), false},
    /* More than bookmarks alone come to, also where a millisecond takes twenty. */
    {OF(KIN_FAULT_DRIP, "watch", 0.05, .bytes = 3001, .interval_ms = 1), false},
    {OF(KIN_FAULT_OVERSIZE, "watch", 0.05, .bytes = 50000), false},
    {OF(KIN_FAULT_OVERSIZE_OBJECT, "list", 0.05, .bytes = 50000), false},
    {OF(KIN_FAULT_DELAY, "list", 0.1, .delay_ms = 1), false},
#undef OF
};
enum { RULES = sizeof(rules) / sizeof(rules[0]) };
_Static_assert((int)RULES <= (int)KIN_TEST_RULES_MAX, "there is room for each rule");

/* In any thread, where a test cannot fail. */
static void must(int code)
{
    if (code < 0)
        abort();
}

static bool is_of_events(const kin_fault *fault)
{
    switch (fault->type) {
    case KIN_FAULT_WATCH_ERROR:
    case KIN_FAULT_WATCH_DROP:
    case KIN_FAULT_WATCH_DUPLICATE:
    case KIN_FAULT_WATCH_REORDER:
    case KIN_FAULT_WATCH_END:
    case KIN_FAULT_WATCH_OVERSIZE:
        return true;
    default:
        return false;
    }
}

void kin_test_faults_init(kin_test_faults *faults, kin_apiserver *server)
{
    *faults = (kin_test_faults){.server = server};
}

void kin_test_faults_inject(kin_test_faults *faults, bool with_lies, double scale)
{
    for (size_t i = 0; i < RULES; i++) {
        kin_fault fault = rules[i].fault;

        if (rules[i].is_lie && !with_lies)
            continue;
        if (is_of_events(&fault))
            fault.probability *= scale;
        must(kin_apiserver_inject(faults->server, &fault, &faults->ids[i], NULL));
    }
}

void kin_test_faults_remove(kin_test_faults *faults)
{
    for (size_t i = 0; i < RULES; i++) {
        uint64_t hits = 0;

        if (!faults->ids[i])
            continue;
        must(kin_apiserver_remove_fault(faults->server, faults->ids[i], &hits, NULL));
        faults->hits[i] += hits;
        faults->ids[i] = 0;
    }
}

uint64_t kin_test_faults_sum(const kin_test_faults *faults)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < RULES; i++)
        sum += rules[i].fault.type == KIN_FAULT_WATCH_NO_BOOKMARKS ? 0 : faults->hits[i];
    return sum;
}

void kin_test_faults_print(const kin_test_faults *faults)
{
    for (size_t i = 0; i < RULES; i++) {
        const kin_fault *fault = &rules[i].fault;
        char status[16] = "";

        if (fault->status)
            snprintf(status, sizeof(status), "%d", fault->status);
        printf("  %-18s %-6s %-4s %10llu%s\n", kin_test_fault_name(fault->type),
               fault->verb ? fault->verb : "", status, (unsigned long long)faults->hits[i],
               fault->type == KIN_FAULT_WATCH_NO_BOOKMARKS ? "  (not counted)" : "");
    }
}

const char *kin_test_fault_name(kin_fault_type type)
{
    static const char *const names[] = {"?",
                                        "Delay",
                                        "Status",
                                        "Refuse",
                                        "Reset",
                                        "Stall",
                                        "Drip",
                                        "Truncate",
                                        "Garbage",
                                        "Oversize",
                                        "WatchError",
                                        "WatchDrop",
                                        "WatchDuplicate",
                                        "WatchReorder",
                                        "WatchNoBookmarks",
                                        "WatchNoInitialEnd",
                                        "WatchEnd",
                                        "OversizeObject",
                                        "WatchOversize"};

    return (size_t)type < sizeof(names) / sizeof(names[0]) ? names[type] : "?";
}
