// SPDX-License-Identifier: Apache-2.0

package protobuf

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand"
	"sort"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
)

// toProtobuf gives the library's protobuf of an object in JSON.
func (p *transcoder) toProtobuf(gvk schema.GroupVersionKind, text []byte) ([]byte, string) {
	p.t.Helper()
	word, said := p.ask(gvk.GroupVersion().String() + "|" + gvk.Kind + " " + string(text))
	if word != "ok" {
		return nil, said
	}
	body, err := hex.DecodeString(said)
	if err != nil {
		p.t.Fatal(err)
	}
	return body, ""
}

// typed is a new object of a kind, read by Go.
func typed(t *testing.T, gvk schema.GroupVersionKind, read func(runtime.Object) error) (runtime.Object, error) {
	t.Helper()
	made, err := scheme.Scheme.New(gvk)
	if err != nil {
		t.Fatal(err)
	}
	err = read(made)
	made.GetObjectKind().SetGroupVersionKind(gvk)
	return made, err
}

func fromProtobuf(t *testing.T, gvk schema.GroupVersionKind, body []byte) runtime.Object {
	t.Helper()
	made, err := typed(t, gvk, func(made runtime.Object) error {
		_, found, err := codec.Decode(body, nil, made)
		if err == nil && *found != gvk {
			t.Fatalf("%v is %v", gvk, found)
		}
		return err
	})
	if err != nil {
		t.Fatalf("%v: %v\n%x", gvk, err, body)
	}
	return made
}

func toJSON(t *testing.T, made runtime.Object) []byte {
	t.Helper()
	text, err := json.Marshal(made)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func encoded(t *testing.T, made runtime.Object) []byte {
	t.Helper()
	var body bytes.Buffer
	if err := codec.Encode(made, &body); err != nil {
		t.Fatal(err)
	}
	return body.Bytes()
}

// different says where protobuf is another object than JSON: both are read by Go. Go's own way through
// protobuf turns empty lists and maps into nil.
func different(t *testing.T, gvk schema.GroupVersionKind, text, ours []byte) string {
	t.Helper()
	read, err := typed(t, gvk, func(made runtime.Object) error { return json.Unmarshal(text, made) })
	if err != nil {
		t.Fatalf("%v: %v\n%s", gvk, err, text)
	}
	theirs := toJSON(t, fromProtobuf(t, gvk, encoded(t, read)))
	back := toJSON(t, fromProtobuf(t, gvk, ours))
	if where := difference("", value(t, theirs), value(t, back)); where != "" {
		return fmt.Sprintf("%s differs\n%.3000s\n%.3000s\n%.3000s", where, text, theirs, back)
	}
	return ""
}

// What the library writes is the same object to Go. Where all members are set, it is the same bytes.
func TestWrittenKinds(t *testing.T) {
	p := startProgram(t, "KIN_WRITER_BIN")
	seed := numberOf(t, "KIN_TEST_SEED", 1)
	rounds := numberOf(t, "KIN_ORACLE_ROUNDS", 40)
	all, same := 0, 0
	for _, gvk := range p.kinds() {
		random := rand.New(rand.NewSource(seed))
		for round := range rounds {
			f := &filler{random: random, set: []float64{1, 0, 0.5, 0.8, 0.95}[round%5]}
			theirs, text := object(t, gvk, f)
			ours, said := p.toProtobuf(gvk, text)
			if ours == nil {
				t.Errorf("%v, round %d: %s\n%.3000s", gvk, round, said, text)
				break
			}
			if where := different(t, gvk, text, ours); where != "" {
				t.Errorf("%v, round %d: %s", gvk, round, where)
				break
			}
			if f.set == 1 {
				all++
				if bytes.Equal(ours, theirs) {
					same++
				}
			}
		}
	}
	t.Logf("%d of %d full objects are the same bytes", same, all)
}

// spoil puts a value of another kind into a place in a document.
func spoil(random *rand.Rand, v any) any {
	others := []any{nil, true, json.Number("7"), json.Number("-1.5"), json.Number("99999999999"), "text", "12",
		[]any{}, []any{nil}, []any{"a"}, map[string]any{}, map[string]any{"a": nil}, map[string]any{"a": "b"}}
	switch x := v.(type) {
	case map[string]any:
		if len(x) > 0 && random.Intn(8) > 0 {
			names := make([]string, 0, len(x))
			for name := range x {
				names = append(names, name)
			}
			sort.Strings(names)
			name := names[random.Intn(len(names))]
			x[name] = spoil(random, x[name])
			return x
		}
	case []any:
		if len(x) > 0 && random.Intn(8) > 0 {
			i := random.Intn(len(x))
			x[i] = spoil(random, x[i])
			return x
		}
	}
	return others[random.Intn(len(others))]
}

// Documents with a value in the wrong place: those that Go takes are taken and are the same object.
// Of those that it refuses some are taken: quantities, and what is not in protobuf.
func TestWrittenSpoilt(t *testing.T) {
	p := startProgram(t, "KIN_WRITER_BIN")
	random := rand.New(rand.NewSource(numberOf(t, "KIN_TEST_SEED", 1)))
	rounds := numberOf(t, "KIN_ORACLE_ROUNDS", 40) * 5
	refused, equal, lenient, strict := 0, 0, 0, 0
	for _, gvk := range p.kinds() {
		for range rounds {
			_, text := object(t, gvk, &filler{random: random, set: 0.7})
			document, isMap := spoil(random, value(t, text)).(map[string]any)
			if !isMap {
				continue
			}
			document["kind"], document["apiVersion"] = gvk.Kind, gvk.GroupVersion().String()
			text, err := json.Marshal(document)
			if err != nil {
				t.Fatal(err)
			}
			_, err = typed(t, gvk, func(made runtime.Object) error { return json.Unmarshal(text, made) })
			ours, said := p.toProtobuf(gvk, text)
			if err != nil {
				if ours == nil {
					refused++
				} else {
					lenient++
				}
				continue
			}
			// Go takes lists of numbers for bytes, also empty ones.
			if ours == nil && strings.HasSuffix(said, "expected string, not array") {
				strict++
				continue
			}
			if ours == nil {
				t.Fatalf("%v: %s\n%.3000s", gvk, said, text)
			}
			if where := different(t, gvk, text, ours); where != "" {
				t.Fatalf("%v: %s", gvk, where)
			}
			equal++
		}
	}
	t.Logf("%d refused by both, %d equal, %d refused by Go alone, %d by the library alone", refused, equal, lenient,
		strict)
	if refused == 0 || equal == 0 {
		t.Errorf("no documents of one of the sorts")
	}
}
