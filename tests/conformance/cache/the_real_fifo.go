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

	"k8s.io/klog/v2"
)

type RealFIFOOptions struct {
	Logger                *klog.Logger
	Name                  string
	KeyFunction           KeyFunc
	KnownObjects          KeyListerGetter
	Transformer           TransformFunc
	AtomicEvents          bool
	UnlockWhileProcessing bool
	EmitDeltaTypeBookmark bool
}

const defaultBatchSize = 1000

// RealFIFO is a kin_ordered_fifo, made at the first call, since client-go's tests set options until then.
//
// They look into items, with the lock held: after each call it has what the library lists.
type RealFIFO struct {
	logger                klog.Logger
	once                  sync.Once
	fifo                  *C.kin_ordered_fifo
	lock                  sync.RWMutex
	items                 []Delta
	synced                syncedSignal
	name                  string
	keyFunc               KeyFunc
	knownObjects          KeyListerGetter
	transformer           TransformFunc
	batchSize             int
	emitAtomicEvents      bool
	emitDeltaTypeBookmark bool
}

var (
	_ QueueWithBatch         = &RealFIFO{}
	_ TransformingStore      = &RealFIFO{}
	_ ReflectorBookmarkStore = &RealFIFO{}
	_ DoneChecker            = &RealFIFO{}
)

func NewRealFIFO(keyFunc KeyFunc, knownObjects KeyListerGetter, transformer TransformFunc) *RealFIFO {
	return NewRealFIFOWithOptions(RealFIFOOptions{KeyFunction: keyFunc, KnownObjects: knownObjects, Transformer: transformer})
}

func NewRealFIFOWithOptions(opts RealFIFOOptions) *RealFIFO {
	f := &RealFIFO{name: opts.Name, keyFunc: opts.KeyFunction, knownObjects: opts.KnownObjects,
		transformer: opts.Transformer, batchSize: defaultBatchSize, emitAtomicEvents: opts.AtomicEvents,
		emitDeltaTypeBookmark: opts.EmitDeltaTypeBookmark, items: []Delta{}}
	if f.keyFunc == nil {
		f.keyFunc = MetaNamespaceKeyFunc
	}
	if f.name == "" {
		f.name = "RealFIFO"
	}
	return f
}

func (f *RealFIFO) kin() *C.kin_ordered_fifo {
	f.once.Do(func() {
		handle := (&functions{key: f.keyFunc, transform: f.transformer, known: f.knownObjects}).handle()
		var fifo *C.kin_ordered_fifo
		isAtomic := f.emitAtomicEvents || f.knownObjects == nil
		must(C.bridge_ordered_fifo_new(&fifo, C.uintptr_t(handle), C.bool(f.transformer != nil),
			C.bool(!isAtomic), C.bool(isAtomic && f.emitDeltaTypeBookmark)))
		f.fifo = fifo
		release(f, func() {
			C.kin_ordered_fifo_free(fifo)
			handle.Delete()
		})
	})
	return f.fifo
}

func (f *RealFIFO) look() {
	defer runtime.KeepAlive(f)
	f.lock.Lock()
	defer f.lock.Unlock()
	var items C.kin_delta_copy
	must(C.kin_ordered_fifo_list(f.kin(), &items, nil))
	f.items = takeDeltas(&items)
	f.synced.set(bool(C.kin_ordered_fifo_has_synced(f.kin())))
}

func (f *RealFIFO) Add(obj interface{}) error {
	defer f.look()
	return call(f, obj, func(object *C.kin_object, err *C.kin_error) C.int {
		return C.kin_ordered_fifo_add(f.kin(), object, err)
	})
}

func (f *RealFIFO) Update(obj interface{}) error {
	defer f.look()
	return call(f, obj, func(object *C.kin_object, err *C.kin_error) C.int {
		return C.kin_ordered_fifo_update(f.kin(), object, err)
	})
}

func (f *RealFIFO) Delete(obj interface{}) error {
	defer f.look()
	return call(f, obj, func(object *C.kin_object, err *C.kin_error) C.int {
		return C.kin_ordered_fifo_delete(f.kin(), object, err)
	})
}

func (f *RealFIFO) Replace(newItems []interface{}, resourceVersion string) error {
	defer f.look()
	return replace(newItems, func(items **C.kin_object, n C.size_t, err *C.kin_error) C.int {
		return C.kin_ordered_fifo_replace(f.kin(), items, n, kstr(resourceVersion), err)
	})
}

func (f *RealFIFO) Resync() error {
	defer f.look()
	err := newError()
	return failure(C.kin_ordered_fifo_resync(f.kin(), err), err)
}

func (f *RealFIFO) Bookmark(resourceVersion string) error {
	defer f.look()
	err := newError()
	return failure(C.kin_ordered_fifo_bookmark(f.kin(), kstr(resourceVersion), err), err)
}

func (f *RealFIFO) Pop(process PopProcessFunc) (interface{}, error) {
	defer f.look()
	var item interface{}
	p := &popping{process: func(all []Deltas, isInitial bool) error {
		item = all[0]
		return process(all[0], isInitial)
	}}
	handle := cgo.NewHandle(p)
	defer handle.Delete()
	err := newError()
	code := C.bridge_ordered_fifo_pop(f.kin(), C.uintptr_t(handle), err)
	return item, p.result(code, err)
}

// PopBatch has one function for one change and another for several; the library has one for any number.
func (f *RealFIFO) PopBatch(processBatch ProcessBatchFunc, processSingle PopProcessFunc) error {
	defer f.look()
	p := &popping{process: func(all []Deltas, isInitial bool) error {
		if len(all) == 1 {
			return processSingle(all[0], isInitial)
		}
		var batch []Delta
		for _, deltas := range all {
			batch = append(batch, deltas...)
		}
		return processBatch(batch, isInitial)
	}}
	handle := cgo.NewHandle(p)
	defer handle.Delete()
	err := newError()
	return p.result(C.bridge_ordered_fifo_pop_batch(f.kin(), C.uintptr_t(handle), C.size_t(f.batchSize), err), err)
}

func (f *RealFIFO) keyOf(obj interface{}) (string, error) {
	switch o := obj.(type) {
	case Deltas:
		if len(o) == 0 {
			return "", KeyError{obj, ErrZeroLengthDeltasObject}
		}
		obj = o.Newest().Object
	case Delta:
		obj = o.Object
	}
	key := ""
	err := call(f, obj, func(object *C.kin_object, err *C.kin_error) C.int {
		var ret C.kin_str
		code := C.kin_ordered_fifo_key_of(f.kin(), &ret, object, err)
		if code == 0 {
			key = gostr(ret)
		}
		return code
	})
	return key, err
}

func (f *RealFIFO) HasSynced() bool {
	defer runtime.KeepAlive(f)
	return bool(C.kin_ordered_fifo_has_synced(f.kin()))
}

func (f *RealFIFO) HasSyncedChecker() DoneChecker {
	return f
}

func (f *RealFIFO) Name() string {
	return f.name
}

func (f *RealFIFO) Done() <-chan struct{} {
	f.lock.Lock()
	defer f.lock.Unlock()
	return f.synced.channel()
}

func (f *RealFIFO) Transformer() TransformFunc {
	return f.transformer
}

func (f *RealFIFO) Close() {
	defer runtime.KeepAlive(f)
	C.kin_ordered_fifo_close(f.kin())
}

func (f *RealFIFO) IsClosed() bool {
	defer runtime.KeepAlive(f)
	return bool(C.kin_ordered_fifo_is_closed(f.kin()))
}
