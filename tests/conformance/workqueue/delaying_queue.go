// SPDX-License-Identifier: Apache-2.0

package workqueue

/*
#include "bridge.h"
*/
import "C"

import (
	"time"

	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
)

type DelayingInterface TypedDelayingInterface[any]

type TypedDelayingInterface[T comparable] interface {
	TypedInterface[T]
	AddAfter(item T, duration time.Duration)
}

type DelayingQueueConfig = TypedDelayingQueueConfig[any]

type TypedDelayingQueueConfig[T comparable] struct {
	Logger          *klog.Logger
	Name            string
	MetricsProvider MetricsProvider
	Clock           clock.WithTicker
	Queue           TypedInterface[T]
}

func NewDelayingQueue() DelayingInterface {
	return NewDelayingQueueWithConfig(DelayingQueueConfig{})
}

func NewTypedDelayingQueue[T comparable]() TypedDelayingInterface[T] {
	return NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[T]{})
}

func NewDelayingQueueWithConfig(config DelayingQueueConfig) DelayingInterface {
	return NewTypedDelayingQueueWithConfig[any](config)
}

func NewTypedDelayingQueueWithConfig[T comparable](config TypedDelayingQueueConfig[T]) TypedDelayingInterface[T] {
	q, ok := config.Queue.(*Typed[T])
	if !ok {
		if config.Queue != nil {
			panic("the library delays keys of its own queues only")
		}
		q = makeQueue[T](config.Clock, newQueueMetrics(config.MetricsProvider, config.Name), nil,
			defaultUnfinishedWorkUpdatePeriod)
	}
	return &delayingType[T]{Typed: q}
}

// delayingType is the same queue with its delays. No key waits in a channel on its way to a goroutine: there is none.
type delayingType[T comparable] struct {
	*Typed[T]
	waitingForAddCh chan *waitFor[T]
}

type waitFor[T any] struct{}

func (q *delayingType[T]) AddAfter(item T, duration time.Duration) {
	q.addAfter(item, duration)
}

type RateLimitingInterface TypedRateLimitingInterface[any]

type TypedRateLimitingInterface[T comparable] interface {
	TypedDelayingInterface[T]
	AddRateLimited(item T)
	Forget(item T)
	NumRequeues(item T) int
}

type RateLimitingQueueConfig = TypedRateLimitingQueueConfig[any]

type TypedRateLimitingQueueConfig[T comparable] struct {
	Name            string
	MetricsProvider MetricsProvider
	Clock           clock.WithTicker
	DelayingQueue   TypedDelayingInterface[T]
}

func NewRateLimitingQueue(rateLimiter RateLimiter) RateLimitingInterface {
	return NewRateLimitingQueueWithConfig(rateLimiter, RateLimitingQueueConfig{})
}

func NewTypedRateLimitingQueue[T comparable](rateLimiter TypedRateLimiter[T]) TypedRateLimitingInterface[T] {
	return NewTypedRateLimitingQueueWithConfig(rateLimiter, TypedRateLimitingQueueConfig[T]{})
}

func NewRateLimitingQueueWithConfig(rateLimiter RateLimiter, config RateLimitingQueueConfig) RateLimitingInterface {
	return NewTypedRateLimitingQueueWithConfig[any](rateLimiter, config)
}

func NewTypedRateLimitingQueueWithConfig[T comparable](rateLimiter TypedRateLimiter[T], config TypedRateLimitingQueueConfig[T]) TypedRateLimitingInterface[T] {
	if config.DelayingQueue != nil {
		panic("the library's queue has its own delays")
	}
	limiter := kinLimiter(rateLimiter)
	q := makeQueue[T](config.Clock, newQueueMetrics(config.MetricsProvider, config.Name), limiter.kin,
		defaultUnfinishedWorkUpdatePeriod)
	return &rateLimitingType[T]{&delayingType[T]{Typed: q}, limiter}
}

// rateLimitingType is the same queue with its limiter.
type rateLimitingType[T comparable] struct {
	*delayingType[T]
	limiter *kinRateLimiter
}

func (q *rateLimitingType[T]) AddRateLimited(item T) {
	q.addRateLimited(item)
}

func (q *rateLimitingType[T]) Forget(item T) {
	C.kin_work_queue_forget(q.queue, kstr(keyOf(item)))
}

func (q *rateLimitingType[T]) NumRequeues(item T) int {
	return int(C.kin_work_queue_n_requeues(q.queue, kstr(keyOf(item))))
}
