// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"io"
	"runtime"
	"sync"
)

// orderedBacklog bounds how many items are in memory at a time.
const orderedBacklog = 128

type orderedItem struct {
	in, out []byte
	err     error
	done    chan struct{}
}

// orderedMap reads items until io.EOF, transforms them on all cores and writes
// the results in the order of the input. Memory is bounded by the backlog.
func orderedMap(next func() ([]byte, error), transform func([]byte) ([]byte, error), write func([]byte) error) error {
	var (
		queue   = make(chan *orderedItem, orderedBacklog) // in order, for the writer
		work    = make(chan *orderedItem, orderedBacklog) // the same items, for the workers
		stop    = make(chan struct{})
		readErr error // set before queue is closed
		running sync.WaitGroup
	)
	running.Go(func() {
		defer close(queue)
		defer close(work)
		for {
			in, err := next()
			if err != nil {
				if !errors.Is(err, io.EOF) {
					readErr = err
				}
				return
			}
			item := &orderedItem{in: in, done: make(chan struct{})}
			for _, c := range []chan *orderedItem{queue, work} {
				select {
				case c <- item:
				case <-stop:
					return
				}
			}
		}
	})
	for range runtime.GOMAXPROCS(0) {
		running.Go(func() {
			for item := range work {
				item.out, item.err = transform(item.in)
				close(item.done)
			}
		})
	}

	var err error
	for item := range queue {
		<-item.done
		if err = item.err; err == nil {
			err = write(item.out)
		}
		if err != nil {
			break
		}
	}
	close(stop)
	running.Wait()
	return errors.Join(err, readErr)
}
