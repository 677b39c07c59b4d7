// SPDX-License-Identifier: Apache-2.0

// Package protobuf has objects of all kinds that the API server has, in protobuf and in JSON as Go
// writes them, against what the library makes of the protobuf. KIN_TRANSCODER_BIN is its program.
package protobuf

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"io"
	"math/rand"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	apidiscoveryv2beta1 "k8s.io/api/apidiscovery/v2beta1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1beta1 "k8s.io/apimachinery/pkg/apis/meta/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	apiregistrationv1beta1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1beta1"
)

var codec = serializer.NewSerializer(scheme.Scheme, scheme.Scheme)

func init() {
	for _, add := range []func(*runtime.Scheme) error{
		apidiscoveryv2.AddToScheme, apidiscoveryv2beta1.AddToScheme,
		apiextensionsv1.AddToScheme, apiextensionsv1beta1.AddToScheme,
		apiregistrationv1.AddToScheme, apiregistrationv1beta1.AddToScheme,
		metav1.AddMetaToScheme, metav1beta1.AddMetaToScheme,
	} {
		if err := add(scheme.Scheme); err != nil {
			panic(err)
		}
	}
	scheme.Scheme.AddKnownTypeWithName(anyGroup.WithKind("ListMeta"), &listMeta{})
}

// anyGroup is for kinds that each group has.
var anyGroup = schema.GroupVersion{Group: "apps", Version: "v1"}

// listMeta is the metadata of a list as an object of its own: a list in protobuf begins with it.
type listMeta struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:",inline"`
}

func (l *listMeta) DeepCopyObject() runtime.Object {
	return &listMeta{l.TypeMeta, *l.ListMeta.DeepCopy()}
}
func (l *listMeta) Reset()                       { *l = listMeta{} }
func (l *listMeta) Marshal() ([]byte, error)     { return l.ListMeta.Marshal() }
func (l *listMeta) Unmarshal(bytes []byte) error { return l.ListMeta.Unmarshal(bytes) }

func numberOf(t *testing.T, name string, usual int64) int64 {
	text := os.Getenv(name)
	if text == "" {
		return usual
	}
	n, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

type transcoder struct {
	t   *testing.T
	in  io.WriteCloser
	out *bufio.Reader
}

func start(t *testing.T) *transcoder {
	t.Helper()
	return startProgram(t, "KIN_TRANSCODER_BIN")
}

func startProgram(t *testing.T, variable string) *transcoder {
	t.Helper()
	if os.Getenv(variable) == "" {
		t.Fatalf("%s names no program", variable)
	}
	cmd := exec.Command(os.Getenv(variable))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the program: %v", err)
		}
	})
	return &transcoder{t, in, bufio.NewReader(out)}
}

// ask gives the word that an answer begins with, and the rest.
func (p *transcoder) ask(line string) (string, string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
	said, err := p.out.ReadString('\n')
	if err != nil {
		p.t.Fatalf("after %.200s: %v", line, err)
	}
	word, rest, _ := strings.Cut(strings.TrimSuffix(said, "\n"), " ")
	return word, rest
}

// toJSON decodes in one of the ways that transcode.c has: strict, strict-kept, lenient, lenient-kept.
func (p *transcoder) toJSON(how string, gvk schema.GroupVersionKind, body []byte) (string, string) {
	return p.ask(how + " " + gvk.GroupVersion().String() + "|" + gvk.Kind + " " + hex.EncodeToString(body))
}

func (p *transcoder) kinds() []schema.GroupVersionKind {
	_, line := p.ask("kinds")
	var kinds []schema.GroupVersionKind
	for _, word := range strings.Fields(line) {
		version, kind, _ := strings.Cut(word, "|")
		if version == "" {
			version = anyGroup.String() // DeleteOptions, ListMeta
		}
		kinds = append(kinds, schema.FromAPIVersionAndKind(version, kind))
	}
	if len(kinds) < 180 {
		p.t.Fatalf("%d kinds", len(kinds))
	}
	return kinds
}

// value is JSON with exact numbers.
func value(t *testing.T, text []byte) any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil || decoder.More() {
		t.Fatalf("%v in %.2000s", err, text)
	}
	return v
}

func isNumberEqual(a, b json.Number) bool {
	x, errX := a.Float64()
	y, errY := b.Float64()
	isInteger := !strings.ContainsAny(string(a)+string(b), ".eE")
	return a == b || (!isInteger && errX == nil && errY == nil && x == y)
}

// isSameQuantity is for those that Go writes in another way than they were.
func isSameQuantity(a, b any) bool {
	x, isText := a.(string)
	y, isTextToo := b.(string)
	if !isText || !isTextToo {
		return false
	}
	theirs, errTheirs := resource.ParseQuantity(x)
	ours, errOurs := resource.ParseQuantity(y)
	return errTheirs == nil && errOurs == nil && theirs.Cmp(ours) == 0
}

// difference says where two values differ; "" nowhere.
func difference(path string, a, b any) string {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			return path
		}
		for name := range y {
			if _, ok := x[name]; !ok {
				return path + "." + name + " is not Go's"
			}
		}
		for name, inner := range x {
			other, ok := y[name]
			if !ok {
				return path + "." + name + " is missing"
			}
			if where := difference(path+"."+name, inner, other); where != "" {
				return where
			}
		}
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return path
		}
		for i := range x {
			if where := difference(path+"["+strconv.Itoa(i)+"]", x[i], y[i]); where != "" {
				return where
			}
		}
	case json.Number:
		if y, ok := b.(json.Number); !ok || !isNumberEqual(x, y) {
			return path
		}
	default:
		if !reflect.DeepEqual(a, b) && !isSameQuantity(a, b) {
			return path
		}
	}
	return ""
}

// object is a new one, filled, as protobuf and as JSON.
func object(t *testing.T, gvk schema.GroupVersionKind, f *filler) ([]byte, []byte) {
	t.Helper()
	made, err := scheme.Scheme.New(gvk)
	if err != nil {
		t.Fatal(err)
	}
	v := reflect.ValueOf(made).Elem()
	for i := range v.NumField() {
		f.fill(v.Field(i), 0)
	}
	made.GetObjectKind().SetGroupVersionKind(gvk)
	var body bytes.Buffer
	if err := codec.Encode(made, &body); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(made)
	if err != nil {
		t.Fatal(err)
	}
	return body.Bytes(), text
}

func TestAllKinds(t *testing.T) {
	p := start(t)
	seed := numberOf(t, "KIN_TEST_SEED", 1)
	rounds := numberOf(t, "KIN_ORACLE_ROUNDS", 20)
	for _, gvk := range p.kinds() {
		random := rand.New(rand.NewSource(seed))
		for round := range rounds {
			f := &filler{random: random, set: []float64{1, 0, 0.5, 0.8, 0.95}[round%5]}
			body, text := object(t, gvk, f)
			word, said := p.toJSON("strict", gvk, body)
			if word != "ok" {
				t.Errorf("%v, round %d: %s %s", gvk, round, word, said)
				break
			}
			if where := difference("", value(t, text), value(t, []byte(said))); where != "" {
				t.Errorf("%v, round %d: %s differs\n%.3000s\n%.3000s", gvk, round, where, text, said)
				break
			}
		}
	}
}

// Objects that come again, among others: a decoder takes their parts from what it has read before.
func TestKeptDecoder(t *testing.T) {
	p := start(t)
	seed := numberOf(t, "KIN_TEST_SEED", 1)
	rounds := numberOf(t, "KIN_ORACLE_ROUNDS", 20)
	kinds := p.kinds()
	type known struct {
		gvk  schema.GroupVersionKind
		body []byte
		text any
	}
	random := rand.New(rand.NewSource(seed))
	for range (rounds + 9) / 10 {
		var all []known
		for _, gvk := range kinds {
			f := &filler{random: random, set: []float64{1, 0.5, 0.8}[random.Intn(3)]}
			body, text := object(t, gvk, f)
			all = append(all, known{gvk, body, value(t, text)})
		}
		for again := range 8 {
			random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			for _, k := range all {
				word, said := p.toJSON("strict-kept", k.gvk, k.body)
				if word != "ok" {
					t.Fatalf("%v, again %d: %s %s", k.gvk, again, word, said)
				}
				if where := difference("", k.text, value(t, []byte(said))); where != "" {
					t.Fatalf("%v, again %d: %s differs\n%.3000s", k.gvk, again, where, said)
				}
			}
		}
	}
}

// notBodies are the kinds that the API server neither answers nor takes in protobuf, and lists.
var notBodies = regexp.MustCompile(`^(.*(Options|List)|WatchEvent|ConversionReview|DeploymentRollback|` +
	`RangeAllocation|SerializedReference)$`)

// Each kind that Go's schemes have is in the tables.
func TestNoKindIsMissing(t *testing.T) {
	have := map[schema.GroupVersionKind]bool{}
	for _, gvk := range start(t).kinds() {
		have[gvk] = true
	}
	n := 0
	for gvk, kind := range scheme.Scheme.AllKnownTypes() {
		_, isMessage := reflect.New(kind).Interface().(interface{ Marshal() ([]byte, error) })
		if gvk.Version == runtime.APIVersionInternal || !isMessage || notBodies.MatchString(gvk.Kind) {
			continue
		}
		n++
		if !have[gvk] {
			t.Errorf("%v is missing", gvk)
		}
	}
	if n < 150 {
		t.Errorf("%d kinds", n)
	}
}

// bare is a value without what is zero: what is not sent is zero in Go, but is not there in JSON.
func bare(v any) any {
	switch x := v.(type) {
	case map[string]any:
		for name, inner := range x {
			if inner = bare(inner); inner == nil {
				delete(x, name)
			} else {
				x[name] = inner
			}
		}
		if len(x) == 0 {
			return nil
		}
	case []any:
		for i := range x {
			x[i] = bare(x[i])
		}
		if len(x) == 0 {
			return nil
		}
	case json.Number:
		if number, err := x.Float64(); err == nil && number == 0 {
			return nil
		}
	case string:
		if x == "" {
			return nil
		}
	case bool:
		if !x {
			return nil
		}
	}
	return v
}

// mutate changes the object in a body, not its envelope.
func mutate(t *testing.T, random *rand.Rand, body []byte) []byte {
	t.Helper()
	var envelope runtime.Unknown
	if _, _, err := codec.Decode(body, nil, &envelope); err != nil {
		t.Fatal(err)
	}
	envelope.Raw = mutateBytes(random, envelope.Raw)
	var changed bytes.Buffer
	if err := codec.Encode(&envelope, &changed); err != nil {
		t.Fatal(err)
	}
	return changed.Bytes()
}

func mutateBytes(random *rand.Rand, body []byte) []byte {
	body = bytes.Clone(body)
	for range 1 + random.Intn(3) {
		if len(body) == 0 {
			break
		}
		at := random.Intn(len(body))
		switch random.Intn(4) {
		case 0:
			body[at] ^= 1 << random.Intn(8)
		case 1:
			body[at] = byte(random.Intn(256))
		case 2:
			body = append(body[:at], body[min(at+1+random.Intn(8), len(body)):]...)
		default:
			from := random.Intn(len(body))
			piece := bytes.Clone(body[from:min(from+1+random.Intn(20), len(body))])
			body = append(body[:at], append(piece, body[at:]...)...)
		}
	}
	return body
}

// Refused by the library alone, since documents are JSON: docs/apiserver-api.md.
func isRefusedByUs(said string) bool {
	for _, words := range []string{"not UTF-8", "years 0 to 9999", "nested deeper", "IntOrString.Type",
		"is not finite", "entry of a map is malformed"} {
		if strings.Contains(said, words) {
			return true
		}
	}
	return false
}

// Bodies that are broken are refused by both, or are the same to both.
func TestBrokenBodies(t *testing.T) {
	p := start(t)
	random := rand.New(rand.NewSource(numberOf(t, "KIN_TEST_SEED", 1)))
	rounds := numberOf(t, "KIN_ORACLE_ROUNDS", 20) * 5
	refused, equal := 0, 0
	for _, gvk := range p.kinds() {
		for round := range rounds {
			body, _ := object(t, gvk, &filler{random: random, set: 0.3})
			body = mutate(t, random, body)
			made, _, err := codec.Decode(body, &gvk, nil)
			// Go passes over unknown fields.
			word, said := p.toJSON([]string{"lenient", "lenient-kept"}[round%2], gvk, body)
			if err != nil {
				switch {
				case strings.Contains(err.Error(), "quantit"):
					// The library takes them as they are, as it does in JSON.
				case word == "ok":
					t.Errorf("%v: Go says %v, the library %.300s: %x", gvk, err, said, body)
				}
				refused++
				continue
			}
			text, err := json.Marshal(made)
			if word != "ok" {
				if !isRefusedByUs(said) && err == nil {
					t.Errorf("%v: Go takes it, the library says %s: %x", gvk, said, body)
				}
				continue
			}
			if err != nil {
				continue // Go has no JSON for it
			}
			ours := value(t, []byte(said))
			theirs := value(t, text)
			if where := difference("", bare(theirs), bare(ours)); where != "" {
				t.Errorf("%v: %s differs\n%.3000s\n%.3000s\n%x", gvk, where, text, said, body)
			}
			equal++
		}
	}
	if refused < 100 || equal < 100 {
		t.Errorf("%d are refused, %d equal", refused, equal)
	}
}

// DeleteOptions are of the group of what is deleted.
func TestDeleteOptions(t *testing.T) {
	p := start(t)
	var body bytes.Buffer
	orphan := metav1.DeletePropagationOrphan
	options := &metav1.DeleteOptions{PropagationPolicy: &orphan}
	options.SetGroupVersionKind(schema.GroupVersionKind{Group: "any", Version: "v2", Kind: "DeleteOptions"})
	if err := codec.Encode(options, &body); err != nil {
		t.Fatal(err)
	}
	_, said := p.toJSON("strict", schema.GroupVersionKind{Version: "v1", Kind: "DeleteOptions"}, body.Bytes())
	if said != `{"kind":"DeleteOptions","apiVersion":"any/v2","propagationPolicy":"Orphan"}` {
		t.Error(said)
	}
}
