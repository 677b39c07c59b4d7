// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// Each operation is asked once for an answer and once, where it can refuse, for
// a refusal. What the answers are is Kubernetes' business; here they only have
// to arrive in the fields that the protocol names.
var questions = []struct{ name, request, answer string }{
	{"label-parse", `{"op":"label-parse","selector":" b notin (y,x) ,a=1"}`, `{"ok":true,"string":"a=1,b notin (x,y)"}`},
	{"label-parse refused", `{"op":"label-parse","selector":"a in ("}`, `{"ok":false}`},
	{"label-match", `{"op":"label-match","selector":"a!=1","labels":{"b":"2"}}`, `{"ok":true,"match":true}`},
	{"label-match without labels", `{"op":"label-match","selector":"a"}`, `{"ok":true,"match":false}`},
	{"label-match refused", `{"op":"label-match","selector":"=","labels":{}}`, `{"ok":false}`},
	{"label-from-object", `{"op":"label-from-object","value":{"matchLabels":{"b":"1"},` +
		`"matchExpressions":[{"key":"a","operator":"NotIn","values":["y","x"]}]},"labels":{"b":"1"}}`,
		`{"ok":true,"string":"a notin (x,y),b=1","empty":false,"match":true}`},
	{"label-from-object of nothing", `{"op":"label-from-object","value":null}`,
		`{"ok":true,"string":"","empty":false,"match":false}`},
	{"label-from-object absent", `{"op":"label-from-object"}`, `{"ok":true,"empty":false,"match":false}`},
	{"label-from-object of everything", `{"op":"label-from-object","value":{"MatchLabels":{"a":"b"}}}`,
		`{"ok":true,"string":"","empty":true,"match":true}`},
	{"label-from-object refused", `{"op":"label-from-object","value":{"matchLabels":["a"]}}`, `{"ok":false}`},
	{"label-validate-key", `{"op":"label-validate-key","text":"example.com/a"}`, `{"ok":true}`},
	{"label-validate-key refused", `{"op":"label-validate-key","text":"/a"}`, `{"ok":false}`},
	{"label-validate-value", `{"op":"label-validate-value","text":""}`, `{"ok":true}`},
	{"label-validate-value refused", `{"op":"label-validate-value","text":"-"}`, `{"ok":false}`},
	{"field-parse", `{"op":"field-parse","selector":"b!=\\,,a==<&>"}`, `{"ok":true,"string":"a=<&>,b!=\\,"}`},
	{"field-parse refused", `{"op":"field-parse","selector":"a=\\x"}`, `{"ok":false}`},
	{"field-match", `{"op":"field-match","selector":"a=","fields":{}}`, `{"ok":true,"match":true}`},
	{"field-match refused", `{"op":"field-match","selector":"a","fields":{}}`, `{"ok":false}`},
	{"quantity", `{"op":"quantity","text":"1.5Gi"}`,
		`{"ok":true,"string":"1536Mi","value":1610612736,"milli":1610612736000,"sign":1,"float":1610612736}`},
	{"quantity is canonical even if it looks so", `{"op":"quantity","text":"-0001"}`,
		`{"ok":true,"string":"-1","value":-1,"milli":-1000,"sign":-1,"float":-1}`},
	{"quantity of int64's size", `{"op":"quantity","text":"9223372036854775807"}`,
		`{"ok":true,"string":"9223372036854775807","value":9223372036854775807,"sign":1,"float":9223372036854775807}`},
	{"quantity beyond a double", `{"op":"quantity","text":"-1e400"}`, `{"ok":true,"sign":-1,"float":"-Infinity"}`},
	{"quantity refused", `{"op":"quantity","text":"1x"}`, `{"ok":false}`},
	{"quantity-cmp", `{"op":"quantity-cmp","a":"1","b":"1001m"}`, `{"ok":true,"cmp":-1}`},
	{"quantity-cmp refused", `{"op":"quantity-cmp","a":"1","b":""}`, `{"ok":false}`},
	{"quantity-add", `{"op":"quantity-add","a":"1Gi","b":"1Gi"}`, `{"ok":true,"string":"2Gi"}`},
	{"quantity-add refused", `{"op":"quantity-add","a":"","b":"1"}`, `{"ok":false}`},
	{"quantity-sub", `{"op":"quantity-sub","a":"0","b":"1500m"}`, `{"ok":true,"string":"-1500m"}`},
	{"quantity-sub refused", `{"op":"quantity-sub","a":"x","b":"1"}`, `{"ok":false}`},
	{"key-split", `{"op":"key-split","key":"a/b"}`, `{"ok":true,"namespace":"a","name":"b"}`},
	{"key-split refused", `{"op":"key-split","key":"a/b/c"}`, `{"ok":false}`},
	{"object-name", `{"op":"object-name","key":"/b"}`, `{"ok":true,"namespace":"","name":"b","string":"b"}`},
	{"object-name refused", `{"op":"object-name","key":"//"}`, `{"ok":false}`},
	{"key-of", `{"op":"key-of","object":{"metadata":{"namespace":"a","name":"b"}}}`, `{"ok":true,"key":"a/b"}`},
	{"rv-compare", `{"op":"rv-compare","a":"9","b":"10"}`, `{"ok":true,"cmp":-1}`},
	{"rv-compare refused", `{"op":"rv-compare","a":"0","b":"10"}`, `{"ok":false}`},
	{"time", `{"op":"time","text":"1969-12-31T23:59:59.25Z"}`, `{"ok":true,"seconds":-1,"nanos":250000000}`},
	{"time refused", `{"op":"time","text":"2026-02-30T00:00:00Z"}`, `{"ok":false}`},
	{"merge-patch", `{"op":"merge-patch","doc":{"a":1},"patch":{"a":null,"b":1.0}}`, `{"ok":true,"result":"{\"b\":1.0}"}`},
	{"merge-patch refused", `{"op":"merge-patch","doc":{"a":1},"patch":3}`, `{"ok":false}`},
	{"json-patch", `{"op":"json-patch","doc":{"a":1},"patch":[{"op":"remove","path":"/a"}]}`, `{"ok":true,"result":"{}"}`},
	{"json-patch refused", `{"op":"json-patch","doc":{},"patch":[{"op":"remove","path":"/a"}]}`, `{"ok":false}`},
}

func ask(t *testing.T, requests ...string) []map[string]any {
	t.Helper()
	var out bytes.Buffer
	if err := serve(strings.NewReader(strings.Join(requests, "\n")), &out); err != nil {
		t.Fatal(err)
	}
	var answers []map[string]any
	for _, line := range strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n") {
		answers = append(answers, decode(t, line))
	}
	if len(answers) != len(requests) {
		t.Fatalf("%d answers to %d requests", len(answers), len(requests))
	}
	return answers
}

func decode(t *testing.T, text string) map[string]any {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	value := map[string]any{}
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return value
}

func TestAnswers(t *testing.T) {
	var requests []string
	for _, q := range questions {
		requests = append(requests, q.request)
	}
	answers := ask(t, requests...)
	asked := map[string]bool{}
	for i, q := range questions {
		t.Run(q.name, func(t *testing.T) {
			asked[decode(t, q.request)["op"].(string)] = true
			for field, want := range decode(t, q.answer) {
				got := answers[i][field]
				if field == "float" {
					got, want = asFloat(t, got), asFloat(t, want)
				}
				if got != want {
					t.Errorf("%s is %v, not %v", field, got, want)
				}
			}
			if answers[i]["ok"] == false && answers[i]["error"] == "" {
				t.Error("a refusal without its reason")
			}
		})
	}
	for op := range operations {
		if !asked[op] {
			t.Errorf("%s is not tested", op)
		}
	}
}

func asFloat(t *testing.T, value any) any {
	t.Helper()
	number, is := value.(json.Number)
	if !is {
		return value
	}
	f, err := number.Float64()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestUnknownOperation(t *testing.T) {
	got := ask(t, `{"op":"nonsense"}`)[0]
	if got["unknown"] != "nonsense" || got["ok"] != nil {
		t.Errorf("the answer is %v", got)
	}
}

// A panic of the code asked is an answer of its own kind, and the next request
// is answered as if nothing had been.
func TestPanicIsContained(t *testing.T) {
	got := ask(t,
		`{"op":"json-patch","doc":{},"patch":[{"op":"replace","path":""}]}`,
		`{"op":"key-split","key":"b"}`)
	if got[0]["panic"] == nil || got[0]["ok"] != nil {
		t.Errorf("the answer is %v", got[0])
	}
	if got[1]["name"] != "b" {
		t.Errorf("the next answer is %v", got[1])
	}
}

func TestBadLineEndsIt(t *testing.T) {
	var out bytes.Buffer
	err := serve(strings.NewReader("{\"op\":\"key-split\",\"key\":\"b\"}\n{"), &out)
	if err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("the error is %v", err)
	}
	if !strings.Contains(out.String(), `"name":"b"`) {
		t.Errorf("what was answered before is lost: %q", out.String())
	}
}
