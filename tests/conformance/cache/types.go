// SPDX-License-Identifier: Apache-2.0

// Package cache has the names and signatures of client-go's tools/cache. What it does is done by kinform's C library;
// client-go's own tests are run on it. It is a test harness, not a binding.
package cache

/*
#include "bridge.h"
*/
import "C"

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
)

type Store interface {
	Add(obj interface{}) error
	Update(obj interface{}) error
	Delete(obj interface{}) error
	List() []interface{}
	ListKeys() []string
	LastStoreSyncResourceVersion() string
	Bookmark(rv string)
	Get(obj interface{}) (item interface{}, exists bool, err error)
	GetByKey(key string) (item interface{}, exists bool, err error)
	Replace([]interface{}, string) error
	Resync() error
}

type Indexer interface {
	Store
	Index(indexName string, obj interface{}) ([]interface{}, error)
	IndexKeys(indexName, indexedValue string) ([]string, error)
	ListIndexFuncValues(indexName string) []string
	ByIndex(indexName, indexedValue string) ([]interface{}, error)
	GetIndexers() Indexers
	AddIndexers(newIndexers Indexers) error
}

type (
	KeyFunc       func(obj interface{}) (string, error)
	IndexFunc     func(obj interface{}) ([]string, error)
	TransformFunc func(interface{}) (interface{}, error)
	LessFunc      func(interface{}, interface{}) bool
	AppendFunc    func(interface{})

	Indexers map[string]IndexFunc
	index    map[string]sets.Set[string]
	Indices  map[string]index

	ExplicitKey string
)

type DeletedFinalStateUnknown struct {
	Key string
	Obj interface{}
}

type TransactionType string

const (
	TransactionTypeAdd    TransactionType = "Add"
	TransactionTypeUpdate TransactionType = "Update"
	TransactionTypeDelete TransactionType = "Delete"
)

type Transaction struct {
	Object interface{}
	Type   TransactionType
}

type TransactionStore interface {
	Transaction(txns ...Transaction) *TransactionError
}

type TransactionError struct {
	SuccessfulIndices []int
	TotalTransactions int
	Errors            []error
}

func (t *TransactionError) Error() string {
	return fmt.Sprintf("%d of %d transactions failed: %v", t.TotalTransactions-len(t.SuccessfulIndices),
		t.TotalTransactions, t.Errors)
}

type KeyError struct {
	Obj interface{}
	Err error
}

func (k KeyError) Error() string {
	return fmt.Sprintf("couldn't create key for object %+v: %v", k.Obj, k.Err)
}

func (k KeyError) Unwrap() error {
	return k.Err
}

type ObjectName types.NamespacedName

func NewObjectName(namespace, name string) ObjectName {
	return ObjectName{Namespace: namespace, Name: name}
}

func (objName ObjectName) Parts() (namespace, name string) {
	return objName.Namespace, objName.Name
}

func (objName ObjectName) String() string {
	var key *C.char
	must(C.kin_key_new(&key, kstr(objName.Namespace), kstr(objName.Name), nil))
	defer C.kin_free(cpointer(key))
	return C.GoString(key)
}

func (objName ObjectName) AsNamespacedName() types.NamespacedName {
	return types.NamespacedName(objName)
}

func NamespacedNameAsObjectName(nn types.NamespacedName) ObjectName {
	return ObjectName(nn)
}

func ParseObjectName(str string) (ObjectName, error) {
	namespace, name, err := SplitMetaNamespaceKey(str)
	return ObjectName{Namespace: namespace, Name: name}, err
}

func SplitMetaNamespaceKey(key string) (namespace, name string, err error) {
	var ns, n C.kin_str
	e := newError()
	ckey := C.CString(key)
	defer C.free(cpointer(ckey))
	if err := failure(C.kin_key_split(&ns, &n, C.kin_str_make(ckey, C.size_t(len(key))), e), e); err != nil {
		return "", "", fmt.Errorf("unexpected key format: %q", key)
	}
	return gostr(ns), gostr(n), nil
}

// MetaNamespaceKeyFunc is kin_meta_namespace_key() of the object.
func MetaNamespaceKeyFunc(obj interface{}) (string, error) {
	if _, ok := obj.(ExplicitKey); !ok {
		if _, err := meta.Accessor(obj); err != nil {
			return "", fmt.Errorf("object has no meta: %v", err)
		}
	}
	object := wrap(obj)
	defer unref(object)
	var key *C.char
	err := newError()
	if e := failure(C.kin_meta_namespace_key(&key, object, err), err); e != nil {
		return "", e
	}
	return C.GoString(key), nil
}

// DeletionHandlingMetaNamespaceKeyFunc is kin_object_key(), which answers for tombstones, too.
func DeletionHandlingMetaNamespaceKeyFunc(obj interface{}) (string, error) {
	if d, ok := obj.(DeletedFinalStateUnknown); ok {
		object := wrap(d)
		defer unref(object)
		return C.GoString(C.kin_object_key(object)), nil
	}
	return MetaNamespaceKeyFunc(obj)
}

func DeletionHandlingObjectToName(obj interface{}) (ObjectName, error) {
	if d, ok := obj.(DeletedFinalStateUnknown); ok {
		return ParseObjectName(d.Key)
	}
	return ObjectToName(obj)
}

func ObjectToName(obj interface{}) (ObjectName, error) {
	m, err := meta.Accessor(obj)
	if err != nil {
		return ObjectName{}, fmt.Errorf("object has no meta: %v", err)
	}
	return MetaObjectToName(m), nil
}

// MetaObjectToName asks the library for namespace and name.
func MetaObjectToName(obj metav1.Object) ObjectName {
	object := wrap(obj)
	defer unref(object)
	return NewObjectName(gostr(C.kin_object_namespace(object)), gostr(C.kin_object_name(object)))
}

const NamespaceIndex string = C.KIN_NAMESPACE_INDEX

func MetaNamespaceIndexFunc(obj interface{}) ([]string, error) {
	if _, err := meta.Accessor(obj); err != nil {
		return []string{""}, fmt.Errorf("object has no meta: %v", err)
	}
	object := wrap(obj)
	defer unref(object)
	return []string{gostr(C.kin_object_namespace(object))}, nil
}

func IndexFuncToKeyFuncAdapter(indexFunc IndexFunc) KeyFunc {
	return func(obj interface{}) (string, error) {
		values, err := indexFunc(obj)
		switch {
		case err != nil:
			return "", err
		case len(values) != 1:
			return "", errors.New("not exactly one value: " + fmt.Sprint(values))
		}
		return values[0], nil
	}
}
