// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
)

const nodeNameIndex = "nodeName"

var podsResource = corev1.SchemeGroupVersion.WithResource("pods")

// stopGrace bounds how long a cancelled informer may take to return.
const stopGrace = 30 * time.Second

// podInformer is one SharedIndexInformer of Pods with one handler.
type podInformer struct {
	flags        *serverFlags
	requests     *requests
	informer     cache.SharedIndexInformer
	registration cache.ResourceEventHandlerRegistration
	failed       chan error // the first failed list or watch
	cancel       context.CancelFunc
	finished     chan struct{}
}

func newPodInformer(f *serverFlags, stripManagedFields bool, handler cache.ResourceEventHandler) (*podInformer, error) {
	p := &podInformer{
		flags:    f,
		requests: newRequests(),
		failed:   make(chan error, 1),
		finished: make(chan struct{}),
	}
	informer, err := podInformerFor(f, p.requests)
	if err != nil {
		return nil, err
	}
	p.informer = informer
	if err := addIndexes(informer, f.format); err != nil {
		return nil, err
	}
	if stripManagedFields {
		if err := informer.SetTransform(dropManagedFields); err != nil {
			return nil, err
		}
	}
	if err := reportFailures(informer, p.failed); err != nil {
		return nil, err
	}
	p.registration, err = informer.AddEventHandler(handler)
	return p, err
}

// podInformerFor goes through the factory of each client, as controllers do.
// All three come with the namespace index.
func podInformerFor(f *serverFlags, req *requests) (cache.SharedIndexInformer, error) {
	config, err := f.config(req)
	if err != nil {
		return nil, err
	}
	switch f.format {
	case formatUnstructured:
		client, err := dynamic.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		return dynamicinformer.NewDynamicSharedInformerFactory(client, 0).ForResource(podsResource).Informer(), nil
	case formatMetadata:
		client, err := metadata.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		return metadatainformer.NewSharedInformerFactory(client, 0).ForResource(podsResource).Informer(), nil
	default:
		client, err := kubernetes.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		return informers.NewSharedInformerFactory(client, 0).Core().V1().Pods().Informer(), nil
	}
}

// addIndexes adds the index by node. PartialObjectMetadata has no spec, so
// there the namespace index is the only one.
func addIndexes(informer cache.SharedIndexInformer, format string) error {
	switch format {
	case formatMetadata:
		return nil
	case formatUnstructured:
		return informer.AddIndexers(cache.Indexers{nodeNameIndex: unstructuredNodeName})
	default:
		return informer.AddIndexers(cache.Indexers{nodeNameIndex: podNodeName})
	}
}

func podNodeName(obj any) ([]string, error) {
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return nil, fmt.Errorf("not a Pod: %T", obj)
	}
	return []string{pod.Spec.NodeName}, nil
}

func unstructuredNodeName(obj any) ([]string, error) {
	u, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return nil, fmt.Errorf("not unstructured: %T", obj)
	}
	name, _, err := unstructured.NestedString(u.Object, "spec", "nodeName")
	return []string{name}, err
}

func dropManagedFields(obj any) (any, error) {
	accessor, err := meta.Accessor(obj)
	if err != nil {
		return nil, err
	}
	accessor.SetManagedFields(nil)
	return obj, nil
}

// reportFailures hands the first error of a list or watch to the run, which
// then ends: a sync that had to be tried again is no measurement.
func reportFailures(informer cache.SharedIndexInformer, failed chan<- error) error {
	return informer.SetWatchErrorHandlerWithContext(func(ctx context.Context, r *cache.Reflector, err error) {
		if ctx.Err() != nil {
			return // the run is over; what fails now fails because of that
		}
		cache.DefaultWatchErrorHandler(ctx, r, err)
		select {
		case failed <- err:
		default:
		}
	})
}

func (p *podInformer) start(ctx context.Context) {
	ctx, p.cancel = context.WithCancel(ctx)
	go func() {
		defer close(p.finished)
		p.informer.RunWithContext(ctx)
	}()
}

// waitSynced returns when the store has the first state and the handler was
// given all of it. Channels, not polling, so that no poll interval is measured.
func (p *podInformer) waitSynced(ctx context.Context) error {
	for _, checker := range []cache.DoneChecker{p.informer.HasSyncedChecker(), p.registration.HasSyncedChecker()} {
		select {
		case <-checker.Done():
		case err := <-p.failed:
			return err
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", checker.Name(), context.Cause(ctx))
		}
	}
	return nil
}

// check tells whether the run measured what it says it measured.
func (p *podInformer) check() error {
	if err := p.requests.check(p.flags, 1); err != nil {
		return err
	}
	return p.requests.checkMediaType(p.flags)
}

// stop ends the informer and waits for it. The store stays readable.
func (p *podInformer) stop() error {
	if p.cancel == nil {
		return nil
	}
	p.cancel()
	select {
	case <-p.finished:
		return nil
	case <-time.After(stopGrace):
		return errors.New("the informer did not stop")
	}
}
