/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quiet. The faults are over, but watches that have met one still break off, and what is queued is still
 * told. A mark is an object that is new, written in each namespace of each kind; who was told of it has
 * been told of what was queued before. Behind a list, though, that brings a mark come the deletions that
 * the list has found. So there are two marks, one behind the other.
 *
 * Who was lied to does not know. As long as every event of every watch is an error, a mark comes by a
 * list and in no other way: who was told of it has listed.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cluster.h"

bool kin_test_mark_all(kin_test_cluster *cluster, kin_test_follower *followers, size_t n,
                       int64_t timeout_ms, char words[KIN_TEST_WORDS])
{
    if (!kin_test_cluster_mark(cluster)) {
        (void)snprintf(words, KIN_TEST_WORDS, "the server does not answer");
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (!kin_test_follower_await(&followers[i], cluster, timeout_ms, words))
            return false;
    }
    return true;
}

static bool make_list(kin_test_cluster *cluster, kin_test_follower *followers, size_t n,
                      int64_t timeout_ms, char words[KIN_TEST_WORDS])
{
    kin_fault fault = KIN_FAULT_INIT(KIN_FAULT_WATCH_ERROR);
    uint64_t id = 0;

    fault.times = KIN_FAULT_ALWAYS;
    if (kin_apiserver_inject(cluster->server, &fault, &id, NULL) < 0)
        abort();
    bool ok = kin_test_mark_all(cluster, followers, n, timeout_ms, words);

    if (kin_apiserver_remove_fault(cluster->server, id, NULL, NULL) < 0)
        abort();
    return ok;
}

static bool compare(const kin_test_cluster *cluster, kin_test_follower *followers, size_t n,
                    char words[KIN_TEST_WORDS])
{
    kin_test_world *truth = calloc(KIN_TEST_KINDS, sizeof(*truth));

    if (!truth)
        abort();
    bool ok = kin_test_cluster_truth(cluster, truth, words);

    for (size_t i = 0; i < n && ok; i++) {
        ok = kin_test_follower_check(&followers[i], truth, words);
        kin_test_follower_may_go_back(&followers[i], false);
    }
    free(truth);
    return ok;
}

bool kin_test_quieten(kin_test_cluster *cluster, kin_test_follower *followers, size_t n, bool lies,
                      int64_t timeout_ms, char words[KIN_TEST_WORDS])
{
    bool ok = !lies || make_list(cluster, followers, n, timeout_ms, words);

    for (int i = 0; i < 2 && ok; i++)
        ok = kin_test_mark_all(cluster, followers, n, timeout_ms, words);
    return ok && compare(cluster, followers, n, words);
}
