// SPDX-License-Identifier: Apache-2.0

package cache

import "sync"

// values are the Go values of all objects that the library has. Numbers from 1 stand for them in C: a test makes
// millions of objects, for which runtime/cgo.Handle is slow.
var values struct {
	lock sync.RWMutex
	all  []interface{}
	free []uintptr
}

func keepValue(value interface{}) uintptr {
	values.lock.Lock()
	defer values.lock.Unlock()
	if n := len(values.free); n > 0 {
		number := values.free[n-1]
		values.free = values.free[:n-1]
		values.all[number-1] = value
		return number
	}
	values.all = append(values.all, value)
	return uintptr(len(values.all))
}

func valueOf(number uintptr) interface{} {
	values.lock.RLock()
	defer values.lock.RUnlock()
	return values.all[number-1]
}

func dropValue(number uintptr) {
	values.lock.Lock()
	defer values.lock.Unlock()
	values.all[number-1] = nil
	values.free = append(values.free, number)
}
