// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strconv"
	"strings"

	"k8s.io/client-go/tools/cache"
	"kinform/tests/oracle/queues/script"
)

// deltaFIFO drives a DeltaFIFO whose consumer keeps a store.
type deltaFIFO struct {
	queue *cache.DeltaFIFO
	store cache.Store
}

func newDeltaFIFO(options map[string]bool) script.Machine {
	m := &deltaFIFO{store: cache.NewStore(script.KeyOfObject)}
	given := cache.DeltaFIFOOptions{KeyFunction: script.KeyOfObject, EmitDeltaTypeReplaced: options["replaced"]}
	if options["known"] {
		given.KnownObjects = script.SortedStore{Store: m.store}
	}
	if options["transform"] {
		given.Transformer = script.TransformObject
	}
	m.queue = cache.NewDeltaFIFOWithOptions(given)
	return m
}

func (m *deltaFIFO) Step(op string, args []string) string {
	return script.Line(m.do(op, args), script.Synced(m.queue))
}

func (m *deltaFIFO) do(op string, args []string) string {
	if answer, done := script.StepQueue(m.queue, op, args); done {
		return answer
	}
	switch op {
	case "replace":
		return script.Outcome(m.queue.Replace(script.ParseObjects(args), ""))
	case "again":
		return script.Outcome(m.queue.AddIfNotPresent(parseDeltas(args)))
	case "pop":
		return m.pop(args[0])
	case "pop-batch":
		return m.popBatch(args[0], args[1])
	}
	return m.look(op, args)
}

// look has the operations that change nothing.
func (m *deltaFIFO) look(op string, args []string) string {
	switch op {
	case "get":
		item, exists, err := m.queue.GetByKey(args[0])
		return found(item, exists, err)
	case "get-object":
		item, exists, err := m.queue.Get(script.ParseObject(args[0]))
		return found(item, exists, err)
	case "list":
		return script.Objects(m.queue.List(), nil)
	case "keys":
		return script.Line("ok", strings.Join(m.queue.ListKeys(), ","))
	case "key-of":
		key, err := m.queue.KeyOf(script.ParseObject(args[0]))
		return script.Line(script.Outcome(err), key)
	case "key-of-deltas":
		key, err := m.queue.KeyOf(parseDeltas(args))
		return script.Line(script.Outcome(err), key)
	case "store":
		return script.Objects(m.store.List(), nil)
	}
	script.Fail("no such operation", op)
	return ""
}

func (m *deltaFIFO) apply(deltas cache.Deltas) {
	for _, delta := range deltas {
		if delta.Type == cache.Deleted {
			m.store.Delete(delta.Object)
		} else {
			m.store.Update(delta.Object)
		}
	}
}

// take pops one key that is there.
func (m *deltaFIFO) take(mode string) (string, bool, error) {
	var got string
	var isInitial bool
	_, err := m.queue.Pop(func(object any, isInInitialList bool) error {
		deltas := object.(cache.Deltas)
		key, _ := m.queue.KeyOf(deltas)
		got, isInitial = key+"["+formatDeltas(deltas)+"]", isInInitialList
		if mode == "ok" {
			m.apply(deltas)
		}
		return processed(mode)
	})
	return got, isInitial, err
}

func (m *deltaFIFO) pop(mode string) string {
	if len(m.queue.ListKeys()) == 0 {
		return script.Empty(m.queue)
	}
	got, isInitial, err := m.take(mode)
	return script.Line(script.Outcome(err), got, script.Initial(isInitial))
}

// popBatch pops one by one what our queue hands out at once: as many as are
// there now, of the first list or not.
func (m *deltaFIFO) popBatch(max, mode string) string {
	n, _ := strconv.Atoi(max)
	n = min(n, len(m.queue.ListKeys()))
	if n == 0 {
		return script.Empty(m.queue)
	}
	var all []string
	var failure error
	isInitial := !m.queue.HasSynced()
	for i := 0; i < n && isInitial == !m.queue.HasSynced(); i++ {
		got, _, err := m.take(mode)
		all, failure = append(all, got), err
	}
	return script.Line(script.Outcome(failure), strings.Join(all, " "), script.Initial(isInitial))
}

// parseDeltas reads TYPE=OBJECT words.
func parseDeltas(args []string) cache.Deltas {
	deltas := cache.Deltas{}
	for _, text := range args {
		name, object, _ := strings.Cut(text, "=")
		deltas = append(deltas, cache.Delta{Type: cache.DeltaType(name), Object: script.ParseObject(object)})
	}
	return deltas
}

func formatDeltas(deltas cache.Deltas) string {
	words := make([]string, 0, len(deltas))
	for _, delta := range deltas {
		words = append(words, string(delta.Type)+"="+script.FormatObject(delta.Object))
	}
	return strings.Join(words, ",")
}

func found(item any, exists bool, err error) string {
	if err != nil || !exists {
		return script.Line(script.Outcome(err), "none")
	}
	return script.Line("ok", formatDeltas(item.(cache.Deltas)))
}
