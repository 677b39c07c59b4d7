// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/diff"
)

func readAll(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// decodePods decodes a list as the typed client does.
func decodePods(t *testing.T, format string, data []byte) *corev1.PodList {
	t.Helper()
	d, err := decodingFor(format)
	if err != nil {
		t.Fatal(err)
	}
	list := &corev1.PodList{}
	if _, _, err := d.list.Decode(data, nil, list); err != nil {
		t.Fatal(err)
	}
	return list
}

// samePod compares without the type, which protobuf keeps in the envelope.
func samePod(t *testing.T, got, want *corev1.Pod) {
	t.Helper()
	got, want = got.DeepCopy(), want.DeepCopy()
	got.TypeMeta, want.TypeMeta = metav1.TypeMeta{}, metav1.TypeMeta{}
	if !equality.Semantic.DeepEqual(got, want) {
		t.Fatalf("pod %s differs: %s", want.Name, diff.Diff(want, got))
	}
}

// checkList checks a protobuf list: the same Pods, and the bytes that the API
// server's own serializer writes.
func checkList(t *testing.T, jsonFile, pbFile string) {
	t.Helper()
	want, got := decodePods(t, formatJSON, readAll(t, jsonFile)), decodePods(t, formatProtobuf, readAll(t, pbFile))
	if len(got.Items) != len(want.Items) || len(want.Items) == 0 || got.ResourceVersion != want.ResourceVersion {
		t.Fatalf("%d pods at %q, %d at %q expected", len(got.Items), got.ResourceVersion, len(want.Items), want.ResourceVersion)
	}
	for i := range want.Items {
		samePod(t, &got.Items[i], &want.Items[i])
	}
	var encoded bytes.Buffer
	want.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("PodList"))
	if err := podSerializer.Encode(want, &encoded); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(encoded.Bytes(), readAll(t, pbFile)) {
		t.Error("the list is not what the API server's serializer writes")
	}
}

// checkEvents checks that a protobuf event file says the same as the JSON one.
// It returns the number of events.
func checkEvents(t *testing.T, jsonFile, pbsFile string, stamped bool) int {
	t.Helper()
	d, err := decodingFor(formatProtobuf)
	if err != nil {
		t.Fatal(err)
	}
	frames := bytes.NewReader(readAll(t, pbsFile))
	n := 0
	for line := range bytes.Lines(readAll(t, jsonFile)) {
		n++
		eventType, want, err := decodeEventStrict(line)
		if err != nil {
			t.Fatalf("event %d: %v", n, err)
		}
		frame, err := readFrame(frames)
		if err != nil {
			t.Fatalf("event %d: %v", n, err)
		}
		if stamped {
			// What the replay server does.
			stamp := fmt.Sprintf("%0*d", stampDigits, 1234567890123456789-n)
			at := stampOffset(frame)
			if at < 0 {
				t.Fatalf("event %d has no place for a stamp", n)
			}
			copy(frame[at:at+stampDigits], stamp)
			want.Annotations[stampAnnotation] = stamp
		}
		var event metav1.WatchEvent
		if err := event.Unmarshal(frame); err != nil {
			t.Fatalf("event %d: %v", n, err)
		}
		if event.Type != eventType || !bytes.HasPrefix(event.Object.Raw, envelopeMagic) {
			t.Fatalf("event %d: type %q, object %.20q", n, event.Type, event.Object.Raw)
		}
		obj, err := d.decodeObject(event.Object.Raw)
		if err != nil {
			t.Fatalf("event %d: %v", n, err)
		}
		samePod(t, obj.(*corev1.Pod), want)
	}
	if _, err := readFrame(frames); !errors.Is(err, io.EOF) {
		t.Errorf("after the last event: %v", err)
	}
	return n
}

func TestConvert(t *testing.T) {
	const pods, events = 37, 80
	dir := writeFixture(t, pods, events)
	at := func(name string) string { return filepath.Join(dir, name) }
	measures(t, "convert", dir)
	checkList(t, at("pods.json"), at("pods.pb"))
	if n := checkEvents(t, at("stream.jsonl"), at("stream.pbs"), false); n != pods+1 {
		t.Errorf("%d events in the stream", n)
	}
	if n := checkEvents(t, at("events.jsonl"), at("events.pbs"), true); n != events {
		t.Errorf("%d events", n)
	}
	if left, _ := filepath.Glob(at("*.tmp-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestConvertAgain checks that files which look new are not taken for good: they
// may be of an older converter.
func TestConvertAgain(t *testing.T) {
	dir := writeFixture(t, 3, 0)
	output := filepath.Join(dir, "pods.pb")
	measures(t, "convert", dir)
	want := readAll(t, output)
	writeFile(t, output, "of an older converter")
	measures(t, "convert", dir)
	if !bytes.Equal(readAll(t, output), want) {
		t.Error("the old file is still there")
	}
}

func TestConvertRefuses(t *testing.T) {
	pod := `{"metadata":{"name":"a","namespace":"b"},"spec":{},"status":{}}`
	list := func(items string) string {
		return `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[` + items + `]}`
	}
	event := func(annotation string) string {
		return `{"type":"MODIFIED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","annotations":{"x":"y"` +
			annotation + `}},"spec":{},"status":{}}}` + "\n"
	}
	for name, c := range map[string]struct{ file, content string }{
		"unknown field":   {"pods.json", list(strings.Replace(pod, `"spec"`, `"spek":1,"spec"`, 1))},
		"repeated field":  {"pods.json", list(strings.Replace(pod, `"spec"`, `"spec":{},"spec"`, 1))},
		"later item":      {"pods.json", list(pod + "," + strings.Replace(pod, `"spec"`, `"spek":1,"spec"`, 1) + "," + pod)},
		"cut list":        {"pods.json", list(pod)[:60]},
		"list without ]":  {"pods.json", strings.TrimSuffix(list(pod), "]}")},
		"another kind":    {"pods.json", strings.Replace(list(pod), "PodList", "NodeList", 1)},
		"no stamp":        {"events.jsonl", event("")},
		"short stamp":     {"events.jsonl", event(`,"kinform-bench/sent":"0"`)},
		"cut line":        {"events.jsonl", strings.TrimSuffix(event(`,"kinform-bench/sent":"0000000000000000000"`), "\n")},
		"event of a Node": {"stream.jsonl", strings.Replace(event(""), "Pod", "Node", 1)},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, c.file), c.content)
			fails(t, c.file, "convert", dir)
			if files, _ := os.ReadDir(dir); len(files) != 1 {
				t.Errorf("left behind: %v", files)
			}
		})
	}
}

func TestOrderedMapKeepsOrder(t *testing.T) {
	const n = 5000
	i := 0
	next := func() ([]byte, error) {
		if i++; i > n {
			return nil, io.EOF
		}
		return []byte{byte(i), byte(i >> 8)}, nil
	}
	late := func(in []byte) ([]byte, error) {
		if in[0]%7 == 0 {
			runtime.Gosched()
		}
		return in, nil
	}
	seen := 0
	err := orderedMap(next, late, func(out []byte) error {
		if seen++; int(out[0])|int(out[1])<<8 != seen {
			return fmt.Errorf("%v came as number %d", out, seen)
		}
		return nil
	})
	if err != nil || seen != n {
		t.Errorf("%d items: %v", seen, err)
	}
}

func TestDecode(t *testing.T) {
	dir := writeFixture(t, 20, 0)
	measures(t, "convert", dir)
	for _, format := range []string{formatJSON, formatUnstructured, formatProtobuf, formatMetadata} {
		for _, more := range [][]string{nil, {"--per-object"}, {"--per-object", "--replace"}} {
			args := append([]string{"decode", "--file", filepath.Join(dir, "pods.json"), "--format", format, "--seconds", "0.02"}, more...)
			positive(t, args, measures(t, args...), "ops", "bytes", "bytes_per_core", "alloc_per_object")
		}
	}
	fails(t, "", "decode", "--file", filepath.Join(dir, "none.json"))
	fails(t, "--per-object", "decode", "--file", filepath.Join(dir, "pods.json"), "--replace")
}

// benchData is a data set of the real generator: the one named by
// KIN_BENCH_DATA, or one made by the generator in KIN_BENCH_BIN.
func benchData(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("KIN_BENCH_DATA"); dir != "" {
		return dir
	}
	if bin := os.Getenv("KIN_BENCH_BIN"); bin != "" {
		dir := t.TempDir()
		cmd := exec.Command(filepath.Join(bin, "kin-bench-pods"), "--pods", "300", "--events", "700", "--out", dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("kin-bench-pods: %v: %s", err, out)
		}
		return dir
	}
	if os.Getenv("KIN_STRICT") == "1" {
		t.Fatal("KIN_BENCH_DATA is not set")
	}
	t.Skip("KIN_BENCH_DATA is not set")
	return ""
}

// TestBenchData checks the generator's data as client-go sees it: everything
// decodes strictly, and converts to protobuf and back without loss.
func TestBenchData(t *testing.T) {
	dir := benchData(t)
	out := t.TempDir()
	for _, c := range conversions {
		if _, err := convertFile(filepath.Join(dir, c.from), filepath.Join(out, c.to), c.convert); err != nil {
			t.Errorf("%s: %v", c.from, err)
		}
	}
	if t.Failed() {
		return
	}
	checkList(t, filepath.Join(dir, "pods.json"), filepath.Join(out, "pods.pb"))
	pods := decodePods(t, formatJSON, readAll(t, filepath.Join(dir, "pods.json")))
	streamed := checkEvents(t, filepath.Join(dir, "stream.jsonl"), filepath.Join(out, "stream.pbs"), false)
	if streamed != len(pods.Items)+1 {
		t.Errorf("%d events in the stream, %d pods in the list", streamed, len(pods.Items))
	}
	if checkEvents(t, filepath.Join(dir, "events.jsonl"), filepath.Join(out, "events.pbs"), true) == 0 {
		t.Error("there are no events")
	}
	checkStream(t, filepath.Join(dir, "stream.jsonl"), pods)
	checkMetadata(t, filepath.Join(dir, "pods.meta.json"), pods)
}

// checkStream checks that the stream has the Pods of the list, then the bookmark.
func checkStream(t *testing.T, name string, pods *corev1.PodList) {
	t.Helper()
	i := 0
	for line := range bytes.Lines(readAll(t, name)) {
		eventType, pod, err := decodeEventStrict(line)
		if err != nil {
			t.Fatal(err)
		}
		if i == len(pods.Items) {
			if eventType != "BOOKMARK" || pod.ResourceVersion != pods.ResourceVersion ||
				pod.Annotations[metav1.InitialEventsAnnotationKey] != "true" {
				t.Errorf("the stream ends with %s", line)
			}
			return
		}
		if eventType != "ADDED" {
			t.Fatalf("event %d is %s", i, eventType)
		}
		samePod(t, pod, &pods.Items[i])
		i++
	}
	t.Error("the stream has no bookmark")
}

// checkMetadata checks that the metadata list has the metadata of the Pods.
func checkMetadata(t *testing.T, name string, pods *corev1.PodList) {
	t.Helper()
	d, err := decodingFor(formatMetadata)
	if err != nil {
		t.Fatal(err)
	}
	obj, _, err := d.list.Decode(readAll(t, name), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	list, ok := obj.(*metav1.PartialObjectMetadataList)
	if !ok || len(list.Items) != len(pods.Items) {
		t.Fatalf("a %T of %d items", obj, len(list.Items))
	}
	for i := range list.Items {
		got, _ := json.Marshal(list.Items[i].ObjectMeta)
		want, _ := json.Marshal(pods.Items[i].ObjectMeta)
		if !bytes.Equal(got, want) {
			t.Fatalf("metadata %d differs: %s", i, diff.Diff(string(want), string(got)))
		}
	}
}
