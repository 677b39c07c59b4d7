// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"k8s.io/client-go/tools/cache"
)

// stallLimit is how long an event stream may bring nothing before the run fails.
const stallLimit = 30 * time.Second

// eventCounter counts the updates a handler has got and ends the run at the
// last one. Only the handler's goroutine calls next; client-go calls a handler
// from one goroutine.
type eventCounter struct {
	want int64
	seen atomic.Int64
	done chan struct{}
	err  error // set before done is closed
}

func newEventCounter(want int64) eventCounter {
	return eventCounter{want: want, done: make(chan struct{})}
}

// next returns the number of this event, from 1; 0 once the run is over.
func (c *eventCounter) next() int64 {
	select {
	case <-c.done:
		return 0
	default:
		return c.seen.Add(1)
	}
}

func (c *eventCounter) finish(err error) {
	c.err = err
	close(c.done)
}

// wait returns when all events came. It fails when the stream stalls, which is
// also what too short an event file looks like.
func (c *eventCounter) wait(ctx context.Context, p *podInformer) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	last, lastChange := int64(-1), time.Now()
	for {
		select {
		case <-c.done:
			return c.err
		case err := <-p.failed:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
		if seen := c.seen.Load(); seen != last {
			last, lastChange = seen, time.Now()
		} else if time.Since(lastChange) > stallLimit {
			return fmt.Errorf("no event for %v after %d of %d", stallLimit, seen, c.want)
		}
	}
}

// followEvents runs an informer with this handler through its sync and until
// all events came, and returns the stopped informer.
func followEvents(ctx context.Context, f *serverFlags, handler cache.ResourceEventHandler, counter *eventCounter) (_ *podInformer, err error) {
	if err := f.needEvents(); err != nil {
		return nil, err
	}
	p, err := newPodInformer(f, false, handler)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	p.start(ctx)
	if err := p.waitSynced(ctx); err != nil {
		return nil, err
	}
	if err := counter.wait(ctx, p); err != nil {
		return nil, err
	}
	return p, p.check()
}
