// SPDX-License-Identifier: Apache-2.0

// kin-oracle-v37 drives the stores, the ordered queue and the work queue of
// client-go v0.37 with scripts.
package main

import "kinform/tests/oracle/queues/script"

var kinds = script.Kinds{"store": newStore, "ordered-fifo": newOrderedFIFO, "work-queue": newWorkQueue}

func main() {
	script.Main("kin-oracle-v37", kinds)
}
