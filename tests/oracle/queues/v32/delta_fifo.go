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
	m := &deltaFIFO{store: cache.NewStore(keyOf)}
	given := cache.DeltaFIFOOptions{KeyFunction: keyOf, EmitDeltaTypeReplaced: options["replaced"]}
	if options["known"] {
		given.KnownObjects = sortedStore{m.store}
	}
	if options["transform"] {
		given.Transformer = transform
	}
	m.queue = cache.NewDeltaFIFOWithOptions(given)
	return m
}

func (m *deltaFIFO) Step(op string, args []string) string {
	return script.Line(m.do(op, args), synced(m.queue.HasSynced()))
}

func (m *deltaFIFO) do(op string, args []string) string {
	switch op {
	case "add":
		return script.Outcome(m.queue.Add(parseObject(args[0])))
	case "update":
		return script.Outcome(m.queue.Update(parseObject(args[0])))
	case "delete":
		return script.Outcome(m.queue.Delete(parseObject(args[0])))
	case "batch":
		return m.batch(args)
	case "replace":
		return script.Outcome(m.queue.Replace(parseObjects(args), ""))
	case "resync":
		return script.Outcome(m.queue.Resync())
	case "again":
		return script.Outcome(m.queue.AddIfNotPresent(parseDeltas(args)))
	case "pop":
		return m.pop(args[0])
	case "pop-batch":
		return m.popBatch(args[0], args[1])
	case "close":
		m.queue.Close()
		return "ok"
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
		item, exists, err := m.queue.Get(parseObject(args[0]))
		return found(item, exists, err)
	case "list":
		var objects []string
		for _, object := range m.queue.List() {
			objects = append(objects, formatObject(object))
		}
		return script.Line("ok", script.Sorted(objects))
	case "keys":
		return script.Line("ok", strings.Join(m.queue.ListKeys(), ","))
	case "key-of":
		key, err := m.queue.KeyOf(parseObject(args[0]))
		return script.Line(script.Outcome(err), key)
	case "key-of-deltas":
		key, err := m.queue.KeyOf(parseDeltas(args))
		return script.Line(script.Outcome(err), key)
	case "closed":
		return strconv.FormatBool(m.queue.IsClosed())
	case "store":
		var objects []string
		for _, object := range m.store.List() {
			objects = append(objects, formatObject(object))
		}
		return script.Line("ok", script.Sorted(objects))
	}
	script.Fail("no such operation", op)
	return ""
}

// batch puts in one after the other what our queue puts in at once.
func (m *deltaFIFO) batch(args []string) string {
	for _, text := range args {
		object := parseObject(text[1:])
		var err error
		switch text[0] {
		case '+':
			err = m.queue.Add(object)
		case '*':
			err = m.queue.Update(object)
		default:
			err = m.queue.Delete(object)
		}
		if err != nil {
			return script.Outcome(err)
		}
	}
	return "ok"
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

func (m *deltaFIFO) empty() string {
	if m.queue.IsClosed() {
		return "closed"
	}
	return "empty"
}

func (m *deltaFIFO) pop(mode string) string {
	if len(m.queue.ListKeys()) == 0 {
		return m.empty()
	}
	got, isInitial, err := m.take(mode)
	return script.Line(script.Outcome(err), got, initial(isInitial))
}

// popBatch pops one by one what our queue hands out at once: as many as are
// there now, of the first list or not.
func (m *deltaFIFO) popBatch(max, mode string) string {
	n, _ := strconv.Atoi(max)
	n = min(n, len(m.queue.ListKeys()))
	if n == 0 {
		return m.empty()
	}
	var all []string
	var failure error
	isInitial := !m.queue.HasSynced()
	for i := 0; i < n && isInitial == !m.queue.HasSynced(); i++ {
		got, _, err := m.take(mode)
		all, failure = append(all, got), err
	}
	return script.Line(script.Outcome(failure), strings.Join(all, " "), initial(isInitial))
}

// parseDeltas reads TYPE=OBJECT words.
func parseDeltas(args []string) cache.Deltas {
	deltas := cache.Deltas{}
	for _, text := range args {
		name, object, _ := strings.Cut(text, "=")
		deltas = append(deltas, cache.Delta{Type: cache.DeltaType(name), Object: parseObject(object)})
	}
	return deltas
}

func formatDeltas(deltas cache.Deltas) string {
	words := make([]string, 0, len(deltas))
	for _, delta := range deltas {
		words = append(words, string(delta.Type)+"="+formatObject(delta.Object))
	}
	return strings.Join(words, ",")
}

func found(item any, exists bool, err error) string {
	if err != nil || !exists {
		return script.Line(script.Outcome(err), "none")
	}
	return script.Line("ok", formatDeltas(item.(cache.Deltas)))
}
