// SPDX-License-Identifier: Apache-2.0

// kin-bench-client-go measures client-go itself, as the peer that kinform is
// compared with. One run measures one thing and prints the measure protocol of
// bench/ on standard output; everything else goes to standard error.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"k8s.io/klog/v2"
)

// A command parses its own arguments and adds its measures to the report.
type command func(ctx context.Context, args []string, r *report) error

var commands = map[string]command{
	"convert":   runConvert,
	"sync":      runSync,
	"flood":     runFlood,
	"latency":   runLatency,
	"decode":    runDecode,
	"deltafifo": runDeltaFIFO,
	"indexer":   runIndexer,
	"workqueue": runWorkqueue,
	"map":       runMap,
	"idle":      runIdle,
	"version":   runVersion,
}

func main() {
	klog.LogToStderr(true) // standard output belongs to the measure protocol
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout)
	if err == nil {
		return
	}
	stop()
	if errors.Is(err, flag.ErrHelp) {
		os.Exit(2)
	}
	fmt.Fprintf(os.Stderr, "kin-bench-client-go: %v\n", err)
	os.Exit(1)
}

// run executes one subcommand. The report is written only when the whole run
// succeeded, so that a failed run leaves no figures behind.
func run(ctx context.Context, args []string, stdout io.Writer) error {
	if len(args) == 0 {
		return fmt.Errorf("no subcommand; one of: %s", commandNames())
	}
	cmd, ok := commands[args[0]]
	if !ok {
		return fmt.Errorf("unknown subcommand %q; one of: %s", args[0], commandNames())
	}
	r := newReport()
	if err := cmd(ctx, args[1:], r); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return r.writeTo(stdout)
}

func commandNames() string {
	names := make([]string, 0, len(commands))
	for name := range commands {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// newFlags makes the flag set of a subcommand, with messages to standard error.
func newFlags(name string) *flag.FlagSet {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(os.Stderr)
	return fs
}

// parseFlags parses flags that may stand before and after the want positional
// arguments, and returns those.
func parseFlags(fs *flag.FlagSet, args []string, want int) ([]string, error) {
	var positional []string
	for {
		if err := fs.Parse(args); err != nil {
			return nil, err
		}
		if fs.NArg() == 0 {
			break
		}
		positional = append(positional, fs.Arg(0))
		args = fs.Args()[1:]
	}
	if len(positional) != want {
		return nil, fmt.Errorf("%d arguments expected, got %d", want, len(positional))
	}
	return positional, nil
}
