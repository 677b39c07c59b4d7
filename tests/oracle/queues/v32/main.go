// SPDX-License-Identifier: Apache-2.0

// kin-oracle-v32 drives the queues of client-go v0.32 with scripts.
package main

import (
	"fmt"
	"os"

	"kinform/tests/oracle/queues/script"
)

func main() {
	kinds := script.Kinds{"delta-fifo": newDeltaFIFO, "fifo": newFIFO}
	if err := script.Serve(os.Stdin, os.Stdout, kinds); err != nil {
		fmt.Fprintf(os.Stderr, "kin-oracle-v32: %v\n", err)
		os.Exit(1)
	}
}
