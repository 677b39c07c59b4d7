// SPDX-License-Identifier: Apache-2.0

package main

import (
	"sort"
	"strings"

	"k8s.io/client-go/tools/cache"
	"kinform/tests/oracle/queues/script"
)

// parseObject reads an item, or a tombstone: ~KEY, or ~KEY:VERSION with its last state.
func parseObject(text string) any {
	rest, isTombstone := strings.CutPrefix(text, "~")
	if !isTombstone {
		return script.ParseItem(text)
	}
	key, _, hasState := strings.Cut(rest, ":")
	if !hasState {
		return cache.DeletedFinalStateUnknown{Key: key}
	}
	return cache.DeletedFinalStateUnknown{Key: key, Obj: script.ParseItem(rest)}
}

func parseObjects(args []string) []any {
	objects := make([]any, 0, len(args))
	for _, text := range args {
		objects = append(objects, parseObject(text))
	}
	return objects
}

func formatObject(object any) string {
	if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		if tombstone.Obj == nil {
			return "~" + tombstone.Key
		}
		return "~" + formatObject(tombstone.Obj)
	}
	return object.(*script.Item).String()
}

// keyOf knows the keys of tombstones, as the key functions of informers do.
func keyOf(object any) (string, error) {
	if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		return tombstone.Key, nil
	}
	item, ok := object.(*script.Item)
	if !ok { // RealFIFO asks for the key of a whole list, for its log
		return "", script.ErrKey
	}
	return script.KeyOf(item)
}

func transform(object any) (any, error) {
	return script.Transform(object.(*script.Item))
}

// A sortedStore lists its keys in order, so that deletions and resyncs, which
// client-go makes in the order of this list, come in the same order on both sides.
type sortedStore struct {
	cache.Store
}

func (s sortedStore) ListKeys() []string {
	keys := s.Store.ListKeys()
	sort.Strings(keys)
	return keys
}
