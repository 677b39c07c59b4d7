// SPDX-License-Identifier: Apache-2.0

package workqueue

/*
#include "bridge.h"
*/
import "C"

import (
	"runtime"
	"runtime/cgo"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

type RateLimiter TypedRateLimiter[any]

type TypedRateLimiter[T comparable] interface {
	When(item T) time.Duration
	Forget(item T)
	NumRequeues(item T) int
}

// kinRateLimiter is a kin_rate_limiter. items are those of a limiter of Go's, by their keys.
type kinRateLimiter struct {
	kin   *C.kin_rate_limiter
	items *sync.Map
}

func newLimiter(kin *C.kin_rate_limiter) *kinRateLimiter {
	l := &kinRateLimiter{kin, &sync.Map{}}
	runtime.AddCleanup(l, func(kin *C.kin_rate_limiter) { C.kin_rate_limiter_unref(kin) }, kin)
	return l
}

type hasLimiter interface {
	limiter() *kinRateLimiter
}

// kinLimiter is the library's limiter, or one of Go's that the library calls.
func kinLimiter[T comparable](limiter TypedRateLimiter[T]) *kinRateLimiter {
	if l, ok := limiter.(hasLimiter); ok {
		return l.limiter()
	}
	items := &sync.Map{}
	item := func(key string) T {
		value, _ := items.Load(key)
		return value.(T)
	}
	var kin *C.kin_rate_limiter
	handle := cgo.NewHandle(&limiterFunctions{
		when:        func(key string) time.Duration { return limiter.When(item(key)) },
		forget:      func(key string) { limiter.Forget(item(key)) },
		numRequeues: func(key string) int { return limiter.NumRequeues(item(key)) },
	})
	must(C.bridge_rate_limiter_new(&kin, C.uintptr_t(handle)))
	l := newLimiter(kin)
	l.items = items
	return l
}

type limiterFunctions struct {
	when        func(key string) time.Duration
	forget      func(key string)
	numRequeues func(key string) int
}

//export goWhen
func goWhen(handle C.uintptr_t, key *C.char, n C.size_t) C.int64_t {
	return C.int64_t(cgo.Handle(handle).Value().(*limiterFunctions).when(C.GoStringN(key, C.int(n))))
}

//export goForget
func goForget(handle C.uintptr_t, key *C.char, n C.size_t) {
	cgo.Handle(handle).Value().(*limiterFunctions).forget(C.GoStringN(key, C.int(n)))
}

//export goNumRequeues
func goNumRequeues(handle C.uintptr_t, key *C.char, n C.size_t) C.uint64_t {
	return C.uint64_t(cgo.Handle(handle).Value().(*limiterFunctions).numRequeues(C.GoStringN(key, C.int(n))))
}

// limited are the methods that all limiters of the library have.
type limited[T comparable] struct {
	*kinRateLimiter
}

func (l limited[T]) limiter() *kinRateLimiter {
	return l.kinRateLimiter
}

func (l limited[T]) key(item T) string {
	key := keyOf(item)
	l.items.Store(key, item)
	return key
}

func (l limited[T]) When(item T) time.Duration {
	defer runtime.KeepAlive(l.kinRateLimiter)
	var ns C.int64_t
	must(C.kin_rate_limiter_when(l.kin, kstr(l.key(item)), &ns, nil))
	return time.Duration(ns)
}

func (l limited[T]) Forget(item T) {
	defer runtime.KeepAlive(l.kinRateLimiter)
	C.kin_rate_limiter_forget(l.kin, kstr(l.key(item)))
}

func (l limited[T]) NumRequeues(item T) int {
	defer runtime.KeepAlive(l.kinRateLimiter)
	return int(C.kin_rate_limiter_n_requeues(l.kin, kstr(l.key(item))))
}

func DefaultControllerRateLimiter() RateLimiter {
	return DefaultTypedControllerRateLimiter[any]()
}

func DefaultTypedControllerRateLimiter[T comparable]() TypedRateLimiter[T] {
	var kin *C.kin_rate_limiter
	must(C.kin_rate_limiter_new_default(&kin, nil, nil))
	return limited[T]{newLimiter(kin)}
}

func DefaultItemBasedRateLimiter() RateLimiter {
	return DefaultTypedItemBasedRateLimiter[any]()
}

func DefaultTypedItemBasedRateLimiter[T comparable]() TypedRateLimiter[T] {
	var kin *C.kin_rate_limiter
	must(C.kin_rate_limiter_new_default_per_item(&kin, nil))
	return limited[T]{newLimiter(kin)}
}

type BucketRateLimiter = TypedBucketRateLimiter[any]

// TypedBucketRateLimiter has the rate of a Go limiter; the tokens are the library's.
type TypedBucketRateLimiter[T comparable] struct {
	*rate.Limiter
	once   sync.Once
	bucket limited[T]
}

func (r *TypedBucketRateLimiter[T]) kin() limited[T] {
	r.once.Do(func() {
		var kin *C.kin_rate_limiter
		must(C.kin_rate_limiter_new_bucket(&kin, C.double(r.Limiter.Limit()), C.int(r.Limiter.Burst()), nil, nil))
		r.bucket = limited[T]{newLimiter(kin)}
	})
	return r.bucket
}

func (r *TypedBucketRateLimiter[T]) limiter() *kinRateLimiter  { return r.kin().kinRateLimiter }
func (r *TypedBucketRateLimiter[T]) When(item T) time.Duration { return r.kin().When(item) }
func (r *TypedBucketRateLimiter[T]) Forget(item T)             { r.kin().Forget(item) }
func (r *TypedBucketRateLimiter[T]) NumRequeues(item T) int    { return r.kin().NumRequeues(item) }

func NewItemExponentialFailureRateLimiter(baseDelay time.Duration, maxDelay time.Duration) RateLimiter {
	return NewTypedItemExponentialFailureRateLimiter[any](baseDelay, maxDelay)
}

func NewTypedItemExponentialFailureRateLimiter[T comparable](baseDelay time.Duration, maxDelay time.Duration) TypedRateLimiter[T] {
	var kin *C.kin_rate_limiter
	must(C.kin_rate_limiter_new_exponential(&kin, C.int64_t(baseDelay), C.int64_t(maxDelay), nil))
	return limited[T]{newLimiter(kin)}
}

func NewItemFastSlowRateLimiter(fastDelay, slowDelay time.Duration, maxFastAttempts int) RateLimiter {
	return NewTypedItemFastSlowRateLimiter[any](fastDelay, slowDelay, maxFastAttempts)
}

func NewTypedItemFastSlowRateLimiter[T comparable](fastDelay, slowDelay time.Duration, maxFastAttempts int) TypedRateLimiter[T] {
	var kin *C.kin_rate_limiter
	must(C.kin_rate_limiter_new_fast_slow(&kin, C.int64_t(fastDelay), C.int64_t(slowDelay), C.uint64_t(maxFastAttempts), nil))
	return limited[T]{newLimiter(kin)}
}

func NewMaxOfRateLimiter(limiters ...TypedRateLimiter[any]) RateLimiter {
	return NewTypedMaxOfRateLimiter(limiters...)
}

func NewTypedMaxOfRateLimiter[T comparable](limiters ...TypedRateLimiter[T]) TypedRateLimiter[T] {
	all := make([]*C.kin_rate_limiter, len(limiters)+1)
	items := &sync.Map{}
	for i, limiter := range limiters {
		l := kinLimiter(limiter)
		l.items = items
		all[i] = l.kin
		defer runtime.KeepAlive(l)
	}
	var kin *C.kin_rate_limiter
	must(C.kin_rate_limiter_new_max_of(&kin, &all[0], C.size_t(len(limiters)), nil))
	l := newLimiter(kin)
	l.items = items
	return limited[T]{l}
}

func NewWithMaxWaitRateLimiter(limiter RateLimiter, maxDelay time.Duration) RateLimiter {
	return NewTypedWithMaxWaitRateLimiter[any](limiter, maxDelay)
}

func NewTypedWithMaxWaitRateLimiter[T comparable](limiter TypedRateLimiter[T], maxDelay time.Duration) TypedRateLimiter[T] {
	inner := kinLimiter(limiter)
	var kin *C.kin_rate_limiter
	must(C.kin_rate_limiter_new_max_wait(&kin, inner.kin, C.int64_t(maxDelay), nil))
	l := newLimiter(kin)
	l.items = inner.items
	runtime.KeepAlive(inner)
	return limited[T]{l}
}
