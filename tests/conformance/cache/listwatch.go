// SPDX-License-Identifier: Apache-2.0

package cache

/*
#include "bridge.h"
*/
import "C"

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/cgo"
	"sync"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/watch"
	clientfeatures "k8s.io/client-go/features"
	"k8s.io/client-go/util/watchlist"
)

type Lister interface {
	List(options metav1.ListOptions) (apiruntime.Object, error)
}

type Watcher interface {
	Watch(options metav1.ListOptions) (watch.Interface, error)
}

type ListerWatcher interface {
	Lister
	Watcher
}

type ListerWatcherWithContext interface {
	ListWithContext(ctx context.Context, options metav1.ListOptions) (apiruntime.Object, error)
	WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
}

type (
	ListFunc             func(options metav1.ListOptions) (apiruntime.Object, error)
	ListWithContextFunc  func(ctx context.Context, options metav1.ListOptions) (apiruntime.Object, error)
	WatchFunc            func(options metav1.ListOptions) (watch.Interface, error)
	WatchFuncWithContext func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
)

type ListWatch struct {
	ListFunc             ListFunc
	WatchFunc            WatchFunc
	ListWithContextFunc  ListWithContextFunc
	WatchFuncWithContext WatchFuncWithContext
	DisableChunking      bool
}

var (
	_ ListerWatcher            = &ListWatch{}
	_ ListerWatcherWithContext = &ListWatch{}
)

func (lw *ListWatch) List(options metav1.ListOptions) (apiruntime.Object, error) {
	return lw.ListWithContext(context.Background(), options)
}

func (lw *ListWatch) ListWithContext(ctx context.Context, options metav1.ListOptions) (apiruntime.Object, error) {
	if lw.ListWithContextFunc != nil {
		return lw.ListWithContextFunc(ctx, options)
	}
	return lw.ListFunc(options)
}

func (lw *ListWatch) Watch(options metav1.ListOptions) (watch.Interface, error) {
	return lw.WatchWithContext(context.Background(), options)
}

func (lw *ListWatch) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	if lw.WatchFuncWithContext != nil {
		return lw.WatchFuncWithContext(ctx, options)
	}
	return lw.WatchFunc(options)
}

// usesWatchList is client-go's rule: the feature gate, unless the client says that it cannot.
func usesWatchList(lw ListerWatcher) bool {
	return clientfeatures.FeatureGates().Enabled(clientfeatures.WatchListClient) &&
		!watchlist.DoesClientNotSupportWatchListSemantics(lw)
}

// source is a kin_list_watch over a ListerWatcher. Each list and watch is a goroutine.
type source struct {
	lw func() ListerWatcher
	// begin is called before each list and watch; false: it is cancelled.
	begin func(isWatch bool, options *metav1.ListOptions) bool
	event func(event watch.Event) // called after each event; may be nil
	clock func() *bridgedClock    // is moved before and after each call of the ListerWatcher

	lock   sync.Mutex
	ctx    context.Context // of the run
	active int             // lists and watches that are under way
	idle   *sync.Cond      // (lock) active is 0
	err    error           // why the last list or watch failed
}

// run begins a run. When its context ends, so do lists and watches, and none begins any more.
func (s *source) run(ctx context.Context) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.ctx = ctx
}

// drain waits until they have ended. An event that was taken from a watch is handed to the library before that, which
// would ignore it after a stop; client-go's reflector looks at the context between events, too.
func (s *source) drain() {
	s.lock.Lock()
	defer s.lock.Unlock()
	for s.active > 0 {
		s.idle.Wait()
	}
}

func (s *source) count(change int) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.active += change; s.active == 0 {
		s.idle.Broadcast()
	}
}

func (s *source) hasEnded() bool {
	return s.context().Err() != nil
}

func (s *source) context() context.Context {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.ctx == nil {
		return context.Background()
	}
	return s.ctx
}

func (s *source) kin(streamingLists bool) *C.kin_list_watch {
	s.idle = sync.NewCond(&s.lock)
	return C.bridge_source_new(C.uintptr_t(cgo.NewHandle(s)), C.bool(streamingLists))
}

// failed is the Go error of a failure that the library reports.
func (s *source) failed(err *C.kin_error) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	message := C.GoString(&err.message[0])
	if s.err != nil && message == truncated(s.err.Error()) {
		return s.err
	}
	return errors.New(message)
}

// truncated is a text as a kin_error holds it.
func truncated(text string) string {
	err := newError()
	fail(err, C.KIN_EINVAL, errors.New(text))
	return C.GoString(&err.message[0])
}

// operation is one list or watch.
type operation struct {
	op     *C.struct_bridge_operation
	source *source
	ctx    context.Context
	cancel func()
}

//export goBegin
func goBegin(handle C.uintptr_t, op *C.struct_bridge_operation, isWatch C.bool, options *C.kin_request_options) {
	s := cgo.Handle(handle).Value().(*source)
	o := &operation{op: op, source: s}
	o.ctx, o.cancel = context.WithCancel(s.context())
	C.bridge_operation_set_handle(op, C.uintptr_t(cgo.NewHandle(o)))
	goOptions := metav1.ListOptions{
		ResourceVersion:      C.GoString(options.resource_version),
		ResourceVersionMatch: metav1.ResourceVersionMatch(C.GoString(options.resource_version_match)),
		Limit:                int64(options.limit),
		Continue:             C.GoString(options.continue_token),
		AllowWatchBookmarks:  bool(options.bookmarks),
	}
	if options.watch_timeout_ms != 0 {
		seconds := int64(time.Duration(options.watch_timeout_ms) * time.Millisecond / time.Second)
		goOptions.TimeoutSeconds = &seconds
	}
	if options.send_initial_events {
		goOptions.SendInitialEvents = new(bool)
		*goOptions.SendInitialEvents = true
	}
	s.count(1)
	go func() {
		defer s.count(-1)
		defer o.cancel()
		s.clock().sync()
		if s.hasEnded() || s.begin != nil && !s.begin(bool(isWatch), &goOptions) {
			o.done(C.KIN_ECANCELED, nil, nil, false)
		} else if isWatch {
			o.watch(goOptions)
		} else {
			o.list(goOptions)
		}
	}()
}

//export goCancel
func goCancel(handle C.uintptr_t) {
	cgo.Handle(handle).Value().(*operation).cancel()
}

func (o *operation) list(options metav1.ListOptions) {
	lw := o.source.lw()
	var list apiruntime.Object
	var err error
	if withContext, ok := lw.(ListerWatcherWithContext); ok {
		list, err = withContext.ListWithContext(o.ctx, options)
	} else {
		list, err = lw.List(options)
	}
	o.source.clock().sync()
	if err == nil && (list == nil || isNil(list)) {
		err = errors.New("no list")
	}
	if err != nil {
		o.fail(err, false)
		return
	}
	kinErr := newError()
	code := C.int(0)
	err = meta.EachListItemWithAlloc(list, func(item apiruntime.Object) error {
		if o.ctx.Err() != nil {
			code = C.KIN_ECANCELED
			return o.ctx.Err()
		}
		object := wrap(item)
		defer unref(object)
		code = C.bridge_operation_item(o.op, object, kinErr)
		return failure(code, kinErr)
	})
	switch {
	case code < 0:
		o.done(code, kinErr, nil, false)
	case err != nil:
		o.fail(err, false)
	default:
		object := wrap(list)
		defer unref(object)
		o.done(0, nil, object, false)
	}
}

var watchTypes = map[watch.EventType]C.int{
	watch.Added:    C.KIN_WATCH_ADDED,
	watch.Modified: C.KIN_WATCH_MODIFIED,
	watch.Deleted:  C.KIN_WATCH_DELETED,
	watch.Bookmark: C.KIN_WATCH_BOOKMARK,
	watch.Error:    C.KIN_WATCH_ERROR,
}

func (o *operation) watch(options metav1.ListOptions) {
	lw := o.source.lw()
	var w watch.Interface
	var err error
	if withContext, ok := lw.(ListerWatcherWithContext); ok {
		w, err = withContext.WatchWithContext(o.ctx, options)
	} else {
		w, err = lw.Watch(options)
	}
	o.source.clock().sync()
	if err == nil && w == nil {
		err = errors.New("no watch")
	}
	if err != nil {
		o.fail(err, false)
		return
	}
	defer w.Stop()
	kinErr := newError()
	if code := C.bridge_operation_begun(o.op, kinErr); code < 0 {
		w.Stop()
		o.done(code, kinErr, nil, true)
		return
	}
	events := w.ResultChan()
	for {
		select {
		case <-o.ctx.Done():
			w.Stop()
			o.done(C.KIN_ECANCELED, nil, nil, true)
			return
		case event, ok := <-events:
			if !ok {
				o.done(0, nil, nil, true)
				return
			}
			if code := o.event(event, kinErr); code < 0 {
				w.Stop()
				o.done(code, kinErr, nil, true)
				return
			}
			if o.source.event != nil {
				o.source.event(event)
			}
		}
	}
}

func (o *operation) event(event watch.Event, err *C.kin_error) C.int {
	if event.Type != watch.Error {
		object := wrap(event.Object)
		defer unref(object)
		return C.bridge_operation_event(o.op, watchTypes[event.Type], object, err)
	}
	o.source.lock.Lock()
	o.source.err = apierrors.FromObject(event.Object)
	o.source.lock.Unlock()
	object := event.Object
	if status, ok := object.(*metav1.Status); ok {
		object = named(*status)
	}
	status := document(object)
	defer unref(status)
	return C.bridge_operation_event(o.op, C.KIN_WATCH_ERROR, status, err)
}

// named is a Status as a server sends it: with its kind.
func named(status metav1.Status) *metav1.Status {
	status.APIVersion, status.Kind = "v1", "Status"
	return &status
}

// document is a Go value as JSON, read by the library: its own kind of object.
func document(value interface{}) *C.kin_object {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	var ret *C.kin_object
	must(C.kin_object_from_json(&ret, kstr(string(text)), nil, nil))
	return ret
}

// fail ends the operation as a client's would: an API error is a Status that the server sent.
func (o *operation) fail(err error, stood bool) {
	if o.ctx.Err() != nil {
		o.done(C.KIN_ECANCELED, nil, nil, stood)
		return
	}
	o.source.lock.Lock()
	o.source.err = err
	o.source.lock.Unlock()
	kinErr := newError()
	var api apierrors.APIStatus
	switch {
	case errors.As(err, &api):
		object := document(named(api.Status()))
		defer unref(object)
		o.doneWithStatus(C.kin_status_to_error(object, kinErr), kinErr, object, stood)
	case utilnet.IsConnectionRefused(err):
		code := fail(kinErr, C.KIN_ECONNECT, err)
		kinErr.os_error = C.int(syscall.ECONNREFUSED)
		o.done(code, kinErr, nil, stood)
	default:
		o.done(fail(kinErr, C.KIN_ESERVER, err), kinErr, nil, stood)
	}
}

func (o *operation) done(code C.int, err *C.kin_error, object *C.kin_object, stood bool) {
	if err == nil {
		err = newError()
		if code < 0 {
			fail(err, code, fmt.Errorf("%s", C.GoString(C.kin_error_string(code))))
		}
	}
	C.bridge_operation_done(o.op, code, err, object, nil, C.bool(stood))
}

func (o *operation) doneWithStatus(code C.int, err *C.kin_error, status *C.kin_object, stood bool) {
	C.bridge_operation_done(o.op, code, err, nil, status, C.bool(stood))
}
