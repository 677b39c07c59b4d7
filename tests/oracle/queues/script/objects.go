// SPDX-License-Identifier: Apache-2.0

package script

import (
	"sort"
	"strings"

	"k8s.io/client-go/tools/cache"
)

// ParseObject reads an item, or a tombstone: ~KEY, or ~KEY:VERSION with its last state.
func ParseObject(text string) any {
	rest, isTombstone := strings.CutPrefix(text, "~")
	if !isTombstone {
		return ParseItem(text)
	}
	key, _, hasState := strings.Cut(rest, ":")
	if !hasState {
		return cache.DeletedFinalStateUnknown{Key: key}
	}
	return cache.DeletedFinalStateUnknown{Key: key, Obj: ParseItem(rest)}
}

// ParseObjects reads as many as there are.
func ParseObjects(args []string) []any {
	objects := make([]any, 0, len(args))
	for _, text := range args {
		objects = append(objects, ParseObject(text))
	}
	return objects
}

// FormatObject writes what ParseObject reads, without tags.
func FormatObject(object any) string {
	if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		if tombstone.Obj == nil {
			return "~" + tombstone.Key
		}
		return "~" + FormatObject(tombstone.Obj)
	}
	return object.(*Item).String()
}

// KeyOfObject knows the keys of tombstones, as the key functions of informers do.
func KeyOfObject(object any) (string, error) {
	if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		return tombstone.Key, nil
	}
	item, ok := object.(*Item)
	if !ok { // RealFIFO asks for the key of a whole list, for its log
		return "", ErrKey
	}
	return KeyOf(item)
}

// TransformObject is the transformer of a queue or a store.
func TransformObject(object any) (any, error) {
	return Transform(object.(*Item))
}

// A SortedStore lists its keys in order, so that deletions and resyncs, which
// client-go makes in the order of this list, come in the same order on both sides.
type SortedStore struct {
	cache.Store
}

// ListKeys has them in order.
func (s SortedStore) ListKeys() []string {
	keys := s.Store.ListKeys()
	sort.Strings(keys)
	return keys
}

// Found is the answer to a question for one object.
func Found(item any, exists bool, err error) string {
	if err != nil || !exists {
		return Line(Outcome(err), "none")
	}
	return Line("ok", FormatObject(item))
}

// Objects is the answer to a question for several.
func Objects(list []any, err error) string {
	var words []string
	for _, object := range list {
		words = append(words, FormatObject(object))
	}
	return Line(Outcome(err), Sorted(words))
}
