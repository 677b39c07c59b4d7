// SPDX-License-Identifier: Apache-2.0

// kin-oracle answers questions about selectors, quantities, keys, resource
// versions, times and patches with the code of Kubernetes itself. It reads one
// JSON request per line and writes one JSON answer per line, in order; README.md
// has the protocol. The C library is asked the same and has to say the same.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// A request has the fields of every operation; each reads its own.
type request struct {
	Op       string            `json:"op"`
	Selector string            `json:"selector"`
	Labels   map[string]string `json:"labels"`
	Fields   map[string]string `json:"fields"`
	Text     string            `json:"text"`
	Key      string            `json:"key"`
	A        string            `json:"a"`
	B        string            `json:"b"`
	Object   map[string]any    `json:"object"`
	Value    json.RawMessage   `json:"value"`
	Doc      json.RawMessage   `json:"doc"`
	Patch    json.RawMessage   `json:"patch"`
}

type answer map[string]any

// An operation gives the fields of a good answer, or the error of a refusal.
type operation func(r *request) (answer, error)

var operations = map[string]operation{
	"label-parse":          labelParse,
	"label-match":          labelMatch,
	"label-from-object":    labelFromObject,
	"label-validate-key":   labelValidateKey,
	"label-validate-value": labelValidateValue,
	"field-parse":          fieldParse,
	"field-match":          fieldMatch,
	"quantity":             quantityRead,
	"quantity-cmp":         quantityCmp,
	"quantity-add":         quantityAdd,
	"quantity-sub":         quantitySub,
	"key-split":            keySplit,
	"object-name":          objectName,
	"key-of":               keyOf,
	"rv-compare":           resourceVersionCompare,
	"time":                 timeRead,
	"merge-patch":          mergePatch,
	"json-patch":           jsonPatch,
}

func main() {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "kin-oracle: %v\n", err)
		os.Exit(1)
	}
}

// serve answers until the input ends. A line that is no request ends it with an
// error: to go on would shift every answer behind it.
func serve(in io.Reader, out io.Writer) (failure error) {
	lines := bufio.NewReader(in)
	answers := bufio.NewWriter(out)
	defer func() { failure = errors.Join(failure, answers.Flush()) }()
	encoder := json.NewEncoder(answers)
	encoder.SetEscapeHTML(false)
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			r := request{}
			if err := json.Unmarshal(line, &r); err != nil {
				return fmt.Errorf("line %d is no request: %w", number, err)
			}
			if err := encoder.Encode(respond(&r)); err != nil {
				return fmt.Errorf("the answer to line %d: %w", number, err)
			}
		}
		// Whoever asks one question at a time waits for this one.
		if lines.Buffered() == 0 {
			if err := answers.Flush(); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// respond never panics: json-patch does on some patches, and then there is no
// right answer to compare with.
func respond(r *request) (result answer) {
	defer func() {
		if reason := recover(); reason != nil {
			result = answer{"panic": fmt.Sprint(reason)}
		}
	}()
	run, known := operations[r.Op]
	if !known {
		return answer{"unknown": r.Op}
	}
	result, err := run(r)
	if err != nil {
		return answer{"ok": false, "error": err.Error()}
	}
	if result == nil {
		result = answer{}
	}
	result["ok"] = true
	return result
}
