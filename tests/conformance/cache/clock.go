// SPDX-License-Identifier: Apache-2.0

package cache

/*
#include "bridge.h"
*/
import "C"

import (
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// bridgedClock is a clock of the library that follows one of Go.
type bridgedClock struct {
	goClock clock.PassiveClock
	kin     *C.kin_clock // NULL: the system's
	lock    sync.Mutex
	last    time.Time
}

func bridgeClock(c clock.PassiveClock) *bridgedClock {
	switch c.(type) {
	case nil, clock.RealClock, *clock.RealClock:
		return &bridgedClock{}
	}
	b := &bridgedClock{goClock: c, last: c.Now()}
	must(C.kin_clock_new_fake(&b.kin, C.int64_t(b.last.UnixNano()), nil))
	return b
}

// sync moves the library's clock to where Go's is.
func (b *bridgedClock) sync() {
	if b.kin == nil {
		return
	}
	b.lock.Lock()
	defer b.lock.Unlock()
	if now := b.goClock.Now(); now.After(b.last) {
		must(C.kin_clock_advance(b.kin, C.int64_t(now.Sub(b.last)), nil))
		b.last = now
	}
}

// followDelay is how much later, in real time, the library's clock follows. A test that moves Go's clock expects that
// what it did 10 ms before has had its effect; on a busy machine that takes longer.
const followDelay = 300 * time.Millisecond

// follow does so again and again, until what it returns is called.
func (b *bridgedClock) follow() func() {
	if b.kin == nil {
		return func() {}
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		ticker := time.NewTicker(time.Millisecond)
		defer ticker.Stop()
		seen, since := b.goClock.Now(), time.Now()
		for {
			select {
			case <-ticker.C:
				if now := b.goClock.Now(); !now.Equal(seen) {
					seen, since = now, time.Now()
				}
				if time.Since(since) > followDelay {
					b.sync()
				}
			case <-stop:
				return
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
	}
}
