// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"net/http"
	"reflect"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

const protobuf = "application/vnd.kubernetes.protobuf"

// seen counts the content types of bodies that are sent.
type seen struct {
	next  http.RoundTripper
	mutex sync.Mutex
	types map[string]int
}

func (s *seen) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Body != nil {
		s.mutex.Lock()
		s.types[request.Method+" "+request.Header.Get("Content-Type")]++
		s.mutex.Unlock()
	}
	return s.next.RoundTrip(request)
}

// typedClient sends what a typed client does unless it is told otherwise.
func typedClient(t *testing.T, s *server) (*kubernetes.Clientset, *seen) {
	t.Helper()
	count := &seen{types: map[string]int{}}
	config := rest.CopyConfig(s.config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		count.next = next
		return count
	})
	typed, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return typed, count
}

func deployment(name string) *appsv1.Deployment {
	replicas := int32(2)
	part := intstr.FromString("25%")
	labels := map[string]string{"app": name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Strategy: appsv1.DeploymentStrategy{
				Type:          appsv1.RollingUpdateDeploymentStrategyType,
				RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &part},
			},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{Containers: []corev1.Container{{
					Name: "c", Image: "registry.example/c:1",
					Resources: corev1.ResourceRequirements{
						Limits: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("500m")}},
					LivenessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{
						HTTPGet: &corev1.HTTPGetAction{Path: "/ok", Port: intstr.FromInt32(80)}}},
				}}},
			},
		},
	}
}

func TestTypedClient(t *testing.T) {
	s := startServer(t, "--token", "open-sesame")
	ctx := context.Background()
	typed, count := typedClient(t, s)
	deployments := typed.AppsV1().Deployments("default")
	wanted := deployment("web")
	made, err := deployments.Create(ctx, wanted, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(made.Spec, wanted.Spec) {
		t.Errorf("%v is not %v", made.Spec, wanted.Spec)
	}
	if _, err := deployments.Create(ctx, wanted, metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
		t.Errorf("a second one: %v", err)
	}
	stale := made.DeepCopy()
	made.Spec.Paused = true
	if made, err = deployments.Update(ctx, made, metav1.UpdateOptions{}); err != nil || !made.Spec.Paused {
		t.Fatalf("%v, %v", made, err)
	}
	if _, err := deployments.Update(ctx, stale, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("an old one: %v", err)
	}
	made.Status.Replicas = 7
	if made, err = deployments.UpdateStatus(ctx, made, metav1.UpdateOptions{}); err != nil || made.Status.Replicas != 7 {
		t.Errorf("%v, %v", made, err)
	}
	scale, err := deployments.GetScale(ctx, "web", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	scale.Spec.Replicas = 5
	if scale, err = deployments.UpdateScale(ctx, "web", scale, metav1.UpdateOptions{}); err != nil || scale.Spec.Replicas != 5 {
		t.Errorf("%v, %v", scale, err)
	}
	events, err := deployments.Watch(ctx, metav1.ListOptions{ResourceVersion: scale.ResourceVersion})
	if err != nil {
		t.Fatal(err)
	}
	defer events.Stop()
	wrong := metav1.NewUIDPreconditions("another")
	if err := deployments.Delete(ctx, "web", metav1.DeleteOptions{Preconditions: wrong}); !apierrors.IsConflict(err) {
		t.Errorf("another uid: %v", err)
	}
	policy := metav1.DeletePropagationBackground
	if err := deployments.Delete(ctx, "web", metav1.DeleteOptions{PropagationPolicy: &policy}); err != nil {
		t.Error(err)
	}
	if event := <-events.ResultChan(); event.Type != watch.Deleted {
		t.Errorf("%v", event)
	}
	for sent, n := range count.types {
		if sent != "POST "+protobuf && sent != "PUT "+protobuf && sent != "DELETE "+protobuf {
			t.Errorf("%s was sent %d times", sent, n)
		}
	}
	if len(count.types) != 3 {
		t.Errorf("%v", count.types)
	}
}

func TestTypedClientOfPods(t *testing.T) {
	s := startServer(t)
	ctx := context.Background()
	typed, _ := typedClient(t, s)
	pods := typed.CoreV1().Pods("default")
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: "p-"}, Spec: deployment("x").Spec.Template.Spec}
	made, err := pods.Create(ctx, pod, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	err = pods.Bind(ctx, &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: made.Name},
		Target: corev1.ObjectReference{Kind: "Node", Name: "n"}}, metav1.CreateOptions{})
	if err != nil {
		t.Error(err)
	}
	if made, err = pods.Get(ctx, made.Name, metav1.GetOptions{}); err != nil || made.Spec.NodeName != "n" {
		t.Errorf("%v, %v", made, err)
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s"}, Data: map[string][]byte{"k": {0, 255, 1}}}
	kept, err := typed.CoreV1().Secrets("default").Create(ctx, secret, metav1.CreateOptions{})
	if err != nil || !reflect.DeepEqual(kept.Data, secret.Data) {
		t.Errorf("%v, %v", kept, err)
	}
	_, err = typed.CoreV1().ConfigMaps("default").Create(ctx,
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "NO"}}, metav1.CreateOptions{})
	if !apierrors.IsInvalid(err) {
		t.Errorf("a wrong name: %v", err)
	}
	if err := pods.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		t.Error(err)
	}
}
