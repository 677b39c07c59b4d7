// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"k8s.io/client-go/tools/cache"
)

// checkEvery is how many gets pass between two looks at the stop flag, so that
// the look costs nothing measurable.
const checkEvery = 64

// updateOrders is how many orders the updates cycle through. With one order only,
// the keys that an update stores would lie in memory in the order of the next
// pass, and every pass but the first would be flattered by prefetching.
const updateOrders = 4

// indexBench is a store with two indexes and the objects to put into it. The
// store is filled in the order in which the objects were made, as from a list,
// and used in orders that have nothing to do with it.
type indexBench struct {
	objects []any    // in the order they were made
	updates [][]any  // each has all keys, in an order of its own, older and newer in turn
	keys    []string // in random order
	readers int
	batch   int // objects in one transaction; 0: one by one, without
	index   string
	minTime time.Duration
}

var indexModes = map[string]func(*indexBench, *report) error{
	"add":               (*indexBench).add,
	"update":            (*indexBench).update,
	"get":               func(b *indexBench, r *report) error { return b.read(b.getReader, r) },
	"byindex":           func(b *indexBench, r *report) error { return b.read(b.byIndexReader, r) },
	"list":              func(b *indexBench, r *report) error { return b.read(b.listReader, r) },
	"writer-while-get":  func(b *indexBench, r *report) error { return b.writerWhile(b.getReader, r) },
	"writer-while-list": func(b *indexBench, r *report) error { return b.writerWhile(b.listReader, r) },
	"delete":            (*indexBench).delete,
	"replace":           (*indexBench).replace,
	"memory":            (*indexBench).memory,
}

// runIndexer measures the indexed store alone.
func runIndexer(_ context.Context, args []string, r *report) error {
	b := &indexBench{}
	fs := newFlags("indexer")
	mode := fs.String("mode", "update", "add, update, delete, get, byindex, list, writer-while-get, writer-while-list, replace or memory")
	objects := fs.Int("objects", 100000, "number of objects")
	fs.IntVar(&b.readers, "readers", 1, "number of reading goroutines")
	fs.IntVar(&b.batch, "batch", 0, "mode update: objects in one transaction; 0: no transactions")
	fs.StringVar(&b.index, "index", cache.NamespaceIndex, "mode byindex: namespace or nodeName")
	fs.DurationVar(&b.minTime, "min-time", time.Second, "repeat until this has been timed")
	if _, err := parseFlags(fs, args, 0); err != nil {
		return err
	}
	run, ok := indexModes[*mode]
	switch {
	case !ok:
		return fmt.Errorf("unknown --mode %q", *mode)
	case b.index != cache.NamespaceIndex && b.index != nodeNameIndex:
		return fmt.Errorf("unknown --index %q", b.index)
	case *objects < 1 || b.readers < 1:
		return errors.New("--objects and --readers must be positive")
	case b.batch < 0 || b.batch > 0 && *mode != "update":
		return errors.New("--batch must not be negative, and is for mode update")
	}
	b.makeObjects(*objects)
	r.note("mode %s, %d objects, %d readers", *mode, *objects, b.readers)
	return run(b, r)
}

func (b *indexBench) makeObjects(n int) {
	b.objects = asObjects(slimPods(n, 1))
	newer := asObjects(slimPods(n, 1+n))
	for k := range updateOrders {
		from := newer
		if k%2 == 1 {
			from = b.objects
		}
		update := make([]any, 0, n)
		for _, i := range shuffledFrom(n, orderSeed+uint64(k)) {
			update = append(update, from[i])
		}
		b.updates = append(b.updates, update)
	}
	keys := make([]string, n)
	for i := range keys {
		keys[i] = keyOf(i)
	}
	for _, i := range shuffled(n) {
		b.keys = append(b.keys, keys[i])
	}
}

// nextUpdates returns the objects of the next pass.
func (b *indexBench) nextUpdates() []any {
	next := b.updates[0]
	b.updates = append(b.updates[1:], next)
	return next
}

func newIndexer() cache.Indexer {
	return cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{
		cache.NamespaceIndex: cache.MetaNamespaceIndexFunc,
		nodeNameIndex:        podNodeName,
	})
}

func (b *indexBench) filled() (cache.Indexer, error) {
	indexer := newIndexer()
	for _, obj := range b.objects {
		if err := indexer.Add(obj); err != nil {
			return nil, err
		}
	}
	return indexer, nil
}

// add fills an empty store.
func (b *indexBench) add(r *report) error {
	var indexer cache.Indexer
	var objects []any
	var err error
	ops, used := timedPasses(b.minTime, func() {
		indexer, objects = newIndexer(), b.nextUpdates()
	}, func() int64 {
		for _, obj := range objects {
			if e := indexer.Add(obj); e != nil {
				err = e
			}
		}
		return int64(len(objects))
	})
	r.usage(used)
	r.rate("ops", ops, used.wall, "1/s")
	return err
}

// update replaces every object by another one with the same index values.
func (b *indexBench) update(r *report) error {
	indexer, err := b.filled()
	if err != nil {
		return err
	}
	pass := updateAll
	if b.batch > 0 {
		pass = b.updateInTransactions
	}
	var objects []any
	ops, used := timedPasses(b.minTime, func() { objects = b.nextUpdates() }, func() int64 {
		if e := pass(indexer, objects); e != nil {
			err = e
		}
		return int64(len(objects))
	})
	r.usage(used)
	r.rate("ops", ops, used.wall, "1/s")
	return err
}

func updateAll(indexer cache.Indexer, objects []any) error {
	var err error
	for _, obj := range objects {
		if e := indexer.Update(obj); e != nil {
			err = e
		}
	}
	return err
}

// updateInTransactions fills in one transaction after the other, in the same
// memory, as part of the work.
func (b *indexBench) updateInTransactions(indexer cache.Indexer, objects []any) error {
	store, ok := indexer.(cache.TransactionStore)
	if !ok {
		return errors.New("the store has no transactions")
	}
	writes := make([]cache.Transaction, 0, b.batch)
	for part := range slices.Chunk(objects, b.batch) {
		writes = writes[:0]
		for _, obj := range part {
			writes = append(writes, cache.Transaction{Object: obj, Type: cache.TransactionTypeUpdate})
		}
		if err := store.Transaction(writes...); err != nil {
			return err
		}
	}
	return nil
}

// delete empties a full store.
func (b *indexBench) delete(r *report) error {
	var indexer cache.Indexer
	var objects []any
	var err error
	ops, used := timedPasses(b.minTime, func() {
		var e error
		indexer, e = b.filled()
		objects, err = b.nextUpdates(), errors.Join(err, e)
	}, func() int64 {
		for _, obj := range objects {
			if e := indexer.Delete(obj); e != nil {
				err = e
			}
		}
		return int64(len(objects))
	})
	r.usage(used)
	r.rate("ops", ops, used.wall, "1/s")
	return err
}

// replace replaces the content of a store by the same keys, indexes included.
func (b *indexBench) replace(r *report) error {
	indexer, err := b.filled()
	if err != nil {
		return err
	}
	var objects []any
	calls := 0
	ops, used := timedPasses(b.minTime, func() { objects = b.nextUpdates() }, func() int64 {
		calls++
		err = errors.Join(err, indexer.Replace(objects, "2"))
		return int64(len(objects))
	})
	r.usage(used)
	r.rate("ops", ops, used.wall, "1/s")
	r.measure("per_call", used.wall.Seconds()*1e3/float64(calls), "ms")
	return err
}

// memory measures what a store takes. The objects are there before and after, and
// not counted; its keys are, which the store makes itself.
func (b *indexBench) memory(r *report) error {
	before, err := measureResting()
	if err != nil {
		return err
	}
	s := startSection()
	indexer, err := b.filled()
	if err != nil {
		return err
	}
	used := s.stop()
	n := float64(len(b.objects))
	r.usage(used)
	r.rate("ops", int64(len(b.objects)), used.wall, "1/s")
	after, err := measureResting()
	if err != nil {
		return err
	}
	r.measure("heap", float64(after.heap)-float64(before.heap), "B")
	r.measure("heap_per_object", (float64(after.heap)-float64(before.heap))/n, "B")
	r.measure("rss_per_object", (float64(after.status.rss)-float64(before.status.rss))/n, "B")
	if err := updateAll(indexer, b.nextUpdates()); err != nil {
		return err
	}
	r.measure("updated.heap_per_object", (float64(liveHeap())-float64(before.heap))/n, "B")
	if err := indexer.Replace(b.nextUpdates(), "2"); err != nil {
		return err
	}
	after, err = measureResting()
	if err != nil {
		return err
	}
	r.measure("replaced.heap_per_object", (float64(after.heap)-float64(before.heap))/n, "B")
	r.measure("replaced.rss_per_object", (float64(after.status.rss)-float64(before.status.rss))/n, "B")
	runtime.KeepAlive(indexer)
	runtime.KeepAlive(b)
	return nil
}

// A reader calls the store until stopped. It returns its number of calls, and
// adds the number of objects it got.
type reader func(indexer cache.Indexer, number int, stop *atomic.Bool, objects *atomic.Int64) int64

func (b *indexBench) getReader(indexer cache.Indexer, number int, stop *atomic.Bool, objects *atomic.Int64) int64 {
	// Readers start in different places, so that they do not share cache lines
	// by walking in step.
	at := number * len(b.keys) / b.readers
	var ops, found int64
	for !stop.Load() {
		for range checkEvery {
			if _, ok, _ := indexer.GetByKey(b.keys[at]); ok {
				found++
			}
			if at++; at == len(b.keys) {
				at = 0
			}
		}
		ops += checkEvery
	}
	objects.Add(found)
	return ops
}

func (b *indexBench) byIndexReader(indexer cache.Indexer, number int, stop *atomic.Bool, objects *atomic.Int64) int64 {
	values := indexer.ListIndexFuncValues(b.index)
	rng := splitmix{state: orderSeed + uint64(number)}
	var ops, found int64
	for !stop.Load() {
		list, err := indexer.ByIndex(b.index, values[rng.draw()%uint64(len(values))])
		if err != nil {
			return 0 // no such index; checked by the caller, since nothing was read
		}
		found += int64(len(list))
		ops++
	}
	objects.Add(found)
	return ops
}

func (b *indexBench) listReader(indexer cache.Indexer, _ int, stop *atomic.Bool, objects *atomic.Int64) int64 {
	var ops, found int64
	for !stop.Load() {
		found += int64(len(indexer.List()))
		ops++
	}
	objects.Add(found)
	return ops
}

func (b *indexBench) readerWorkers(indexer cache.Indexer, read reader, objects *atomic.Int64) []func(*atomic.Bool) int64 {
	workers := make([]func(*atomic.Bool) int64, b.readers)
	for i := range workers {
		workers[i] = func(stop *atomic.Bool) int64 { return read(indexer, i, stop, objects) }
	}
	return workers
}

// read measures readers with no writer.
func (b *indexBench) read(read reader, r *report) error {
	indexer, err := b.filled()
	if err != nil {
		return err
	}
	var objects atomic.Int64
	calls, used := timedWorkers(b.minTime, b.readerWorkers(indexer, read, &objects)...)
	if objects.Load() == 0 {
		return errors.New("the readers found nothing")
	}
	r.usage(used)
	r.rate("ops", sum(calls), used.wall, "1/s")
	r.rate("objects", objects.Load(), used.wall, "1/s")
	return nil
}

// writerWhile measures a writer alone and then beside readers, in one process
// and one store, since machines differ more than the two do.
func (b *indexBench) writerWhile(read reader, r *report) error {
	indexer, err := b.filled()
	if err != nil {
		return err
	}
	var writeErr error
	writer := func(stop *atomic.Bool) int64 {
		var ops int64
		objects := b.nextUpdates()
		for at := 0; !stop.Load(); {
			// One look at the flag per update: beside readers each can take
			// milliseconds.
			if writeErr = indexer.Update(objects[at]); writeErr != nil {
				return ops
			}
			ops++
			if at++; at == len(objects) {
				at, objects = 0, b.nextUpdates()
			}
		}
		return ops
	}
	alone, aloneUsed := timedWorkers(b.minTime, writer)
	var objects atomic.Int64
	workers := append([]func(*atomic.Bool) int64{writer}, b.readerWorkers(indexer, read, &objects)...)
	calls, used := timedWorkers(b.minTime, workers...)
	if writeErr != nil {
		return writeErr
	}
	undisturbed := float64(alone[0]) / aloneUsed.wall.Seconds()
	disturbed := float64(calls[0]) / used.wall.Seconds()
	r.usage(used)
	r.measure("ops", disturbed, "1/s")
	r.measure("undisturbed_ops", undisturbed, "1/s")
	r.measure("ratio_of_undisturbed", disturbed/undisturbed, "count")
	r.rate("reader_ops", sum(calls[1:]), used.wall, "1/s")
	return nil
}
