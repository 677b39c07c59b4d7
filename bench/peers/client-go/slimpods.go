// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	benchNamespaces = 50
	podsPerNode     = 50
	maxNodes        = 2000
)

// keyNamespace and keyName make key number i, "namespace/name", of the shape
// that Pods of a Deployment have. The C side makes exactly the same keys.
func keyNamespace(i int) string {
	return fmt.Sprintf("namespace-%02d", i%benchNamespaces)
}

func keyName(i int) string {
	h := splitmix64(uint64(i))
	return fmt.Sprintf("workload-%06d-%08x-%05x", i%9973, h>>32, h&0xfffff)
}

func keyOf(i int) string {
	return keyNamespace(i) + "/" + keyName(i)
}

func nodeCount(pods int) int {
	return min(max(pods/podsPerNode, 1), maxNodes)
}

func nodeName(i, pods int) string {
	return fmt.Sprintf("node-%04d", splitmix64(uint64(i))%uint64(nodeCount(pods)))
}

// slimPods makes Pods that have only what keys and indexes need, and a resource
// version, which every real object has and the store reads. Each is an
// allocation of its own with strings of its own, as after decoding.
func slimPods(n int, version int) []*corev1.Pod {
	pods := make([]*corev1.Pod, n)
	for i := range pods {
		pods[i] = &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Namespace:       keyNamespace(i),
				Name:            keyName(i),
				ResourceVersion: strconv.Itoa(version + i),
			},
			Spec: corev1.PodSpec{NodeName: nodeName(i, n)},
		}
	}
	return pods
}

// asObjects gives Pods the type that stores and queues take.
func asObjects(pods []*corev1.Pod) []any {
	objects := make([]any, len(pods))
	for i, pod := range pods {
		objects[i] = pod
	}
	return objects
}
