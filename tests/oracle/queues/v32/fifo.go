// SPDX-License-Identifier: Apache-2.0

package main

import (
	"reflect"
	"unsafe"

	"k8s.io/client-go/tools/cache"
	"kinform/tests/oracle/queues/script"
)

// fifo drives a FIFO.
type fifo struct {
	queue *cache.FIFO
}

func newFIFO(map[string]bool) script.Machine {
	return &fifo{cache.NewFIFO(script.KeyOfObject)}
}

func (m *fifo) Step(op string, args []string) string {
	return script.Line(m.do(op, args), script.Synced(m.queue))
}

func (m *fifo) do(op string, args []string) string {
	if answer, done := script.StepQueue(m.queue, op, args); done {
		return answer
	}
	switch op {
	case "again":
		return script.Outcome(m.queue.AddIfNotPresent(script.ParseObject(args[0])))
	case "replace":
		return m.replace(script.ParseObjects(args))
	case "pop":
		return m.pop(args[0])
	}
	return m.look(op, args)
}

func (m *fifo) look(op string, args []string) string {
	switch op {
	case "get":
		item, exists, err := m.queue.GetByKey(args[0])
		return script.Found(item, exists, err)
	case "get-object":
		item, exists, err := m.queue.Get(script.ParseObject(args[0]))
		return script.Found(item, exists, err)
	case "list":
		return script.Objects(m.queue.List(), nil)
	case "keys":
		return script.Line("ok", script.Sorted(m.queue.ListKeys()))
	}
	script.Fail("no such operation", op)
	return ""
}

// replace puts the queue, which client-go fills in the order of a Go map, into
// the order of the list, each key where it first comes.
func (m *fifo) replace(objects []any) string {
	if err := m.queue.Replace(objects, ""); err != nil {
		return script.Outcome(err)
	}
	line := m.line()
	seen := map[string]bool{}
	*line = (*line)[:0]
	for _, object := range objects {
		if key, _ := script.KeyOfObject(object); !seen[key] {
			seen[key] = true
			*line = append(*line, key)
		}
	}
	return "ok"
}

func (m *fifo) pop(mode string) string {
	if len(m.queue.ListKeys()) == 0 && !m.queue.IsClosed() {
		m.skip()
		return "empty"
	}
	var got string
	var isInitial bool
	_, err := m.queue.Pop(func(object any, isInInitialList bool) error {
		got, isInitial = script.FormatObject(object), isInInitialList
		return processed(mode)
	})
	if got == "" {
		return script.Outcome(err)
	}
	return script.Line(script.Outcome(err), got, script.Initial(isInitial))
}

// skip passes over the places of what was deleted, as a Pop does before it waits:
// one more object, which it takes, keeps it from waiting.
func (m *fifo) skip() {
	if len(*m.line()) > 0 {
		m.queue.Add(script.NewItem("the-end", 1, nil))
		m.queue.Pop(func(any, bool) error { return nil })
	}
}

// line is the field of the queue that has its order.
func (m *fifo) line() *[]string {
	field := reflect.ValueOf(m.queue).Elem().FieldByName("queue")
	return (*[]string)(unsafe.Pointer(field.UnsafeAddr()))
}
