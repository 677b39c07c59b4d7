// SPDX-License-Identifier: Apache-2.0

package cache

/*
#include "bridge.h"
*/
import "C"

import (
	"context"
	"fmt"
	"os"
	"runtime/cgo"
	"sync"
	"time"
	"unsafe"

	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	clientfeatures "k8s.io/client-go/features"
	"k8s.io/klog/v2"
)

type ProcessFunc func(obj interface{}, isInInitialList bool) error

type Config struct {
	Queue
	ListerWatcher
	Process                      ProcessFunc
	ProcessBatch                 ProcessBatchFunc
	ObjectType                   apiruntime.Object
	ObjectDescription            string
	FullResyncPeriod             time.Duration
	MinWatchTimeout              time.Duration
	ShouldResync                 ShouldResyncFunc
	WatchErrorHandler            WatchErrorHandler
	WatchErrorHandlerWithContext WatchErrorHandlerWithContext
	WatchListPageSize            int64
}

type Controller interface {
	RunWithContext(ctx context.Context)
	Run(stopCh <-chan struct{})
	HasSynced() bool
	HasSyncedChecker() DoneChecker
	LastSyncResourceVersion() string
}

// controller is a kin_controller. It is freed when its run ends, since client-go's run once.
type controller struct {
	config    *Config // of New()
	reflector *Reflector
	lock      sync.Mutex
	kin       *C.kin_controller
	hasSynced bool   // when it was freed
	version   string // likewise
	done      *waitedFor
}

// New makes a controller over a queue of the library.
func New(c *Config) Controller {
	config := *c
	ctlr := &controller{config: &config, reflector: &Reflector{name: "controller", expectedType: config.ObjectType,
		listerWatcher: config.ListerWatcher, resyncPeriod: config.FullResyncPeriod,
		minWatchTimeout: config.MinWatchTimeout, WatchListPageSize: config.WatchListPageSize,
		watchErrorHandler: DefaultWatchErrorHandler, ShouldResync: config.ShouldResync,
		useWatchList: usesWatchList(config.ListerWatcher)}}
	if config.ObjectType == nil {
		ctlr.reflector.expectedType = nil
	}
	if config.WatchErrorHandlerWithContext != nil {
		ctlr.reflector.watchErrorHandler = config.WatchErrorHandlerWithContext
	}
	if config.WatchErrorHandler != nil {
		ctlr.reflector.watchErrorHandler = func(_ context.Context, r *Reflector, err error) { config.WatchErrorHandler(r, err) }
	}
	return ctlr
}

func (c *controller) newKin() {
	queue := C.kin_queue{size: C.size_t(unsafe.Sizeof(C.kin_queue{}))}
	switch q := c.config.Queue.(type) {
	case *DeltaFIFO:
		must(C.kin_delta_fifo_queue(&queue, q.kin()))
	case *RealFIFO:
		must(C.kin_ordered_fifo_queue(&queue, q.kin()))
	case *FIFO:
		must(C.kin_fifo_queue(&queue, q.fifo))
	default:
		panic(fmt.Sprintf("%T is not a queue of the library", q))
	}
	batches := c.config.ProcessBatch != nil && clientfeatures.FeatureGates().Enabled(clientfeatures.InOrderInformersBatchProcess)
	p := &popping{process: func(all []Deltas, isInitial bool) error {
		if len(all) == 1 {
			return c.config.Process(all[0], isInitial)
		}
		var batch []Delta
		for _, deltas := range all {
			batch = append(batch, deltas...)
		}
		return c.config.ProcessBatch(batch, isInitial)
	}}
	r := c.reflector
	r.source = r.newSource()
	source := r.source.kin(true)
	defer C.kin_list_watch_unref(source)
	options, free := r.options()
	defer free()
	err := newError()
	if e := failure(C.bridge_controller_new(&c.kin, source, &queue, C.uintptr_t(cgo.NewHandle(p)), C.bool(batches), options, err), err); e != nil {
		panic(e)
	}
}

func (c *controller) Run(stopCh <-chan struct{}) {
	c.RunWithContext(wait.ContextForChannel(stopCh))
}

func (c *controller) RunWithContext(ctx context.Context) {
	c.lock.Lock()
	if c.kin == nil {
		c.newKin()
	}
	kin := c.kin
	c.lock.Unlock()
	c.reflector.lock.Lock()
	c.reflector.ctx = ctx
	c.reflector.version = c.LastSyncResourceVersion
	c.reflector.lock.Unlock()
	c.reflector.source.run(ctx)
	defer c.reflector.time.follow()()
	must(C.kin_controller_start(kin, nil))
	<-ctx.Done()
	c.reflector.source.drain()
	C.kin_controller_stop(kin)
	must(C.kin_controller_wait_stopped(kin, -1, nil))
	c.lock.Lock()
	c.hasSynced = bool(C.kin_controller_has_synced(kin))
	c.version = controllerVersion(kin)
	c.kin = nil
	c.lock.Unlock()
	C.kin_controller_free(kin)
}

func controllerVersion(kin *C.kin_controller) string {
	var version [C.KIN_RESOURCE_VERSION_BYTES_MAX + 1]C.char
	C.kin_controller_last_version(kin, &version[0], C.size_t(len(version)))
	return C.GoString(&version[0])
}

func (c *controller) HasSynced() bool {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.kin == nil {
		return c.hasSynced
	}
	return bool(C.kin_controller_has_synced(c.kin))
}

func (c *controller) LastSyncResourceVersion() string {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.kin == nil {
		return c.version
	}
	return controllerVersion(c.kin)
}

func (c *controller) HasSyncedChecker() DoneChecker {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.done == nil {
		c.done = &waitedFor{name: c.reflector.name, wait: func() bool {
			return wait.PollUntilContextCancel(context.Background(), syncedPollPeriod, true, func(context.Context) (bool, error) {
				return c.HasSynced(), nil
			}) == nil
		}}
	}
	return c.done
}

// waitedFor is a channel that is closed when a wait has succeeded, which begins when somebody asks for it.
type waitedFor struct {
	name string
	wait func() bool
	once sync.Once
	done chan struct{}
}

func (w *waitedFor) Name() string { return w.name }

func (w *waitedFor) Done() <-chan struct{} {
	w.once.Do(func() {
		w.done = make(chan struct{})
		go func() {
			if w.wait() {
				close(w.done)
			}
		}()
	})
	return w.done
}

type InformerOptions struct {
	Logger          *klog.Logger
	ListerWatcher   ListerWatcher
	ObjectType      apiruntime.Object
	Handler         ResourceEventHandler
	ResyncPeriod    time.Duration
	MinWatchTimeout time.Duration
	Indexers        Indexers
	Transform       TransformFunc
}

// usesOrderedQueue is whether informers have an ordered FIFO, as client-go's since 1.36, or a DeltaFIFO, the library's
// default. The runner runs their tests with both.
func usesOrderedQueue() bool {
	return os.Getenv("KIN_CONFORMANCE_QUEUE") != "delta-fifo"
}

// NewInformerWithOptions makes a plain informer of the library.
func NewInformerWithOptions(options InformerOptions) (Store, Controller) {
	c := &controller{reflector: &Reflector{name: "informer", expectedType: options.ObjectType,
		listerWatcher: options.ListerWatcher, resyncPeriod: options.ResyncPeriod,
		minWatchTimeout: options.MinWatchTimeout, watchErrorHandler: DefaultWatchErrorHandler,
		useWatchList: usesWatchList(options.ListerWatcher)}}
	r := c.reflector
	r.source = r.newSource()
	source := r.source.kin(true)
	defer C.kin_list_watch_unref(source)
	reflector, free := r.options()
	defer free()
	// The functions are used for as long as the store is, which may be longer than the controller: they stay.
	functions := (&functions{key: DeletionHandlingMetaNamespaceKeyFunc, transform: options.Transform}).handle()
	var store *C.kin_store
	err := newError()
	e := failure(C.bridge_informer_controller_new(&c.kin, &store, source, C.uintptr_t(cgo.NewHandle(options.Handler)),
		C.uintptr_t(functions), C.bool(options.Transform != nil), C.bool(usesOrderedQueue()), reflector, err), err)
	if e != nil {
		panic(e)
	}
	s := &cache{kinStore: borrowKinStore(store), keyFunc: DeletionHandlingMetaNamespaceKeyFunc}
	if e := s.AddIndexers(options.Indexers); e != nil {
		panic(e)
	}
	return s, c
}

func NewInformer(lw ListerWatcher, objType apiruntime.Object, resyncPeriod time.Duration, h ResourceEventHandler) (Store, Controller) {
	return NewInformerWithOptions(InformerOptions{ListerWatcher: lw, ObjectType: objType, Handler: h, ResyncPeriod: resyncPeriod})
}

func NewIndexerInformer(lw ListerWatcher, objType apiruntime.Object, resyncPeriod time.Duration, h ResourceEventHandler, indexers Indexers) (Indexer, Controller) {
	store, c := NewInformerWithOptions(InformerOptions{ListerWatcher: lw, ObjectType: objType, Handler: h,
		ResyncPeriod: resyncPeriod, Indexers: indexers})
	return store.(Indexer), c
}

func NewTransformingInformer(lw ListerWatcher, objType apiruntime.Object, resyncPeriod time.Duration, h ResourceEventHandler, transformer TransformFunc) (Store, Controller) {
	return NewInformerWithOptions(InformerOptions{ListerWatcher: lw, ObjectType: objType, Handler: h,
		ResyncPeriod: resyncPeriod, Transform: transformer})
}

func NewTransformingIndexerInformer(lw ListerWatcher, objType apiruntime.Object, resyncPeriod time.Duration, h ResourceEventHandler, indexers Indexers, transformer TransformFunc) (Indexer, Controller) {
	store, c := NewInformerWithOptions(InformerOptions{ListerWatcher: lw, ObjectType: objType, Handler: h,
		ResyncPeriod: resyncPeriod, Indexers: indexers, Transform: transformer})
	return store.(Indexer), c
}

// processDeltas is the process function of several tests: it applies changes to a store and tells a handler.
func processDeltas(_ klog.Logger, handler ResourceEventHandler, store Store, deltas Deltas, isInInitialList bool, keyFunc KeyFunc) error {
	for _, d := range deltas {
		var err error
		switch d.Type {
		case ReplacedAll:
			err = processList(handler, store, d.Object.(ReplacedAllInfo), isInInitialList, keyFunc)
		case SyncAll:
			for _, obj := range store.List() {
				handler.OnUpdate(obj, obj)
			}
		case Bookmark:
			store.Bookmark(d.Object.(BookmarkInfo).ResourceVersion)
		case Deleted:
			if err = store.Delete(d.Object); err == nil {
				handler.OnDelete(d.Object)
			}
		default:
			old, exists, _ := store.Get(d.Object)
			if err = store.Update(d.Object); err == nil {
				tellChange(handler, old, exists, d.Object, isInInitialList)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func tellChange(handler ResourceEventHandler, old interface{}, exists bool, obj interface{}, isInInitialList bool) {
	if exists {
		handler.OnUpdate(old, obj)
	} else {
		handler.OnAdd(obj, isInInitialList)
	}
}

func processList(handler ResourceEventHandler, store Store, list ReplacedAllInfo, isInInitialList bool, keyFunc KeyFunc) error {
	before := map[string]interface{}{}
	for _, key := range store.ListKeys() {
		before[key], _, _ = store.GetByKey(key)
	}
	if err := store.Replace(list.Objects, list.ResourceVersion); err != nil {
		return err
	}
	for _, key := range sortedKeys(before) {
		if _, exists, _ := store.GetByKey(key); !exists {
			handler.OnDelete(DeletedFinalStateUnknown{Key: key, Obj: before[key]})
		}
	}
	for _, obj := range list.Objects {
		key, err := keyFunc(obj)
		if err != nil {
			return err
		}
		old, exists := before[key]
		tellChange(handler, old, exists, obj, isInInitialList)
	}
	return nil
}

func processDeltasInBatch(logger klog.Logger, handler ResourceEventHandler, store Store, deltas []Delta, isInInitialList bool, keyFunc KeyFunc) error {
	return processDeltas(logger, handler, store, deltas, isInInitialList, keyFunc)
}
