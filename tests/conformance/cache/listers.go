// SPDX-License-Identifier: Apache-2.0

package cache

/*
#include "bridge.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"runtime/cgo"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// selectorOf is the library's selector of the same text. Nothing has no text of its own.
func selectorOf(selector labels.Selector) (*C.kin_label_selector, error) {
	if _, selectable := selector.Requirements(); !selectable {
		return C.kin_label_selector_nothing(), nil
	}
	var ret *C.kin_label_selector
	err := newError()
	e := failure(C.kin_label_selector_parse(&ret, kstr(selector.String()), err), err)
	return ret, e
}

func kinStoreOf(store Store) (*kinStore, error) {
	switch s := store.(type) {
	case *cache:
		return s.kinStore, nil
	}
	return nil, fmt.Errorf("%T is not a store of the library", store)
}

func listAll(store *kinStore, selector labels.Selector, appendFn AppendFunc) error {
	defer runtime.KeepAlive(store)
	sel, err := selectorOf(selector)
	if err != nil {
		return err
	}
	defer C.kin_label_selector_unref(sel)
	handle := cgo.NewHandle(func(_ string, obj interface{}) { appendFn(obj) })
	defer handle.Delete()
	e := newError()
	return failure(C.bridge_store_each(store.store, sel, C.uintptr_t(handle), e), e)
}

func ListAll(store Store, selector labels.Selector, appendFn AppendFunc) error {
	s, err := kinStoreOf(store)
	if err != nil {
		return err
	}
	return listAll(s, selector, appendFn)
}

func ListAllByNamespace(indexer Indexer, namespace string, selector labels.Selector, appendFn AppendFunc) error {
	s, err := kinStoreOf(indexer)
	if err != nil {
		return err
	}
	sel, err := selectorOf(selector)
	if err != nil {
		return err
	}
	defer C.kin_label_selector_unref(sel)
	var list C.kin_object_list
	e := newError()
	if err := failure(C.kin_list_all_by_namespace(s.store, &list, kstr(namespace), sel, e), e); err != nil {
		return err
	}
	for _, obj := range takeObjects(&list) {
		appendFn(obj)
	}
	return nil
}

type GenericLister interface {
	List(selector labels.Selector) (ret []apiruntime.Object, err error)
	Get(name string) (apiruntime.Object, error)
	ByNamespace(namespace string) GenericNamespaceLister
}

type GenericNamespaceLister interface {
	List(selector labels.Selector) (ret []apiruntime.Object, err error)
	Get(name string) (apiruntime.Object, error)
}

// genericLister is a kin_lister, of all namespaces or of one.
type genericLister struct {
	lister    *C.kin_lister
	resource  schema.GroupResource
	namespace string
}

func NewGenericLister(indexer Indexer, resource schema.GroupResource) GenericLister {
	s, err := kinStoreOf(indexer)
	if err != nil {
		panic(err)
	}
	name := C.CString(resource.String())
	defer C.free(cpointer(name))
	var lister *C.kin_lister
	must(C.kin_lister_new(&lister, s.store, name, nil))
	l := &genericLister{lister: lister, resource: resource}
	release(l, func() { C.kin_lister_free(lister) })
	return l
}

func (l *genericLister) ByNamespace(namespace string) GenericNamespaceLister {
	return &namespaceLister{genericLister{l.lister, l.resource, namespace}, l}
}

type namespaceLister struct {
	genericLister
	owner *genericLister
}

func (l *genericLister) List(selector labels.Selector) (ret []apiruntime.Object, err error) {
	defer runtime.KeepAlive(l)
	sel, err := selectorOf(selector)
	if err != nil {
		return nil, err
	}
	defer C.kin_label_selector_unref(sel)
	var list C.kin_object_list
	e := newError()
	if err := failure(C.kin_lister_list(l.lister, &list, kstr(l.namespace), sel, e), e); err != nil {
		return nil, err
	}
	for _, obj := range takeObjects(&list) {
		ret = append(ret, obj.(apiruntime.Object))
	}
	return ret, nil
}

func (l *genericLister) Get(name string) (apiruntime.Object, error) {
	defer runtime.KeepAlive(l)
	var object *C.kin_object
	err := newError()
	e := failure(C.kin_lister_get(l.lister, &object, kstr(l.namespace), kstr(name), err), err)
	if e != nil {
		if err.http_status == http.StatusNotFound {
			status := apierrors.NewNotFound(l.resource, name)
			status.ErrStatus.Message = e.Error()
			status.ErrStatus.Reason = metav1.StatusReason(C.GoString(&err.reason[0]))
			return nil, status
		}
		return nil, e
	}
	obj, ok := take(object).(apiruntime.Object)
	if !ok {
		return nil, errors.New("not a runtime.Object")
	}
	return obj, nil
}
