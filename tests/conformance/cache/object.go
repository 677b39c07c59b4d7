// SPDX-License-Identifier: Apache-2.0

package cache

/*
#cgo CFLAGS: -I${SRCDIR}/../../../include
#include "bridge.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"hash/fnv"
	"reflect"
	"runtime"
	"runtime/cgo"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/meta"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
)

// wrap makes an object of a Go value, with one reference. The library sees a DeletedFinalStateUnknown as a tombstone
// and an ExplicitKey as an explicit key.
func wrap(obj interface{}) *C.kin_object {
	var ret *C.kin_object
	switch o := obj.(type) {
	case nil:
		return nil
	case DeletedFinalStateUnknown:
		last := wrap(o.Obj)
		must(C.kin_tombstone_new(&ret, kstr(o.Key), last, nil))
		unref(last)
	case ExplicitKey:
		must(C.kin_explicit_key_new(&ret, kstr(string(o)), nil))
	default:
		ret = newObject(obj)
	}
	return ret
}

// wrapWithKey makes an object that has a key of the caller's, which no KeyFunc computes.
func wrapWithKey(key string, obj interface{}) *C.kin_object {
	if _, ok := obj.(DeletedFinalStateUnknown); ok {
		return wrap(obj)
	}
	ret := newObject(obj)
	C.bridge_object_set_key(ret, (*C.char)(unsafe.Pointer(unsafe.StringData(key))), C.size_t(len(key)))
	return ret
}

func newObject(obj interface{}) *C.kin_object {
	handle := C.uintptr_t(keepValue(obj))
	var b texts
	if m, err := meta.Accessor(obj); err == nil && !isNil(obj) {
		key := m.GetName()
		if ns := m.GetNamespace(); ns != "" {
			key = ns + "/" + key
		}
		kind, apiVersion := kindOf(obj)
		b.add(key, m.GetNamespace(), m.GetName(), m.GetResourceVersion(), kind, apiVersion, string(m.GetUID()), "")
		b.addPairs(m.GetLabels())
		b.addPairs(m.GetAnnotations())
		return C.bridge_object_new(handle, b.data(), &b.lengths[0], C.size_t(len(m.GetLabels())),
			C.size_t(len(m.GetAnnotations())))
	}
	if m, err := meta.ListAccessor(obj); err == nil && !isNil(obj) {
		kind, apiVersion := kindOf(obj)
		b.add("", "", "", m.GetResourceVersion(), kind, apiVersion, "", m.GetContinue())
		return C.bridge_object_new(handle, b.data(), &b.lengths[0], 0, 0)
	}
	kind, apiVersion := kindOf(obj)
	b.add("", "", "", "", kind, apiVersion, "", "")
	return C.bridge_object_new(handle, b.data(), &b.lengths[0], 0, 0)
}

func isNil(obj interface{}) bool {
	v := reflect.ValueOf(obj)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// kindOf is what a reflector compares: kind and apiVersion if the value says so, and else its Go type.
func kindOf(obj interface{}) (kind, apiVersion string) {
	if o, ok := obj.(apiruntime.Object); ok && !isNil(obj) {
		gvk := o.GetObjectKind().GroupVersionKind()
		if _, ok := obj.(apiruntime.Unstructured); ok {
			return gvk.Kind, gvk.GroupVersion().String()
		}
	}
	return reflect.TypeOf(obj).String(), ""
}

// texts is one string after the other, each with a zero byte, as bridge_object_new() wants them.
type texts struct {
	bytes   []byte
	lengths []C.size_t
}

func (b *texts) add(all ...string) {
	for _, s := range all {
		b.bytes = append(append(b.bytes, s...), 0)
		b.lengths = append(b.lengths, C.size_t(len(s)))
	}
}

func (b *texts) addPairs(pairs map[string]string) {
	for key, value := range pairs {
		b.add(key, value)
	}
}

func (b *texts) data() *C.char {
	return (*C.char)(unsafe.Pointer(&b.bytes[0]))
}

// unwrap is the Go value of an object.
func unwrap(object *C.kin_object) interface{} {
	var last *C.kin_object
	if object == nil {
		return nil
	}
	if number := C.bridge_object_value(object); number != 0 {
		return valueOf(uintptr(number))
	}
	switch {
	case bool(C.kin_object_is_tombstone(object, &last)):
		return DeletedFinalStateUnknown{Key: C.GoString(C.kin_object_key(object)), Obj: unwrap(last)}
	}
	return ExplicitKey(C.GoString(C.kin_object_key(object)))
}

// take is unwrap, and gives the reference back.
func take(object *C.kin_object) interface{} {
	defer unref(object)
	return unwrap(object)
}

func unref(object *C.kin_object) {
	C.kin_object_unref(object)
}

// objects is an array of objects for a call, each with a reference.
type objects []*C.kin_object

func wrapAll(list []interface{}) objects {
	all := make(objects, len(list))
	for i, obj := range list {
		all[i] = wrap(obj)
	}
	return all
}

func (o objects) unref() {
	for _, object := range o {
		unref(object)
	}
}

// carray copies the pointers to C's memory: an array in Go's memory would be checked element by element.
func (o objects) carray() (**C.kin_object, func()) {
	if len(o) == 0 {
		return nil, func() {}
	}
	at := (**C.kin_object)(C.malloc(C.size_t(len(o)) * C.size_t(unsafe.Sizeof(o[0]))))
	copy(unsafe.Slice(at, len(o)), o)
	return at, func() { C.free(unsafe.Pointer(at)) }
}

func takeObjects(list *C.kin_object_list) []interface{} {
	defer C.kin_object_list_done(list)
	return unwrapObjects(list)
}

func unwrapObjects(list *C.kin_object_list) []interface{} {
	ret := make([]interface{}, 0, int(list.len))
	for _, object := range unsafe.Slice(list.items, int(list.len)) {
		ret = append(ret, unwrap(object))
	}
	return ret
}

func takeStrings(list *C.kin_string_list) []string {
	defer C.kin_string_list_done(list)
	ret := make([]string, 0, int(list.len))
	for _, s := range unsafe.Slice(list.items, int(list.len)) {
		ret = append(ret, gostr(s))
	}
	return ret
}

func kstr(s string) C.kin_str {
	return C.kin_str{data: (*C.char)(unsafe.Pointer(unsafe.StringData(s))), len: C.size_t(len(s))}
}

func gostr(s C.kin_str) string {
	return C.GoStringN(s.data, C.int(s.len))
}

// Error is a failure of the library.
type Error struct {
	Code    int
	Message string
}

func (e *Error) Error() string {
	return e.Message
}

func newError() *C.kin_error {
	return &C.kin_error{size: C.size_t(unsafe.Sizeof(C.kin_error{}))}
}

// failure is nil for 0, and else what err says.
func failure(code C.int, err *C.kin_error) error {
	if code >= 0 {
		return nil
	}
	message := ""
	if err != nil {
		message = C.GoString(&err.message[0])
	}
	if message == "" {
		message = C.GoString(C.kin_error_string(code))
	}
	return &Error{int(code), message}
}

func isCode(err error, code C.int) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == int(code)
}

// must is for calls that fail for lack of memory only.
func must(code C.int) {
	if code < 0 {
		panic(failure(code, nil))
	}
}

// fail reports the error of a callback.
func fail(err *C.kin_error, code C.int, reason error) C.int {
	text := C.CString(reason.Error())
	defer C.free(unsafe.Pointer(text))
	return C.bridge_error_set(err, code, text)
}

// release lets Go free something of C's when its owner is gone.
func release[T any](owner *T, free func()) {
	runtime.AddCleanup(owner, func(free func()) { free() }, free)
}

//export goRelease
func goRelease(handle C.uintptr_t) {
	cgo.Handle(handle).Delete()
}

//export goDrop
func goDrop(number C.uintptr_t) {
	dropValue(uintptr(number))
}

//export goHash
func goHash(number C.uintptr_t) C.uint64_t {
	h := fnv.New64a()
	fmt.Fprintf(h, "%#v", valueOf(uintptr(number)))
	return C.uint64_t(h.Sum64())
}

// functions are those that a store or queue of the library calls back.
type functions struct {
	key       KeyFunc
	transform TransformFunc
	less      LessFunc
	expired   func(obj interface{}, key string, storedAt int64) bool
	push      func([]interface{})
	known     KeyListerGetter
	informer  *informerHooks
}

func (f *functions) handle() cgo.Handle {
	return cgo.NewHandle(f)
}

func functionsOf(handle C.uintptr_t) *functions {
	return cgo.Handle(handle).Value().(*functions)
}

//export goKey
func goKey(handle C.uintptr_t, object *C.kin_object, err *C.kin_error) C.int {
	key, e := functionsOf(handle).key(unwrap(object))
	if e != nil {
		return fail(err, C.KIN_EINVAL, e)
	}
	C.bridge_object_set_key(object, (*C.char)(unsafe.Pointer(unsafe.StringData(key))), C.size_t(len(key)))
	return 0
}

//export goTransform
func goTransform(handle C.uintptr_t, object *C.kin_object, ret **C.kin_object, err *C.kin_error) C.int {
	obj, e := functionsOf(handle).transform(unwrap(object))
	if e != nil {
		return fail(err, C.KIN_EINVAL, e)
	}
	*ret = wrap(obj)
	return 0
}

//export goLess
func goLess(handle C.uintptr_t, a, b *C.kin_object) C.bool {
	return C.bool(functionsOf(handle).less(unwrap(a), unwrap(b)))
}

//export goExpired
func goExpired(handle C.uintptr_t, object *C.kin_object, storedAt C.int64_t) C.bool {
	return C.bool(functionsOf(handle).expired(unwrap(object), C.GoString(C.kin_object_key(object)), int64(storedAt)))
}

//export goPush
func goPush(handle C.uintptr_t, list *C.kin_object_list) {
	functionsOf(handle).push(unwrapObjects(list))
}

//export goIndex
func goIndex(handle C.uintptr_t, object *C.kin_object, values *C.kin_index_values, err *C.kin_error) C.int {
	all, e := cgo.Handle(handle).Value().(IndexFunc)(unwrap(object))
	if e != nil {
		return fail(err, C.KIN_EINVAL, e)
	}
	for _, value := range all {
		if code := C.kin_index_values_add(values, kstr(value), err); code < 0 {
			return code
		}
	}
	return 0
}

//export goVisit
func goVisit(handle C.uintptr_t, key *C.char, keyLen C.size_t, object *C.kin_object) C.int {
	cgo.Handle(handle).Value().(func(string, interface{}))(C.GoStringN(key, C.int(keyLen)), unwrap(object))
	return 0
}
