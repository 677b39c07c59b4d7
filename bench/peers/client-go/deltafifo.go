// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/client-go/tools/cache"
)

const (
	queueDeltaFIFO = "deltafifo" // still exported; the informers' queue up to 1.32
	queueRealFIFO  = "realfifo"  // the informers' queue now
)

// fifoBench is a queue with the objects that go through it.
type fifoBench struct {
	queueKind string
	atomic    bool // realfifo: a replace or resync is one delta, as in informers
	objects   []any
	adds      int
	hotKeys   int
	minTime   time.Duration
	known     cache.Store // what the consumer is said to have, for replace and resync
}

var fifoModes = map[string]func(*fifoBench, *report) error{
	"add-pop":       func(b *fifoBench, r *report) error { return b.addPop(b.objects, r) },
	"hot":           func(b *fifoBench, r *report) error { return b.addPop(b.objects[:b.hotKeys], r) },
	"add-popbatch":  (*fifoBench).addPopBatch,
	"lockstep":      (*fifoBench).lockstep,
	"add":           (*fifoBench).addOnly,
	"pop":           (*fifoBench).popOnly,
	"replace":       func(b *fifoBench, r *report) error { return b.replace(b.objects, r) },
	"replace-empty": func(b *fifoBench, r *report) error { return b.replace(nil, r) },
	"resync":        (*fifoBench).resync,
}

// runDeltaFIFO measures the queue between reflector and controller alone, with a
// process function that does nothing.
func runDeltaFIFO(_ context.Context, args []string, r *report) error {
	b := &fifoBench{atomic: true}
	fs := newFlags("deltafifo")
	mode := fs.String("mode", "add-pop", "add-pop, add-popbatch, lockstep, hot, add, pop, replace, replace-empty or resync")
	fs.StringVar(&b.queueKind, "queue", queueDeltaFIFO, "deltafifo or realfifo")
	keys := fs.Int("keys", 100000, "number of keys")
	fs.IntVar(&b.adds, "adds", 1000000, "number of adds in one pass")
	fs.IntVar(&b.hotKeys, "hot-keys", 100, "number of keys in mode hot")
	fs.DurationVar(&b.minTime, "min-time", time.Second, "repeat until this has been timed")
	if _, err := parseFlags(fs, args, 0); err != nil {
		return err
	}
	run, ok := fifoModes[*mode]
	switch {
	case !ok:
		return fmt.Errorf("unknown --mode %q", *mode)
	case b.queueKind != queueDeltaFIFO && b.queueKind != queueRealFIFO:
		return fmt.Errorf("unknown --queue %q", b.queueKind)
	case *keys < 1 || b.adds < 1 || b.hotKeys < 1 || b.hotKeys > *keys:
		return errors.New("--keys, --adds and --hot-keys must be positive, and there are no more hot keys than keys")
	}
	b.objects = asObjects(slimPods(*keys, 1))
	r.note("queue %s mode %s", b.queueKind, *mode)
	return run(b, r)
}

// newQueue makes the queue with the options that shared informers use.
func (b *fifoBench) newQueue() cache.Queue {
	known := b.known
	if known == nil {
		known = cache.NewStore(cache.MetaNamespaceKeyFunc)
	}
	switch {
	case b.queueKind == queueDeltaFIFO:
		return cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{
			KnownObjects:          known,
			EmitDeltaTypeReplaced: true,
		})
	case b.atomic:
		return cache.NewRealFIFOWithOptions(cache.RealFIFOOptions{
			AtomicEvents:          true,
			UnlockWhileProcessing: true,
			EmitDeltaTypeBookmark: true,
		})
	default:
		return cache.NewRealFIFOWithOptions(cache.RealFIFOOptions{KnownObjects: known})
	}
}

// deltaCount is the process function: it counts what it was given.
type deltaCount struct {
	deltas, calls int64
}

func (c *deltaCount) one(obj any, _ bool) error {
	deltas, ok := obj.(cache.Deltas)
	if !ok {
		return fmt.Errorf("not deltas: %T", obj)
	}
	c.deltas += int64(len(deltas))
	c.calls++
	return nil
}

func (c *deltaCount) batch(deltas []cache.Delta, _ bool) error {
	c.deltas += int64(len(deltas))
	c.calls++
	return nil
}

// produce adds the objects in turn, until b.adds is reached.
func (b *fifoBench) produce(queue cache.Queue, objects []any) error {
	for done := 0; done < b.adds; {
		for _, obj := range objects[:min(len(objects), b.adds-done)] {
			if err := queue.Add(obj); err != nil {
				return err
			}
			done++
		}
	}
	return nil
}

// produceConsume times one producer and one consumer, from the first add until
// the last delta was processed.
func (b *fifoBench) produceConsume(objects []any, pop func(cache.Queue, *deltaCount) error, r *report) error {
	var queue cache.Queue
	var count deltaCount
	var produceErr, consumeErr error
	ops, used := timedPasses(b.minTime, func() { queue = b.newQueue() }, func() int64 {
		until := count.deltas + int64(b.adds)
		var running sync.WaitGroup
		running.Go(func() {
			// Nothing would wake the consumer if a failed producer left
			// the queue open.
			if produceErr = b.produce(queue, objects); produceErr != nil {
				queue.Close()
			}
		})
		for count.deltas < until && consumeErr == nil {
			consumeErr = pop(queue, &count)
		}
		running.Wait()
		return int64(b.adds)
	})
	if err := errors.Join(produceErr, consumeErr); err != nil {
		return err
	}
	r.usage(used)
	r.rate("ops", ops, used.wall, "1/s")
	r.measure("adds_per_pop", float64(count.deltas)/float64(count.calls), "count")
	return nil
}

func (b *fifoBench) addPop(objects []any, r *report) error {
	return b.produceConsume(objects, func(queue cache.Queue, c *deltaCount) error {
		_, err := queue.Pop(c.one)
		return err
	}, r)
}

func (b *fifoBench) addPopBatch(r *report) error {
	if _, ok := b.newQueue().(cache.QueueWithBatch); !ok {
		return fmt.Errorf("%s has no PopBatch", b.queueKind)
	}
	return b.produceConsume(b.objects, func(queue cache.Queue, c *deltaCount) error {
		return queue.(cache.QueueWithBatch).PopBatch(c.batch, c.one)
	}, r)
}

// lockstep adds one and pops it, so that the queue never holds more than one.
func (b *fifoBench) lockstep(r *report) error {
	var queue cache.Queue
	var count deltaCount
	var err error
	ops, used := timedPasses(b.minTime, func() { queue = b.newQueue() }, func() int64 {
		for done := 0; done < b.adds; {
			for _, obj := range b.objects[:min(len(b.objects), b.adds-done)] {
				if e := queue.Add(obj); e != nil {
					err = e
					return 0
				}
				if _, e := queue.Pop(count.one); e != nil {
					err = e
					return 0
				}
				done++
			}
		}
		return int64(b.adds)
	})
	r.usage(used)
	r.rate("ops", ops, used.wall, "1/s")
	return err
}

func addAll(queue cache.Queue, objects []any) error {
	for _, obj := range objects {
		if err := queue.Add(obj); err != nil {
			return err
		}
	}
	return nil
}

// addOnly fills an empty queue that nobody empties.
func (b *fifoBench) addOnly(r *report) error {
	var queue cache.Queue
	var err error
	ops, used := timedPasses(b.minTime, func() { queue = b.newQueue() }, func() int64 {
		err = errors.Join(err, addAll(queue, b.objects))
		return int64(len(b.objects))
	})
	r.usage(used)
	r.rate("ops", ops, used.wall, "1/s")
	return err
}

// popOnly empties a full queue that nobody fills.
func (b *fifoBench) popOnly(r *report) error {
	var queue cache.Queue
	var err error
	ops, used := timedPasses(b.minTime, func() {
		queue = b.newQueue()
		err = errors.Join(err, addAll(queue, b.objects))
	}, func() int64 {
		var count deltaCount
		for err == nil && count.deltas < int64(len(b.objects)) {
			_, err = queue.Pop(count.one)
		}
		return count.deltas
	})
	r.usage(used)
	r.rate("ops", ops, used.wall, "1/s")
	return err
}

// fillKnown makes the store that the queue compares with.
func (b *fifoBench) fillKnown(objects []any) error {
	b.known = cache.NewStore(cache.MetaNamespaceKeyFunc)
	return b.known.Replace(objects, "1")
}

// replace replaces the content of a queue whose consumer has the objects known.
func (b *fifoBench) replace(known []any, r *report) error {
	if err := b.fillKnown(known); err != nil {
		return err
	}
	return b.wholeQueue(func(queue cache.Queue) error { return queue.Replace(b.objects, "2") }, r)
}

func (b *fifoBench) resync(r *report) error {
	if err := b.fillKnown(b.objects); err != nil {
		return err
	}
	return b.wholeQueue(cache.Queue.Resync, r)
}

// wholeQueue times an operation on all keys at once, each time on a new queue.
func (b *fifoBench) wholeQueue(operation func(cache.Queue) error, r *report) error {
	if b.queueKind == queueRealFIFO {
		// As informers use it, the queue only notes that a replace or resync
		// happened; its work is left to the process function, and timing an
		// append would flatter it. Its other form does the work itself.
		r.note("not the atomic form of informers: this one does the work in the queue")
		b.atomic = false
	}
	var queue cache.Queue
	var err error
	calls := 0
	ops, used := timedPasses(b.minTime, func() { queue = b.newQueue() }, func() int64 {
		calls++
		err = errors.Join(err, operation(queue))
		return int64(len(b.objects))
	})
	if err != nil {
		return err
	}
	r.usage(used)
	r.rate("ops", ops, used.wall, "1/s")
	r.measure("per_call", used.wall.Seconds()*1e3/float64(calls), "ms")
	return nil
}
