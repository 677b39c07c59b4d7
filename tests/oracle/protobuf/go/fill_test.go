// SPDX-License-Identifier: Apache-2.0

package protobuf

import (
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

const (
	deepest        = 7 // lists that lie deeper have one item
	deepestStructs = 21
	deepestSchemas = 3 // of schemas in schemas
)

// filler sets all that a Go value has, or some of it, to seeded random values.
type filler struct {
	random *rand.Rand
	set    float64 // how likely it is that something is set
	// How many schemas are around the value.
	schemas int
}

var texts = []string{"a", "x-1", "ä€😀", "\"quoted\\\"", "line\nand\ttab", "<&>\u2028", "0", "true", "\x00\x7f"}

func (f *filler) text() string {
	return fmt.Sprintf("%s%d", texts[f.random.Intn(len(texts))], f.random.Intn(1000))
}

func (f *filler) json() []byte {
	values := []string{`{"a":[1,2.5,{"b":null}],"c":"\u00e4"}`, `{}`, `[true, false]`, `"text"`, `1e3`, `-7`}
	return []byte(values[f.random.Intn(len(values))])
}

func (f *filler) seconds() time.Time {
	return time.Unix(f.random.Int63n(1<<33)-1<<31, 0).UTC()
}

// special sets types that protobuf or JSON have in their own way.
func (f *filler) special(v reflect.Value, depth int) bool {
	switch p := v.Addr().Interface().(type) {
	case *metav1.TypeMeta, *runtime.TypeMeta:
	case *metav1.Time:
		p.Time = f.seconds()
	case *metav1.MicroTime:
		p.Time = f.seconds().Add(time.Duration(f.random.Intn(1000000)) * time.Microsecond)
	case *resource.Quantity:
		*p = resource.MustParse(fmt.Sprintf("%d%s", f.random.Intn(100000)-1000,
			[]string{"", "m", "k", "Mi", "Gi", "e3"}[f.random.Intn(6)]))
	case *intstr.IntOrString:
		*p = intstr.FromInt32(f.random.Int31() - f.random.Int31())
		if f.random.Intn(2) == 0 {
			*p = intstr.FromString(f.text())
		}
	case *runtime.RawExtension:
		p.Raw = f.json()
	case *metav1.FieldsV1:
		p.SetRawBytes([]byte(`{"f:metadata":{"f:name":{}}}`))
	default:
		return strings.Contains(v.Type().PkgPath(), "/apis/apiextensions/") && f.schema(v, depth)
	}
	return true
}

const schemaProps = "JSONSchemaProps" // in each version of apiextensions

// schema sets types of apiextensions, of any version, that JSON has in its own way.
func (f *filler) schema(v reflect.Value, depth int) bool {
	list := ""
	switch v.Type().Name() {
	case "JSON":
		v.FieldByName("Raw").SetBytes(f.json())
		return true
	case "JSONSchemaPropsOrBool":
		v.FieldByName("Allows").SetBool(f.random.Intn(2) == 0)
		if f.random.Intn(2) == 0 {
			return true
		}
		v.FieldByName("Allows").SetBool(true)
	case "JSONSchemaPropsOrArray":
		list = "JSONSchemas"
	case "JSONSchemaPropsOrStringArray":
		list = "Property"
	default:
		return false
	}
	if list != "" && f.random.Intn(2) == 0 {
		items := v.FieldByName(list)
		n := 1 + f.random.Intn(2)
		items.Set(reflect.MakeSlice(items.Type(), n, n))
		f.fill(items.Index(0), depth+1)
		return true
	}
	schema := v.FieldByName("Schema")
	schema.Set(reflect.New(schema.Type().Elem()))
	f.fill(schema.Elem(), depth+1)
	return true
}

func (f *filler) number(v reflect.Value) {
	switch bits := v.Type().Bits(); f.random.Intn(3) {
	case 0:
		v.SetInt(int64(f.random.Intn(10)))
	case 1:
		v.SetInt(int64(f.random.Uint64()) >> (64 - bits))
	default:
		v.SetInt(-int64(f.random.Intn(1000)))
	}
}

// fill sets a value. Lists and maps are nil or have something: protobuf has no others.
func (f *filler) fill(v reflect.Value, depth int) {
	if v.Type().Name() == schemaProps {
		if f.schemas == deepestSchemas {
			return
		}
		f.schemas++
		defer func() { f.schemas-- }()
	}
	if f.random.Float64() > f.set || f.special(v, depth) {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.Type().Elem().Kind() != reflect.Struct || depth < deepestStructs {
			v.Set(reflect.New(v.Type().Elem()))
			f.fill(v.Elem(), depth)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				f.fill(v.Field(i), depth+1)
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Struct && depth >= deepestStructs {
			return
		}
		// Schemas would have too many of themselves.
		n := 1 + f.random.Intn(2)
		if depth > deepest {
			n = 1
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			f.fill(v.Index(i), depth+1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 1 + f.random.Intn(2) {
			value := reflect.New(v.Type().Elem()).Elem()
			f.fill(value, depth+1)
			// A nil list in a map comes back as an empty one, or the other way round.
			if value.Kind() == reflect.Slice && value.Len() == 0 {
				value.Set(reflect.MakeSlice(value.Type(), 1, 1))
			}
			v.SetMapIndex(reflect.ValueOf(f.text()).Convert(v.Type().Key()), value)
		}
	case reflect.String:
		v.SetString(f.text())
	case reflect.Bool:
		v.SetBool(f.random.Intn(3) > 0)
	case reflect.Int32, reflect.Int64:
		f.number(v)
	case reflect.Uint8:
		v.SetUint(uint64(f.random.Intn(256)))
	case reflect.Float64:
		v.SetFloat(f.random.NormFloat64() * 1000)
	case reflect.Interface:
	default:
		panic("what is " + v.Type().String())
	}
}
