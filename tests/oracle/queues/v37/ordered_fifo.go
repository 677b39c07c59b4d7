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
	m := &orderedFIFO{store: cache.NewStore(keyOf)}
	given := cache.RealFIFOOptions{
		KeyFunction:           keyOf,
		AtomicEvents:          options["atomic"],
		UnlockWhileProcessing: options["atomic"],
		EmitDeltaTypeBookmark: options["bookmarks"],
	}
	if !options["atomic"] {
		given.KnownObjects = sortedStore{m.store}
	}
	if options["transform"] {
		given.Transformer = transform
	}
	m.queue = cache.NewRealFIFOWithOptions(given)
	return m
}

func (m *orderedFIFO) Step(op string, args []string) string {
	return script.Line(m.do(op, args), synced(m.queue.HasSynced()))
}

func (m *orderedFIFO) do(op string, args []string) string {
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
		version, _ := strings.CutPrefix(args[0], "@")
		return script.Outcome(m.queue.Replace(parseObjects(args[1:]), version))
	case "bookmark":
		version, _ := strings.CutPrefix(args[0], "@")
		return script.Outcome(m.queue.Bookmark(version))
	case "resync":
		return script.Outcome(m.queue.Resync())
	case "pop":
		return m.pop(args[0])
	case "pop-batch":
		return m.popBatch(args[0])
	case "close":
		m.queue.Close()
		return "ok"
	}
	return m.look(op)
}

func (m *orderedFIFO) look(op string) string {
	switch op {
	case "length":
		return strconv.Itoa(m.waiting())
	case "closed":
		return strconv.FormatBool(m.queue.IsClosed())
	case "store":
		return objects(m.store.List(), nil)
	}
	script.Fail("no such operation", op)
	return ""
}

// batch does what is ours alone one by one, which has to come to the same.
func (m *orderedFIFO) batch(args []string) string {
	puts := map[byte]func(any) error{'+': m.queue.Add, '*': m.queue.Update, '-': m.queue.Delete}
	for _, text := range args {
		if err := puts[text[0]](parseObject(text[1:])); err != nil {
			return script.Outcome(err)
		}
	}
	return "ok"
}

// waiting is the number of items: Pop would wait if there were none.
func (m *orderedFIFO) waiting() int {
	return reflect.ValueOf(m.queue).Elem().FieldByName("items").Len()
}

func (m *orderedFIFO) empty() string {
	if m.queue.IsClosed() {
		return "closed"
	}
	return "empty"
}

func (m *orderedFIFO) pop(mode string) string {
	if m.waiting() == 0 {
		return m.empty()
	}
	var got string
	_, err := m.queue.Pop(func(object any, isInInitialList bool) error {
		got = script.Line(m.process(object.(cache.Deltas), mode), initial(isInInitialList))
		return processed(mode)
	})
	return script.Line(script.Outcome(err), got)
}

func (m *orderedFIFO) popBatch(mode string) string {
	if m.waiting() == 0 {
		return m.empty()
	}
	var got string
	err := m.queue.PopBatch(func(deltas []cache.Delta, isInInitialList bool) error {
		got = script.Line(m.process(deltas, mode), initial(isInInitialList))
		return processed(mode)
	}, func(object any, isInInitialList bool) error {
		got = script.Line(m.process(object.(cache.Deltas), mode), initial(isInInitialList))
		return processed(mode)
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
			words = append(words, formatObject(each))
		}
		return "@" + info.ResourceVersion + "(" + strings.Join(words, ",") + ")"
	case cache.BookmarkInfo:
		return "@" + info.ResourceVersion
	case cache.SyncAllInfo:
		return "all"
	}
	return formatObject(object)
}

func processed(mode string) error {
	if mode == "ok" {
		return nil
	}
	return script.ErrProcess
}

func synced(hasSynced bool) string {
	if hasSynced {
		return "synced"
	}
	return "unsynced"
}

func initial(is bool) string {
	if is {
		return "initial"
	}
	return "later"
}
