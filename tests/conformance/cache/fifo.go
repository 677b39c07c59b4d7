// SPDX-License-Identifier: Apache-2.0

package cache

/*
#include "bridge.h"
*/
import "C"

import (
	"runtime"
	"runtime/cgo"
	"sync"
)

// FIFO is a kin_fifo. client-go's tests look into items, with the lock held: after each call it has what the library
// lists.
type FIFO struct {
	fifo    *C.kin_fifo
	lock    sync.RWMutex
	items   map[string]interface{}
	synced  syncedSignal
	keyFunc KeyFunc
}

var (
	_ Queue       = &FIFO{}
	_ DoneChecker = &FIFO{}
)

func NewFIFO(keyFunc KeyFunc) *FIFO {
	handle := (&functions{key: keyFunc}).handle()
	var fifo *C.kin_fifo
	must(C.bridge_fifo_new(&fifo, C.uintptr_t(handle)))
	f := &FIFO{fifo: fifo, keyFunc: keyFunc, items: map[string]interface{}{}}
	release(f, func() {
		C.kin_fifo_free(fifo)
		handle.Delete()
	})
	return f
}

func (f *FIFO) look() {
	defer runtime.KeepAlive(f)
	f.lock.Lock()
	defer f.lock.Unlock()
	var keys C.kin_string_list
	must(C.kin_fifo_list_keys(f.fifo, &keys, nil))
	f.items = map[string]interface{}{}
	for _, key := range takeStrings(&keys) {
		var object *C.kin_object
		if C.kin_fifo_get_by_key(f.fifo, &object, kstr(key), nil) == 0 {
			f.items[key] = take(object)
		}
	}
	f.synced.set(bool(C.kin_fifo_has_synced(f.fifo)))
}

func (f *FIFO) Add(obj interface{}) error {
	defer f.look()
	return call(f, obj, func(object *C.kin_object, err *C.kin_error) C.int { return C.kin_fifo_add(f.fifo, object, err) })
}

func (f *FIFO) Update(obj interface{}) error {
	defer f.look()
	return call(f, obj, func(object *C.kin_object, err *C.kin_error) C.int { return C.kin_fifo_update(f.fifo, object, err) })
}

func (f *FIFO) Delete(obj interface{}) error {
	defer f.look()
	return call(f, obj, func(object *C.kin_object, err *C.kin_error) C.int { return C.kin_fifo_delete(f.fifo, object, err) })
}

func (f *FIFO) Replace(list []interface{}, resourceVersion string) error {
	defer f.look()
	return replace(list, func(items **C.kin_object, n C.size_t, err *C.kin_error) C.int {
		return C.kin_fifo_replace(f.fifo, items, n, kstr(resourceVersion), err)
	})
}

func (f *FIFO) Resync() error {
	defer f.look()
	err := newError()
	return failure(C.kin_fifo_resync(f.fifo, err), err)
}

func (f *FIFO) Pop(process PopProcessFunc) (interface{}, error) {
	defer f.look()
	var item interface{}
	p := &popping{object: func(obj interface{}, isInitial bool) error {
		item = obj
		return process(obj, isInitial)
	}}
	handle := cgo.NewHandle(p)
	defer handle.Delete()
	err := newError()
	code := C.bridge_fifo_pop(f.fifo, C.uintptr_t(handle), err)
	return item, p.result(code, err)
}

func (f *FIFO) HasSynced() bool {
	defer runtime.KeepAlive(f)
	return bool(C.kin_fifo_has_synced(f.fifo))
}

func (f *FIFO) HasSyncedChecker() DoneChecker {
	return f
}

func (f *FIFO) Name() string {
	return "FIFO"
}

func (f *FIFO) Done() <-chan struct{} {
	f.lock.Lock()
	defer f.lock.Unlock()
	return f.synced.channel()
}

func (f *FIFO) Close() {
	defer runtime.KeepAlive(f)
	C.kin_fifo_close(f.fifo)
}

func (f *FIFO) IsClosed() bool {
	defer runtime.KeepAlive(f)
	return bool(C.kin_fifo_is_closed(f.fifo))
}

// AddIfNotPresent is that of client-go v0.32.
func (f *FIFO) AddIfNotPresent(obj interface{}) error {
	defer f.look()
	return call(f, obj, func(object *C.kin_object, err *C.kin_error) C.int {
		return C.kin_fifo_add_if_not_present(f.fifo, object, err)
	})
}
