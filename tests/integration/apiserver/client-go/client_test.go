// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
)

var configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}

func configMap(name, value string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": name},
		"data":     map[string]any{"value": value},
	}}
}

func TestDynamicClient(t *testing.T) {
	s := startServer(t, "--token", "open-sesame")
	ctx := context.Background()
	maps := s.client().Resource(configMaps).Namespace("default")
	made, err := maps.Create(ctx, configMap("a", "1"), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := maps.Create(ctx, configMap("a", "1"), metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
		t.Errorf("a second one: %v", err)
	}
	stale := made.DeepCopy()
	unstructured.SetNestedField(made.Object, "2", "data", "value")
	if _, err := maps.Update(ctx, made, metav1.UpdateOptions{}); err != nil {
		t.Error(err)
	}
	unstructured.SetNestedField(stale.Object, "3", "data", "value")
	if _, err := maps.Update(ctx, stale, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("an old one: %v", err)
	}
	patched, err := maps.Patch(ctx, "a", types.JSONPatchType,
		[]byte(`[{"op":"add","path":"/metadata/labels","value":{"app":"x"}}]`), metav1.PatchOptions{})
	if err != nil || patched.GetLabels()["app"] != "x" {
		t.Errorf("%v, %v", patched, err)
	}
	_, err = maps.Patch(ctx, "a", types.MergePatchType, []byte(`{"data":{"value":"4"}}`),
		metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil {
		t.Error(err)
	}
	found, err := maps.Get(ctx, "a", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if value, _, _ := unstructured.NestedString(found.Object, "data", "value"); value != "2" {
		t.Errorf("the value is %q", value)
	}
	events, err := maps.Watch(ctx, metav1.ListOptions{ResourceVersion: found.GetResourceVersion()})
	if err != nil {
		t.Fatal(err)
	}
	defer events.Stop()
	wrong := types.UID("another")
	err = maps.Delete(ctx, "a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &wrong}})
	if !apierrors.IsConflict(err) {
		t.Errorf("another uid: %v", err)
	}
	if err := maps.Delete(ctx, "a", metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
	if event := <-events.ResultChan(); event.Type != watch.Deleted {
		t.Errorf("%v", event)
	}
	if _, err := maps.Get(ctx, "a", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("it is gone: %v", err)
	}
}

func TestPages(t *testing.T) {
	s := startServer(t)
	ctx := context.Background()
	maps := s.client().Resource(configMaps).Namespace("default")
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		if _, err := maps.Create(ctx, configMap(name, "1"), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	page, err := maps.List(ctx, metav1.ListOptions{Limit: 2})
	if err != nil || len(page.Items) != 2 || page.GetContinue() == "" {
		t.Fatalf("%v, %v", page, err)
	}
	if left := page.GetRemainingItemCount(); left == nil || *left != 3 {
		t.Errorf("%v are left", left)
	}
	if _, err := maps.Create(ctx, configMap("f", "1"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	next, err := maps.List(ctx, metav1.ListOptions{Limit: 10, Continue: page.GetContinue()})
	if err != nil || len(next.Items) != 3 || next.GetResourceVersion() != page.GetResourceVersion() {
		t.Errorf("%v, %v", next, err)
	}
	s.mustAsk("POST", "compact", nil)
	_, err = maps.List(ctx, metav1.ListOptions{Limit: 10, Continue: page.GetContinue()})
	if !apierrors.IsResourceExpired(err) {
		t.Fatalf("the version is forgotten: %v", err)
	}
	// The error has a token with which to go on, without a consistent version.
	status, _ := err.(apierrors.APIStatus)
	rest, err := maps.List(ctx, metav1.ListOptions{Limit: 10, Continue: status.Status().ListMeta.Continue})
	if err != nil || len(rest.Items) != 4 {
		t.Errorf("%v, %v", rest, err)
	}
}

func TestOtherClients(t *testing.T) {
	s := startServer(t)
	ctx := context.Background()
	// Clients of built-in kinds send protobuf unless they are told not to; see protobuf_test.go.
	s.config.ContentType = "application/json"
	typed, err := kubernetes.NewForConfig(s.config)
	if err != nil {
		t.Fatal(err)
	}
	made, err := typed.CoreV1().ConfigMaps("default").Create(ctx,
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "some-"}, Data: map[string]string{"a": "b"}},
		metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	finder, err := discovery.NewDiscoveryClientForConfig(s.config)
	if err != nil {
		t.Fatal(err)
	}
	if groups, lists, err := finder.ServerGroupsAndResources(); err != nil || len(groups) < 10 || len(lists) < 10 {
		t.Errorf("%d groups, %d lists, %v", len(groups), len(lists), err)
	}
	partial, err := metadata.NewForConfig(s.config)
	if err != nil {
		t.Fatal(err)
	}
	list, err := partial.Resource(configMaps).Namespace("default").List(ctx, metav1.ListOptions{})
	if err != nil || len(list.Items) != 1 || list.Items[0].Name != made.Name {
		t.Errorf("%v, %v", list, err)
	}
}
