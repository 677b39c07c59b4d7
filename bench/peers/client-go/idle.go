// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// idleKinds are the kinds an agent watches, commonest first. Pods are left out:
// they are the one kind for which the replay server has objects.
var idleKinds = []func(informers.SharedInformerFactory) cache.SharedIndexInformer{
	func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Core().V1().Services().Informer()
	},
	func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Core().V1().ConfigMaps().Informer()
	},
	func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Core().V1().Secrets().Informer()
	},
	func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Core().V1().Nodes().Informer()
	},
	func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Core().V1().Namespaces().Informer()
	},
	func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Core().V1().ServiceAccounts().Informer()
	},
	func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Apps().V1().Deployments().Informer()
	},
	func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Apps().V1().ReplicaSets().Informer()
	},
	func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Apps().V1().StatefulSets().Informer()
	},
	func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Apps().V1().DaemonSets().Informer()
	},
	func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Batch().V1().Jobs().Informer()
	},
	func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Discovery().V1().EndpointSlices().Informer()
	},
}

const (
	steadyFor   = time.Second
	steadyLimit = 30 * time.Second
)

// runIdle measures an agent that watches several kinds on which nothing happens.
func runIdle(ctx context.Context, args []string, r *report) (err error) {
	var f serverFlags
	fs := newFlags("idle")
	f.register(fs, listModeWatchList)
	kinds := fs.Int("kinds", 10, "number of kinds to watch")
	window := fs.Duration("window", 5*time.Second, "how long to measure the CPU time")
	if _, err := parseFlags(fs, args, 0); err != nil {
		return err
	}
	if *kinds < 1 || *kinds > len(idleKinds) {
		return fmt.Errorf("--kinds must be 1 to %d", len(idleKinds))
	}
	if f.format != formatJSON && f.format != formatProtobuf {
		return errors.New("--format must be json or protobuf")
	}
	ctx, cancel, err := f.prepare(ctx)
	if err != nil {
		return err
	}
	defer cancel()

	req := newRequests()
	config, err := f.config(req)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	failed := make(chan error, 1)
	handler := &countingHandler{}
	for _, kind := range idleKinds[:*kinds] {
		informer := kind(factory)
		if err := reportFailures(informer, failed); err != nil {
			return err
		}
		if _, err := informer.AddEventHandler(handler); err != nil {
			return err
		}
	}
	factory.StartWithContext(ctx)
	defer func() {
		cancel()
		factory.Shutdown()
	}()
	if err := waitFactory(ctx, factory, failed); err != nil {
		return err
	}
	if err := waitSteady(ctx); err != nil {
		return err
	}

	resting, err := measureResting()
	if err != nil {
		return err
	}
	goroutines := runtime.NumGoroutine()
	s := startSection()
	select {
	case <-time.After(*window):
	case err := <-failed:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	used := s.stop()
	if err := req.check(&f, *kinds); err != nil {
		return err
	}
	if n := handler.adds.Load() + handler.updates.Load(); n != 0 {
		return fmt.Errorf("the server is not idle: %d events came", n)
	}

	// Nothing is measured that depends on the format, so either is taken.
	r.note("asked for %s, answered with %s", f.format, req.answered())
	r.note("list-mode %s, %d kinds, one handler each", f.listMode, *kinds)
	r.usage(used)
	r.bytes("rss_anon", resting.status.rssAnon)
	r.bytes("rss", resting.status.rss)
	r.bytes("heap", resting.heap)
	r.count("threads", resting.status.threads)
	r.count("goroutines", int64(goroutines))
	return nil
}

// waitFactory waits for all kinds and fails at the first that cannot be listed.
func waitFactory(ctx context.Context, factory informers.SharedInformerFactory, failed <-chan error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	synced := make(chan error, 1)
	go func() { synced <- factory.WaitForCacheSyncWithContext(ctx).AsError() }()
	select {
	case err := <-synced:
		return err
	case err := <-failed:
		cancel(err)
		<-synced
		return err
	}
}

// waitSteady returns when the number of goroutines has stopped changing, so that
// what belongs to starting is over.
func waitSteady(ctx context.Context) error {
	begin, last, since := time.Now(), runtime.NumGoroutine(), time.Now()
	for time.Since(since) < steadyFor {
		if time.Since(begin) > steadyLimit {
			return fmt.Errorf("the number of goroutines is not steady after %v", steadyLimit)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(50 * time.Millisecond):
		}
		if n := runtime.NumGoroutine(); n != last {
			last, since = n, time.Now()
		}
	}
	return nil
}
