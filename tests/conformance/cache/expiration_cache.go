// SPDX-License-Identifier: Apache-2.0

package cache

/*
#include "bridge.h"
*/
import "C"

import (
	"runtime"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/clock"
)

type TimestampedEntry struct {
	Obj       interface{}
	Timestamp time.Time
	key       string
}

type ExpirationPolicy interface {
	IsExpired(obj *TimestampedEntry) bool
}

type TTLPolicy struct {
	TTL   time.Duration
	Clock clock.Clock
}

// IsExpired asks a store of the library whose clock is as much ahead as the entry is old.
func (p *TTLPolicy) IsExpired(obj *TimestampedEntry) bool {
	var kinClock *C.kin_clock
	must(C.kin_clock_new_fake(&kinClock, 0, nil))
	defer C.kin_clock_unref(kinClock)
	s := newExpirationCache(func(interface{}) (string, error) { return obj.key, nil }, nil, kinClock, p.TTL)
	if err := s.Add(obj.Obj); err != nil {
		panic(err)
	}
	must(C.kin_clock_advance(kinClock, C.int64_t(p.Clock.Now().Sub(obj.Timestamp)), nil))
	_, exists, _ := s.GetByKey(obj.key)
	return !exists
}

// ExpirationCache is a kin_expiring_store.
type ExpirationCache struct {
	store   *C.kin_expiring_store
	deleted chan<- string
}

var _ Store = &ExpirationCache{}

func newExpirationCache(keyFunc KeyFunc, policy ExpirationPolicy, kinClock *C.kin_clock, ttl time.Duration) *ExpirationCache {
	f := &functions{key: keyFunc}
	if policy != nil {
		f.expired = func(obj interface{}, key string, storedAt int64) bool {
			age := time.Duration(int64(C.kin_clock_now(C.kin_clock_system())) - storedAt)
			return policy.IsExpired(&TimestampedEntry{Obj: obj, Timestamp: time.Now().Add(-age), key: key})
		}
	}
	handle := f.handle()
	options := C.kin_expiring_store_options{}
	C.bridge_expiring_store_options(&options, C.uintptr_t(handle), C.bool(policy != nil))
	options.clock = kinClock
	options.ttl_ms = C.int64_t(ttl.Milliseconds())
	var store *C.kin_expiring_store
	must(C.kin_expiring_store_new(&store, &options, nil))
	s := &ExpirationCache{store: store}
	release(s, func() {
		C.kin_expiring_store_unref(store)
		handle.Delete()
	})
	return s
}

func NewTTLStore(keyFunc KeyFunc, ttl time.Duration) Store {
	return newExpirationCache(keyFunc, nil, nil, ttl)
}

func NewExpirationStore(keyFunc KeyFunc, expirationPolicy ExpirationPolicy) Store {
	return newExpirationCache(keyFunc, expirationPolicy, nil, 0)
}

// FakeExpirationPolicy expires everything but some keys.
type FakeExpirationPolicy struct {
	NeverExpire     sets.Set[string]
	RetrieveKeyFunc KeyFunc
}

func (p *FakeExpirationPolicy) IsExpired(obj *TimestampedEntry) bool {
	key, _ := p.RetrieveKeyFunc(obj)
	return !p.NeverExpire.Has(key)
}

// NewFakeExpirationStore sends the keys that a read has made the library drop.
func NewFakeExpirationStore(keyFunc KeyFunc, deletedKeys chan<- string, expirationPolicy ExpirationPolicy, _ clock.Clock) Store {
	s := newExpirationCache(keyFunc, expirationPolicy, nil, 0)
	s.deleted = deletedKeys
	return s
}

func (c *ExpirationCache) reportDeleted(before []string) {
	if c.deleted == nil {
		return
	}
	after := sets.New(c.ListKeys()...)
	for _, key := range before {
		if !after.Has(key) {
			c.deleted <- key
		}
	}
}

func (c *ExpirationCache) call(obj interface{}, call func(object *C.kin_object, err *C.kin_error) C.int) error {
	defer runtime.KeepAlive(c)
	object := wrap(obj)
	defer unref(object)
	err := newError()
	if e := failure(call(object, err), err); e != nil {
		return KeyError{obj, e}
	}
	return nil
}

func (c *ExpirationCache) Add(obj interface{}) error {
	return c.call(obj, func(object *C.kin_object, err *C.kin_error) C.int {
		return C.kin_expiring_store_add(c.store, object, err)
	})
}

func (c *ExpirationCache) Update(obj interface{}) error {
	return c.call(obj, func(object *C.kin_object, err *C.kin_error) C.int {
		return C.kin_expiring_store_update(c.store, object, err)
	})
}

func (c *ExpirationCache) Delete(obj interface{}) error {
	return c.call(obj, func(object *C.kin_object, err *C.kin_error) C.int {
		return C.kin_expiring_store_delete(c.store, object, err)
	})
}

func (c *ExpirationCache) Get(obj interface{}) (interface{}, bool, error) {
	defer c.reportDeleted(c.ListKeys())
	var found *C.kin_object
	err := c.call(obj, func(object *C.kin_object, err *C.kin_error) C.int {
		code := C.kin_expiring_store_get_object(c.store, &found, object, err)
		if code == C.KIN_ENOTFOUND {
			return 0
		}
		return code
	})
	return take(found), found != nil, err
}

func (c *ExpirationCache) GetByKey(key string) (interface{}, bool, error) {
	defer runtime.KeepAlive(c)
	defer c.reportDeleted(c.ListKeys())
	var found *C.kin_object
	C.kin_expiring_store_get(c.store, &found, kstr(key), nil)
	return take(found), found != nil, nil
}

func (c *ExpirationCache) List() []interface{} {
	defer runtime.KeepAlive(c)
	defer c.reportDeleted(c.ListKeys())
	var list C.kin_object_list
	must(C.kin_expiring_store_list(c.store, &list, nil))
	return takeObjects(&list)
}

func (c *ExpirationCache) ListKeys() []string {
	defer runtime.KeepAlive(c)
	var list C.kin_string_list
	must(C.kin_expiring_store_list_keys(c.store, &list, nil))
	return takeStrings(&list)
}

func (c *ExpirationCache) LastStoreSyncResourceVersion() string {
	defer runtime.KeepAlive(c)
	var version [C.KIN_RESOURCE_VERSION_BYTES_MAX + 1]C.char
	C.kin_expiring_store_resource_version(c.store, &version[0], C.size_t(len(version)))
	return C.GoString(&version[0])
}

func (c *ExpirationCache) Bookmark(rv string) {
	defer runtime.KeepAlive(c)
	must(C.kin_expiring_store_bookmark(c.store, kstr(rv), nil))
}

func (c *ExpirationCache) Replace(list []interface{}, resourceVersion string) error {
	defer runtime.KeepAlive(c)
	all := wrapAll(list)
	defer all.unref()
	items, free := all.carray()
	defer free()
	err := newError()
	return failure(C.kin_expiring_store_replace(c.store, items, C.size_t(len(all)), kstr(resourceVersion), err), err)
}

func (c *ExpirationCache) Resync() error {
	defer runtime.KeepAlive(c)
	err := newError()
	return failure(C.kin_expiring_store_resync(c.store, err), err)
}
