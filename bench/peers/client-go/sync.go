// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
)

// countingHandler is the cheapest useful handler: it counts. A real one would
// put a key on a work queue, which is measured on its own.
type countingHandler struct {
	adds, updates atomic.Int64
}

func (h *countingHandler) OnAdd(any, bool)   { h.adds.Add(1) }
func (h *countingHandler) OnUpdate(any, any) { h.updates.Add(1) }
func (h *countingHandler) OnDelete(any)      {}

// runSync measures the initial sync: Run() until the store and the handler have
// everything. With --rest also the memory that the cache then holds.
func runSync(ctx context.Context, args []string, r *report) (err error) {
	var f serverFlags
	fs := newFlags("sync")
	// An empty default: client-go's own, as far as the server has it.
	f.register(fs, "")
	strip := fs.Bool("strip-managed-fields", false, "drop managedFields with a transform")
	rest := fs.Bool("rest", false, "measure the memory at rest, too")
	if _, err := parseFlags(fs, args, 0); err != nil {
		return err
	}
	if f.listMode == "" {
		f.listMode = listModeWatchList
		if f.format == formatMetadata {
			f.listMode = listModeList
		}
	}
	ctx, cancel, err := f.prepare(ctx)
	if err != nil {
		return err
	}
	defer cancel()

	handler := &countingHandler{}
	p, err := newPodInformer(&f, *strip, handler)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	before, err := measureResting()
	if err != nil {
		return err
	}

	allocated := totalAllocated()
	s := startSection()
	p.start(ctx)
	if err := p.waitSynced(ctx); err != nil {
		return err
	}
	used := s.stop()
	updates := handler.updates.Load()
	allocated = totalAllocated() - allocated
	status, err := readStatus()
	if err != nil {
		return err
	}
	received, err := receivedBytes()
	if err != nil {
		return err
	}

	if err := p.check(); err != nil {
		return err
	}
	objects := int64(len(p.informer.GetIndexer().ListKeys()))
	if adds := handler.adds.Load(); adds != objects || objects == 0 {
		return fmt.Errorf("the store has %d objects, the handler got %d", objects, adds)
	}
	r.note("format %s list-mode %s", f.format, f.listMode)
	r.usage(used)
	r.rate("ops", objects, used.wall, "1/s")
	r.count("objects", objects)
	r.bytes("alloc", allocated)
	r.bytes("peak_rss", status.peakRSS)
	r.bytes("received", received)
	if updates > 0 {
		r.note("%d watch events came during the sync and are part of it; serve data without events", updates)
	}
	if *rest {
		return reportResting(p, before, objects, r)
	}
	return nil
}

// reportResting reports the memory of the filled cache. The informer is stopped
// first: a server that goes on sending events would otherwise add garbage of
// random size. The figures per object are above what the program held before.
func reportResting(p *podInformer, before restingMemory, objects int64, r *report) error {
	if err := p.stop(); err != nil {
		return err
	}
	after, err := measureResting()
	if err != nil {
		return err
	}
	runtime.KeepAlive(p)
	perObject := func(a, b uint64) float64 { return (float64(a) - float64(b)) / float64(objects) }
	r.bytes("heap", after.heap)
	r.measure("heap_per_object", perObject(after.heap, before.heap), "B")
	r.measure("objects_per_object", perObject(after.objects, before.objects), "count")
	r.bytes("rss", after.status.rss)
	r.measure("rss_per_object", perObject(after.status.rss, before.status.rss), "B")
	r.bytes("rss_anon", after.status.rssAnon)
	r.measure("rss_anon_per_object", perObject(after.status.rssAnon, before.status.rssAnon), "B")
	r.bytes("base_heap", before.heap)
	r.bytes("base_rss", before.status.rss)
	return nil
}
