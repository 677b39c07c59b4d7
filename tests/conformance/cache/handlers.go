// SPDX-License-Identifier: Apache-2.0

package cache

/*
#include "bridge.h"
*/
import "C"

import "runtime/cgo"

type ResourceEventHandler interface {
	OnAdd(obj interface{}, isInInitialList bool)
	OnUpdate(oldObj, newObj interface{})
	OnDelete(obj interface{})
}

type ResourceEventHandlerFuncs struct {
	AddFunc    func(obj interface{})
	UpdateFunc func(oldObj, newObj interface{})
	DeleteFunc func(obj interface{})
}

func (r ResourceEventHandlerFuncs) OnAdd(obj interface{}, isInInitialList bool) {
	if r.AddFunc != nil {
		r.AddFunc(obj)
	}
}

func (r ResourceEventHandlerFuncs) OnUpdate(oldObj, newObj interface{}) {
	if r.UpdateFunc != nil {
		r.UpdateFunc(oldObj, newObj)
	}
}

func (r ResourceEventHandlerFuncs) OnDelete(obj interface{}) {
	if r.DeleteFunc != nil {
		r.DeleteFunc(obj)
	}
}

type ResourceEventHandlerDetailedFuncs struct {
	AddFunc    func(obj interface{}, isInInitialList bool)
	UpdateFunc func(oldObj, newObj interface{})
	DeleteFunc func(obj interface{})
}

func (r ResourceEventHandlerDetailedFuncs) OnAdd(obj interface{}, isInInitialList bool) {
	if r.AddFunc != nil {
		r.AddFunc(obj, isInInitialList)
	}
}

func (r ResourceEventHandlerDetailedFuncs) OnUpdate(oldObj, newObj interface{}) {
	if r.UpdateFunc != nil {
		r.UpdateFunc(oldObj, newObj)
	}
}

func (r ResourceEventHandlerDetailedFuncs) OnDelete(obj interface{}) {
	if r.DeleteFunc != nil {
		r.DeleteFunc(obj)
	}
}

// Object and DeletedObject are client-go's typed names; the names of a deleted object are the library's.
type Object interface {
	comparable
	GetName() string
	GetNamespace() string
}

type DeletedObject[T Object] struct {
	OptionalObj       T
	FinalStateUnknown *DeletedFinalStateUnknown
}

func (d DeletedObject[T]) object() interface{} {
	var none T
	switch {
	case d.FinalStateUnknown != nil:
		return *d.FinalStateUnknown
	case d.OptionalObj == none:
		return nil
	}
	return d.OptionalObj
}

func (d DeletedObject[T]) GetObjectName() ObjectName {
	object := wrap(d.object())
	if object == nil {
		return ObjectName{}
	}
	defer unref(object)
	return NewObjectName(gostr(C.kin_object_namespace(object)), gostr(C.kin_object_name(object)))
}

func (d DeletedObject[T]) GetName() string      { return d.GetObjectName().Name }
func (d DeletedObject[T]) GetNamespace() string { return d.GetObjectName().Namespace }

func (d DeletedObject[T]) GetKey() string {
	object := wrap(d.object())
	if object == nil {
		return ""
	}
	defer unref(object)
	return C.GoString(C.kin_object_key(object))
}

//export goEvent
func goEvent(handle C.uintptr_t, event C.kin_event_type, object, oldObject *C.kin_object, isInitial, isSync C.bool) {
	handler := cgo.Handle(handle).Value().(ResourceEventHandler)
	switch event {
	case C.KIN_EVENT_ADD:
		handler.OnAdd(unwrap(object), bool(isInitial))
	case C.KIN_EVENT_UPDATE:
		handler.OnUpdate(unwrap(oldObject), unwrap(object))
	case C.KIN_EVENT_DELETE:
		handler.OnDelete(unwrap(object))
	}
}
