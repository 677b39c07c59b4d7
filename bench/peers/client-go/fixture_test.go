// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

const fixtureListVersion = 100000

// fixturePod is a small Pod that has one of everything that protobuf and JSON
// write differently: maps, times, quantities, int-or-strings, raw JSON.
func fixturePod(i int, version int) *corev1.Pod {
	created := metav1.NewTime(time.Unix(1700000000+int64(i), 0).UTC())
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:         keyNamespace(i),
			Name:              keyName(i),
			UID:               types.UID(fmt.Sprintf("00000000-0000-0000-0000-%012d", i)),
			ResourceVersion:   strconv.Itoa(version),
			CreationTimestamp: created,
			Labels:            map[string]string{"app": "web", "tier": "front", "hash": strconv.Itoa(i)},
			Annotations:       map[string]string{"example.org/a": "b", "zzz.example.org/last": "\"quoted\"\n"},
			ManagedFields: []metav1.ManagedFieldsEntry{{
				Manager: "kubelet", Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1",
				Time: &created, FieldsType: "FieldsV1", Subresource: "status",
				FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:status":{"f:phase":{}}}`)},
			}},
		},
		Spec: corev1.PodSpec{
			NodeName: nodeName(i, 100),
			Containers: []corev1.Container{{
				Name: "main", Image: "registry.example/app:1",
				Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{
					corev1.ResourceMemory: resource.MustParse("128Mi"), corev1.ResourceCPU: resource.MustParse("250m"),
				}},
				ReadinessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{
					HTTPGet: &corev1.HTTPGetAction{Path: "/", Port: intstr.FromString("http")},
				}},
			}},
		},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, StartTime: &created},
	}
}

func fixtureEvent(t *testing.T, eventType string, pod *corev1.Pod) string {
	t.Helper()
	pod.APIVersion, pod.Kind = "v1", "Pod"
	return fmt.Sprintf("{\"type\":%q,\"object\":%s}\n", eventType, marshal(t, pod))
}

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// writeFixture writes the files that kin-bench-pods writes. Without events the
// event file is empty, and a watch is silent.
func writeFixture(t *testing.T, pods, events int) string {
	t.Helper()
	dir := t.TempDir()
	var items, metaItems []any
	var stream, updates strings.Builder
	for i := range pods {
		pod := fixturePod(i, i+1)
		items = append(items, pod.DeepCopy())
		metaItems = append(metaItems, &metav1.PartialObjectMetadata{
			TypeMeta:   metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadata"},
			ObjectMeta: *pod.ObjectMeta.DeepCopy(),
		})
		stream.WriteString(fixtureEvent(t, "ADDED", pod))
	}
	listMeta := map[string]string{"resourceVersion": strconv.Itoa(fixtureListVersion)}
	bookmark := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		ResourceVersion: strconv.Itoa(fixtureListVersion),
		Annotations:     map[string]string{metav1.InitialEventsAnnotationKey: "true"},
	}}
	stream.WriteString(fixtureEvent(t, "BOOKMARK", bookmark))
	for i := range events {
		pod := fixturePod(i%pods, fixtureListVersion+1+i)
		pod.Annotations[stampAnnotation] = strings.Repeat("0", stampDigits)
		updates.WriteString(fixtureEvent(t, "MODIFIED", pod))
	}
	files := map[string]string{
		"pods.json": fmt.Sprintf(`{"kind":"PodList","apiVersion":"v1","metadata":%s,"items":%s}`,
			marshal(t, listMeta), marshal(t, items)),
		"pods.meta.json": fmt.Sprintf(`{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":%s,"items":%s}`,
			marshal(t, listMeta), marshal(t, metaItems)),
		"stream.jsonl": stream.String(),
		"events.jsonl": updates.String(),
	}
	for name, content := range files {
		writeFile(t, filepath.Join(dir, name), content)
	}
	return dir
}

func writeFile(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
