// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"runtime"
	"runtime/debug"
	"strings"
)

// versions returns the version of client-go linked into this program, and of Go.
func versions() (clientGo, goVersion string) {
	clientGo = "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			if dep.Path == "k8s.io/client-go" {
				clientGo = dep.Version
			}
		}
	}
	return clientGo, strings.TrimPrefix(runtime.Version(), "go")
}

// runVersion needs nothing of its own: every report begins with the versions.
func runVersion(_ context.Context, args []string, _ *report) error {
	_, err := parseFlags(newFlags("version"), args, 0)
	return err
}
