// SPDX-License-Identifier: Apache-2.0

package cache

/*
#include "bridge.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"runtime/cgo"
	"sync"

	"k8s.io/klog/v2"
)

type DeltaFIFOOptions struct {
	Logger                *klog.Logger
	Name                  string
	KeyFunction           KeyFunc
	KnownObjects          KeyListerGetter
	EmitDeltaTypeReplaced bool
	Transformer           TransformFunc
}

// DeltaFIFO is a kin_delta_fifo, made at the first call, since client-go's tests set options until then.
//
// They look into items and queue, with the lock held: after each call these have what the library lists.
type DeltaFIFO struct {
	once                  sync.Once
	fifo                  *C.kin_delta_fifo
	lock                  sync.RWMutex
	items                 map[string]Deltas
	queue                 []string
	synced                syncedSignal
	name                  string
	keyFunc               KeyFunc
	knownObjects          KeyListerGetter
	emitDeltaTypeReplaced bool
	transformer           TransformFunc
}

var (
	_ Queue             = &DeltaFIFO{}
	_ TransformingStore = &DeltaFIFO{}
	_ DoneChecker       = &DeltaFIFO{}
)

func NewDeltaFIFO(keyFunc KeyFunc, knownObjects KeyListerGetter) *DeltaFIFO {
	return NewDeltaFIFOWithOptions(DeltaFIFOOptions{KeyFunction: keyFunc, KnownObjects: knownObjects})
}

func NewDeltaFIFOWithOptions(opts DeltaFIFOOptions) *DeltaFIFO {
	f := &DeltaFIFO{name: opts.Name, keyFunc: opts.KeyFunction, knownObjects: opts.KnownObjects,
		emitDeltaTypeReplaced: opts.EmitDeltaTypeReplaced, transformer: opts.Transformer, items: map[string]Deltas{}}
	if f.keyFunc == nil {
		f.keyFunc = MetaNamespaceKeyFunc
	}
	if f.name == "" {
		f.name = "DeltaFIFO"
	}
	return f
}

func (f *DeltaFIFO) kin() *C.kin_delta_fifo {
	f.once.Do(func() {
		handle := (&functions{key: f.keyFunc, transform: f.transformer, known: f.knownObjects}).handle()
		var fifo *C.kin_delta_fifo
		must(C.bridge_delta_fifo_new(&fifo, C.uintptr_t(handle), C.bool(f.transformer != nil),
			C.bool(f.knownObjects != nil), C.bool(f.emitDeltaTypeReplaced)))
		f.fifo = fifo
		release(f, func() {
			C.kin_delta_fifo_free(fifo)
			handle.Delete()
		})
	})
	return f.fifo
}

func (f *DeltaFIFO) look() {
	defer runtime.KeepAlive(f)
	f.lock.Lock()
	defer f.lock.Unlock()
	var keys C.kin_string_list
	must(C.kin_delta_fifo_list_keys(f.kin(), &keys, nil))
	f.queue = takeStrings(&keys)
	f.items = map[string]Deltas{}
	for _, key := range f.queue {
		var deltas C.kin_delta_copy
		if C.kin_delta_fifo_get_by_key(f.kin(), &deltas, kstr(key), nil) == 0 {
			f.items[key] = takeDeltas(&deltas)
		}
	}
	f.synced.set(bool(C.kin_delta_fifo_has_synced(f.kin())))
}

func (f *DeltaFIFO) Add(obj interface{}) error {
	defer f.look()
	return call(f, obj, func(object *C.kin_object, err *C.kin_error) C.int {
		return C.kin_delta_fifo_add(f.kin(), object, err)
	})
}

func (f *DeltaFIFO) Update(obj interface{}) error {
	defer f.look()
	return call(f, obj, func(object *C.kin_object, err *C.kin_error) C.int {
		return C.kin_delta_fifo_update(f.kin(), object, err)
	})
}

func (f *DeltaFIFO) Delete(obj interface{}) error {
	defer f.look()
	return call(f, obj, func(object *C.kin_object, err *C.kin_error) C.int {
		return C.kin_delta_fifo_delete(f.kin(), object, err)
	})
}

func (f *DeltaFIFO) Replace(list []interface{}, resourceVersion string) error {
	defer f.look()
	return replace(list, func(items **C.kin_object, n C.size_t, err *C.kin_error) C.int {
		return C.kin_delta_fifo_replace(f.kin(), items, n, kstr(resourceVersion), err)
	})
}

func (f *DeltaFIFO) Resync() error {
	defer f.look()
	err := newError()
	return failure(C.kin_delta_fifo_resync(f.kin(), err), err)
}

func (f *DeltaFIFO) Pop(process PopProcessFunc) (interface{}, error) {
	defer f.look()
	var item interface{}
	p := &popping{process: func(all []Deltas, isInitial bool) error {
		item = all[0]
		return process(all[0], isInitial)
	}}
	handle := cgo.NewHandle(p)
	defer handle.Delete()
	err := newError()
	code := C.bridge_delta_fifo_pop(f.kin(), C.uintptr_t(handle), err)
	return item, p.result(code, err)
}

func (f *DeltaFIFO) KeyOf(obj interface{}) (string, error) {
	defer runtime.KeepAlive(f)
	if deltas, ok := obj.(Deltas); ok {
		if len(deltas) == 0 {
			return "", KeyError{obj, ErrZeroLengthDeltasObject}
		}
		obj = deltas.Newest().Object
	}
	key := ""
	err := call(f, obj, func(object *C.kin_object, err *C.kin_error) C.int {
		var ret C.kin_str
		code := C.kin_delta_fifo_key_of(f.kin(), &ret, object, err)
		if code == 0 {
			key = gostr(ret)
		}
		return code
	})
	return key, err
}

func (f *DeltaFIFO) HasSynced() bool {
	defer runtime.KeepAlive(f)
	return bool(C.kin_delta_fifo_has_synced(f.kin()))
}

func (f *DeltaFIFO) HasSyncedChecker() DoneChecker {
	return f
}

func (f *DeltaFIFO) Name() string {
	return f.name
}

func (f *DeltaFIFO) Done() <-chan struct{} {
	f.lock.Lock()
	defer f.lock.Unlock()
	return f.synced.channel()
}

func (f *DeltaFIFO) Transformer() TransformFunc {
	return f.transformer
}

func (f *DeltaFIFO) Close() {
	defer runtime.KeepAlive(f)
	C.kin_delta_fifo_close(f.kin())
}

func (f *DeltaFIFO) IsClosed() bool {
	defer runtime.KeepAlive(f)
	return bool(C.kin_delta_fifo_is_closed(f.kin()))
}

// AddIfNotPresent, Get, GetByKey, List and ListKeys are those of client-go v0.32.
func (f *DeltaFIFO) AddIfNotPresent(obj interface{}) error {
	defer f.look()
	deltas, ok := obj.(Deltas)
	if !ok {
		return fmt.Errorf("object must be of type deltas, but got: %#v", obj)
	}
	all, free := wrapDeltas(deltas)
	defer free()
	err := newError()
	e := failure(C.kin_delta_fifo_add_if_not_present(f.kin(), &all, err), err)
	switch {
	case e == nil:
		return nil
	case len(deltas) == 0:
		e = ErrZeroLengthDeltasObject
	}
	return KeyError{obj, e}
}

func (f *DeltaFIFO) Get(obj interface{}) (item interface{}, exists bool, err error) {
	var deltas C.kin_delta_copy
	err = call(f, obj, func(object *C.kin_object, err *C.kin_error) C.int {
		code := C.kin_delta_fifo_get(f.kin(), &deltas, object, err)
		exists = code == 0
		if code == C.KIN_ENOTFOUND {
			return 0
		}
		return code
	})
	return takeDeltas(&deltas), exists, err
}

func (f *DeltaFIFO) GetByKey(key string) (item interface{}, exists bool, err error) {
	defer runtime.KeepAlive(f)
	var deltas C.kin_delta_copy
	code := C.kin_delta_fifo_get_by_key(f.kin(), &deltas, kstr(key), nil)
	if code != C.KIN_ENOTFOUND {
		err = failure(code, nil)
	}
	return takeDeltas(&deltas), code == 0, err
}

func (f *DeltaFIFO) List() []interface{} {
	defer runtime.KeepAlive(f)
	var list C.kin_object_list
	must(C.kin_delta_fifo_list(f.kin(), &list, nil))
	return takeObjects(&list)
}

func (f *DeltaFIFO) ListKeys() []string {
	defer runtime.KeepAlive(f)
	var keys C.kin_string_list
	must(C.kin_delta_fifo_list_keys(f.kin(), &keys, nil))
	return takeStrings(&keys)
}
