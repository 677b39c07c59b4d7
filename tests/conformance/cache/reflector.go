// SPDX-License-Identifier: Apache-2.0

package cache

/*
#include "bridge.h"
*/
import "C"

import (
	"context"
	"net/http"
	"reflect"
	"runtime/cgo"
	"sync"
	"time"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
)

type (
	WatchErrorHandler            func(r *Reflector, err error)
	WatchErrorHandlerWithContext func(ctx context.Context, r *Reflector, err error)
	ShouldResyncFunc             func() bool
)

func DefaultWatchErrorHandler(ctx context.Context, r *Reflector, err error) {
	klog.FromContext(ctx).Info("Failed to list or watch", "reflector", r.name, "err", err)
}

type ReflectorOptions struct {
	Logger          *klog.Logger
	Name            string
	TypeDescription string
	ResyncPeriod    time.Duration
	MinWatchTimeout time.Duration
	Clock           clock.Clock
	Backoff         *wait.Backoff
}

// Reflector is a kin_reflector, made when it is first run, since client-go's tests set its fields until then.
type Reflector struct {
	name                          string
	expectedType                  interface{}
	listerWatcher                 ListerWatcher
	store                         ReflectorStore
	clock                         clock.Clock
	delayHandler                  wait.DelayFunc
	backoff                       *wait.Backoff
	resyncPeriod                  time.Duration
	minWatchTimeout               time.Duration
	watchErrorHandler             WatchErrorHandlerWithContext
	useWatchList                  bool
	ShouldResync                  func() bool
	WatchListPageSize             int64
	MaxInternalErrorRetryDuration time.Duration

	once      sync.Once
	reflector *C.kin_reflector
	source    *source
	time      *bridgedClock
	before    string // a version that it is to have seen

	lock    sync.Mutex
	ctx     context.Context
	round   *round
	version func() string // of a controller's reflector
}

func NewReflector(lw ListerWatcher, expectedType interface{}, store ReflectorStore, resyncPeriod time.Duration) *Reflector {
	return NewReflectorWithOptions(lw, expectedType, store, ReflectorOptions{ResyncPeriod: resyncPeriod})
}

func NewNamedReflector(name string, lw ListerWatcher, expectedType interface{}, store ReflectorStore, resyncPeriod time.Duration) *Reflector {
	return NewReflectorWithOptions(lw, expectedType, store, ReflectorOptions{Name: name, ResyncPeriod: resyncPeriod})
}

func NewReflectorWithOptions(lw ListerWatcher, expectedType interface{}, store ReflectorStore, options ReflectorOptions) *Reflector {
	return &Reflector{name: options.Name, expectedType: expectedType, listerWatcher: lw, store: store,
		clock: options.Clock, backoff: options.Backoff, resyncPeriod: options.ResyncPeriod,
		minWatchTimeout: options.MinWatchTimeout, watchErrorHandler: DefaultWatchErrorHandler,
		useWatchList: usesWatchList(lw)}
}

// round is one run of ListAndWatch: until the reflector would list again after it has watched, or fails before.
type round struct {
	listsOnly  bool
	hasWatched bool
	hasFailed  bool // it ends when the reflector backs off
	failure    error
	isOver     bool
	over       chan struct{}
	err        error
}

func (r *round) end(err error) {
	if !r.isOver {
		r.isOver = true
		r.err = err
		close(r.over)
	}
}

// options are those of the library; the callbacks are the Reflector's.
func (r *Reflector) options() (*C.kin_reflector_options, func()) {
	options := &C.kin_reflector_options{}
	C.bridge_reflector_options(options, C.uintptr_t(cgo.NewHandle(r)), C.bool(r.ShouldResync != nil))
	var texts []*C.char
	text := func(s string) *C.char {
		if s == "" {
			return nil
		}
		texts = append(texts, C.CString(s))
		return texts[len(texts)-1]
	}
	options.name = text(r.name)
	if r.expectedType != nil {
		kind, apiVersion := kindOf(r.expectedType)
		options.kind, options.api_version = text(kind), text(apiVersion)
	}
	r.time = bridgeClock(r.clock)
	options.clock = r.time.kin
	options.page_size = C.int64_t(r.WatchListPageSize)
	options.min_watch_timeout_ms = C.int64_t(r.minWatchTimeout.Milliseconds())
	options.internal_error_retry_ms = C.int64_t(r.MaxInternalErrorRetryDuration.Milliseconds())
	options.resync_ms = C.int64_t(r.resyncPeriod.Milliseconds())
	options.streaming_lists = C.KIN_STREAMING_LISTS_NEVER
	if r.useWatchList {
		options.streaming_lists = C.KIN_STREAMING_LISTS_AUTO
	}
	switch {
	case r.backoff != nil:
		options.backoff_initial_ms = C.int64_t(r.backoff.Duration.Milliseconds())
		options.backoff_max_ms = C.int64_t(r.backoff.Cap.Milliseconds())
		options.backoff_factor = C.double(r.backoff.Factor)
		options.backoff_jitter = C.double(r.backoff.Jitter)
		if r.backoff.Jitter == 0 {
			options.backoff_jitter = -1
		}
	case r.delayHandler != nil:
		options.backoff_initial_ms, options.backoff_max_ms, options.backoff_jitter = 1, 1, -1
	}
	return options, func() {
		for _, t := range texts {
			C.free(cpointer(t))
		}
	}
}

func (r *Reflector) newSource() *source {
	return &source{lw: func() ListerWatcher { return r.listerWatcher }, begin: r.begin, event: r.event,
		clock: func() *bridgedClock { return r.time }}
}

func (r *Reflector) kin() *C.kin_reflector {
	r.once.Do(func() {
		r.source = r.newSource()
		source := r.source.kin(true)
		defer C.kin_list_watch_unref(source)
		store := C.kin_reflector_store{size: C.size_t(unsafe.Sizeof(C.kin_reflector_store{}))}
		switch s := r.store.(type) {
		case *cache:
			must(C.kin_store_reflector_store(&store, s.store))
		case *DeltaFIFO:
			must(C.kin_delta_fifo_reflector_store(&store, s.kin()))
		case *RealFIFO:
			must(C.kin_ordered_fifo_reflector_store(&store, s.kin()))
		case *FIFO:
			must(C.kin_fifo_reflector_store(&store, s.fifo))
		case *ExpirationCache:
			must(C.kin_expiring_store_reflector_store(&store, s.store))
		case *UndeltaStore:
			must(C.kin_undelta_store_reflector_store(&store, s.store))
		default:
			C.bridge_reflector_store(&store, C.uintptr_t(cgo.NewHandle(&goStore{r.store})))
		}
		options, free := r.options()
		defer free()
		err := newError()
		if e := failure(C.kin_reflector_new(&r.reflector, source, &store, options, err), err); e != nil {
			panic(e)
		}
	})
	return r.reflector
}

// begin is called by the source before each list and watch.
func (r *Reflector) begin(isWatch bool, options *metav1.ListOptions) bool {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.round == nil {
		return true
	}
	isList := !isWatch || options.SendInitialEvents != nil
	switch {
	case r.round.isOver:
		return false
	case isList && r.round.hasWatched:
		r.round.end(r.round.failure)
		return false
	case isList:
		r.round.failure, r.round.hasFailed = nil, false
	case r.round.listsOnly:
		r.round.end(nil)
		return false
	default:
		r.round.hasWatched = true
	}
	return true
}

// event is called by the source after each event.
func (r *Reflector) event(event watch.Event) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if o, ok := event.Object.(metav1.ObjectMetaAccessor); ok && event.Type == watch.Bookmark && r.round != nil &&
		o.GetObjectMeta().GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true" {
		r.round.hasWatched = true
	}
}

//export goFailure
func goFailure(handle C.uintptr_t, operation C.kin_failed_operation, err *C.kin_error, isWatchError C.bool) {
	r := cgo.Handle(handle).Value().(*Reflector)
	reason := r.source.failed(err)
	r.lock.Lock()
	current := r.round
	ctx := r.ctx
	if current != nil {
		switch operation {
		case C.KIN_FAILED_LIST, C.KIN_FAILED_PAGE:
			current.failure, current.hasFailed = reason, true
		case C.KIN_FAILED_WATCH_BEGIN:
			if isWatchError {
				current.failure, current.hasFailed = reason, true
			}
		case C.KIN_FAILED_WATCH, C.KIN_FAILED_RESYNC:
			// A list follows, unless the server has asked for patience. ListAndWatch says nothing of it.
			current.hasFailed = err.http_status != http.StatusTooManyRequests
		}
	}
	r.lock.Unlock()
	if current == nil && bool(isWatchError) && r.watchErrorHandler != nil && !r.source.hasEnded() {
		r.watchErrorHandler(ctx, r, reason)
	}
}

//export goReflectorState
func goReflectorState(handle C.uintptr_t, state C.kin_reflector_state, until C.int64_t) {
	r := cgo.Handle(handle).Value().(*Reflector)
	r.lock.Lock()
	defer r.lock.Unlock()
	// Without a time it has failed and asks again at once.
	if state == C.KIN_REFLECTOR_BACKING_OFF && until != 0 && r.round != nil && r.round.hasFailed {
		r.round.end(r.round.failure)
	}
}

//export goShouldResync
func goShouldResync(handle C.uintptr_t) C.bool {
	return C.bool(cgo.Handle(handle).Value().(*Reflector).ShouldResync())
}

func (r *Reflector) run(ctx context.Context, current *round) error {
	reflector := r.kin()
	r.lock.Lock()
	r.ctx, r.round = ctx, current
	r.lock.Unlock()
	r.source.run(ctx)
	defer r.time.follow()()
	if ctx.Err() == nil {
		must(C.kin_reflector_start(reflector, nil))
		select {
		case <-ctx.Done():
			r.source.drain()
		case <-current.channel():
		}
		C.kin_reflector_stop(reflector)
		must(C.kin_reflector_wait(reflector, -1, nil))
	}
	if looking, ok := r.store.(interface{ look() }); ok {
		looking.look()
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	r.round = nil
	if current == nil || ctx.Err() != nil {
		return nil
	}
	return current.err
}

func (r *round) channel() <-chan struct{} {
	if r == nil {
		return nil
	}
	return r.over
}

func (r *Reflector) Run(stopCh <-chan struct{}) {
	r.RunWithContext(wait.ContextForChannel(stopCh))
}

func (r *Reflector) RunWithContext(ctx context.Context) {
	_ = r.run(ctx, nil)
}

func (r *Reflector) ListAndWatch(stopCh <-chan struct{}) error {
	return r.ListAndWatchWithContext(wait.ContextForChannel(stopCh))
}

func (r *Reflector) ListAndWatchWithContext(ctx context.Context) error {
	if err := r.seeBefore(ctx); err != nil {
		return err
	}
	return r.run(ctx, &round{over: make(chan struct{})})
}

// list is the first half of ListAndWatch.
func (r *Reflector) list(ctx context.Context) error {
	return r.run(ctx, &round{over: make(chan struct{}), listsOnly: true})
}

// setLastSyncResourceVersion lets the reflector see a version before its first run.
func (r *Reflector) setLastSyncResourceVersion(version string) {
	r.before = version
}

// seeBefore lists an empty list of that version: the library has no other way to see one.
func (r *Reflector) seeBefore(ctx context.Context) error {
	if r.before == "" {
		return nil
	}
	lw := r.listerWatcher
	r.listerWatcher = &ListWatch{ListFunc: func(metav1.ListOptions) (apiruntime.Object, error) {
		return &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: r.before}}, nil
	}}
	err := r.list(ctx)
	r.before = ""
	r.listerWatcher = lw
	return err
}

func (r *Reflector) LastSyncResourceVersion() string {
	if r.version != nil {
		return r.version()
	}
	var version [C.KIN_RESOURCE_VERSION_BYTES_MAX + 1]C.char
	C.kin_reflector_last_version(r.kin(), &version[0], C.size_t(len(version)))
	return C.GoString(&version[0])
}

func (r *Reflector) Name() string {
	return r.name
}

func (r *Reflector) TypeDescription() string {
	return reflect.TypeOf(r.expectedType).String()
}

// goStore is a store of Go's that a reflector of the library feeds.
type goStore struct {
	store ReflectorStore
}

//export goStoreChange
func goStoreChange(handle C.uintptr_t, change C.int, object *C.kin_object, err *C.kin_error) C.int {
	store := cgo.Handle(handle).Value().(*goStore).store
	var e error
	switch change {
	case C.KIN_WATCH_ADDED:
		e = store.Add(unwrap(object))
	case C.KIN_WATCH_MODIFIED:
		e = store.Update(unwrap(object))
	case C.KIN_WATCH_DELETED:
		e = store.Delete(unwrap(object))
	}
	if e != nil {
		return fail(err, C.KIN_EINVAL, e)
	}
	return 0
}

//export goStoreResync
func goStoreResync(handle C.uintptr_t, err *C.kin_error) C.int {
	if e := cgo.Handle(handle).Value().(*goStore).store.Resync(); e != nil {
		return fail(err, C.KIN_EINVAL, e)
	}
	return 0
}

type goReplace struct {
	store ReflectorStore
	list  []interface{}
}

//export goReplaceBegin
func goReplaceBegin(handle C.uintptr_t) C.uintptr_t {
	return C.uintptr_t(cgo.NewHandle(&goReplace{store: cgo.Handle(handle).Value().(*goStore).store}))
}

//export goReplaceAdd
func goReplaceAdd(handle C.uintptr_t, object *C.kin_object) {
	r := cgo.Handle(handle).Value().(*goReplace)
	r.list = append(r.list, unwrap(object))
}

//export goReplaceCommit
func goReplaceCommit(handle C.uintptr_t, version *C.char, n C.size_t, err *C.kin_error) C.int {
	r := cgo.Handle(handle).Value().(*goReplace)
	if e := r.store.Replace(r.list, C.GoStringN(version, C.int(n))); e != nil {
		return fail(err, C.KIN_EINVAL, e)
	}
	cgo.Handle(handle).Delete()
	return 0
}

// FakeCustomStore is a store of functions.
type FakeCustomStore struct {
	AddFunc                          func(obj interface{}) error
	UpdateFunc                       func(obj interface{}) error
	DeleteFunc                       func(obj interface{}) error
	ListFunc                         func() []interface{}
	ListKeysFunc                     func() []string
	GetFunc                          func(obj interface{}) (item interface{}, exists bool, err error)
	GetByKeyFunc                     func(key string) (item interface{}, exists bool, err error)
	ReplaceFunc                      func(list []interface{}, resourceVersion string) error
	ResyncFunc                       func() error
	BookmarkFunc                     func(rv string)
	LastStoreSyncResourceVersionFunc func() string
}

var _ Store = &FakeCustomStore{}

func callIf[F any](f F, call func(F) error) error {
	if reflect.ValueOf(f).IsNil() {
		return nil
	}
	return call(f)
}

func (f *FakeCustomStore) Add(obj interface{}) error {
	return callIf(f.AddFunc, func(add func(interface{}) error) error { return add(obj) })
}

func (f *FakeCustomStore) Update(obj interface{}) error {
	return callIf(f.UpdateFunc, func(update func(interface{}) error) error { return update(obj) })
}

func (f *FakeCustomStore) Delete(obj interface{}) error {
	return callIf(f.DeleteFunc, func(del func(interface{}) error) error { return del(obj) })
}

func (f *FakeCustomStore) List() []interface{} {
	if f.ListFunc == nil {
		return nil
	}
	return f.ListFunc()
}

func (f *FakeCustomStore) ListKeys() []string {
	if f.ListKeysFunc == nil {
		return nil
	}
	return f.ListKeysFunc()
}

func (f *FakeCustomStore) Get(obj interface{}) (item interface{}, exists bool, err error) {
	if f.GetFunc == nil {
		return nil, false, nil
	}
	return f.GetFunc(obj)
}

func (f *FakeCustomStore) GetByKey(key string) (item interface{}, exists bool, err error) {
	if f.GetByKeyFunc == nil {
		return nil, false, nil
	}
	return f.GetByKeyFunc(key)
}

func (f *FakeCustomStore) Replace(list []interface{}, resourceVersion string) error {
	return callIf(f.ReplaceFunc, func(replace func([]interface{}, string) error) error {
		return replace(list, resourceVersion)
	})
}

func (f *FakeCustomStore) Resync() error {
	return callIf(f.ResyncFunc, func(resync func() error) error { return resync() })
}

func (f *FakeCustomStore) Bookmark(rv string) {
	if f.BookmarkFunc != nil {
		f.BookmarkFunc(rv)
	}
}

func (f *FakeCustomStore) LastStoreSyncResourceVersion() string {
	if f.LastStoreSyncResourceVersionFunc == nil {
		return ""
	}
	return f.LastStoreSyncResourceVersionFunc()
}
