// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

var (
	measureName  = regexp.MustCompile(`^[a-z0-9_.]+$`)
	measureUnits = []string{"s", "ns", "us", "ms", "B", "count", "1/s", "B/s"}
)

// report collects the lines of the measure protocol of one run.
type report struct {
	lines []string
	err   error // the first line that would break the protocol
}

// newReport begins with the note that says which client-go this is, since no
// figure means anything without it.
func newReport() *report {
	r := &report{}
	clientGo, goVersion := versions()
	r.note("client-go %s go %s", clientGo, goVersion)
	return r
}

func (r *report) measure(name string, value float64, unit string) {
	switch {
	case r.err != nil:
	case !measureName.MatchString(name):
		r.err = fmt.Errorf("bad measure name %q", name)
	case !slices.Contains(measureUnits, unit):
		r.err = fmt.Errorf("measure %s: bad unit %q", name, unit)
	case math.IsNaN(value) || math.IsInf(value, 0):
		r.err = fmt.Errorf("measure %s is not a number", name)
	default:
		text := strconv.FormatFloat(value, 'f', -1, 64)
		r.lines = append(r.lines, fmt.Sprintf("measure %s %s %s", name, text, unit))
	}
}

// usage reports what every contestant reports: wall time and CPU time.
func (r *report) usage(u usage) {
	r.measure("wall", u.wall.Seconds(), "s")
	r.measure("cpu", u.cpu.Seconds(), "s")
}

// rate reports n operations per second of wall time.
func (r *report) rate(name string, n int64, wall time.Duration, unit string) {
	r.measure(name, float64(n)/wall.Seconds(), unit)
}

func (r *report) bytes(name string, n uint64) {
	r.measure(name, float64(n), "B")
}

func (r *report) count(name string, n int64) {
	r.measure(name, float64(n), "count")
}

func (r *report) note(format string, args ...any) {
	text := strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", " ")
	r.lines = append(r.lines, "note "+text)
}

func (r *report) writeTo(w io.Writer) error {
	if r.err != nil {
		return r.err
	}
	_, err := io.WriteString(w, strings.Join(r.lines, "\n")+"\n")
	return err
}
