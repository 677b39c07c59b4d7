// SPDX-License-Identifier: Apache-2.0

package script

import (
	"bytes"
	"strings"
	"testing"
)

// echo answers with what it was asked and panics when told to.
type echo struct{ options map[string]bool }

func (e echo) Step(op string, args []string) string {
	if op == "panic" {
		panic("on purpose")
	}
	return Line(op, strings.Join(args, "|"))
}

func serve(t *testing.T, text string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := Serve(strings.NewReader(text), &out, Kinds{"echo": func(options map[string]bool) Machine {
		return echo{options}
	}})
	return out.String(), err
}

func TestEachLineIsAnswered(t *testing.T) {
	out, err := serve(t, "script echo a b\nadd x:1 y:2 #note\nlist\n")
	if err != nil || out != "script\nadd x:1|y:2\nlist\n" {
		t.Fatalf("%q, %v", out, err)
	}
}

func TestAPanicEndsItsScriptOnly(t *testing.T) {
	out, err := serve(t, "script echo\npanic\nadd\nscript echo\nadd\n")
	if err != nil || out != "script\npanic\nover\nscript\nadd\n" {
		t.Fatalf("%q, %v", out, err)
	}
}

func TestWhatIsNoScriptIsRefused(t *testing.T) {
	for _, text := range []string{"script\n", "script none\n", "\n"} {
		if _, err := serve(t, text); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

func TestItems(t *testing.T) {
	item := ParseItem("ns/a:7:x+!t")
	if item.Key != "ns/a" || item.Version != 7 || item.ResourceVersion != "7" || !item.HasTag("x") {
		t.Errorf("%+v", item)
	}
	if _, err := Transform(item); Outcome(err) != "bad-object" {
		t.Error(err)
	}
	if changed, _ := Transform(ParseItem("a:1")); changed.String() != "a:1000001" {
		t.Error(changed)
	}
	if _, err := KeyOf(ParseItem("!k:1")); Outcome(err) != "bad-key" {
		t.Error(err)
	}
	if _, err := IndexValues(ParseItem("a:1:!i")); Outcome(err) != "bad-tag" {
		t.Error(err)
	}
}
