// SPDX-License-Identifier: Apache-2.0

// kin-oracle-v32 drives the queues of client-go v0.32 with scripts.
package main

import "kinform/tests/oracle/queues/script"

var kinds = script.Kinds{"delta-fifo": newDeltaFIFO, "fifo": newFIFO}

func main() {
	script.Main("kin-oracle-v32", kinds)
}
