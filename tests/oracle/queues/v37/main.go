// SPDX-License-Identifier: Apache-2.0

// kin-oracle-v37 drives the stores and the ordered queue of client-go v0.37 with
// scripts.
package main

import "kinform/tests/oracle/queues/script"

var kinds = script.Kinds{"store": newStore, "ordered-fifo": newOrderedFIFO}

func main() {
	script.Main("kin-oracle-v37", kinds)
}
