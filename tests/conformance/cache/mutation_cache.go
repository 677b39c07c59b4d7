// SPDX-License-Identifier: Apache-2.0

package cache

/*
#include "bridge.h"
*/
import "C"

import (
	"runtime"
	"time"

	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
)

type MutationCache interface {
	GetByKey(key string) (interface{}, bool, error)
	ByIndex(indexName, indexKey string) ([]interface{}, error)
	Mutation(interface{})
	OnAddOrUpdate(obj apiruntime.Object)
	OnDelete(obj apiruntime.Object)
}

// mutationCache is a kin_mutation_cache.
type mutationCache struct {
	cache *C.kin_mutation_cache
}

// NewIntegerResourceVersionMutationCache makes one over a store, which gets the indexes: the library has no second one.
func NewIntegerResourceVersionMutationCache(_ klog.Logger, backingCache Store, indexer Indexer, ttl time.Duration, includeAdds bool) MutationCache {
	store := backingCache.(*cache)
	if err := store.AddIndexers(indexer.GetIndexers()); err != nil {
		panic(err)
	}
	options := C.kin_mutation_cache_options{size: C.sizeof_kin_mutation_cache_options,
		ttl_ms: C.int64_t(ttl.Milliseconds()), include_adds: C.bool(includeAdds)}
	m := &mutationCache{}
	must(C.kin_mutation_cache_new(&m.cache, store.store, &options, nil))
	kin := m.cache
	release(m, func() { C.kin_mutation_cache_free(kin) })
	return m
}

func (m *mutationCache) call(obj interface{}, f func(object *C.kin_object) C.int) {
	defer runtime.KeepAlive(m)
	object := wrap(obj)
	defer unref(object)
	must(f(object))
}

func (m *mutationCache) Mutation(obj interface{}) {
	m.call(obj, func(object *C.kin_object) C.int { return C.kin_mutation_cache_mutation(m.cache, object, nil) })
}

func (m *mutationCache) OnAddOrUpdate(obj apiruntime.Object) {
	m.call(obj, func(object *C.kin_object) C.int {
		return C.kin_mutation_cache_on_add_or_update(m.cache, object, nil)
	})
}

func (m *mutationCache) OnDelete(obj apiruntime.Object) {
	m.call(obj, func(object *C.kin_object) C.int { return C.kin_mutation_cache_on_delete(m.cache, object, nil) })
}

func (m *mutationCache) GetByKey(key string) (interface{}, bool, error) {
	defer runtime.KeepAlive(m)
	var object *C.kin_object
	err := newError()
	switch code := C.kin_mutation_cache_get(m.cache, &object, kstr(key), err); code {
	case C.KIN_ENOTFOUND:
		return nil, false, nil
	default:
		return take(object), code == 0, failure(code, err)
	}
}

func (m *mutationCache) ByIndex(indexName, indexKey string) ([]interface{}, error) {
	defer runtime.KeepAlive(m)
	var list C.kin_object_list
	err := newError()
	if e := failure(C.kin_mutation_cache_by_index(m.cache, &list, kstr(indexName), kstr(indexKey), err), err); e != nil {
		return nil, e
	}
	return takeObjects(&list), nil
}
