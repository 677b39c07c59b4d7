// SPDX-License-Identifier: Apache-2.0

// Package workqueue has the names and signatures of client-go's util/workqueue. What it does is done by kinform's C
// library; client-go's own tests are run on it. It is a test harness, not a binding.
package workqueue

/*
#cgo CFLAGS: -I${SRCDIR}/../../../include
#include "bridge.h"
*/
import "C"

import (
	"fmt"
	"reflect"
	"runtime"
	"runtime/cgo"
	"sync"
	"time"
	"unsafe"

	"k8s.io/utils/clock"
)

type Interface TypedInterface[any]

type TypedInterface[T comparable] interface {
	Add(item T)
	Len() int
	Get() (item T, shutdown bool)
	Done(item T)
	ShutDown()
	ShutDownWithDrain()
	ShuttingDown() bool
}

// Queue is the caller's own order in client-go. The library has two priorities instead, and calls none of these.
type Queue[T comparable] interface {
	Touch(item T)
	Push(item T)
	Len() int
	Pop() (item T)
}

func DefaultQueue[T comparable]() Queue[T] {
	return unused[T]{}
}

type unused[T comparable] struct{}

func (unused[T]) Touch(T)  {}
func (unused[T]) Push(T)   {}
func (unused[T]) Len() int { return 0 }
func (unused[T]) Pop() T   { panic("the library has its own order") }

type QueueConfig = TypedQueueConfig[any]

type TypedQueueConfig[T comparable] struct {
	Name            string
	MetricsProvider MetricsProvider
	Clock           clock.WithTicker
	Queue           Queue[T]
}

type Type = Typed[any]

// Typed is a kin_work_queue. Its keys are texts of the items.
type Typed[T comparable] struct {
	queue *C.kin_work_queue
	clock *bridgedClock
	lock  sync.Mutex
	items map[string]T                  // that the library may hand out
	got   map[string][]*C.kin_work_item // that are being worked on
}

func New() *Type {
	return NewWithConfig(QueueConfig{})
}

func NewTyped[T comparable]() *Typed[T] {
	return NewTypedWithConfig(TypedQueueConfig[T]{})
}

func NewNamed(name string) *Type {
	return NewWithConfig(QueueConfig{Name: name})
}

func NewWithConfig(config QueueConfig) *Type {
	return NewTypedWithConfig(config)
}

const defaultUnfinishedWorkUpdatePeriod = 500 * time.Millisecond

func NewTypedWithConfig[T comparable](config TypedQueueConfig[T]) *Typed[T] {
	return newQueueWithConfig(config, defaultUnfinishedWorkUpdatePeriod)
}

func newQueueWithConfig[T comparable](config TypedQueueConfig[T], updatePeriod time.Duration) *Typed[T] {
	return makeQueue[T](config.Clock, newQueueMetrics(config.MetricsProvider, config.Name), nil, updatePeriod)
}

func newQueue[T comparable](c clock.WithTicker, _ Queue[T], metrics queueMetrics[T], updatePeriod time.Duration) *Typed[T] {
	return makeQueue[T](c, &calledMetrics[T]{metrics}, nil, updatePeriod)
}

func makeQueue[T comparable](c clock.WithTicker, metrics kinMetrics, limiter *C.kin_rate_limiter, updatePeriod time.Duration) *Typed[T] {
	q := &Typed[T]{clock: bridgeClock(c), items: map[string]T{}, got: map[string][]*C.kin_work_item{}}
	handle := C.uintptr_t(0)
	if metrics != nil {
		handle = C.uintptr_t(cgo.NewHandle(metrics))
	}
	must(C.bridge_work_queue_new(&q.queue, q.clock.kin, limiter, handle))
	if metrics != nil {
		go q.updateMetrics(updatePeriod)
	}
	queue := q.queue
	runtime.AddCleanup(q, func(queue *C.kin_work_queue) { C.kin_work_queue_free(queue) }, queue)
	return q
}

// updateMetrics does what a reconciler does for its queue. After the shutdown the library reports nothing.
func (q *Typed[T]) updateMetrics(period time.Duration) {
	ticker := q.clock.goClock.NewTicker(period)
	defer ticker.Stop()
	for range ticker.C() {
		q.clock.sync()
		C.kin_work_queue_update_metrics(q.queue)
		if C.kin_work_queue_is_shutting_down(q.queue) {
			return
		}
	}
}

// keyOf is a text for an item: the same for equal items, and another for each other one.
func keyOf(item any) string {
	if reflect.ValueOf(item).Kind() == reflect.Pointer {
		return fmt.Sprintf("%T %p", item, item)
	}
	return fmt.Sprintf("%T %#v", item, item)
}

// add hands the key of an item to the library, and remembers the item for as long as the library may have the key.
func (q *Typed[T]) add(item T, call func(key C.kin_str) C.int) {
	defer runtime.KeepAlive(q)
	q.clock.sync()
	key := keyOf(item)
	q.lock.Lock()
	defer q.lock.Unlock()
	q.items[key] = item
	if code := call(kstr(key)); code != C.KIN_ECLOSED {
		must(code)
	}
}

func (q *Typed[T]) Add(item T) {
	q.add(item, func(key C.kin_str) C.int { return C.kin_work_queue_add(q.queue, key, nil) })
}

func (q *Typed[T]) addAfter(item T, duration time.Duration) {
	q.add(item, func(key C.kin_str) C.int {
		return C.kin_work_queue_add_after(q.queue, key, C.int64_t(duration), nil)
	})
	q.clock.syncAfter(duration)
}

func (q *Typed[T]) addRateLimited(item T) {
	q.add(item, func(key C.kin_str) C.int { return C.kin_work_queue_add_rate_limited(q.queue, key, nil) })
}

func (q *Typed[T]) Len() int {
	defer runtime.KeepAlive(q)
	q.clock.sync()
	return int(C.kin_work_queue_len(q.queue))
}

func (q *Typed[T]) Get() (item T, shutdown bool) {
	defer runtime.KeepAlive(q)
	q.clock.sync()
	var got *C.kin_work_item
	if code := C.kin_work_queue_get(q.queue, &got, -1, nil); code == C.KIN_ECLOSED {
		return item, true
	} else {
		must(code)
	}
	key := gostr(C.kin_work_item_key(got))
	q.lock.Lock()
	defer q.lock.Unlock()
	q.got[key] = append(q.got[key], got)
	return q.items[key], false
}

func (q *Typed[T]) Done(item T) {
	defer runtime.KeepAlive(q)
	q.clock.sync()
	key := keyOf(item)
	q.lock.Lock()
	defer q.lock.Unlock()
	if len(q.got[key]) == 0 {
		return
	}
	C.kin_work_queue_done(q.queue, q.got[key][0])
	if q.got[key] = q.got[key][1:]; len(q.got[key]) == 0 {
		delete(q.got, key)
	}
	stats := C.kin_work_queue_stats{size: C.size_t(unsafe.Sizeof(C.kin_work_queue_stats{}))}
	must(C.kin_work_queue_get_stats(q.queue, &stats, nil))
	if stats.n_queued+stats.n_again+stats.n_working+stats.n_delayed == 0 {
		clear(q.items)
	}
}

func (q *Typed[T]) ShutDown() {
	defer runtime.KeepAlive(q)
	C.kin_work_queue_shut_down(q.queue)
}

func (q *Typed[T]) ShutDownWithDrain() {
	defer runtime.KeepAlive(q)
	if code := C.kin_work_queue_shut_down_with_drain(q.queue, -1, nil); code != C.KIN_ECANCELED {
		must(code)
	}
}

func (q *Typed[T]) ShuttingDown() bool {
	defer runtime.KeepAlive(q)
	return bool(C.kin_work_queue_is_shutting_down(q.queue))
}

// bridgedClock is a clock of the library that follows one of Go.
type bridgedClock struct {
	goClock clock.WithTicker
	kin     *C.kin_clock // NULL: the system's
	lock    sync.Mutex
	last    time.Time
}

func bridgeClock(c clock.WithTicker) *bridgedClock {
	b := &bridgedClock{goClock: c}
	if c == nil {
		b.goClock = clock.RealClock{}
	}
	if _, ok := b.goClock.(clock.RealClock); ok {
		return b
	}
	b.last = c.Now()
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

// syncAfter does so when Go's clock has reached a time, for somebody who waits in the library.
func (b *bridgedClock) syncAfter(duration time.Duration) {
	if b.kin == nil {
		return
	}
	after := b.goClock.After(duration)
	go func() {
		<-after
		b.sync()
	}()
}

func must(code C.int) {
	if code < 0 {
		panic(C.GoString(C.kin_error_name(code)))
	}
}

func kstr(s string) C.kin_str {
	return C.kin_str{data: (*C.char)(unsafe.Pointer(unsafe.StringData(s))), len: C.size_t(len(s))}
}

func gostr(s C.kin_str) string {
	return C.GoStringN(s.data, C.int(s.len))
}

//export goRelease
func goRelease(handle C.uintptr_t) {
	cgo.Handle(handle).Delete()
}
