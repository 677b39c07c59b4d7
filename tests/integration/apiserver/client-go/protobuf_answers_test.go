// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// answers counts the content types that come back, and says which were compressed.
type answers struct {
	next  http.RoundTripper
	mutex sync.Mutex
	types map[string]int
}

func (a *answers) RoundTrip(request *http.Request) (*http.Response, error) {
	answer, err := a.next.RoundTrip(request)
	if err == nil {
		what := answer.Header.Get("Content-Type")
		if answer.Uncompressed {
			what += ", gzip"
		}
		a.mutex.Lock()
		a.types[what]++
		a.mutex.Unlock()
	}
	return answer, err
}

func (a *answers) take() map[string]int {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	taken := a.types
	a.types = map[string]int{}
	return taken
}

func (a *answers) expect(t *testing.T, wanted ...string) {
	t.Helper()
	taken := a.take()
	for _, what := range wanted {
		if taken[what] == 0 {
			t.Errorf("no answer is %s: %v", what, taken)
		}
		delete(taken, what)
	}
	if len(taken) > 0 {
		t.Errorf("answers are %v", taken)
	}
}

func countAnswers(s *server, contentType string) (*rest.Config, *answers) {
	count := &answers{types: map[string]int{}}
	config := rest.CopyConfig(s.config)
	config.ContentType = contentType
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		count.next = next
		return count
	})
	return config, count
}

func clientset(t *testing.T, config *rest.Config) *kubernetes.Clientset {
	t.Helper()
	typed, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return typed
}

// next is the next event of a watch.
func next(t *testing.T, events watch.Interface) watch.Event {
	t.Helper()
	select {
	case event, ok := <-events.ResultChan():
		if !ok {
			t.Fatal("the watch has ended")
		}
		return event
	case <-time.After(deadline):
		t.Fatal("no event comes")
	}
	return watch.Event{}
}

func expectEvent(t *testing.T, events watch.Interface, kind watch.EventType, wanted any) {
	t.Helper()
	event := next(t, events)
	if event.Type != kind || !reflect.DeepEqual(event.Object, wanted) {
		t.Errorf("%s %v is not %s %v", event.Type, event.Object, kind, wanted)
	}
}

const stream = protobuf + ";stream=watch"

// What a typed client gets in protobuf is what another one gets in JSON.
func TestProtobufAnswers(t *testing.T) {
	for _, gzip := range []bool{false, true} {
		t.Run(fmt.Sprintf("gzip=%v", gzip), func(t *testing.T) {
			arguments := []string{}
			streamed := stream
			if gzip {
				arguments = append(arguments, "--gzip-watches")
				streamed += ", gzip"
			}
			s := startServer(t, arguments...)
			t.Run("pods", func(t *testing.T) { podsInProtobuf(t, s, streamed) })
			t.Run("deployments", func(t *testing.T) { deploymentsInProtobuf(t, s, streamed) })
		})
	}
}

func podsInProtobuf(t *testing.T, s *server, streamed string) {
	ctx := context.Background()
	config, count := countAnswers(s, protobuf)
	pods := clientset(t, config).CoreV1().Pods("default")
	inJSON, _ := countAnswers(s, "application/json")
	others := clientset(t, inJSON).CoreV1().Pods("default")
	for i := range 5 {
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("p-%d", i), Labels: map[string]string{"n": fmt.Sprint(i)}},
			Spec:       deployment("x").Spec.Template.Spec,
		}
		made, err := pods.Create(ctx, pod, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		other, err := others.Get(ctx, pod.Name, metav1.GetOptions{})
		if err != nil || !reflect.DeepEqual(made, other) {
			t.Errorf("%v is not %v: %v", made, other, err)
		}
	}
	list, err := pods.List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	wanted, err := others.List(ctx, metav1.ListOptions{})
	if err != nil || !reflect.DeepEqual(list, wanted) || len(list.Items) != 5 {
		t.Errorf("%v is not %v: %v", list, wanted, err)
	}
	page, err := pods.List(ctx, metav1.ListOptions{Limit: 2})
	if err != nil || len(page.Items) != 2 || page.Continue == "" || *page.RemainingItemCount != 3 {
		t.Fatalf("%v, %v", page, err)
	}
	page, err = pods.List(ctx, metav1.ListOptions{Limit: 2, Continue: page.Continue})
	if err != nil || !reflect.DeepEqual(page.Items, wanted.Items[2:4]) {
		t.Errorf("%v, %v", page, err)
	}
	if none, err := pods.List(ctx, metav1.ListOptions{LabelSelector: "n=x"}); err != nil || len(none.Items) != 0 {
		t.Errorf("%v, %v", none, err)
	}
	count.expect(t, protobuf)

	events, err := pods.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		t.Fatal(err)
	}
	defer events.Stop()
	count.expect(t, streamed)
	changed := list.Items[1].DeepCopy()
	changed.Spec.NodeName = "n"
	changed, err = pods.Update(ctx, changed, metav1.UpdateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	expectEvent(t, events, watch.Modified, changed)
	patched, err := pods.Patch(ctx, "p-2", types.MergePatchType, []byte(`{"metadata":{"labels":{"n":null}}}`),
		metav1.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	expectEvent(t, events, watch.Modified, patched)
	if err := pods.Delete(ctx, "p-0", metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
	if event := next(t, events); event.Type != watch.Deleted || event.Object.(*corev1.Pod).Name != "p-0" {
		t.Errorf("%v", event)
	}
	if _, err := pods.Get(ctx, "p-0", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("a Pod that is not there: %v", err)
	}
	if _, err := pods.Update(ctx, &list.Items[1], metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("an old Pod: %v", err)
	}
	if err := pods.Delete(ctx, "p-0", metav1.DeleteOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("a Pod that is not there: %v", err)
	}
	count.expect(t, protobuf)
}

func deploymentsInProtobuf(t *testing.T, s *server, streamed string) {
	ctx := context.Background()
	config, count := countAnswers(s, protobuf)
	deployments := clientset(t, config).AppsV1().Deployments("default")
	yes := true
	events, err := deployments.Watch(ctx, metav1.ListOptions{AllowWatchBookmarks: true, SendInitialEvents: &yes,
		ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan})
	if err != nil {
		t.Fatal(err)
	}
	defer events.Stop()
	event := next(t, events)
	meta := event.Object.(metav1.ObjectMetaAccessor).GetObjectMeta()
	if event.Type != watch.Bookmark || meta.GetAnnotations()[metav1.InitialEventsAnnotationKey] != "true" {
		t.Errorf("%v", event)
	}
	made, err := deployments.Create(ctx, deployment("web"), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	expectEvent(t, events, watch.Added, made)
	made.Status.Replicas = 3
	if made, err = deployments.UpdateStatus(ctx, made, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	expectEvent(t, events, watch.Modified, made)
	scale, err := deployments.GetScale(ctx, "web", metav1.GetOptions{})
	if err != nil || scale.Status.Replicas != 3 || scale.Kind != "" && scale.Kind != "Scale" {
		t.Errorf("%v, %v", scale, err)
	}
	if got, err := deployments.Get(ctx, "web", metav1.GetOptions{}); err != nil || !reflect.DeepEqual(got, made) {
		t.Errorf("%v is not %v: %v", got, made, err)
	}
	if err := deployments.Delete(ctx, "web", metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
	if event := next(t, events); event.Type != watch.Deleted {
		t.Errorf("%v", event)
	}
	count.expect(t, protobuf, streamed)
	// A version that is forgotten.
	if _, err := s.ask("POST", "compact", nil); err != nil {
		t.Fatal(err)
	}
	old, err := deployments.Watch(ctx, metav1.ListOptions{ResourceVersion: meta.GetResourceVersion()})
	if err != nil {
		t.Fatal(err)
	}
	defer old.Stop()
	if event := next(t, old); event.Type != watch.Error || !apierrors.IsResourceExpired(apierrors.FromObject(event.Object)) {
		t.Errorf("%v", event)
	}
}

// A list that is longer than what is made at once, and compressed.
func TestLongProtobufList(t *testing.T) {
	s := startServer(t)
	ctx := context.Background()
	config, count := countAnswers(s, protobuf)
	maps := clientset(t, config).CoreV1().ConfigMaps("default")
	for i := range 40 {
		value := strings.Repeat(fmt.Sprint(i%10), 100000)
		_, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("m-", 10+i)},
			Data: map[string]string{"k": value}}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}
	count.take()
	list, err := maps.List(ctx, metav1.ListOptions{})
	if err != nil || len(list.Items) != 40 {
		t.Fatalf("%d, %v", len(list.Items), err)
	}
	for i, item := range list.Items {
		if item.Data["k"] != strings.Repeat(fmt.Sprint(i%10), 100000) {
			t.Errorf("%s is another one", item.Name)
		}
	}
	count.expect(t, protobuf+", gzip")
	plain := rest.CopyConfig(config)
	plain.DisableCompression = true
	again, err := clientset(t, plain).CoreV1().ConfigMaps("default").List(ctx, metav1.ListOptions{})
	if err != nil || !reflect.DeepEqual(list, again) {
		t.Errorf("another list without gzip: %v", err)
	}
}

var widgets = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}

// Custom resources are JSON, but their metadata.
func TestProtobufOfCustomResources(t *testing.T) {
	s := startServer(t)
	ctx := context.Background()
	objects, err := dynamic.NewForConfig(s.config)
	if err != nil {
		t.Fatal(err)
	}
	definition := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "widgets.example.com"},
		"spec": map[string]any{
			"group": "example.com", "scope": "Namespaced",
			"names": map[string]any{"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
			"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object"}}}},
		},
	}}
	crds := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	if _, err := objects.Resource(crds).Create(ctx, definition, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	widget := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "Widget",
		"metadata": map[string]any{"name": "w", "labels": map[string]any{"a": "b"}}}}
	if _, err := objects.Resource(widgets).Namespace("default").Create(ctx, widget, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	config, count := countAnswers(s, "")
	client, err := metadata.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	list, err := client.Resource(widgets).Namespace("default").List(ctx, metav1.ListOptions{})
	if err != nil || len(list.Items) != 1 || list.Items[0].Labels["a"] != "b" {
		t.Errorf("%v, %v", list, err)
	}
	one, err := client.Resource(widgets).Namespace("default").Get(ctx, "w", metav1.GetOptions{})
	if err != nil || one.Name != "w" {
		t.Errorf("%v, %v", one, err)
	}
	count.expect(t, protobuf)
	for accept, status := range map[string]int{protobuf: 406, protobuf + ",application/json": 200} {
		request, _ := http.NewRequest("GET", s.config.Host+"/apis/example.com/v1/namespaces/default/widgets", nil)
		request.Header.Set("Accept", accept)
		answer, err := s.control.Do(request)
		if err != nil || answer.StatusCode != status || answer.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %v, %v", accept, answer, err)
		}
		if err == nil {
			answer.Body.Close()
		}
	}
}

// An informer of a typed client, over lists and watches and through the ends of watches.
func TestProtobufInformer(t *testing.T) {
	s := startServer(t, "--gzip-watches")
	ctx := t.Context()
	config, count := countAnswers(s, protobuf)
	typed := clientset(t, config)
	secrets := typed.CoreV1().Secrets("default")
	add := func(name string) {
		t.Helper()
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string][]byte{"k": {0, 255}}}
		if _, err := secrets.Create(ctx, secret, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	add("before")
	informer := informers.NewSharedInformerFactory(typed, 0).Core().V1().Secrets().Informer()
	go informer.RunWithContext(ctx)
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		t.Fatal("the informer has no list")
	}
	for _, fault := range []string{"WatchEnd", "WatchError"} {
		if _, err := s.ask("POST", "faults", map[string]any{"type": fault, "path": "*/secrets"}); err != nil {
			t.Fatal(err)
		}
		add("with-" + strings.ToLower(fault))
		add("after-" + strings.ToLower(fault))
	}
	until := time.Now().Add(deadline)
	for len(informer.GetStore().List()) < 5 && time.Now().Before(until) {
		time.Sleep(time.Millisecond)
	}
	for _, item := range informer.GetStore().List() {
		if secret := item.(*corev1.Secret); !reflect.DeepEqual(secret.Data["k"], []byte{0, 255}) {
			t.Errorf("%v", secret)
		}
	}
	if n := len(informer.GetStore().List()); n != 5 {
		t.Errorf("%d objects", n)
	}
	for what := range count.take() {
		if !strings.HasPrefix(what, protobuf) {
			t.Errorf("an answer is %s", what)
		}
	}
}

// What makes answers larger is stepped over, and events that come twice or late are whole.
func TestProtobufFaults(t *testing.T) {
	const padding = 100000
	s := startServer(t)
	ctx := context.Background()
	config, _ := countAnswers(s, protobuf)
	maps := clientset(t, config).CoreV1().ConfigMaps("default")
	add := func(name string) *corev1.ConfigMap {
		t.Helper()
		made, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	inject := func(rule map[string]any) {
		t.Helper()
		if _, err := s.ask("POST", "faults", rule); err != nil {
			t.Fatal(err)
		}
	}
	first := add("a")
	for _, fault := range []string{"Oversize", "OversizeObject"} {
		for _, verb := range []string{"get", "list"} {
			// The first one is for the typed client, the second one is counted.
			inject(map[string]any{"type": fault, "verb": verb, "bytes": padding, "times": 2, "path": "*/configmaps*"})
			path := "/api/v1/namespaces/default/configmaps"
			if verb == "get" {
				path += "/a"
				if got, err := maps.Get(ctx, "a", metav1.GetOptions{}); err != nil || !reflect.DeepEqual(got, first) {
					t.Errorf("%s: %v, %v", fault, got, err)
				}
			} else if got, err := maps.List(ctx, metav1.ListOptions{}); err != nil || len(got.Items) != 1 {
				t.Errorf("%s: %v, %v", fault, got, err)
			}
			request, _ := http.NewRequest("GET", s.config.Host+path, nil)
			request.Header.Set("Accept", protobuf)
			answer, err := s.control.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(answer.Body)
			answer.Body.Close()
			if err != nil || len(body) < padding || len(body) > padding+1000 {
				t.Errorf("%s of %s: %d bytes, %v", fault, verb, len(body), err)
			}
		}
	}
	events, err := maps.Watch(ctx, metav1.ListOptions{ResourceVersion: first.ResourceVersion})
	if err != nil {
		t.Fatal(err)
	}
	defer events.Stop()
	inject(map[string]any{"type": "WatchOversize", "bytes": padding, "path": "*/configmaps"})
	expectEvent(t, events, watch.Added, add("b"))
	inject(map[string]any{"type": "WatchDuplicate", "path": "*/configmaps"})
	twice := add("c")
	expectEvent(t, events, watch.Added, twice)
	expectEvent(t, events, watch.Added, twice)
	inject(map[string]any{"type": "WatchReorder", "path": "*/configmaps"})
	late := add("d")
	expectEvent(t, events, watch.Added, add("e"))
	expectEvent(t, events, watch.Added, late)
}
