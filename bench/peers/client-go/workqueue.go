// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/util/workqueue"
)

// The delays of AddRateLimited: client-go's own defaults per item. Its default
// limiter has an overall limit of 10 per second, too, which would be all that
// is measured.
const (
	rateLimitBase = 5 * time.Millisecond
	rateLimitMax  = 1000 * time.Second
)

// workBench is the keys that go through a work queue.
type workBench struct {
	keys      []string
	adds      int
	hotKeys   int
	consumers int
	minTime   time.Duration
}

var workModes = map[string]func(*workBench, *report) error{
	"lockstep":     (*workBench).lockstep,
	"burst":        (*workBench).burst,
	"waiting":      (*workBench).waiting,
	"add-get-done": func(b *workBench, r *report) error { return b.addGetDone(b.keys, r) },
	"hot":          func(b *workBench, r *report) error { return b.addGetDone(b.keys[:b.hotKeys], r) },
	"ratelimited":  (*workBench).rateLimited,
}

// runWorkqueue measures the work queue between handlers and workers.
func runWorkqueue(_ context.Context, args []string, r *report) error {
	b := &workBench{}
	fs := newFlags("workqueue")
	mode := fs.String("mode", "lockstep", "lockstep, burst, waiting, add-get-done, hot or ratelimited")
	keys := fs.Int("keys", 100000, "number of keys")
	fs.IntVar(&b.adds, "adds", 1000000, "number of adds in one pass")
	fs.IntVar(&b.hotKeys, "hot-keys", 100, "number of keys in modes hot and waiting")
	fs.IntVar(&b.consumers, "consumers", 1, "number of consuming goroutines")
	fs.DurationVar(&b.minTime, "min-time", time.Second, "repeat until this has been timed")
	if _, err := parseFlags(fs, args, 0); err != nil {
		return err
	}
	run, ok := workModes[*mode]
	switch {
	case !ok:
		return fmt.Errorf("unknown --mode %q", *mode)
	case *keys < 1 || b.adds < 1 || b.consumers < 1 || b.hotKeys < 1 || b.hotKeys > *keys:
		return errors.New("numbers must be positive, and there are no more hot keys than keys")
	}
	for i := range *keys {
		b.keys = append(b.keys, keyOf(i))
	}
	r.note("mode %s, %d keys, %d consumers", *mode, *keys, b.consumers)
	return run(b, r)
}

// lockstep takes one key at a time through the queue, in one goroutine.
func (b *workBench) lockstep(r *report) error {
	queue := workqueue.NewTyped[string]()
	defer queue.ShutDown()
	ops, used := timedPasses(b.minTime, func() {}, func() int64 {
		for done := 0; done < b.adds; {
			for _, key := range b.keys[:min(len(b.keys), b.adds-done)] {
				queue.Add(key)
				key, _ = queue.Get()
				queue.Done(key)
				done++
			}
		}
		return int64(b.adds)
	})
	r.usage(used)
	r.rate("ops", ops, used.wall, "1/s")
	return nil
}

// burst adds all keys, as after an initial list, and then takes all of them.
func (b *workBench) burst(r *report) error {
	queue := workqueue.NewTyped[string]()
	defer queue.ShutDown()
	ops, used := timedPasses(b.minTime, func() {}, func() int64 {
		for _, key := range b.keys {
			queue.Add(key)
		}
		for range b.keys {
			key, _ := queue.Get()
			queue.Done(key)
		}
		return int64(len(b.keys))
	})
	r.usage(used)
	r.rate("ops", ops, used.wall, "1/s")
	return nil
}

// waiting adds few keys again and again while nobody takes them.
func (b *workBench) waiting(r *report) error {
	queue := workqueue.NewTyped[string]()
	defer queue.ShutDown()
	keys := b.keys[:b.hotKeys]
	ops, used := timedPasses(b.minTime, func() {}, func() int64 {
		for done := 0; done < b.adds; {
			for _, key := range keys[:min(len(keys), b.adds-done)] {
				queue.Add(key)
				done++
			}
		}
		return int64(b.adds)
	})
	r.usage(used)
	r.rate("ops", ops, used.wall, "1/s")
	return nil
}

// addGetDone has one producer add keys in turn while the consumers take them. A
// key that is still waiting is not added twice, so gets can be fewer than adds.
func (b *workBench) addGetDone(keys []string, r *report) error {
	var queue *workqueue.Typed[string]
	var gets atomic.Int64
	var adds int64 // the warm-up's, too, as gets has those
	ops, used := timedPasses(b.minTime, func() { queue = workqueue.NewTyped[string]() }, func() int64 {
		var running sync.WaitGroup
		for range b.consumers {
			running.Go(func() {
				var n int64
				for {
					key, shutdown := queue.Get()
					if shutdown {
						gets.Add(n)
						return
					}
					queue.Done(key)
					n++
				}
			})
		}
		for done := 0; done < b.adds; {
			for _, key := range keys[:min(len(keys), b.adds-done)] {
				queue.Add(key)
				done++
			}
		}
		queue.ShutDown() // the consumers still take what is in it
		running.Wait()
		adds += int64(b.adds)
		return int64(b.adds)
	})
	if gets.Load() == 0 {
		return errors.New("the consumers got nothing")
	}
	r.usage(used)
	r.rate("ops", ops, used.wall, "1/s")
	r.measure("adds_per_get", float64(adds)/float64(gets.Load()), "count")
	return nil
}

// rateLimited adds every key once through the rate limiter and takes it out
// again after its delay: AddRateLimited, Get, Forget, Done.
func (b *workBench) rateLimited(r *report) error {
	var queue workqueue.TypedRateLimitingInterface[string]
	var adding time.Duration
	ops, used := timedPasses(b.minTime, func() {
		queue = workqueue.NewTypedRateLimitingQueue(
			workqueue.NewTypedItemExponentialFailureRateLimiter[string](rateLimitBase, rateLimitMax))
	}, func() int64 {
		var running sync.WaitGroup
		var left atomic.Int64
		left.Store(int64(len(b.keys)))
		for range b.consumers {
			running.Go(func() {
				for {
					key, shutdown := queue.Get()
					if shutdown {
						return
					}
					queue.Forget(key)
					queue.Done(key)
					if left.Add(-1) == 0 {
						queue.ShutDown()
					}
				}
			})
		}
		begin := time.Now()
		for _, key := range b.keys {
			queue.AddRateLimited(key)
		}
		adding += time.Since(begin)
		running.Wait()
		return int64(len(b.keys))
	})
	r.usage(used)
	r.rate("ops", ops, used.wall, "1/s")
	r.rate("add_ops", ops, adding, "1/s")
	return nil
}
