// SPDX-License-Identifier: Apache-2.0

package cache

/*
#include "bridge.h"
*/
import "C"

import "runtime"

// UndeltaStore is a kin_undelta_store.
type UndeltaStore struct {
	store    *C.kin_undelta_store
	PushFunc func([]interface{})
}

var _ Store = &UndeltaStore{}

func NewUndeltaStore(pushFunc func([]interface{}), keyFunc KeyFunc) *UndeltaStore {
	handle := (&functions{key: keyFunc, push: pushFunc}).handle()
	options := C.kin_undelta_store_options{}
	C.bridge_undelta_store_options(&options, C.uintptr_t(handle))
	var store *C.kin_undelta_store
	must(C.kin_undelta_store_new(&store, &options, nil))
	u := &UndeltaStore{store: store, PushFunc: pushFunc}
	release(u, func() {
		C.kin_undelta_store_unref(store)
		handle.Delete()
	})
	return u
}

func (u *UndeltaStore) call(obj interface{}, call func(object *C.kin_object, err *C.kin_error) C.int) error {
	defer runtime.KeepAlive(u)
	object := wrap(obj)
	defer unref(object)
	err := newError()
	if e := failure(call(object, err), err); e != nil {
		return KeyError{obj, e}
	}
	return nil
}

func (u *UndeltaStore) Add(obj interface{}) error {
	return u.call(obj, func(object *C.kin_object, err *C.kin_error) C.int {
		return C.kin_undelta_store_add(u.store, object, err)
	})
}

func (u *UndeltaStore) Update(obj interface{}) error {
	return u.call(obj, func(object *C.kin_object, err *C.kin_error) C.int {
		return C.kin_undelta_store_update(u.store, object, err)
	})
}

func (u *UndeltaStore) Delete(obj interface{}) error {
	return u.call(obj, func(object *C.kin_object, err *C.kin_error) C.int {
		return C.kin_undelta_store_delete(u.store, object, err)
	})
}

func (u *UndeltaStore) Get(obj interface{}) (item interface{}, exists bool, err error) {
	var found *C.kin_object
	err = u.call(obj, func(object *C.kin_object, err *C.kin_error) C.int {
		code := C.kin_undelta_store_get_object(u.store, &found, object, err)
		if code == C.KIN_ENOTFOUND {
			return 0
		}
		return code
	})
	return take(found), found != nil, err
}

func (u *UndeltaStore) GetByKey(key string) (item interface{}, exists bool, err error) {
	defer runtime.KeepAlive(u)
	var found *C.kin_object
	C.kin_undelta_store_get(u.store, &found, kstr(key), nil)
	return take(found), found != nil, nil
}

func (u *UndeltaStore) List() []interface{} {
	defer runtime.KeepAlive(u)
	var list C.kin_object_list
	must(C.kin_undelta_store_list(u.store, &list, nil))
	return takeObjects(&list)
}

func (u *UndeltaStore) ListKeys() []string {
	defer runtime.KeepAlive(u)
	var list C.kin_string_list
	must(C.kin_undelta_store_list_keys(u.store, &list, nil))
	return takeStrings(&list)
}

func (u *UndeltaStore) LastStoreSyncResourceVersion() string {
	defer runtime.KeepAlive(u)
	var version [C.KIN_RESOURCE_VERSION_BYTES_MAX + 1]C.char
	C.kin_undelta_store_resource_version(u.store, &version[0], C.size_t(len(version)))
	return C.GoString(&version[0])
}

func (u *UndeltaStore) Bookmark(rv string) {
	defer runtime.KeepAlive(u)
	must(C.kin_undelta_store_bookmark(u.store, kstr(rv), nil))
}

func (u *UndeltaStore) Replace(list []interface{}, resourceVersion string) error {
	defer runtime.KeepAlive(u)
	all := wrapAll(list)
	defer all.unref()
	items, free := all.carray()
	defer free()
	err := newError()
	return failure(C.kin_undelta_store_replace(u.store, items, C.size_t(len(all)), kstr(resourceVersion), err), err)
}

func (u *UndeltaStore) Resync() error {
	defer runtime.KeepAlive(u)
	err := newError()
	return failure(C.kin_undelta_store_resync(u.store, err), err)
}
