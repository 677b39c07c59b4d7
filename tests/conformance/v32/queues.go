// SPDX-License-Identifier: Apache-2.0

//go:build v32

// Package cache with this file is that of client-go v0.32. Later tests declare these functions themselves, so that the
// runner adds it to the files of ../cache for v0.32's tests only.
package cache

/*
#include "bridge.h"
*/
import "C"

import "runtime"

func Pop(queue Queue) interface{} {
	var result interface{}
	queue.Pop(func(obj interface{}, isInInitialList bool) error {
		result = obj
		return nil
	})
	return result
}

func (f *FIFO) Get(obj interface{}) (item interface{}, exists bool, err error) {
	var found *C.kin_object
	err = call(f, obj, func(object *C.kin_object, err *C.kin_error) C.int {
		code := C.kin_fifo_get(f.fifo, &found, object, err)
		if code == C.KIN_ENOTFOUND {
			return 0
		}
		return code
	})
	return take(found), found != nil, err
}

func (f *FIFO) GetByKey(key string) (item interface{}, exists bool, err error) {
	defer runtime.KeepAlive(f)
	var found *C.kin_object
	code := C.kin_fifo_get_by_key(f.fifo, &found, kstr(key), nil)
	if code != C.KIN_ENOTFOUND {
		err = failure(code, nil)
	}
	return take(found), code == 0, err
}

func (f *FIFO) List() []interface{} {
	defer runtime.KeepAlive(f)
	var list C.kin_object_list
	must(C.kin_fifo_list(f.fifo, &list, nil))
	return takeObjects(&list)
}

func (f *FIFO) ListKeys() []string {
	defer runtime.KeepAlive(f)
	var keys C.kin_string_list
	must(C.kin_fifo_list_keys(f.fifo, &keys, nil))
	return takeStrings(&keys)
}
