// SPDX-License-Identifier: Apache-2.0

package cache

/*
#include "bridge.h"
*/
import "C"

import (
	"errors"
	"runtime"
	"sync"
)

const closedMsg = "heap is closed"

// heapItem and heapData are what client-go's tests look into: the library's lists, taken after each call. The heap lists
// its objects in the order of its array, so that the first one is the next to come.
type heapItem struct {
	obj   interface{}
	index int
}

type heapData struct {
	items map[string]*heapItem
	queue []string
}

func (h *heapData) Len() int {
	return len(h.queue)
}

// Heap is a kin_heap.
type Heap struct {
	heap *C.kin_heap
	lock sync.Mutex
	data *heapData
}

func NewHeap(keyFn KeyFunc, lessFn LessFunc) *Heap {
	handle := (&functions{key: keyFn, less: lessFn}).handle()
	options := C.kin_heap_options{}
	C.bridge_heap_options(&options, C.uintptr_t(handle))
	var heap *C.kin_heap
	must(C.kin_heap_new(&heap, &options, nil))
	h := &Heap{heap: heap, data: &heapData{}}
	release(h, func() {
		C.kin_heap_free(heap)
		handle.Delete()
	})
	return h
}

func (h *Heap) look() {
	h.lock.Lock()
	defer h.lock.Unlock()
	keys, all := h.ListKeys(), h.List()
	h.data = &heapData{items: map[string]*heapItem{}, queue: keys}
	for i := 0; i < len(keys) && i < len(all); i++ {
		h.data.items[keys[i]] = &heapItem{all[i], i}
	}
}

func (h *Heap) call(obj interface{}, call func(object *C.kin_object, err *C.kin_error) C.int) error {
	defer runtime.KeepAlive(h)
	defer h.look()
	object := wrap(obj)
	defer unref(object)
	err := newError()
	return heapError(failure(call(object, err), err))
}

func heapError(err error) error {
	if isCode(err, C.KIN_ECLOSED) {
		return errors.New(closedMsg)
	}
	return err
}

func (h *Heap) Add(obj interface{}) error {
	return h.call(obj, func(object *C.kin_object, err *C.kin_error) C.int { return C.kin_heap_add(h.heap, object, err) })
}

func (h *Heap) AddIfNotPresent(obj interface{}) error {
	return h.call(obj, func(object *C.kin_object, err *C.kin_error) C.int {
		return C.kin_heap_add_if_not_present(h.heap, object, err)
	})
}

func (h *Heap) Update(obj interface{}) error {
	return h.call(obj, func(object *C.kin_object, err *C.kin_error) C.int { return C.kin_heap_update(h.heap, object, err) })
}

func (h *Heap) Delete(obj interface{}) error {
	return h.call(obj, func(object *C.kin_object, err *C.kin_error) C.int { return C.kin_heap_delete(h.heap, object, err) })
}

func (h *Heap) BulkAdd(list []interface{}) error {
	defer runtime.KeepAlive(h)
	defer h.look()
	all := wrapAll(list)
	defer all.unref()
	items, free := all.carray()
	defer free()
	err := newError()
	return heapError(failure(C.kin_heap_bulk_add(h.heap, items, C.size_t(len(all)), err), err))
}

func (h *Heap) Pop() (interface{}, error) {
	defer runtime.KeepAlive(h)
	defer h.look()
	var object *C.kin_object
	err := newError()
	e := heapError(failure(C.kin_heap_pop(h.heap, &object, -1, err), err))
	return take(object), e
}

func (h *Heap) List() []interface{} {
	defer runtime.KeepAlive(h)
	var list C.kin_object_list
	must(C.kin_heap_list(h.heap, &list, nil))
	return takeObjects(&list)
}

func (h *Heap) ListKeys() []string {
	defer runtime.KeepAlive(h)
	var list C.kin_string_list
	must(C.kin_heap_list_keys(h.heap, &list, nil))
	return takeStrings(&list)
}

func (h *Heap) Get(obj interface{}) (interface{}, bool, error) {
	var found *C.kin_object
	err := h.call(obj, func(object *C.kin_object, err *C.kin_error) C.int {
		code := C.kin_heap_get(h.heap, &found, object, err)
		if code == C.KIN_ENOTFOUND {
			return 0
		}
		return code
	})
	return take(found), found != nil, err
}

func (h *Heap) GetByKey(key string) (interface{}, bool, error) {
	defer runtime.KeepAlive(h)
	var found *C.kin_object
	C.kin_heap_get_by_key(h.heap, &found, kstr(key), nil)
	return take(found), found != nil, nil
}

func (h *Heap) Close() {
	defer runtime.KeepAlive(h)
	C.kin_heap_close(h.heap)
}

func (h *Heap) IsClosed() bool {
	defer runtime.KeepAlive(h)
	return bool(C.kin_heap_is_closed(h.heap))
}
