// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"reflect"
	"strconv"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/features"
	featuretesting "k8s.io/client-go/features/testing"
	"k8s.io/client-go/tools/cache"
)

const (
	writers = 6
	names   = 40
)

// faultyPhase is how long the server misbehaves: KIN_FAULT_SECONDS for a long run.
func faultyPhase() time.Duration {
	if n, err := strconv.Atoi(os.Getenv("KIN_FAULT_SECONDS")); err == nil {
		return time.Duration(n) * time.Second
	}
	return 3 * time.Second
}

func seed() int64 {
	if n, err := strconv.ParseInt(os.Getenv("KIN_TEST_SEED"), 10, 64); err == nil {
		return n
	}
	return 1
}

// write does something at random to one of the objects. That it may fail is in the nature of the test.
func write(ctx context.Context, random *rand.Rand, maps dynamic.ResourceInterface) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	name := fmt.Sprintf("c%02d", random.Intn(names))
	value := strconv.Itoa(random.Intn(1000))
	var err error
	switch random.Intn(5) {
	case 0, 1:
		_, err = maps.Create(ctx, configMap(name, value), metav1.CreateOptions{})
	case 2:
		_, err = maps.Patch(ctx, name, types.MergePatchType,
			fmt.Appendf(nil, `{"data":{"value":%q}}`, value), metav1.PatchOptions{})
	case 3:
		var found *unstructured.Unstructured
		if found, err = maps.Get(ctx, name, metav1.GetOptions{}); err == nil {
			unstructured.SetNestedField(found.Object, value, "data", "value")
			_, err = maps.Update(ctx, found, metav1.UpdateOptions{})
		}
	case 4:
		err = maps.Delete(ctx, name, metav1.DeleteOptions{})
	}
	return err
}

// writeUntil runs the writers until the context ends; the result is how many writes succeeded.
func writeUntil(ctx context.Context, s *server) func() int {
	var wg sync.WaitGroup
	done := make([]int, writers)
	for i := range writers {
		random := rand.New(rand.NewSource(seed()*100 + int64(i)))
		maps := s.client().Resource(configMaps).Namespace("default")
		wg.Go(func() {
			for ctx.Err() == nil {
				if write(ctx, random, maps) == nil {
					done[i]++
				}
			}
		})
	}
	return func() int {
		wg.Wait()
		sum := 0
		for _, n := range done {
			sum += n
		}
		return sum
	}
}

// replica is what the events that a handler gets add up to.
type replica struct {
	lock    sync.Mutex
	objects map[string]string // name to resourceVersion
	wrong   string
}

func (r *replica) say(format string, arguments ...any) {
	if r.wrong == "" {
		r.wrong = fmt.Sprintf(format, arguments...)
	}
}

func (r *replica) handlers() cache.ResourceEventHandlerFuncs {
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(object any) {
			r.lock.Lock()
			defer r.lock.Unlock()
			one := object.(*unstructured.Unstructured)
			if _, there := r.objects[one.GetName()]; there {
				r.say("%s was added twice", one.GetName())
			}
			r.objects[one.GetName()] = one.GetResourceVersion()
		},
		UpdateFunc: func(_, object any) {
			r.lock.Lock()
			defer r.lock.Unlock()
			one := object.(*unstructured.Unstructured)
			if _, there := r.objects[one.GetName()]; !there {
				r.say("%s was updated but never added", one.GetName())
			}
			r.objects[one.GetName()] = one.GetResourceVersion()
		},
		DeleteFunc: func(object any) {
			r.lock.Lock()
			defer r.lock.Unlock()
			if last, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = last.Obj
			}
			delete(r.objects, object.(*unstructured.Unstructured).GetName())
		},
	}
}

// informed is an informer that runs, and what its handler was told.
type informed struct {
	informer cache.SharedIndexInformer
	replica  *replica
}

func startInformer(t *testing.T, s *server) *informed {
	t.Helper()
	factory := dynamicinformer.NewFilteredDynamicInformer(s.client(), configMaps, "default", 0, cache.Indexers{}, nil)
	one := &informed{factory.Informer(), &replica{objects: map[string]string{}}}
	if _, err := one.informer.AddEventHandler(one.replica.handlers()); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { one.informer.Run(stop) })
	t.Cleanup(func() { close(stop); wg.Wait() })
	return one
}

// unpadded is an object without what a fault has put into it to make it larger: the last version of an object
// that a client was sent may be such a one.
func unpadded(object *unstructured.Unstructured) map[string]any {
	object = object.DeepCopy()
	unstructured.RemoveNestedField(object.Object, "kinformPadding")
	return object.Object
}

// differs says how an informer differs from the list; "" if it does not.
func (one *informed) differs(list *unstructured.UnstructuredList) string {
	expected := map[string]string{}
	for i := range list.Items {
		item := &list.Items[i]
		expected[item.GetName()] = item.GetResourceVersion()
		found, there, _ := one.informer.GetStore().GetByKey("default/" + item.GetName())
		if !there || !reflect.DeepEqual(unpadded(found.(*unstructured.Unstructured)), item.Object) {
			return fmt.Sprintf("the store has %v for %v", found, item.Object)
		}
	}
	if n := len(one.informer.GetStore().List()); n != len(list.Items) {
		return fmt.Sprintf("the store has %d objects, the server %d", n, len(list.Items))
	}
	one.replica.lock.Lock()
	defer one.replica.lock.Unlock()
	if !reflect.DeepEqual(one.replica.objects, expected) {
		return fmt.Sprintf("the handler was told of %v, there are %v", one.replica.objects, expected)
	}
	return one.replica.wrong
}

// assertEqual waits until all have what the server has. A write that its client has given up may still
// be carried out, so the list is not taken once and for all.
func assertEqual(t *testing.T, s *server, informers ...*informed) {
	t.Helper()
	maps := s.client().Resource(configMaps).Namespace("default")
	eventually(t, func() string {
		list, err := maps.List(context.Background(), metav1.ListOptions{})
		if err != nil {
			return err.Error()
		}
		if len(list.Items) == 0 {
			return "nothing is there to compare"
		}
		for _, one := range informers {
			if wrong := one.differs(list); wrong != "" {
				return wrong
			}
		}
		return ""
	})
}

// forEachWayToList runs a test with lists in pages and with streaming lists.
func forEachWayToList(t *testing.T, test func(t *testing.T, streaming bool)) {
	for _, streaming := range []bool{false, true} {
		t.Run(fmt.Sprintf("streaming=%v", streaming), func(t *testing.T) {
			featuretesting.SetFeatureDuringTest(t, features.WatchListClient, streaming)
			test(t, streaming)
		})
	}
}

func TestInformer(t *testing.T) {
	forEachWayToList(t, func(t *testing.T, streaming bool) {
		s := startServer(t, "--allow-anonymous")
		early := startInformer(t, s)
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if n := writeUntil(ctx, s)(); n < names {
			t.Errorf("only %d writes succeeded", n)
		}
		assertEqual(t, s, early, startInformer(t, s))
		streamed := 0
		for _, query := range s.queries("watch") {
			if query.Get("sendInitialEvents") == "true" {
				streamed++
			}
		}
		if (streamed > 0) != streaming {
			t.Errorf("%d lists were streamed", streamed)
		}
	})
}

// faults that a client has to survive. An event that is lost or comes late is none of them: nothing
// tells a client of it.
var faults = []map[string]any{
	{"type": "Reset", "verb": "watch", "bytes": 700},
	{"type": "Reset", "verb": "list", "bytes": 100},
	{"type": "Reset"},
	{"type": "Refuse", "times": 2},
	{"type": "Status", "verb": "watch", "status": 410},
	{"type": "Status", "verb": "list", "status": 410},
	{"type": "Status", "verb": "list", "status": 429, "retryAfterSeconds": 1},
	{"type": "Status", "verb": "watch", "status": 429, "retryAfterSeconds": 1},
	{"type": "Status", "times": 3, "status": 500},
	{"type": "Status", "verb": "watch", "status": 503},
	{"type": "Stall", "verb": "watch", "bytes": 900},
	{"type": "Stall", "verb": "patch"},
	{"type": "Garbage", "verb": "watch", "bytes": 500},
	{"type": "Garbage", "verb": "list", "bytes": 300},
	{"type": "Truncate", "verb": "watch", "bytes": 1000},
	{"type": "Truncate", "verb": "list", "bytes": 50},
	{"type": "Drip", "verb": "watch", "bytes": 200, "intervalMilliseconds": 5},
	{"type": "Delay", "times": 5, "delayMilliseconds": 50},
	{"type": "WatchError"},
	{"type": "WatchError", "status": 500},
	{"type": "WatchError", "status": 429, "retryAfterSeconds": 1},
	{"type": "WatchOversize", "bytes": 100000},
	{"type": "OversizeObject", "verb": "list", "bytes": 100000},
	{"type": "WatchEnd"},
	{"type": "WatchDuplicate", "times": 3},
	{"type": "WatchNoBookmarks", "times": 3},
	{"type": "WatchNoInitialEnd"},
}

// misbehave injects faults at random until the context ends.
func misbehave(ctx context.Context, s *server, random *rand.Rand) {
	for n := 1; ctx.Err() == nil; n++ {
		switch {
		case n%40 == 0:
			s.restart(random.Intn(2) == 0)
		case n%15 == 0:
			s.ask("POST", "restart", nil)
		case n%10 == 0:
			s.ask("POST", "compact", nil)
		default:
			s.ask("POST", "faults", faults[random.Intn(len(faults))])
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(20+random.Intn(60)) * time.Millisecond):
		}
	}
}

func TestInformerUnderFaults(t *testing.T) {
	t.Logf("KIN_TEST_SEED=%d", seed())
	forEachWayToList(t, func(t *testing.T, _ bool) {
		s := startServer(t)
		ctx, cancel := context.WithTimeout(context.Background(), faultyPhase())
		defer cancel()
		informers := []*informed{startInformer(t, s), startInformer(t, s), startInformer(t, s)}
		wait := writeUntil(ctx, s)
		misbehave(ctx, s, rand.New(rand.NewSource(seed())))
		n := wait()
		// Rules are gone with it, and so are the watches that were stalled.
		s.restart(true)
		t.Logf("%d writes succeeded", n)
		if n < names {
			t.Errorf("only %d writes succeeded", n)
		}
		assertEqual(t, s, informers...)
	})
}
