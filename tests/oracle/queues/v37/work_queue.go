// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
	"k8s.io/client-go/util/workqueue"
	testingclock "k8s.io/utils/clock/testing"
	"kinform/tests/oracle/queues/script"
)

// Limits of the limiters; oracle_queues has the same.
const (
	limitBase    = 5 * time.Millisecond
	limitMax     = 1000 * time.Second
	limitSlow    = 10 * time.Second
	limitFast    = 3
	limitMaxWait = 50 * time.Millisecond
	limitQPS     = 10
	limitBurst   = 3
)

// far is beyond what any script advances to.
const far = 1000000 * time.Hour

// nobody is the key that makes the delaying loop go round. It never comes.
const nobody = "~"

// workQueue drives a rate limiting queue. What its delaying loop does, it does in
// a goroutine; settle waits for it.
type workQueue struct {
	queue   workqueue.TypedRateLimitingInterface[string]
	watched *watchedQueue
	clock   *testingclock.FakeClock
	metrics *recorder
	held    []string
	rounds  int // what settle added to the retries
	shut    bool
}

// previous is the queue of the script before: nobody says when a script is over.
var previous *workQueue

func newWorkQueue(options map[string]bool) script.Machine {
	if previous != nil {
		previous.queue.ShutDown()
	}
	clock := testingclock.NewFakeClock(time.Unix(1000, 0))
	metrics := &recorder{}
	watched := &watchedQueue{TypedInterface: workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[string]{
		Name: "oracle", MetricsProvider: metrics, Clock: clock})}
	delaying := workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[string]{
		Name: "oracle", MetricsProvider: metrics, Clock: clock, Queue: watched})
	m := &workQueue{watched: watched, clock: clock, metrics: metrics}
	m.queue = workqueue.NewTypedRateLimitingQueueWithConfig(newLimiter(options, clock),
		workqueue.TypedRateLimitingQueueConfig[string]{Name: "oracle", DelayingQueue: delaying})
	previous = m
	return m
}

func newLimiter(options map[string]bool, clock *testingclock.FakeClock) workqueue.TypedRateLimiter[string] {
	exponential := workqueue.NewTypedItemExponentialFailureRateLimiter[string](limitBase, limitMax)
	bucket := &fakeBucket{rate.NewLimiter(limitQPS, limitBurst), clock}
	switch {
	case options["fast-slow"]:
		return workqueue.NewTypedItemFastSlowRateLimiter[string](limitBase, limitSlow, limitFast)
	case options["bucket"]:
		return bucket
	case options["max-wait"]:
		return workqueue.NewTypedWithMaxWaitRateLimiter(exponential, limitMaxWait)
	case options["max-of"]:
		return workqueue.NewTypedMaxOfRateLimiter[string](exponential, bucket)
	}
	return exponential
}

// fakeBucket is the bucket limiter with another clock: client-go's own goes by
// the real time.
type fakeBucket struct {
	*rate.Limiter
	clock *testingclock.FakeClock
}

func (b *fakeBucket) When(string) time.Duration {
	now := b.clock.Now()
	return b.ReserveN(now, 1).DelayFrom(now)
}

func (b *fakeBucket) NumRequeues(string) int { return 0 }
func (b *fakeBucket) Forget(string)          {}

// watchedQueue counts how often it is asked whether it is shutting down: the
// delaying loop asks at the beginning of each round.
type watchedQueue struct {
	workqueue.TypedInterface[string]
	asked atomic.Int64
}

func (q *watchedQueue) ShuttingDown() bool {
	q.asked.Add(1)
	return q.TypedInterface.ShuttingDown()
}

// settle waits until the delaying loop has done what is due. Each key that it is
// given makes it go round; once it begins a round, all of the one before is done.
// The first may belong to a round that was under way.
func (m *workQueue) settle() {
	if m.shut {
		return
	}
	for range 3 {
		before := m.watched.asked.Load()
		m.queue.AddAfter(nobody, far) // asks once itself
		m.rounds++
		for m.watched.asked.Load() < before+2 {
			runtime.Gosched()
		}
	}
}

func (m *workQueue) Step(op string, args []string) string {
	switch op {
	case "add":
		m.queue.Add(args[0])
	case "add-after":
		m.queue.AddAfter(args[0], duration(args[1]))
		m.settle()
	case "add-limited":
		m.queue.AddRateLimited(args[0])
		m.settle()
	case "forget":
		m.queue.Forget(args[0])
	case "advance":
		m.clock.Step(duration(args[0]))
		m.settle()
	case "shut-down":
		m.shut = true
		m.queue.ShutDown()
	case "drain":
		m.shut = true
		m.queue.ShutDownWithDrain()
	case "get":
		return m.get()
	case "done":
		return m.done(args[0])
	case "done-all":
		for len(m.held) > 0 {
			m.done("0")
		}
	default:
		return m.look(op, args)
	}
	return "ok"
}

func (m *workQueue) look(op string, args []string) string {
	switch op {
	case "requeues":
		return strconv.Itoa(m.queue.NumRequeues(args[0]))
	case "len":
		return strconv.Itoa(m.queue.Len())
	case "shutting-down":
		return strconv.FormatBool(m.watched.TypedInterface.ShuttingDown())
	case "metrics":
		return m.metrics.describe(m.rounds)
	}
	script.Fail("no such operation", op)
	return ""
}

func (m *workQueue) get() string {
	if m.queue.Len() == 0 && !m.shut {
		return "empty"
	}
	key, shutdown := m.queue.Get()
	if shutdown {
		return "closed"
	}
	m.held = append(m.held, key)
	return "ok " + key
}

func (m *workQueue) done(which string) string {
	if len(m.held) == 0 {
		return "none"
	}
	at, err := strconv.Atoi(which)
	if err != nil {
		script.Fail("no number", which)
	}
	at %= len(m.held)
	key := m.held[at]
	m.held = append(m.held[:at], m.held[at+1:]...)
	m.queue.Done(key)
	return "ok " + key
}

func duration(text string) time.Duration {
	ns, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		script.Fail("no time", text)
	}
	return time.Duration(ns)
}

// recorder sums up all metrics of one queue.
type recorder struct {
	lock           sync.Mutex
	adds, retries  int
	depth          int
	waited, worked int64 // nanoseconds
}

func (r *recorder) describe(rounds int) string {
	r.lock.Lock()
	defer r.lock.Unlock()
	return fmt.Sprintf("adds %d depth %d retries %d waited %d worked %d", r.adds, r.depth, r.retries-rounds,
		r.waited, r.worked)
}

// metric is one of them.
type metric struct {
	lock   *sync.Mutex
	change func(by float64)
}

func (m metric) do(by float64) {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.change(by)
}

func (m metric) Inc()                    { m.do(1) }
func (m metric) Dec()                    { m.do(-1) }
func (m metric) Set(float64)             {}
func (m metric) Observe(seconds float64) { m.do(math.Round(seconds * 1e9)) }

func (r *recorder) NewDepthMetric(string) workqueue.GaugeMetric {
	return metric{&r.lock, func(by float64) { r.depth += int(by) }}
}

func (r *recorder) NewAddsMetric(string) workqueue.CounterMetric {
	return metric{&r.lock, func(float64) { r.adds++ }}
}

func (r *recorder) NewLatencyMetric(string) workqueue.HistogramMetric {
	return metric{&r.lock, func(ns float64) { r.waited += int64(ns) }}
}

func (r *recorder) NewWorkDurationMetric(string) workqueue.HistogramMetric {
	return metric{&r.lock, func(ns float64) { r.worked += int64(ns) }}
}

func (r *recorder) NewUnfinishedWorkSecondsMetric(string) workqueue.SettableGaugeMetric {
	return metric{&r.lock, nil}
}

func (r *recorder) NewLongestRunningProcessorSecondsMetric(string) workqueue.SettableGaugeMetric {
	return metric{&r.lock, nil}
}

func (r *recorder) NewRetriesMetric(string) workqueue.CounterMetric {
	return metric{&r.lock, func(float64) { r.retries++ }}
}
