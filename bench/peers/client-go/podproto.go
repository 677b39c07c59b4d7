// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
)

// envelopeMagic begins every Kubernetes object in protobuf.
var envelopeMagic = []byte("k8s\x00")

// stampDigits is the width of the annotation that the replay server overwrites.
const stampDigits = 19

// stampMark stands right before the digits: the key of the annotation, then tag
// and length of the value.
var stampMark = append([]byte(stampAnnotation), 0x12, stampDigits)

// podSerializer is the one that the API server uses.
var podSerializer = protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)

// envelopePod encodes a Pod as an object of its own: magic, type and Pod.
func envelopePod(pod *corev1.Pod) ([]byte, error) {
	pod.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
	var buf bytes.Buffer
	err := podSerializer.Encode(pod, &buf)
	return buf.Bytes(), err
}

// listItem encodes a Pod as a field of a PodList.
func listItem(pod *corev1.Pod) ([]byte, error) {
	return lengthField(2, pod)
}

// listHead encodes all that stands before the items of an enveloped PodList
// whose items take itemBytes.
func listHead(typeMeta metav1.TypeMeta, listMeta metav1.ListMeta, itemBytes int64) ([]byte, error) {
	head, err := lengthField(1, &listMeta)
	if err != nil {
		return nil, err
	}
	// runtime.Unknown is the envelope; its field 2 is the object.
	kind, err := lengthField(1, &runtime.TypeMeta{APIVersion: typeMeta.APIVersion, Kind: typeMeta.Kind})
	if err != nil {
		return nil, err
	}
	out := append(bytes.Clone(envelopeMagic), kind...)
	out = append(out, 2<<3|2)
	out = binary.AppendUvarint(out, uint64(len(head))+uint64(itemBytes))
	return append(out, head...), nil
}

// listTail is what the API server sends after the items: the two empty strings
// of the envelope (content encoding and content type).
var listTail = []byte{3<<3 | 2, 0, 4<<3 | 2, 0}

type protoMessage interface {
	Marshal() ([]byte, error)
}

func lengthField(number byte, m protoMessage) ([]byte, error) {
	data, err := m.Marshal()
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(data)+binary.MaxVarintLen64+1)
	out = append(out, number<<3|2)
	out = binary.AppendUvarint(out, uint64(len(data)))
	return append(out, data...), nil
}

// eventFrame encodes a watch event as it stands on the wire: a 4-byte length and
// a WatchEvent that holds the enveloped Pod.
func eventFrame(eventType string, pod *corev1.Pod) ([]byte, error) {
	raw, err := envelopePod(pod)
	if err != nil {
		return nil, err
	}
	event := metav1.WatchEvent{Type: eventType, Object: runtime.RawExtension{Raw: raw}}
	data, err := event.Marshal()
	if err != nil {
		return nil, err
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), data...), nil
}

// stampOffset is the position of the digits to overwrite, or -1.
func stampOffset(frame []byte) int {
	at := bytes.Index(frame, stampMark)
	if at < 0 || at+len(stampMark)+stampDigits > len(frame) {
		return -1
	}
	return at + len(stampMark)
}

// readFrame reads the next frame of an event file, without its length.
func readFrame(r io.Reader) ([]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, err
	}
	frame := make([]byte, binary.BigEndian.Uint32(length[:]))
	if _, err := io.ReadFull(r, frame); err != nil {
		return nil, errors.Join(errors.New("cut frame"), noEOF(err))
	}
	return frame, nil
}
