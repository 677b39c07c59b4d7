// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kjson "sigs.k8s.io/json"
)

// listReader reads a List object item by item, so that a list of any length
// needs the memory of one item.
type listReader struct {
	dec     *json.Decoder
	inItems bool
	// What stands beside the items. Complete only when next has returned io.EOF.
	typeMeta metav1.TypeMeta
	listMeta metav1.ListMeta
}

func newListReader(r io.Reader) (*listReader, error) {
	l := &listReader{dec: json.NewDecoder(bufio.NewReaderSize(r, 1<<20))}
	return l, l.expect('{')
}

func (l *listReader) expect(want json.Delim) error {
	token, err := l.dec.Token()
	if err != nil {
		return noEOF(err)
	}
	if token != want {
		return fmt.Errorf("%q expected in the list, got %v", want, token)
	}
	return nil
}

// next returns the bytes of the next item, or io.EOF at the end of the list.
func (l *listReader) next() ([]byte, error) {
	for {
		if l.inItems {
			if l.dec.More() {
				var raw json.RawMessage
				err := l.dec.Decode(&raw)
				return raw, noEOF(err)
			}
			if err := l.expect(']'); err != nil {
				return nil, err
			}
			l.inItems = false
		}
		if !l.dec.More() {
			if err := l.expect('}'); err != nil {
				return nil, err
			}
			return nil, io.EOF
		}
		if err := l.field(); err != nil {
			return nil, noEOF(err)
		}
	}
}

func (l *listReader) field() error {
	name, err := l.dec.Token()
	if err != nil {
		return err
	}
	switch name {
	case "kind":
		return l.dec.Decode(&l.typeMeta.Kind)
	case "apiVersion":
		return l.dec.Decode(&l.typeMeta.APIVersion)
	case "metadata":
		return l.dec.Decode(&l.listMeta)
	case "items":
		l.inItems = true
		return l.expect('[')
	default:
		return fmt.Errorf("unknown field %v in the list", name)
	}
}

// noEOF makes an end in the middle of the input an error of its own, since
// io.EOF means the proper end here.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// lineReader returns a function that reads lines of any length until io.EOF.
func lineReader(r io.Reader) func() ([]byte, error) {
	in := bufio.NewReaderSize(r, 1<<20)
	return func() ([]byte, error) {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) > 0 {
			return nil, errors.New("the last line has no end")
		}
		return line, err
	}
}

// decodePodStrict decodes a Pod and refuses unknown and repeated fields: what
// the typed decoder drops, the other formats would carry.
func decodePodStrict(raw []byte) (*corev1.Pod, error) {
	pod := &corev1.Pod{}
	strict, err := kjson.UnmarshalStrict(raw, pod)
	if err != nil {
		return nil, err
	}
	if len(strict) > 0 {
		return nil, fmt.Errorf("pod %s/%s: %w", pod.Namespace, pod.Name, errors.Join(strict...))
	}
	return pod, nil
}

// decodeEventStrict decodes a line of an event file.
func decodeEventStrict(line []byte) (string, *corev1.Pod, error) {
	var event struct {
		Type   string          `json:"type"`
		Object json.RawMessage `json:"object"`
	}
	strict, err := kjson.UnmarshalStrict(line, &event)
	if err = errors.Join(append(strict, err)...); err != nil {
		return "", nil, err
	}
	pod, err := decodePodStrict(event.Object)
	if err != nil {
		return "", nil, err
	}
	if pod.Kind != "Pod" || pod.APIVersion != "v1" {
		return "", nil, fmt.Errorf("event of a %s %s, not of a v1 Pod", pod.APIVersion, pod.Kind)
	}
	return event.Type, pod, nil
}
