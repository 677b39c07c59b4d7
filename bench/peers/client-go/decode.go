// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	goruntime "runtime"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
)

// decoding is how a client decodes one format. The decoders are got the way the
// REST client gets them, through the negotiator of each client's serializers.
type decoding struct {
	mediaType string
	suffix    string // of the file that holds this format
	newList   func() runtime.Object
	list      runtime.Decoder
	object    runtime.Decoder // of one object in a watch
	// itemHead begins an item's JSON in a watch; list items have no type.
	itemHead string
}

func decodingFor(format string) (*decoding, error) {
	d := &decoding{mediaType: mediaTypeJSON, suffix: ".json", itemHead: `{"kind":"Pod","apiVersion":"v1",`}
	var (
		serializers runtime.NegotiatedSerializer
		gv          = corev1.SchemeGroupVersion
	)
	switch format {
	case formatJSON, formatProtobuf:
		serializers = rest.CodecFactoryForGeneratedClient(scheme.Scheme, scheme.Codecs).WithoutConversion()
		d.newList = func() runtime.Object { return &corev1.PodList{} }
		if format == formatProtobuf {
			d.mediaType, d.suffix = mediaTypeProtobuf, ".pb"
		}
	case formatUnstructured:
		serializers = dynamic.ConfigFor(&rest.Config{}).NegotiatedSerializer
		gv = schema.GroupVersion{}
		d.newList = func() runtime.Object { return &unstructured.UnstructuredList{} }
	case formatMetadata:
		serializers = metadata.ConfigFor(&rest.Config{}).NegotiatedSerializer
		gv = schema.GroupVersion{}
		d.suffix = ".meta.json"
		// The metadata client lets the decoder make the list.
		d.newList = func() runtime.Object { return nil }
		d.itemHead = `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",`
	default:
		return nil, fmt.Errorf("unknown --format %q", format)
	}
	negotiator := runtime.NewClientNegotiator(serializers, gv)
	var err error
	if d.list, err = negotiator.Decoder(d.mediaType, nil); err != nil {
		return nil, err
	}
	d.object, _, _, err = negotiator.StreamDecoder(d.mediaType, nil)
	return d, err
}

// file gives the file of this format beside the one named: pods.json stands for
// pods.pb and pods.meta.json, too.
func (d *decoding) file(name string) string {
	if strings.HasSuffix(name, d.suffix) {
		return name
	}
	return strings.TrimSuffix(name, ".json") + d.suffix
}

// decodeList decodes a whole list, and returns the number of its items.
func (d *decoding) decodeList(data []byte) (int64, error) {
	list, _, err := d.list.Decode(data, nil, d.newList())
	if err != nil {
		return 0, err
	}
	return int64(meta.LenList(list)), nil
}

// decodeObject decodes the object of one watch event.
func (d *decoding) decodeObject(data []byte) (metav1.Object, error) {
	obj, _, err := d.object.Decode(data, nil, nil)
	if err != nil {
		return nil, err
	}
	return meta.Accessor(obj)
}

// split makes of a list the bytes that a watch would send for each item.
func (d *decoding) split(data []byte) ([][]byte, error) {
	if d.mediaType == mediaTypeProtobuf {
		return d.splitProtobuf(data)
	}
	list, err := newListReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	var items [][]byte
	for {
		raw, err := list.next()
		if errors.Is(err, io.EOF) {
			return items, nil
		}
		if err != nil {
			return nil, err
		}
		items = append(items, typedItem(raw, d.itemHead))
	}
}

// typedItem gives an item of a list its type. The generator writes the type of
// metadata items even in lists; those stay as they are.
func typedItem(raw []byte, head string) []byte {
	if bytes.HasPrefix(raw, []byte(`{"kind":`)) || bytes.HasPrefix(raw, []byte(`{"apiVersion":`)) {
		return raw
	}
	return append([]byte(head), raw[1:]...)
}

func (d *decoding) splitProtobuf(data []byte) ([][]byte, error) {
	obj, _, err := d.list.Decode(data, nil, d.newList())
	if err != nil {
		return nil, err
	}
	list, ok := obj.(*corev1.PodList)
	if !ok {
		return nil, fmt.Errorf("not a PodList: %T", obj)
	}
	items := make([][]byte, 0, len(list.Items))
	for i := range list.Items {
		raw, err := envelopePod(&list.Items[i])
		if err != nil {
			return nil, err
		}
		items = append(items, raw)
	}
	return items, nil
}

// runDecode measures decoding alone: the list as one document, as a LIST decodes
// it, or with --per-object item by item, as a watch does. With --replace the
// objects are held as a cache holds them, each until its successor is there.
func runDecode(_ context.Context, args []string, r *report) error {
	fs := newFlags("decode")
	name := fs.String("file", "", "pods.json of the data; the files beside it are used for other formats")
	format := fs.String("format", formatJSON, "json, unstructured, protobuf or metadata")
	seconds := fs.Float64("seconds", 3, "decode for at least this long")
	perObject := fs.Bool("per-object", false, "decode item by item")
	replace := fs.Bool("replace", false, "with --per-object: hold each object until the next of its item")
	if _, err := parseFlags(fs, args, 0); err != nil {
		return err
	}
	if *name == "" {
		return errors.New("--file is needed")
	}
	if *replace && !*perObject {
		return errors.New("--replace is of no use without --per-object")
	}
	d, err := decodingFor(*format)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(d.file(*name))
	if err != nil {
		return err
	}
	var held []metav1.Object
	pass := func() (objects, size int64, err error) {
		objects, err = d.decodeList(data)
		return objects, int64(len(data)), err
	}
	if *perObject {
		items, err := d.split(data)
		if err != nil {
			return err
		}
		data = nil
		if *replace {
			held = make([]metav1.Object, len(items))
		}
		pass = func() (objects, size int64, err error) {
			for i, item := range items {
				object, err := d.decodeObject(item)
				if err != nil {
					return 0, 0, err
				}
				if held != nil {
					held[i] = object
				}
				size += int64(len(item))
			}
			return int64(len(items)), size, nil
		}
	}

	if n, _, err := pass(); err != nil || n == 0 { // the warm-up
		return errors.Join(err, fmt.Errorf("%s: %d objects decoded", d.file(*name), n))
	}
	var objects, size int64
	goruntime.GC()
	allocated := totalAllocated()
	s := startSection()
	used := usage{}
	for used.wall.Seconds() < *seconds {
		n, bytes, err := pass()
		if err != nil {
			return err
		}
		objects, size = objects+n, size+bytes
		used = s.stop()
	}
	allocated = totalAllocated() - allocated
	goruntime.KeepAlive(held)
	r.note("format %s, %d objects decoded", *format, objects)
	r.usage(used)
	r.rate("bytes", size, used.wall, "B/s")
	r.rate("bytes_per_core", size, used.cpu, "B/s")
	r.rate("ops", objects, used.wall, "1/s")
	r.measure("alloc_per_object", float64(allocated)/float64(objects), "B")
	return nil
}
