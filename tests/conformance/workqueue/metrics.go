// SPDX-License-Identifier: Apache-2.0

package workqueue

/*
#include "bridge.h"
*/
import "C"

import (
	"runtime/cgo"
	"sync"
)

type GaugeMetric interface {
	Inc()
	Dec()
}

type SettableGaugeMetric interface {
	Set(float64)
}

type CounterMetric interface {
	Inc()
}

type SummaryMetric interface {
	Observe(float64)
}

type HistogramMetric interface {
	Observe(float64)
}

type MetricsProvider interface {
	NewDepthMetric(name string) GaugeMetric
	NewAddsMetric(name string) CounterMetric
	NewLatencyMetric(name string) HistogramMetric
	NewWorkDurationMetric(name string) HistogramMetric
	NewUnfinishedWorkSecondsMetric(name string) SettableGaugeMetric
	NewLongestRunningProcessorSecondsMetric(name string) SettableGaugeMetric
	NewRetriesMetric(name string) CounterMetric
}

var (
	globalMetricsProvider        MetricsProvider
	setGlobalMetricsProviderOnce sync.Once
)

func SetProvider(metricsProvider MetricsProvider) {
	setGlobalMetricsProviderOnce.Do(func() { globalMetricsProvider = metricsProvider })
}

// queueMetrics is what client-go's queue calls; a test has its own.
type queueMetrics[T comparable] interface {
	add(item T)
	get(item T)
	done(item T)
	updateUnfinishedWork()
}

// kinMetrics are the metrics of the library.
type kinMetrics interface {
	depth(change int)
	added()
	gotten(seconds float64)
	doneAfter(seconds float64)
	unfinished(seconds float64)
	longest(seconds float64)
	retried()
}

func newQueueMetrics(provider MetricsProvider, name string) kinMetrics {
	if provider == nil {
		provider = globalMetricsProvider
	}
	if provider == nil || name == "" {
		return nil
	}
	return &providedMetrics{provider.NewDepthMetric(name), provider.NewAddsMetric(name), provider.NewLatencyMetric(name),
		provider.NewWorkDurationMetric(name), provider.NewUnfinishedWorkSecondsMetric(name),
		provider.NewLongestRunningProcessorSecondsMetric(name), provider.NewRetriesMetric(name)}
}

type providedMetrics struct {
	depthMetric      GaugeMetric
	addsMetric       CounterMetric
	latencyMetric    HistogramMetric
	durationMetric   HistogramMetric
	unfinishedMetric SettableGaugeMetric
	longestMetric    SettableGaugeMetric
	retriesMetric    CounterMetric
}

func (m *providedMetrics) depth(change int) {
	for ; change > 0; change-- {
		m.depthMetric.Inc()
	}
	for ; change < 0; change++ {
		m.depthMetric.Dec()
	}
}

func (m *providedMetrics) added()                     { m.addsMetric.Inc() }
func (m *providedMetrics) gotten(seconds float64)     { m.latencyMetric.Observe(seconds) }
func (m *providedMetrics) doneAfter(seconds float64)  { m.durationMetric.Observe(seconds) }
func (m *providedMetrics) unfinished(seconds float64) { m.unfinishedMetric.Set(seconds) }
func (m *providedMetrics) longest(seconds float64)    { m.longestMetric.Set(seconds) }
func (m *providedMetrics) retried()                   { m.retriesMetric.Inc() }

// calledMetrics tells a queueMetrics what the library reports, without the items, which the library does not report.
type calledMetrics[T comparable] struct {
	queueMetrics[T]
}

func (m *calledMetrics[T]) depth(int)          {}
func (m *calledMetrics[T]) added()             { m.add(*new(T)) }
func (m *calledMetrics[T]) gotten(float64)     { m.get(*new(T)) }
func (m *calledMetrics[T]) doneAfter(float64)  { m.done(*new(T)) }
func (m *calledMetrics[T]) unfinished(float64) { m.updateUnfinishedWork() }
func (m *calledMetrics[T]) longest(float64)    {}
func (m *calledMetrics[T]) retried()           {}

func metricsOf(handle C.uintptr_t) kinMetrics {
	return cgo.Handle(handle).Value().(kinMetrics)
}

//export goDepth
func goDepth(handle C.uintptr_t, change C.int) { metricsOf(handle).depth(int(change)) }

//export goAdded
func goAdded(handle C.uintptr_t) { metricsOf(handle).added() }

//export goGotten
func goGotten(handle C.uintptr_t, seconds C.double) { metricsOf(handle).gotten(float64(seconds)) }

//export goDone
func goDone(handle C.uintptr_t, seconds C.double) { metricsOf(handle).doneAfter(float64(seconds)) }

//export goUnfinished
func goUnfinished(handle C.uintptr_t, seconds C.double) {
	metricsOf(handle).unfinished(float64(seconds))
}

//export goLongest
func goLongest(handle C.uintptr_t, seconds C.double) { metricsOf(handle).longest(float64(seconds)) }

//export goRetried
func goRetried(handle C.uintptr_t) { metricsOf(handle).retried() }
