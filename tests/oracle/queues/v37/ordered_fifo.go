// SPDX-License-Identifier: Apache-2.0

package main

import (
	"reflect"
	"strconv"
	"strings"

	"k8s.io/client-go/tools/cache"
	"kinform/tests/oracle/queues/script"
)

// orderedFIFO drives a RealFIFO whose consumer keeps a store.
type orderedFIFO struct {
	queue *cache.RealFIFO
	store cache.Store
}

func newOrderedFIFO(options map[string]bool) script.Machine {
	m := &orderedFIFO{store: cache.NewStore(script.KeyOfObject)}
	given := cache.RealFIFOOptions{
		KeyFunction:           script.KeyOfObject,
		AtomicEvents:          options["atomic"],
		UnlockWhileProcessing: options["atomic"],
		EmitDeltaTypeBookmark: options["bookmarks"],
	}
	if !options["atomic"] {
		given.KnownObjects = script.SortedStore{Store: m.store}
	}
	if options["transform"] {
		given.Transformer = script.TransformObject
	}
	m.queue = cache.NewRealFIFOWithOptions(given)
	return m
}

func (m *orderedFIFO) Step(op string, args []string) string {
	return script.Line(m.do(op, args), script.Synced(m.queue))
}

func (m *orderedFIFO) do(op string, args []string) string {
	if answer, done := script.StepQueue(m.queue, op, args); done {
		return answer
	}
	switch op {
	case "replace":
		version, _ := strings.CutPrefix(args[0], "@")
		return script.Outcome(m.queue.Replace(script.ParseObjects(args[1:]), version))
	case "bookmark":
		version, _ := strings.CutPrefix(args[0], "@")
		return script.Outcome(m.queue.Bookmark(version))
	case "pop":
		return m.pop(args[0])
	case "pop-batch":
		return m.popBatch(args[0])
	}
	return m.look(op)
}

func (m *orderedFIFO) look(op string) string {
	switch op {
	case "length":
		return strconv.Itoa(m.waiting())
	case "store":
		return script.Objects(m.store.List(), nil)
	}
	script.Fail("no such operation", op)
	return ""
}

// waiting is the number of items: Pop would wait if there were none.
func (m *orderedFIFO) waiting() int {
	return reflect.ValueOf(m.queue).Elem().FieldByName("items").Len()
}

func (m *orderedFIFO) pop(mode string) string {
	if m.waiting() == 0 {
		return script.Empty(m.queue)
	}
	var got string
	_, err := m.queue.Pop(func(object any, isInInitialList bool) error {
		got = script.Line(m.process(object.(cache.Deltas), mode), script.Initial(isInInitialList))
		return script.Processed(mode)
	})
	return script.Line(script.Outcome(err), got)
}

func (m *orderedFIFO) popBatch(mode string) string {
	if m.waiting() == 0 {
		return script.Empty(m.queue)
	}
	var got string
	err := m.queue.PopBatch(func(deltas []cache.Delta, isInInitialList bool) error {
		got = script.Line(m.process(deltas, mode), script.Initial(isInInitialList))
		return script.Processed(mode)
	}, func(object any, isInInitialList bool) error {
		got = script.Line(m.process(object.(cache.Deltas), mode), script.Initial(isInInitialList))
		return script.Processed(mode)
	})
	return script.Line(script.Outcome(err), got)
}

// process says what came and, if all is to be well, applies it.
func (m *orderedFIFO) process(deltas []cache.Delta, mode string) string {
	var words []string
	for _, delta := range deltas {
		words = append(words, string(delta.Type)+"="+formatDelta(delta.Object))
		if mode == "ok" {
			m.apply(delta)
		}
	}
	return strings.Join(words, " ")
}

func (m *orderedFIFO) apply(delta cache.Delta) {
	switch delta.Type {
	case cache.Deleted:
		m.store.Delete(delta.Object)
	case cache.ReplacedAll:
		info := delta.Object.(cache.ReplacedAllInfo)
		m.store.Replace(info.Objects, info.ResourceVersion)
	case cache.SyncAll, cache.Bookmark:
	default:
		m.store.Update(delta.Object)
	}
}

// formatDelta also knows what concerns all objects or none.
func formatDelta(object any) string {
	switch info := object.(type) {
	case cache.ReplacedAllInfo:
		var words []string
		for _, each := range info.Objects {
			words = append(words, script.FormatObject(each))
		}
		return "@" + info.ResourceVersion + "(" + strings.Join(words, ",") + ")"
	case cache.BookmarkInfo:
		return "@" + info.ResourceVersion
	case cache.SyncAllInfo:
		return "all"
	}
	return script.FormatObject(object)
}
