// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
)

// stampAnnotation holds the server's CLOCK_MONOTONIC at the write of the event.
const stampAnnotation = "kinform-bench/sent"

// latencyHandler takes the age of every event at the entry of OnUpdate.
type latencyHandler struct {
	eventCounter
	warmup  int64
	section section
	used    usage
	ages    []int64 // nanoseconds, made with room for all
}

func (h *latencyHandler) OnAdd(any, bool) {}
func (h *latencyHandler) OnDelete(any)    {}

func (h *latencyHandler) OnUpdate(_, obj any) {
	now := monotonicNow()
	n := h.next()
	if n == 0 {
		return
	}
	if n == h.warmup+1 {
		h.section = startSection()
	}
	if n > h.warmup {
		age, err := eventAge(obj, now)
		if err != nil {
			h.finish(fmt.Errorf("event %d: %w", n, err))
			return
		}
		h.ages = append(h.ages, age)
	}
	if n == h.want {
		h.used = h.section.stop()
		h.finish(nil)
	}
}

func eventAge(obj any, now int64) (int64, error) {
	accessor, err := meta.Accessor(obj)
	if err != nil {
		return 0, err
	}
	text := accessor.GetAnnotations()[stampAnnotation]
	sent, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("bad stamp %q", text)
	}
	// A stamp of zero is one that the server did not fill in.
	if sent <= 0 || sent > now {
		return 0, fmt.Errorf("stamp %d does not fit the time %d", sent, now)
	}
	return now - sent, nil
}

// runLatency measures the time from the server's write of an event to the entry
// of the handler, on a paced stream.
func runLatency(ctx context.Context, args []string, r *report) error {
	var f serverFlags
	fs := newFlags("latency")
	f.register(fs, listModeList)
	events := fs.Int64("events", 10000, "number of events to take, the warm-up included")
	warmup := fs.Int64("warmup", 500, "number of events at the start that do not count")
	rate := fs.Float64("rate", 0, "events per second that the server sends; a note says if fewer came")
	if _, err := parseFlags(fs, args, 0); err != nil {
		return err
	}
	if *warmup < 0 || *events <= *warmup+1 {
		return fmt.Errorf("--events must be at least 2 more than the %d of the warm-up", *warmup)
	}
	ctx, cancel, err := f.prepare(ctx)
	if err != nil {
		return err
	}
	defer cancel()

	handler := &latencyHandler{
		eventCounter: newEventCounter(*events),
		warmup:       *warmup,
		ages:         make([]int64, 0, *events-*warmup),
	}
	if _, err := followEvents(ctx, &f, handler, &handler.eventCounter); err != nil {
		return err
	}
	status, err := readStatus()
	if err != nil {
		return err
	}
	counted := *events - *warmup
	slices.Sort(handler.ages)
	r.note("format %s list-mode %s", f.format, f.listMode)
	r.usage(handler.used)
	r.rate("ops", counted-1, handler.used.wall, "1/s")
	if ops := float64(counted-1) / handler.used.wall.Seconds(); !keptUp(ops, *rate) {
		r.note("the client did not keep up: %.0f of %.0f events/s came; what the others waited is in no latency", ops, *rate)
	}
	for _, p := range []struct {
		name string
		of   float64
	}{{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p999", 0.999}, {"max", 1}} {
		r.measure(p.name, micros(percentile(handler.ages, p.of)), "us")
	}
	r.measure("cpu_per_event", handler.used.cpu.Seconds()*1e6/float64(counted-1), "us")
	r.count("events", counted)
	r.bytes("peak_rss", status.peakRSS)
	return nil
}

// keptUp tells whether events came as fast as they were sent. The server stamps an
// event when it writes it, so with a client that is slower than the rate the time
// that an overdue event waited for its turn is in no latency.
func keptUp(ops, rate float64) bool {
	return ops >= 0.97*rate
}

func micros(ns int64) float64 {
	return float64(ns) / float64(time.Microsecond)
}

// percentile is the nearest-rank percentile of sorted values.
func percentile(sorted []int64, of float64) int64 {
	rank := int(math.Ceil(of*float64(len(sorted)))) - 1
	return sorted[min(max(rank, 0), len(sorted)-1)]
}
