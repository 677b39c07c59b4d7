/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a watch tells, put together again: which objects there are, and in which version.
 */
#ifndef KIN_TEST_REPLAYER_H
#define KIN_TEST_REPLAYER_H

#include "api_support.h"

typedef struct kin_test_replayer {
    char lines[256][96]; /* "namespace/name@version", unsorted */
    size_t n;
    uint64_t version; /* of the last event */
    bool has_error;   /* an ERROR event came */
    char defect[256]; /* what makes no sense: an ADDED of what is there, a version that goes back */
    bool is_behind_initial; /* versions only rise from here on */
} kin_test_replayer;

void kin_test_replayer_init(kin_test_replayer *replayer);
/* All whole lines of a text; how many bytes these are. */
size_t kin_test_replayer_read(kin_test_replayer *replayer, kin_str text);
/* The same state as the items of a list have, sorted; BORROWED until the next call of a thread. */
void kin_test_replayer_print(kin_test_replayer *replayer, char *ret, size_t size);
void kin_test_list_print(kin_str list, char *ret, size_t size);

#endif
