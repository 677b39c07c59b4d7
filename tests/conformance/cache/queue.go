// SPDX-License-Identifier: Apache-2.0

package cache

/*
#include "bridge.h"
*/
import "C"

import (
	"errors"
	"runtime"
	"runtime/cgo"
	"unsafe"
)

type (
	PopProcessFunc   func(obj interface{}, isInInitialList bool) error
	ProcessBatchFunc func(deltas []Delta, isInInitialList bool) error
)

var (
	ErrFIFOClosed             = errors.New("DeltaFIFO: manipulating with closed queue")
	ErrZeroLengthDeltasObject = errors.New("0 length Deltas object; can't get key")
)

// ErrRequeue was removed after client-go v0.32: an item whose process function returns it is queued again.
type ErrRequeue struct {
	Err error
}

func (e ErrRequeue) Error() string {
	if e.Err == nil {
		return "the popped item should be requeued without returning an error"
	}
	return e.Err.Error()
}

type ReflectorStore interface {
	Add(obj interface{}) error
	Update(obj interface{}) error
	Delete(obj interface{}) error
	Replace([]interface{}, string) error
	Resync() error
}

type ReflectorBookmarkStore interface {
	Bookmark(resourceVersion string) error
}

type TransformingStore interface {
	ReflectorStore
	Transformer() TransformFunc
}

type DoneChecker interface {
	Name() string
	Done() <-chan struct{}
}

type Queue interface {
	ReflectorStore
	Pop(PopProcessFunc) (interface{}, error)
	HasSynced() bool
	HasSyncedChecker() DoneChecker
	Close()
}

type QueueWithBatch interface {
	Queue
	PopBatch(processBatch ProcessBatchFunc, processSingle PopProcessFunc) error
}

type KeyLister interface {
	ListKeys() []string
}

type KeyGetter interface {
	GetByKey(key string) (value interface{}, exists bool, err error)
}

type KeyListerGetter interface {
	KeyLister
	KeyGetter
}

type DeltaType string

const (
	Added       DeltaType = "Added"
	Updated     DeltaType = "Updated"
	Deleted     DeltaType = "Deleted"
	Replaced    DeltaType = "Replaced"
	ReplacedAll DeltaType = "ReplacedAll"
	Sync        DeltaType = "Sync"
	SyncAll     DeltaType = "SyncAll"
	Bookmark    DeltaType = "Bookmark"
)

type Delta struct {
	Type   DeltaType
	Object interface{}
}

type Deltas []Delta

func (d Deltas) Oldest() *Delta {
	if len(d) == 0 {
		return nil
	}
	return &d[0]
}

func (d Deltas) Newest() *Delta {
	if len(d) == 0 {
		return nil
	}
	return &d[len(d)-1]
}

func copyDeltas(d Deltas) Deltas {
	return append(Deltas{}, d...)
}

type ReplacedAllInfo struct {
	ResourceVersion string
	Objects         []interface{}
}

type BookmarkInfo struct {
	ResourceVersion string
}

type SyncAllInfo struct{}

func unwrapDelta(delta *C.kin_delta) Delta {
	d := Delta{Type: DeltaType(C.GoString(C.kin_delta_type_name(delta._type)))}
	version := gostr(C.kin_delta_resource_version(delta))
	switch d.Type {
	case ReplacedAll:
		var list C.kin_object_list
		must(C.kin_delta_list(delta, &list.items, &list.len, nil))
		d.Object = ReplacedAllInfo{version, unwrapObjects(&list)}
	case SyncAll:
		d.Object = SyncAllInfo{}
	case Bookmark:
		d.Object = BookmarkInfo{version}
	default:
		d.Object = unwrap(delta.object)
	}
	return d
}

func unwrapDeltas(items *C.kin_delta, n C.size_t) Deltas {
	ret := Deltas{}
	all := unsafe.Slice(items, int(n))
	for i := range all {
		ret = append(ret, unwrapDelta(&all[i]))
	}
	return ret
}

// wrapDeltas makes deltas of the library, which live until the function is called.
func wrapDeltas(d Deltas) (C.kin_deltas, func()) {
	all := make(objects, len(d))
	var items *C.kin_delta
	if len(d) > 0 {
		items = (*C.kin_delta)(C.calloc(C.size_t(len(d)), C.size_t(unsafe.Sizeof(*items))))
	}
	to := unsafe.Slice(items, len(d))
	for i := range d {
		all[i] = wrap(d[i].Object)
		to[i] = C.kin_delta{_type: typeOf(d[i].Type), object: all[i]}
	}
	return C.kin_deltas{items: items, len: C.size_t(len(d))}, func() {
		all.unref()
		C.free(unsafe.Pointer(items))
	}
}

// typeOf is 0 if the library has no type of this name.
func typeOf(name DeltaType) C.kin_delta_type {
	for t := C.kin_delta_type(C.KIN_DELTA_ADDED); t <= C.KIN_DELTA_BOOKMARK; t++ {
		if C.GoString(C.kin_delta_type_name(t)) == string(name) {
			return t
		}
	}
	return 0
}

func takeDeltas(list *C.kin_delta_copy) Deltas {
	defer C.kin_delta_copy_done(list)
	return unwrapDeltas(list.items, list.len)
}

// popping is one call of a pop function.
type popping struct {
	process func(all []Deltas, isInitial bool) error
	object  func(obj interface{}, isInitial bool) error
	err     error
}

func (p *popping) result(code C.int, err *C.kin_error) error {
	switch {
	case code == 0:
		return nil
	case p.err != nil:
		return p.err
	case code == C.KIN_ECLOSED:
		return ErrFIFOClosed
	}
	return failure(code, err)
}

func (p *popping) end(e error, err *C.kin_error) C.int {
	if e == nil {
		return 0
	}
	if requeue, ok := e.(ErrRequeue); ok {
		if p.err = requeue.Err; p.err != nil {
			fail(err, C.KIN_EINVAL, p.err)
		}
		return C.KIN_EREQUEUE
	}
	p.err = e
	return fail(err, C.KIN_EINVAL, e)
}

//export goProcess
func goProcess(handle C.uintptr_t, deltas *C.kin_deltas, n C.size_t, isInitial C.bool, err *C.kin_error) C.int {
	p := cgo.Handle(handle).Value().(*popping)
	var all []Deltas
	for _, d := range unsafe.Slice(deltas, int(n)) {
		all = append(all, unwrapDeltas(d.items, d.len))
	}
	return p.end(p.process(all, bool(isInitial)), err)
}

//export goProcessObject
func goProcessObject(handle C.uintptr_t, object *C.kin_object, isInitial C.bool, err *C.kin_error) C.int {
	p := cgo.Handle(handle).Value().(*popping)
	return p.end(p.object(unwrap(object), bool(isInitial)), err)
}

//export goKnownHas
func goKnownHas(handle C.uintptr_t, key *C.char, keyLen C.size_t) C.bool {
	_, exists, err := functionsOf(handle).known.GetByKey(C.GoStringN(key, C.int(keyLen)))
	return C.bool(exists || err != nil)
}

//export goKnownEach
func goKnownEach(handle C.uintptr_t, visit *C.kin_visit_fn, arg unsafe.Pointer) C.int {
	known := functionsOf(handle).known
	for _, key := range known.ListKeys() {
		obj, exists, err := known.GetByKey(key)
		if err != nil || !exists {
			continue
		}
		object := wrap(obj)
		code := C.bridge_visit(visit, kstr(key), object, arg)
		unref(object)
		if code != 0 {
			return code
		}
	}
	return 0
}

// syncedSignal closes a channel when the library has said that a queue is synced.
type syncedSignal struct {
	done     chan struct{}
	isClosed bool
}

func (s *syncedSignal) channel() chan struct{} {
	if s.done == nil {
		s.done = make(chan struct{})
	}
	return s.done
}

func (s *syncedSignal) set(isSynced bool) {
	if isSynced && !s.isClosed {
		s.isClosed = true
		close(s.channel())
	}
}

// call is one call of the library with an object, whose failure is taken for one of the key function.
func call[Q any](queue *Q, obj interface{}, f func(object *C.kin_object, err *C.kin_error) C.int) error {
	defer runtime.KeepAlive(queue)
	object := wrap(obj)
	defer unref(object)
	err := newError()
	if e := failure(f(object, err), err); e != nil {
		return KeyError{obj, e}
	}
	return nil
}

// replace is one call of the library with a list.
func replace(list []interface{}, f func(items **C.kin_object, n C.size_t, err *C.kin_error) C.int) error {
	all := wrapAll(list)
	defer all.unref()
	items, free := all.carray()
	defer free()
	err := newError()
	return failure(f(items, C.size_t(len(all)), err), err)
}
