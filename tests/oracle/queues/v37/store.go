// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strconv"
	"strings"

	"k8s.io/client-go/tools/cache"
	"kinform/tests/oracle/queues/script"
)

// store drives a store with indexes.
type store struct {
	cache.Indexer
}

func newStore(options map[string]bool) script.Machine {
	indexers := cache.Indexers{}
	if options["tags"] {
		indexers["tags"] = byTags
	}
	if options["transform"] {
		return &store{cache.NewIndexer(script.KeyOfObject, indexers, cache.WithTransformer(script.TransformObject))}
	}
	return &store{cache.NewIndexer(script.KeyOfObject, indexers)}
}

func byTags(object any) ([]string, error) {
	return script.IndexValues(object.(*script.Item))
}

// byPrefix is an index with one value for each object: its key's first letter.
func byPrefix(object any) ([]string, error) {
	return []string{object.(*script.Item).Key[:1]}, nil
}

var indexes = map[string]cache.IndexFunc{"tags": byTags, "more-tags": byTags, "prefix": byPrefix}

func (m *store) Step(op string, args []string) string {
	answer := m.write(op, args)
	if answer == "" {
		answer = m.read(op, args)
	}
	return script.Line(answer, "@"+m.LastStoreSyncResourceVersion())
}

func (m *store) write(op string, args []string) string {
	switch op {
	case "add":
		return script.Outcome(m.Add(script.ParseObject(args[0])))
	case "update":
		return script.Outcome(m.Update(script.ParseObject(args[0])))
	case "delete":
		return script.Outcome(m.Delete(script.ParseObject(args[0])))
	case "replace":
		version, _ := strings.CutPrefix(args[0], "@")
		return script.Outcome(m.Replace(script.ParseObjects(args[1:]), version))
	case "bookmark":
		version, _ := strings.CutPrefix(args[0], "@")
		m.Bookmark(version)
		return "ok"
	case "resync":
		return script.Outcome(m.Resync())
	case "transaction":
		return m.transaction(args)
	case "add-indexes":
		added := cache.Indexers{}
		for _, name := range args {
			added[name] = indexes[name]
		}
		return script.Outcome(m.AddIndexers(added))
	}
	return ""
}

func (m *store) read(op string, args []string) string {
	switch op {
	case "get":
		item, exists, err := m.GetByKey(args[0])
		return script.Found(item, exists, err)
	case "get-object":
		item, exists, err := m.Get(script.ParseObject(args[0]))
		return script.Found(item, exists, err)
	case "list":
		return script.Objects(m.List(), nil)
	case "keys":
		return script.Line("ok", script.Sorted(m.ListKeys()))
	case "index":
		return script.Objects(m.Index(args[0], script.ParseObject(args[1])))
	case "by-index":
		return script.Objects(m.ByIndex(args[0], args[1]))
	case "index-keys":
		keys, err := m.IndexKeys(args[0], args[1])
		return script.Line(script.Outcome(err), strings.Join(keys, ","))
	case "index-values":
		return script.Line("ok", script.Sorted(m.ListIndexFuncValues(args[0])))
	case "index-names":
		var names []string
		for name := range m.GetIndexers() {
			names = append(names, name)
		}
		return script.Line("ok", script.Sorted(names))
	}
	script.Fail("no such operation", op)
	return ""
}

// transaction does +OBJECT and -OBJECT; the trace has the indexes of those that
// were done.
func (m *store) transaction(args []string) string {
	var writes []cache.Transaction
	for _, text := range args {
		kind := cache.TransactionTypeUpdate
		if text[0] == '-' {
			kind = cache.TransactionTypeDelete
		}
		writes = append(writes, cache.Transaction{Object: script.ParseObject(text[1:]), Type: kind})
	}
	failure := m.Indexer.(cache.TransactionStore).Transaction(writes...)
	if failure == nil {
		return "ok"
	}
	var done []string
	for _, i := range failure.SuccessfulIndices {
		done = append(done, strconv.Itoa(i))
	}
	return script.Line(script.Outcome(failure.Errors[0]), "did", strings.Join(done, ","))
}
