// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"
)

func TestServe(t *testing.T) {
	in := strings.Join([]string{
		`script discovery`,
		`document /api {"kind":"APIVersions","versions":["v1"]}`,
		`document /apis {"kind":"APIGroupList","apiVersion":"v1","groups":[]}`,
		`document /api/v1 {"kind":"APIResourceList","groupVersion":"v1","resources":[` +
			`{"name":"pods","singularName":"pod","kind":"Pod","namespaced":true,"verbs":[],` +
			`"shortNames":["po"]}]}`,
		`ask po`,
		`ask Pod #note`,
		`ask nope`,
		`script discovery`,
		`ask po`,
	}, "\n")
	want := "script\ndocument\ndocument\ndocument\nv1 pods namespaced\nv1 pods namespaced\nnone\n" +
		"script\nnone\n"
	var out strings.Builder
	if err := serve(strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	if err := serve(strings.NewReader("what\n"), &out); err == nil {
		t.Error("a command that there is none of has no error")
	}
}
