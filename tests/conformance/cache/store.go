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
	"sort"
	"sync"
	"unsafe"

	"k8s.io/apimachinery/pkg/util/sets"
)

func cpointer[T any](p *T) unsafe.Pointer {
	return unsafe.Pointer(p)
}

// kinStore is a kin_store, and the functions that it calls back.
type kinStore struct {
	store    *C.kin_store
	lock     sync.Mutex
	indexers Indexers
}

func newKinStore(f *functions) *kinStore {
	handle := f.handle()
	options := C.kin_store_options{}
	C.bridge_store_options(&options, C.uintptr_t(handle), C.bool(f.transform != nil))
	var store *C.kin_store
	must(C.kin_store_new(&store, &options, nil))
	s := &kinStore{store: store, indexers: Indexers{}}
	release(s, func() {
		C.kin_store_unref(store)
		handle.Delete()
	})
	return s
}

// borrowKinStore is a store that another part of the library has made; its reference is taken over.
func borrowKinStore(store *C.kin_store) *kinStore {
	s := &kinStore{store: store, indexers: Indexers{}}
	release(s, func() { C.kin_store_unref(store) })
	return s
}

func (s *kinStore) AddIndexers(newIndexers Indexers) error {
	defer runtime.KeepAlive(s)
	s.lock.Lock()
	defer s.lock.Unlock()
	for name := range newIndexers {
		if _, ok := s.indexers[name]; ok {
			return fmt.Errorf("indexer conflict: %v", name)
		}
	}
	for name, fn := range newIndexers {
		text := C.CString(name)
		handle := cgo.NewHandle(fn)
		err := newError()
		e := failure(C.bridge_store_add_index(s.store, text, C.uintptr_t(handle), err), err)
		C.free(cpointer(text))
		if e != nil {
			handle.Delete()
			return e
		}
		s.indexers[name] = fn
	}
	return nil
}

func (s *kinStore) GetIndexers() Indexers {
	defer runtime.KeepAlive(s)
	var names C.kin_string_list
	must(C.kin_store_index_names(s.store, &names, nil))
	s.lock.Lock()
	defer s.lock.Unlock()
	ret := Indexers{}
	for _, name := range takeStrings(&names) {
		ret[name] = s.indexers[name]
	}
	return ret
}

func (s *kinStore) List() []interface{} {
	defer runtime.KeepAlive(s)
	var list C.kin_object_list
	must(C.kin_store_list(s.store, &list, nil))
	return takeObjects(&list)
}

func (s *kinStore) ListKeys() []string {
	defer runtime.KeepAlive(s)
	var list C.kin_string_list
	must(C.kin_store_list_keys(s.store, &list, nil))
	return takeStrings(&list)
}

func (s *kinStore) LastStoreSyncResourceVersion() string {
	defer runtime.KeepAlive(s)
	var version [C.KIN_RESOURCE_VERSION_BYTES_MAX + 1]C.char
	C.kin_store_resource_version(s.store, &version[0], C.size_t(len(version)))
	return C.GoString(&version[0])
}

func (s *kinStore) Bookmark(rv string) {
	defer runtime.KeepAlive(s)
	must(C.kin_store_bookmark(s.store, kstr(rv), nil))
}

func (s *kinStore) get(key string) (item interface{}, exists bool) {
	defer runtime.KeepAlive(s)
	var object *C.kin_object
	if C.kin_store_get(s.store, &object, kstr(key), nil) < 0 {
		return nil, false
	}
	return take(object), true
}

func (s *kinStore) Index(indexName string, obj interface{}) ([]interface{}, error) {
	defer runtime.KeepAlive(s)
	object := wrap(obj)
	defer unref(object)
	var list C.kin_object_list
	err := newError()
	if e := failure(C.kin_store_index(s.store, &list, kstr(indexName), object, err), err); e != nil {
		return nil, e
	}
	return takeObjects(&list), nil
}

func (s *kinStore) ByIndex(indexName, indexedValue string) ([]interface{}, error) {
	defer runtime.KeepAlive(s)
	var list C.kin_object_list
	err := newError()
	if e := failure(C.kin_store_by_index(s.store, &list, kstr(indexName), kstr(indexedValue), err), err); e != nil {
		return nil, e
	}
	return takeObjects(&list), nil
}

func (s *kinStore) IndexKeys(indexName, indexedValue string) ([]string, error) {
	defer runtime.KeepAlive(s)
	var list C.kin_string_list
	err := newError()
	if e := failure(C.kin_store_index_keys(s.store, &list, kstr(indexName), kstr(indexedValue), err), err); e != nil {
		return nil, e
	}
	return takeStrings(&list), nil
}

func (s *kinStore) ListIndexFuncValues(indexName string) []string {
	defer runtime.KeepAlive(s)
	var list C.kin_string_list
	must(C.kin_store_index_values(s.store, &list, kstr(indexName), nil))
	return takeStrings(&list)
}

func (s *kinStore) Resync() error {
	defer runtime.KeepAlive(s)
	err := newError()
	return failure(C.kin_store_resync(s.store, err), err)
}

func (s *kinStore) replace(all objects, resourceVersion string) error {
	defer runtime.KeepAlive(s)
	defer all.unref()
	items, free := all.carray()
	defer free()
	err := newError()
	return failure(C.kin_store_replace(s.store, items, C.size_t(len(all)), kstr(resourceVersion), err), err)
}

// write is one transaction; the code of each write is returned.
func (s *kinStore) write(txns []Transaction, object func(i int) *C.kin_object) []error {
	defer runtime.KeepAlive(s)
	if len(txns) == 0 {
		return nil
	}
	var one C.kin_write
	memory := C.malloc(C.size_t(len(txns)) * C.size_t(unsafe.Sizeof(one)))
	defer C.free(memory)
	writes := unsafe.Slice((*C.kin_write)(memory), len(txns))
	for i, txn := range txns {
		writes[i] = C.kin_write{_type: C.KIN_WRITE_PUT, object: object(i)}
		if txn.Type == TransactionTypeDelete {
			writes[i]._type = C.KIN_WRITE_DELETE
		}
	}
	err := newError()
	C.kin_store_write(s.store, &writes[0], C.size_t(len(txns)), err)
	errs := make([]error, len(txns))
	for i := range writes {
		errs[i] = failure(writes[i].code, nil)
		unref(writes[i].object)
	}
	return errs
}

type StoreOption = func(*cache)

func WithTransformer(transformer TransformFunc) StoreOption {
	return func(c *cache) {
		c.transformer = transformer
	}
}

// cache is a store that computes keys.
type cache struct {
	*kinStore
	keyFunc     KeyFunc
	transformer TransformFunc
}

var (
	_ Indexer          = &cache{}
	_ TransactionStore = &cache{}
)

func NewStore(keyFunc KeyFunc, opts ...StoreOption) Store {
	return NewIndexer(keyFunc, Indexers{}, opts...)
}

func NewIndexer(keyFunc KeyFunc, indexers Indexers, opts ...StoreOption) Indexer {
	c := &cache{keyFunc: keyFunc}
	for _, option := range opts {
		option(c)
	}
	c.kinStore = newKinStore(&functions{key: c.keyFunc, transform: c.transformer})
	if err := c.AddIndexers(indexers); err != nil {
		panic(err)
	}
	return c
}

// put is one call of the library with an object, whose failure is taken for one of the key function.
func (c *cache) put(obj interface{}, call func(object *C.kin_object, err *C.kin_error) C.int) error {
	defer runtime.KeepAlive(c)
	object := wrap(obj)
	defer unref(object)
	err := newError()
	if e := failure(call(object, err), err); e != nil {
		return KeyError{obj, e}
	}
	return nil
}

func (c *cache) Add(obj interface{}) error {
	return c.put(obj, func(object *C.kin_object, err *C.kin_error) C.int {
		return C.kin_store_add(c.store, object, err)
	})
}

func (c *cache) Update(obj interface{}) error {
	return c.put(obj, func(object *C.kin_object, err *C.kin_error) C.int {
		return C.kin_store_update(c.store, object, err)
	})
}

func (c *cache) Delete(obj interface{}) error {
	return c.put(obj, func(object *C.kin_object, err *C.kin_error) C.int {
		return C.kin_store_delete(c.store, object, err)
	})
}

func (c *cache) Get(obj interface{}) (item interface{}, exists bool, err error) {
	var found *C.kin_object
	err = c.put(obj, func(object *C.kin_object, err *C.kin_error) C.int {
		code := C.kin_store_get_object(c.store, &found, object, err)
		if code == C.KIN_ENOTFOUND {
			return 0
		}
		return code
	})
	return take(found), found != nil, err
}

func (c *cache) GetByKey(key string) (item interface{}, exists bool, err error) {
	item, exists = c.get(key)
	return item, exists, nil
}

func (c *cache) Replace(list []interface{}, resourceVersion string) error {
	return c.replace(wrapAll(list), resourceVersion)
}

func (c *cache) Transaction(txns ...Transaction) *TransactionError {
	errs := c.write(txns, func(i int) *C.kin_object { return wrap(txns[i].Object) })
	ret := &TransactionError{SuccessfulIndices: []int{}, TotalTransactions: len(txns)}
	for i, err := range errs {
		if err == nil {
			ret.SuccessfulIndices = append(ret.SuccessfulIndices, i)
		} else {
			ret.Errors = append(ret.Errors, err)
		}
	}
	if len(ret.Errors) == 0 {
		return nil
	}
	return ret
}

type ThreadSafeStore interface {
	Add(key string, obj interface{})
	Update(key string, obj interface{})
	Delete(key string)
	DeleteWithObject(key string, obj interface{})
	Get(key string) (item interface{}, exists bool)
	List() []interface{}
	ListKeys() []string
	Replace(map[string]interface{}, string)
	LastStoreSyncResourceVersion() string
	Bookmark(rv string)
	Index(indexName string, obj interface{}) ([]interface{}, error)
	IndexKeys(indexName, indexedValue string) ([]string, error)
	ListIndexFuncValues(name string) []string
	ByIndex(indexName, indexedValue string) ([]interface{}, error)
	GetIndexers() Indexers
	AddIndexers(newIndexers Indexers) error
	Resync() error
}

type ThreadSafeStoreWithTransaction interface {
	ThreadSafeStore
	Transaction(txns ...ThreadSafeStoreTransaction)
}

type ThreadSafeStoreTransaction struct {
	Transaction
	Key string
}

type ThreadSafeStoreOption = func(*threadSafeMap)

// threadSafeMap is a store whose keys are the caller's: kin_store_put(), and objects that carry their key.
//
// client-go's tests look into index.indices. After each write it has what the library lists.
type threadSafeMap struct {
	*kinStore
	index struct {
		indices Indices
	}
}

var _ ThreadSafeStoreWithTransaction = &threadSafeMap{}

func NewThreadSafeStore(indexers Indexers, _ Indices, opts ...ThreadSafeStoreOption) ThreadSafeStore {
	s := &threadSafeMap{kinStore: newKinStore(&functions{key: func(obj interface{}) (string, error) {
		return "", fmt.Errorf("no key of %v", obj)
	}})}
	for _, option := range opts {
		option(s)
	}
	if err := s.AddIndexers(indexers); err != nil {
		panic(err)
	}
	return s
}

func (c *threadSafeMap) look() {
	c.index.indices = Indices{}
	for name := range c.GetIndexers() {
		values := index{}
		for _, value := range c.ListIndexFuncValues(name) {
			keys, err := c.IndexKeys(name, value)
			if err != nil {
				panic(err)
			}
			values[value] = sets.New(keys...)
		}
		c.index.indices[name] = values
	}
}

func (c *threadSafeMap) Add(key string, obj interface{}) {
	defer c.look()
	object := wrap(obj)
	defer unref(object)
	must(C.kin_store_put(c.store, kstr(key), object, nil))
}

func (c *threadSafeMap) Update(key string, obj interface{}) {
	c.Add(key, obj)
}

func (c *threadSafeMap) Delete(key string) {
	defer c.look()
	must(C.kin_store_delete_key(c.store, kstr(key), nil))
}

func (c *threadSafeMap) DeleteWithObject(key string, obj interface{}) {
	defer c.look()
	object := wrapWithKey(key, obj)
	defer unref(object)
	must(C.kin_store_delete(c.store, object, nil))
}

func (c *threadSafeMap) Get(key string) (item interface{}, exists bool) {
	return c.get(key)
}

func (c *threadSafeMap) Replace(items map[string]interface{}, resourceVersion string) {
	defer c.look()
	keys := make([]string, 0, len(items))
	for key := range items {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	all := objects{}
	for _, key := range keys {
		all = append(all, wrapWithKey(key, items[key]))
	}
	if err := c.replace(all, resourceVersion); err != nil {
		panic(err)
	}
}

func (c *threadSafeMap) Transaction(txns ...ThreadSafeStoreTransaction) {
	defer c.look()
	plain := make([]Transaction, len(txns))
	for i, txn := range txns {
		plain[i] = txn.Transaction
	}
	for _, err := range c.write(plain, func(i int) *C.kin_object { return wrapWithKey(txns[i].Key, txns[i].Object) }) {
		if err != nil {
			panic(err)
		}
	}
}
