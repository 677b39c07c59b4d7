// SPDX-License-Identifier: Apache-2.0

// Package script reads scripts of operations and writes their traces: one line
// in, one line out. What an operation does is for the programs that use it; each
// of them drives another version of client-go.
package script

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A Machine is what a script drives: a store or a queue. Step does one operation
// and gives its line of the trace.
type Machine interface {
	Step(op string, args []string) string
}

// Kinds has a maker for each kind of machine, by its name in the script.
type Kinds map[string]func(options map[string]bool) Machine

// Main serves standard input, and ends the program if that fails.
func Main(name string, kinds Kinds) {
	if err := Serve(os.Stdin, os.Stdout, kinds); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// Serve answers each line with a line until the input ends.
func Serve(in io.Reader, out io.Writer, kinds Kinds) (failure error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	trace := bufio.NewWriterSize(out, 1<<20)
	defer func() { failure = errors.Join(failure, trace.Flush()) }()
	var machine Machine
	for lines.Scan() {
		text, _, _ := strings.Cut(lines.Text(), " #")
		words := strings.Fields(text)
		if len(words) == 0 {
			return fmt.Errorf("an empty line")
		}
		answer := "script"
		if words[0] == "script" {
			if len(words) < 2 || kinds[words[1]] == nil {
				return fmt.Errorf("no such kind: %s", text)
			}
			options := map[string]bool{}
			for _, name := range words[2:] {
				options[name] = true
			}
			machine = kinds[words[1]](options)
		} else {
			answer, machine = step(machine, words[0], words[1:])
		}
		trace.WriteString(answer)
		trace.WriteByte('\n')
	}
	return lines.Err()
}

// step survives what client-go does not: after a panic the machine is gone, and
// the rest of its script is answered with a word.
func step(machine Machine, op string, args []string) (answer string, after Machine) {
	defer func() {
		if reason := recover(); reason != nil {
			answer, after = "panic", nil
		}
	}()
	if machine == nil {
		return "over", nil
	}
	return machine.Step(op, args), machine
}

// An Item is an object: KEY:VERSION or KEY:VERSION:TAG+TAG.
type Item struct {
	metav1.ObjectMeta
	Key     string
	Version int
	Tags    []string
}

// NewItem makes an item with the metadata that client-go looks at.
func NewItem(key string, version int, tags []string) *Item {
	item := &Item{Key: key, Version: version, Tags: tags}
	item.ResourceVersion = strconv.Itoa(version)
	return item
}

// ParseItem reads one. The script is ours: what is malformed ends the program.
func ParseItem(text string) *Item {
	parts := strings.Split(text, ":")
	if len(parts) < 2 {
		Fail("no object", text)
	}
	version, err := strconv.Atoi(parts[1])
	if err != nil {
		Fail("no version", text)
	}
	var tags []string
	if len(parts) > 2 {
		tags = strings.Split(parts[2], "+")
	}
	return NewItem(parts[0], version, tags)
}

// Fail ends the program: nobody should have written such a script.
func Fail(what, text string) {
	fmt.Fprintf(os.Stderr, "%s: %s\n", what, text)
	os.Exit(1)
}

func (i *Item) String() string {
	return i.Key + ":" + strconv.Itoa(i.Version)
}

// HasTag says whether an item has a tag.
func (i *Item) HasTag(tag string) bool {
	for _, t := range i.Tags {
		if t == tag {
			return true
		}
	}
	return false
}

// What goes wrong on purpose. Errors are known by their text: client-go wraps
// some of them in a way that hides the value.
var (
	ErrKey       = errors.New("oracle: bad key")
	ErrTransform = errors.New("oracle: bad object")
	ErrProcess   = errors.New("oracle: failed")
	ErrIndex     = errors.New("oracle: bad tag")
)

// Outcome names the class of an error.
func Outcome(err error) string {
	if err == nil {
		return "ok"
	}
	text := err.Error()
	for _, known := range []struct {
		err  error
		name string
	}{{ErrKey, "bad-key"}, {ErrTransform, "bad-object"}, {ErrProcess, "failed"}, {ErrIndex, "bad-tag"}} {
		if strings.Contains(text, known.err.Error()) {
			return known.name
		}
	}
	switch {
	case strings.Contains(text, "0 length Deltas"):
		return "no-deltas"
	case strings.Contains(text, "closed"):
		return "closed"
	case strings.Contains(text, "does not exist"):
		return "no-index"
	case strings.Contains(text, "indexer conflict"):
		return "conflict"
	}
	return "error:" + text
}

// KeyOf is the key function: keys that begin with an exclamation mark have none.
func KeyOf(item *Item) (string, error) {
	if strings.HasPrefix(item.Key, "!") {
		return "", ErrKey
	}
	return item.Key, nil
}

// TransformedBy is what the transformer adds to a version: who was transformed
// twice is seen at once.
const TransformedBy = 1000000

// Transform is the transformer: it fails on the tag "!t".
func Transform(item *Item) (*Item, error) {
	if item.HasTag("!t") {
		return nil, ErrTransform
	}
	return NewItem(item.Key, item.Version+TransformedBy, item.Tags), nil
}

// IndexValues is the index function of tags: it fails on the tag "!i".
func IndexValues(item *Item) ([]string, error) {
	if item.HasTag("!i") {
		return nil, ErrIndex
	}
	return item.Tags, nil
}

// Line joins what is not empty.
func Line(words ...string) string {
	kept := words[:0]
	for _, word := range words {
		if word != "" {
			kept = append(kept, word)
		}
	}
	return strings.Join(kept, " ")
}

// Sorted is for what client-go gives in the order of a Go map.
func Sorted(words []string) string {
	sort.Strings(words)
	return strings.Join(words, ",")
}
