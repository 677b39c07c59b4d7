// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"math"
	"strings"
	"time"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/api/validate/content"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/client-go/tools/cache"
)

// ---- selectors

func labelParse(r *request) (answer, error) {
	selector, err := labels.Parse(r.Selector)
	if err != nil {
		return nil, err
	}
	return answer{"string": selector.String()}, nil
}

func labelMatch(r *request) (answer, error) {
	selector, err := labels.Parse(r.Selector)
	if err != nil {
		return nil, err
	}
	return answer{"match": selector.Matches(labels.Set(r.Labels))}, nil
}

// A selector as objects hold it, read as the API server reads objects: names of
// members by their case, unknown ones ignored.
func labelFromObject(r *request) (answer, error) {
	var value *metav1.LabelSelector
	if len(r.Value) > 0 {
		if err := utiljson.Unmarshal(r.Value, &value); err != nil {
			return nil, err
		}
	}
	selector, err := metav1.LabelSelectorAsSelector(value)
	if err != nil {
		return nil, err
	}
	return answer{
		"string": selector.String(),
		"empty":  selector.Empty(),
		"match":  selector.Matches(labels.Set(r.Labels)),
	}, nil
}

func labelValidateKey(r *request) (answer, error) {
	return nil, refusal(content.IsLabelKey(r.Text))
}

func labelValidateValue(r *request) (answer, error) {
	return nil, refusal(content.IsLabelValue(r.Text))
}

func refusal(reasons []string) error {
	if len(reasons) == 0 {
		return nil
	}
	return errors.New(strings.Join(reasons, "; "))
}

func fieldParse(r *request) (answer, error) {
	selector, err := fields.ParseSelector(r.Selector)
	if err != nil {
		return nil, err
	}
	return answer{"string": selector.String()}, nil
}

func fieldMatch(r *request) (answer, error) {
	selector, err := fields.ParseSelector(r.Selector)
	if err != nil {
		return nil, err
	}
	return answer{"match": selector.Matches(fields.Set(r.Fields))}, nil
}

// ---- quantities

// canonical is String() without its memory: a parsed quantity that looks
// canonical repeats its input there, "+1" and "0001" included.
func canonical(q *resource.Quantity) string {
	number, suffix := q.CanonicalizeBytes(nil)
	return string(number) + string(suffix)
}

// number is a JSON number, or the name of what JSON has no number for.
func number(f float64) any {
	switch {
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return f
}

func quantityRead(r *request) (answer, error) {
	q, err := resource.ParseQuantity(r.Text)
	if err != nil {
		return nil, err
	}
	return answer{
		"string": canonical(&q),
		"value":  q.Value(),
		"milli":  q.MilliValue(),
		"sign":   q.Sign(),
		"float":  number(q.AsApproximateFloat64()),
	}, nil
}

func quantityPair(r *request) (a, b resource.Quantity, err error) {
	if a, err = resource.ParseQuantity(r.A); err == nil {
		b, err = resource.ParseQuantity(r.B)
	}
	return a, b, err
}

func quantityCmp(r *request) (answer, error) {
	a, b, err := quantityPair(r)
	if err != nil {
		return nil, err
	}
	return answer{"cmp": a.Cmp(b)}, nil
}

func quantityAdd(r *request) (answer, error) {
	a, b, err := quantityPair(r)
	if err != nil {
		return nil, err
	}
	a.Add(b)
	return answer{"string": canonical(&a)}, nil
}

func quantitySub(r *request) (answer, error) {
	a, b, err := quantityPair(r)
	if err != nil {
		return nil, err
	}
	a.Sub(b)
	return answer{"string": canonical(&a)}, nil
}

// ---- keys, resource versions, times

func keySplit(r *request) (answer, error) {
	namespace, name, err := cache.SplitMetaNamespaceKey(r.Key)
	if err != nil {
		return nil, err
	}
	return answer{"namespace": namespace, "name": name}, nil
}

func objectName(r *request) (answer, error) {
	parsed, err := cache.ParseObjectName(r.Key)
	if err != nil {
		return nil, err
	}
	namespace, name := parsed.Parts()
	return answer{"namespace": namespace, "name": name, "string": parsed.String()}, nil
}

func keyOf(r *request) (answer, error) {
	key, err := cache.MetaNamespaceKeyFunc(&unstructured.Unstructured{Object: r.Object})
	if err != nil {
		return nil, err
	}
	return answer{"key": key}, nil
}

func resourceVersionCompare(r *request) (answer, error) {
	result, err := resourceversion.CompareResourceVersion(r.A, r.B)
	if err != nil {
		return nil, err
	}
	return answer{"cmp": result}, nil
}

func timeRead(r *request) (answer, error) {
	t, err := time.Parse(time.RFC3339, r.Text)
	if err != nil {
		return nil, err
	}
	return answer{"seconds": t.Unix(), "nanos": t.Nanosecond()}, nil
}

// ---- patches, as the API server applies them

func mergePatch(r *request) (answer, error) {
	result, err := jsonpatch.MergePatch(r.Doc, r.Patch)
	if err != nil {
		return nil, err
	}
	return answer{"result": string(result)}, nil
}

func jsonPatch(r *request) (answer, error) {
	patch, err := jsonpatch.DecodePatch(r.Patch)
	if err != nil {
		return nil, err
	}
	result, err := patch.Apply(r.Doc)
	if err != nil {
		return nil, err
	}
	return answer{"result": string(result)}, nil
}
