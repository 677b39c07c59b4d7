// SPDX-License-Identifier: Apache-2.0

package main

import (
	"k8s.io/client-go/tools/cache"
	"kinform/tests/oracle/queues/script"
)

// processed also knows requeueing, which later versions have not.
func processed(mode string) error {
	switch mode {
	case "requeue":
		return cache.ErrRequeue{}
	case "requeue-fail":
		return cache.ErrRequeue{Err: script.ErrProcess}
	}
	return script.Processed(mode)
}
