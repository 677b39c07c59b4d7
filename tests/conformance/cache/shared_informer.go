// SPDX-License-Identifier: Apache-2.0

package cache

/*
#include "bridge.h"
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/cgo"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
)

const syncedPollPeriod = 100 * time.Millisecond

type SharedInformer interface {
	AddEventHandler(handler ResourceEventHandler) (ResourceEventHandlerRegistration, error)
	AddEventHandlerWithResyncPeriod(handler ResourceEventHandler, resyncPeriod time.Duration) (ResourceEventHandlerRegistration, error)
	AddEventHandlerWithOptions(handler ResourceEventHandler, options HandlerOptions) (ResourceEventHandlerRegistration, error)
	RemoveEventHandler(handle ResourceEventHandlerRegistration) error
	GetStore() Store
	Run(stopCh <-chan struct{})
	RunWithContext(ctx context.Context)
	HasSynced() bool
	HasSyncedChecker() DoneChecker
	LastSyncResourceVersion() string
	SetWatchErrorHandler(handler WatchErrorHandler) error
	SetWatchErrorHandlerWithContext(handler WatchErrorHandlerWithContext) error
	SetTransform(handler TransformFunc) error
	IsStopped() bool
}

type SharedIndexInformer interface {
	SharedInformer
	AddIndexers(indexers Indexers) error
	GetIndexer() Indexer
}

type ResourceEventHandlerRegistration interface {
	HasSynced() bool
	HasSyncedChecker() DoneChecker
}

type HandlerOptions struct {
	Logger       *klog.Logger
	ResyncPeriod *time.Duration
}

type SharedIndexInformerOptions struct {
	ResyncPeriod      time.Duration
	Indexers          Indexers
	ObjectDescription string
}

type InformerSynced func() bool

func WaitForCacheSync(stopCh <-chan struct{}, cacheSyncs ...InformerSynced) bool {
	return wait.PollUntilContextCancel(wait.ContextForChannel(stopCh), syncedPollPeriod, true, func(context.Context) (bool, error) {
		for _, hasSynced := range cacheSyncs {
			if !hasSynced() {
				return false, nil
			}
		}
		return true, nil
	}) == nil
}

func WaitFor(ctx context.Context, _ string, checkers ...DoneChecker) bool {
	for _, checker := range checkers {
		select {
		case <-checker.Done():
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// informerHooks are what the library calls back. They do not refer to the informer, so that Go can free it.
type informerHooks struct {
	lock         sync.Mutex
	ctx          context.Context
	transform    TransformFunc
	errorHandler WatchErrorHandlerWithContext
	source       *source
}

// sharedIndexInformer is a kin_informer, made at the first call, since client-go's tests set the clock until then.
type sharedIndexInformer struct {
	startedLock sync.Mutex
	started     bool
	stopped     bool
	processor   *sharedProcessor
	clock       clock.Clock

	once       sync.Once
	informer   *C.kin_informer
	time       *bridgedClock
	lw         ListerWatcher
	objectType apiruntime.Object
	options    SharedIndexInformerOptions
	hooks      *informerHooks
	indexer    *cache
	synced     *waitedFor
}

// sharedProcessor is what client-go's tests look into. listeners has as many entries as the library has handlers.
type sharedProcessor struct {
	clock     clock.Clock
	informer  *sharedIndexInformer
	listeners []struct{}
}

type processorListener struct {
	resyncPeriod time.Duration
}

// registration is a kin_registration. Its name is its own in the process.
type registration struct {
	kin          *C.kin_registration
	name         string
	resyncPeriod time.Duration
	synced       *waitedFor
}

var registrations atomic.Int64

func NewSharedInformer(lw ListerWatcher, exampleObject apiruntime.Object, defaultEventHandlerResyncPeriod time.Duration) SharedInformer {
	return NewSharedIndexInformer(lw, exampleObject, defaultEventHandlerResyncPeriod, Indexers{})
}

func NewSharedIndexInformer(lw ListerWatcher, exampleObject apiruntime.Object, defaultEventHandlerResyncPeriod time.Duration, indexers Indexers) SharedIndexInformer {
	return NewSharedIndexInformerWithOptions(lw, exampleObject, SharedIndexInformerOptions{ResyncPeriod: defaultEventHandlerResyncPeriod, Indexers: indexers})
}

func NewSharedIndexInformerWithOptions(lw ListerWatcher, exampleObject apiruntime.Object, options SharedIndexInformerOptions) SharedIndexInformer {
	s := &sharedIndexInformer{lw: lw, objectType: exampleObject, options: options, hooks: &informerHooks{ctx: context.Background()}}
	s.processor = &sharedProcessor{informer: s}
	return s
}

func (s *sharedIndexInformer) kin() *C.kin_informer {
	s.once.Do(func() {
		hooks := s.hooks
		handle := (&functions{key: DeletionHandlingMetaNamespaceKeyFunc, transform: hooks.transformed, informer: hooks}).handle()
		lw, time := s.lw, bridgeClock(s.clock)
		s.time = time
		hooks.source = &source{lw: func() ListerWatcher { return lw }, clock: func() *bridgedClock { return time }}
		source := hooks.source.kin(true)
		defer C.kin_list_watch_unref(source)
		kind, apiVersion := kindOf(s.objectType)
		kindText, versionText := C.CString(kind), (*C.char)(nil)
		defer C.free(cpointer(kindText))
		if apiVersion != "" {
			versionText = C.CString(apiVersion)
			defer C.free(cpointer(versionText))
		}
		name := C.CString(fmt.Sprintf("%T", s.objectType))
		defer C.free(cpointer(name))
		streams := C.kin_streaming_lists(C.KIN_STREAMING_LISTS_NEVER)
		if usesWatchList(lw) {
			streams = C.KIN_STREAMING_LISTS_AUTO
		}
		var informer *C.kin_informer
		err := newError()
		e := failure(C.bridge_informer_new(&informer, source, name, C.uintptr_t(handle),
			C.int64_t(s.options.ResyncPeriod.Milliseconds()), C.bool(usesOrderedQueue()), s.time.kin, kindText, versionText,
			streams, false, err), err)
		if e != nil {
			panic(e)
		}
		s.informer = informer
		store := C.kin_store_ref(C.kin_informer_store(informer))
		s.indexer = &cache{kinStore: borrowKinStore(store), keyFunc: DeletionHandlingMetaNamespaceKeyFunc}
		if e := s.indexer.AddIndexers(s.options.Indexers); e != nil {
			panic(e)
		}
		s.synced = &waitedFor{name: "informer", wait: func() bool {
			return C.kin_informer_wait_synced(informer, -1, nil) == 0
		}}
		release(s, func() { C.bridge_informer_free(informer, C.uintptr_t(handle)) })
	})
	return s.informer
}

func (h *informerHooks) transformed(obj interface{}) (interface{}, error) {
	h.lock.Lock()
	transform := h.transform
	h.lock.Unlock()
	if transform == nil {
		return obj, nil
	}
	return transform(obj)
}

//export goInformerFailure
func goInformerFailure(handle C.uintptr_t, operation C.kin_failed_operation, err *C.kin_error, isWatchError C.bool) {
	h := functionsOf(handle).informer
	h.lock.Lock()
	handler, ctx := h.errorHandler, h.ctx
	h.lock.Unlock()
	if handler != nil && bool(isWatchError) && !h.source.hasEnded() {
		handler(ctx, &Reflector{name: "informer"}, h.source.failed(err))
	}
}

func (s *sharedIndexInformer) whileNew(change func()) error {
	s.startedLock.Lock()
	defer s.startedLock.Unlock()
	if s.started {
		return errors.New("informer has already started")
	}
	s.hooks.lock.Lock()
	defer s.hooks.lock.Unlock()
	change()
	return nil
}

func (s *sharedIndexInformer) SetTransform(handler TransformFunc) error {
	return s.whileNew(func() { s.hooks.transform = handler })
}

func (s *sharedIndexInformer) SetWatchErrorHandler(handler WatchErrorHandler) error {
	return s.SetWatchErrorHandlerWithContext(func(_ context.Context, r *Reflector, err error) { handler(r, err) })
}

func (s *sharedIndexInformer) SetWatchErrorHandlerWithContext(handler WatchErrorHandlerWithContext) error {
	return s.whileNew(func() { s.hooks.errorHandler = handler })
}

func (s *sharedIndexInformer) Run(stopCh <-chan struct{}) {
	s.RunWithContext(wait.ContextForChannel(stopCh))
}

func (s *sharedIndexInformer) RunWithContext(ctx context.Context) {
	informer := s.kin()
	defer runtime.KeepAlive(s)
	s.startedLock.Lock()
	if s.started {
		s.startedLock.Unlock()
		return
	}
	s.started = true
	s.startedLock.Unlock()
	s.hooks.lock.Lock()
	s.hooks.ctx = ctx
	s.hooks.lock.Unlock()
	s.hooks.source.run(ctx)
	defer s.time.follow()()
	must(C.kin_informer_start(informer, nil))
	<-ctx.Done()
	s.hooks.source.drain()
	C.kin_informer_stop(informer)
	must(C.kin_informer_wait_stopped(informer, -1, nil))
	s.startedLock.Lock()
	s.stopped = true
	s.startedLock.Unlock()
}

func (s *sharedIndexInformer) IsStopped() bool {
	s.startedLock.Lock()
	defer s.startedLock.Unlock()
	return s.stopped
}

func (s *sharedIndexInformer) HasSynced() bool {
	defer runtime.KeepAlive(s)
	return bool(C.kin_informer_has_synced(s.kin()))
}

func (s *sharedIndexInformer) HasSyncedChecker() DoneChecker {
	s.kin()
	return s.synced
}

func (s *sharedIndexInformer) LastSyncResourceVersion() string {
	return s.GetStore().LastStoreSyncResourceVersion()
}

func (s *sharedIndexInformer) GetStore() Store {
	return s.GetIndexer()
}

func (s *sharedIndexInformer) GetIndexer() Indexer {
	s.kin()
	return s.indexer
}

// AddIndexers adds them to the informer's store.
func (s *sharedIndexInformer) AddIndexers(indexers Indexers) error {
	s.kin()
	return s.indexer.AddIndexers(indexers)
}

func (s *sharedIndexInformer) AddEventHandler(handler ResourceEventHandler) (ResourceEventHandlerRegistration, error) {
	return s.AddEventHandlerWithOptions(handler, HandlerOptions{})
}

func (s *sharedIndexInformer) AddEventHandlerWithResyncPeriod(handler ResourceEventHandler, resyncPeriod time.Duration) (ResourceEventHandlerRegistration, error) {
	return s.AddEventHandlerWithOptions(handler, HandlerOptions{ResyncPeriod: &resyncPeriod})
}

func (s *sharedIndexInformer) AddEventHandlerWithOptions(handler ResourceEventHandler, options HandlerOptions) (ResourceEventHandlerRegistration, error) {
	informer := s.kin()
	defer runtime.KeepAlive(s)
	// The library accepts handlers after the stop, since it can start again; client-go's informers run once.
	if s.IsStopped() {
		return nil, fmt.Errorf("handler %v was not added to shared informer because it has stopped already", handler)
	}
	r := &registration{name: fmt.Sprintf("handler-%d", registrations.Add(1)), resyncPeriod: s.options.ResyncPeriod}
	resync := C.int64_t(0)
	if options.ResyncPeriod != nil {
		r.resyncPeriod = *options.ResyncPeriod
		if resync = C.int64_t(r.resyncPeriod.Milliseconds()); resync == 0 {
			resync = -1
		}
	}
	name := C.CString(r.name)
	defer C.free(cpointer(name))
	err := newError()
	handle := cgo.NewHandle(handler)
	if e := failure(C.bridge_informer_add_handler(informer, &r.kin, name, C.uintptr_t(handle), resync, err), err); e != nil {
		handle.Delete()
		return nil, e
	}
	kin := r.kin
	r.synced = &waitedFor{name: r.name, wait: func() bool { return C.kin_registration_wait_synced(kin, -1, nil) == 0 }}
	release(r, func() { C.kin_registration_unref(kin) })
	s.processor.look()
	return r, nil
}

func (s *sharedIndexInformer) RemoveEventHandler(handle ResourceEventHandlerRegistration) error {
	defer runtime.KeepAlive(s)
	C.kin_informer_remove_handler(s.kin(), handle.(*registration).kin)
	s.processor.look()
	return nil
}

// ShutDownEventHandler removes a handler and waits for its last call.
func ShutDownEventHandler(informer SharedInformer, handle ResourceEventHandlerRegistration) error {
	s := informer.(*sharedIndexInformer)
	defer runtime.KeepAlive(s)
	err := newError()
	e := failure(C.kin_informer_remove_handler_wait(s.kin(), handle.(*registration).kin, err), err)
	s.processor.look()
	return e
}

func (p *sharedProcessor) look() {
	p.informer.startedLock.Lock()
	defer p.informer.startedLock.Unlock()
	p.listeners = make([]struct{}, int(C.kin_informer_count_handlers(p.informer.kin())))
}

// getListener asks the library for a handler.
func (p *sharedProcessor) getListener(handle ResourceEventHandlerRegistration) *processorListener {
	r := handle.(*registration)
	name := C.CString(r.name)
	defer C.free(cpointer(name))
	var found *C.kin_registration
	if C.kin_informer_find_handler(p.informer.kin(), &found, name, nil) < 0 {
		return nil
	}
	C.kin_registration_unref(found)
	return &processorListener{resyncPeriod: r.resyncPeriod}
}

func (r *registration) HasSynced() bool {
	defer runtime.KeepAlive(r)
	return bool(C.kin_registration_has_synced(r.kin))
}

func (r *registration) HasSyncedChecker() DoneChecker {
	return r.synced
}

func sortedKeys[T any](m map[string]T) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
