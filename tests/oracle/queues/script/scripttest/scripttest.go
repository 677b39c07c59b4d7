// SPDX-License-Identifier: Apache-2.0

// Package scripttest runs scripts whose traces are known.
package scripttest

import (
	"bytes"
	"strings"
	"testing"

	"kinform/tests/oracle/queues/script"
)

// A Script is its lines, each with the answer to it.
type Script struct {
	Name  string
	Lines [][2]string
}

// Run compares all answers.
func Run(t *testing.T, kinds script.Kinds, scripts []Script) {
	t.Helper()
	for _, each := range scripts {
		var in, out bytes.Buffer
		for _, line := range each.Lines {
			in.WriteString(line[0] + "\n")
		}
		if err := script.Serve(&in, &out, kinds); err != nil {
			t.Fatalf("%s: %v", each.Name, err)
		}
		answers := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(answers) != len(each.Lines) {
			t.Fatalf("%s: %d answers to %d lines", each.Name, len(answers), len(each.Lines))
		}
		for i, answer := range answers {
			if answer != each.Lines[i][1] {
				t.Errorf("%s: %s: %q instead of %q", each.Name, each.Lines[i][0], answer, each.Lines[i][1])
			}
		}
	}
}
