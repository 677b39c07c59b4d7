// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"flag"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"k8s.io/klog/v2"
)

var protocolLine = regexp.MustCompile(`^(note .+|measure [a-z0-9_.]+ -?[0-9]+(\.[0-9]+)? (s|ns|us|ms|B|count|1/s|B/s))$`)

func TestMain(m *testing.M) {
	// Failure tests provoke client-go's complaints on purpose.
	fs := flag.NewFlagSet("klog", flag.PanicOnError)
	klog.InitFlags(fs)
	fs.Set("logtostderr", "false")
	fs.Set("stderrthreshold", "FATAL")
	klog.SetOutput(io.Discard)
	os.Exit(m.Run())
}

// output runs the program and returns what it wrote.
func output(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := run(context.Background(), args, &out); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return out.String()
}

// measures runs the program and returns its measures, after checking that the
// output keeps the protocol.
func measures(t *testing.T, args ...string) map[string]float64 {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(output(t, args...), "\n"), "\n")
	if !strings.HasPrefix(lines[0], "note client-go ") {
		t.Errorf("%v: the first line is %q", args, lines[0])
	}
	found := map[string]float64{}
	for _, line := range lines {
		if !protocolLine.MatchString(line) {
			t.Errorf("%v: %q is not of the protocol", args, line)
			continue
		}
		words := strings.Fields(line)
		if words[0] != "measure" {
			continue
		}
		value, err := strconv.ParseFloat(words[2], 64)
		if err != nil {
			t.Errorf("%v: %v", args, err)
		}
		if _, twice := found[words[1]]; twice {
			t.Errorf("%v: %s is there twice", args, words[1])
		}
		found[words[1]] = value
	}
	return found
}

// positive checks that measures are there and have a value.
func positive(t *testing.T, args []string, found map[string]float64, names ...string) {
	t.Helper()
	for _, name := range append(names, "wall") {
		if !(found[name] > 0) {
			t.Errorf("%v: %s is %v", args, name, found[name])
		}
	}
	if _, ok := found["cpu"]; !ok {
		t.Errorf("%v: there is no cpu", args)
	}
}

// fails runs the program and expects an error that says text, and no output.
func fails(t *testing.T, text string, args ...string) {
	t.Helper()
	var out bytes.Buffer
	err := run(context.Background(), args, &out)
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("%v: the error is %v, not %q", args, err, text)
	}
	if out.Len() > 0 {
		t.Errorf("%v failed and still wrote %q", args, out.String())
	}
}

func TestVersion(t *testing.T) {
	if found := measures(t, "version"); len(found) != 0 {
		t.Errorf("version has measures: %v", found)
	}
}

func TestMicro(t *testing.T) {
	for line, want := range map[string]string{
		"deltafifo --mode add-pop":                           "ops adds_per_pop",
		"deltafifo --mode add-pop --queue realfifo":          "ops adds_per_pop",
		"deltafifo --mode add-popbatch --queue realfifo":     "ops adds_per_pop",
		"deltafifo --mode lockstep":                          "ops",
		"deltafifo --mode lockstep --queue realfifo":         "ops",
		"deltafifo --mode hot --hot-keys 3":                  "ops adds_per_pop",
		"deltafifo --mode hot --hot-keys 3 --queue realfifo": "ops adds_per_pop",
		"deltafifo --mode add":                               "ops",
		"deltafifo --mode add --queue realfifo":              "ops",
		"deltafifo --mode pop":                               "ops",
		"deltafifo --mode pop --queue realfifo":              "ops",
		"deltafifo --mode replace":                           "ops per_call",
		"deltafifo --mode replace --queue realfifo":          "ops per_call",
		"deltafifo --mode replace-empty":                     "ops per_call",
		"deltafifo --mode resync":                            "ops per_call",
		"deltafifo --mode resync --queue realfifo":           "ops per_call",
		"indexer --mode add":                                 "ops",
		"indexer --mode update":                              "ops",
		"indexer --mode update --batch 64":                   "ops",
		"indexer --mode delete":                              "ops",
		"indexer --mode memory":                              "ops heap_per_object updated.heap_per_object replaced.heap_per_object",
		"indexer --mode get --readers 2":                     "ops objects",
		"indexer --mode byindex":                             "ops objects",
		"indexer --mode byindex --index nodeName":            "ops objects",
		"indexer --mode list --readers 2":                    "ops objects",
		"indexer --mode writer-while-get":                    "ops undisturbed_ops ratio_of_undisturbed reader_ops",
		"indexer --mode writer-while-list --readers 2":       "ops undisturbed_ops ratio_of_undisturbed reader_ops",
		"indexer --mode replace":                             "ops per_call",
		"workqueue --mode lockstep":                          "ops",
		"workqueue --mode burst":                             "ops",
		"workqueue --mode waiting --hot-keys 3":              "ops",
		"workqueue --mode add-get-done --consumers 3":        "ops adds_per_get",
		"workqueue --mode hot --hot-keys 3":                  "ops adds_per_get",
		"workqueue --mode ratelimited --consumers 2":         "ops add_ops",
		"map --mode get":                                     "ops heap",
		"map --mode miss":                                    "ops heap",
		"map --mode insert":                                  "ops heap",
		"map --mode delete":                                  "ops heap",
		"map --mode mixed":                                   "ops heap",
	} {
		t.Run(strings.ReplaceAll(line, " ", "_"), func(t *testing.T) {
			args := append(strings.Fields(line), "--min-time", "2ms")
			switch args[0] {
			case "indexer":
				args = append(args, "--objects", "500")
				if strings.HasPrefix(args[2], "writer-") {
					// Beside readers, a writer may get nothing done in 2 ms.
					args = append(args, "--min-time", "200ms")
				}
			case "map":
				args = append(args, "--keys", "500")
			default:
				args = append(args, "--keys", "500", "--adds", "1234")
			}
			positive(t, args, measures(t, args...), strings.Fields(want)...)
		})
	}
}

func TestUsage(t *testing.T) {
	fails(t, "no subcommand")
	fails(t, "unknown subcommand", "nonsense")
	for _, name := range []string{"deltafifo", "indexer", "workqueue", "map"} {
		fails(t, "unknown --mode", name, "--mode", "nonsense")
	}
	fails(t, "has no PopBatch", "deltafifo", "--mode", "add-popbatch")
	fails(t, "must be positive", "indexer", "--objects", "0")
	fails(t, "is for mode update", "indexer", "--mode", "get", "--batch", "2")
	fails(t, "1 arguments expected", "convert")
	fails(t, "has no data", "convert", t.TempDir())
	fails(t, "either --url or --kubeconfig is needed", "sync")
	fails(t, "unknown --format", "sync", "--url", "http://127.0.0.1:1", "--format", "nonsense")
	fails(t, "unknown --list-mode", "sync", "--url", "http://127.0.0.1:1", "--list-mode", "nonsense")
	fails(t, "needs --list-mode list", "sync", "--url", "http://127.0.0.1:1", "--format", "metadata", "--list-mode", "watchlist")
	fails(t, "has no watch events", "flood", "--url", "http://127.0.0.1:1", "--format", "metadata")
	fails(t, "must be at least 2 more", "latency", "--url", "http://127.0.0.1:1", "--events", "500")
	fails(t, "--file is needed", "decode")
}

func TestKeys(t *testing.T) {
	// The first output of the published generator with seed 0.
	if got := splitmix64(0); got != 0xe220a8397b1dcdaf {
		t.Errorf("splitmix64(0) is %#x", got)
	}
	if s := (splitmix{state: 42}); s.draw() != splitmix64(42) {
		t.Error("the sequence does not begin with its seed")
	}
	if got := keyOf(0); got != "namespace-00/workload-000000-e220a839-dcdaf" {
		t.Errorf("key 0 is %q", got)
	}
	// tests/bench/test_load.c has the same: both sides use the same objects in
	// the same orders.
	if got := keyOf(77); got != "namespace-27/workload-000077-6258cbe0-ff081" {
		t.Errorf("key 77 is %q", got)
	}
	if got := nodeName(77, 500); got != "node-0007" {
		t.Errorf("the node of 77 is %q", got)
	}
	if got := shuffledFrom(8, orderSeed+1); !slices.Equal(got, []int32{4, 7, 2, 6, 1, 3, 5, 0}) {
		t.Errorf("the second order is %v", got)
	}
	order := shuffled(1000)
	if slices.IsSorted(order) {
		t.Error("the order is not random")
	}
	slices.Sort(order)
	for i, v := range order {
		if int(v) != i {
			t.Fatalf("%d is not there once", i)
		}
	}
}

func TestReport(t *testing.T) {
	for _, bad := range []func(*report){
		func(r *report) { r.measure("Bad name", 1, "s") },
		func(r *report) { r.measure("ops", 1, "ops") },
		func(r *report) { r.rate("ops", 1, 0, "1/s") },
	} {
		r := newReport()
		bad(r)
		if r.writeTo(io.Discard) == nil {
			t.Errorf("%v was taken", r.lines)
		}
	}
	r := newReport()
	r.measure("tiny", 1e-9, "s")
	r.measure("large", 1e21, "B")
	r.note("two\nlines")
	var out bytes.Buffer
	if err := r.writeTo(&out); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if !protocolLine.MatchString(strings.TrimSuffix(line, "\n")) {
			t.Errorf("%q", line)
		}
	}
}

func TestPercentile(t *testing.T) {
	values := make([]int64, 1000)
	for i := range values {
		values[i] = int64(i + 1)
	}
	for of, want := range map[float64]int64{0.5: 500, 0.99: 990, 0.999: 999, 1: 1000} {
		if got := percentile(values, of); got != want {
			t.Errorf("%v: %d, not %d", of, got, want)
		}
	}
	if got := percentile([]int64{7}, 0.5); got != 7 {
		t.Errorf("of one value: %d", got)
	}
}
