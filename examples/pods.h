/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the examples of event loops (loop-*.c) have in common: an informer of Pods, and a handler that
 * prints what it is told, in the thread of the loop.
 */
#ifndef PODS_H
#define PODS_H

#include <kinform.h>

struct pods {
    kin_client *client;
    kin_informer *informer; /* its descriptor and kin_informer_dispatch() are for the loop */
    kin_registration *registration;
    unsigned long n_told; /* events */
    unsigned long enough; /* so many are enough; 0: none are */
    bool has_synced;      /* that was printed */
};

/*
 * Connect and start, by the program's arguments: [--events N] [NAMESPACE]. Server and credentials are
 * those that kubectl would use. False: it was said why.
 */
bool pods_open(struct pods *pods, int argc, char **argv);

/* After each kin_informer_dispatch(): whether the loop is to go on. */
bool pods_go_on(struct pods *pods);

/* Stop, say how many Pods there were, and let all go. Also after a failure to open. */
void pods_close(struct pods *pods);

#endif
