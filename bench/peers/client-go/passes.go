// SPDX-License-Identifier: Apache-2.0

package main

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// timedPasses repeats setup (not timed) and pass (timed) until at least atLeast
// has been timed, after a first pass for warming up. pass returns the number of
// its operations. The collection before each pass keeps one pass from paying
// for the garbage of another.
func timedPasses(atLeast time.Duration, setup func(), pass func() int64) (int64, usage) {
	var ops int64
	var used usage
	setup()
	pass() // warm-up
	for first := true; first || used.wall < atLeast; first = false {
		setup()
		used.add(timedOnce(func() { ops += pass() }))
	}
	return ops, used
}

// timedOnce times one run of work.
func timedOnce(work func()) usage {
	runtime.GC()
	s := startSection()
	work()
	return s.stop()
}

// timedWorkers runs workers that count their operations until told to stop, for
// the time given. It returns the operations of each.
func timedWorkers(length time.Duration, workers ...func(stop *atomic.Bool) int64) ([]int64, usage) {
	var (
		stop    atomic.Bool
		ready   sync.WaitGroup
		running sync.WaitGroup
		begin   = make(chan struct{})
		ops     = make([]int64, len(workers))
	)
	ready.Add(len(workers))
	for i, work := range workers {
		running.Go(func() {
			ready.Done()
			<-begin
			ops[i] = work(&stop)
		})
	}
	ready.Wait()
	runtime.GC()
	s := startSection()
	close(begin)
	time.Sleep(length)
	stop.Store(true)
	running.Wait()
	return ops, s.stop()
}

func sum(values []int64) int64 {
	var total int64
	for _, v := range values {
		total += v
	}
	return total
}
