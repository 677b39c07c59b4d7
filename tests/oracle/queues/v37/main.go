// SPDX-License-Identifier: Apache-2.0

// kin-oracle-v37 drives the stores and the ordered queue of client-go v0.37 with
// scripts.
package main

import (
	"fmt"
	"os"

	"kinform/tests/oracle/queues/script"
)

func main() {
	kinds := script.Kinds{"store": newStore, "ordered-fifo": newOrderedFIFO}
	if err := script.Serve(os.Stdin, os.Stdout, kinds); err != nil {
		fmt.Fprintf(os.Stderr, "kin-oracle-v37: %v\n", err)
		os.Exit(1)
	}
}
