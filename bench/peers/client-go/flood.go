// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
)

// floodHandler measures from the first update to the last one wanted.
type floodHandler struct {
	eventCounter
	section section
	used    usage
}

func (h *floodHandler) OnAdd(any, bool) {}
func (h *floodHandler) OnDelete(any)    {}

func (h *floodHandler) OnUpdate(any, any) {
	switch h.next() {
	case 1:
		h.section = startSection()
	case h.want:
		h.used = h.section.stop()
		h.finish(nil)
	}
}

// runFlood measures how many watch events per second reach a handler when the
// server sends as fast as it can.
func runFlood(ctx context.Context, args []string, r *report) error {
	var f serverFlags
	fs := newFlags("flood")
	f.register(fs, listModeList)
	events := fs.Int64("events", 30000, "number of events to take")
	if _, err := parseFlags(fs, args, 0); err != nil {
		return err
	}
	if *events < 2 {
		return errors.New("--events must be at least 2")
	}
	ctx, cancel, err := f.prepare(ctx)
	if err != nil {
		return err
	}
	defer cancel()

	handler := &floodHandler{eventCounter: newEventCounter(*events)}
	p, err := followEvents(ctx, &f, handler, &handler.eventCounter)
	if err != nil {
		return err
	}
	status, err := readStatus()
	if err != nil {
		return err
	}
	// The clock starts with the first event, so it times one interval less.
	intervals := *events - 1
	r.note("format %s list-mode %s", f.format, f.listMode)
	r.usage(handler.used)
	r.rate("ops", intervals, handler.used.wall, "1/s")
	r.measure("cpu_per_event", handler.used.cpu.Seconds()*1e6/float64(intervals), "us")
	r.count("events", *events)
	r.count("objects", int64(len(p.informer.GetIndexer().ListKeys())))
	r.bytes("peak_rss", status.peakRSS)
	return nil
}
