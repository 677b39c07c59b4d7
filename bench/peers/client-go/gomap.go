// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"
)

// mapEntry is what the map points to.
type mapEntry struct {
	key   string
	value uint64
}

// mapBench holds 2N entries: the first N are those in the map, the others the
// ones that are not.
type mapBench struct {
	n       int
	entries []mapEntry
	// lookup has a copy of every key in memory of its own, so that no lookup is
	// cheap because it compares a string with itself.
	lookup  []string
	minTime time.Duration
}

var mapModes = map[string]func(*mapBench) (int64, usage, error){
	"get":    func(b *mapBench) (int64, usage, error) { return b.find(0, b.n) },
	"miss":   func(b *mapBench) (int64, usage, error) { return b.find(b.n, 0) },
	"insert": (*mapBench).insert,
	"delete": (*mapBench).remove,
	"mixed":  (*mapBench).mixed,
}

// runMap measures Go's built-in map, which is what all of client-go is made of.
func runMap(_ context.Context, args []string, r *report) error {
	b := &mapBench{}
	fs := newFlags("map")
	mode := fs.String("mode", "get", "get, miss, insert, delete or mixed")
	fs.IntVar(&b.n, "keys", 100000, "number of keys in the map")
	fs.DurationVar(&b.minTime, "min-time", time.Second, "repeat until this has been timed")
	if _, err := parseFlags(fs, args, 0); err != nil {
		return err
	}
	run, ok := mapModes[*mode]
	switch {
	case !ok:
		return fmt.Errorf("unknown --mode %q", *mode)
	case b.n < 1 || b.n > math.MaxInt32/4:
		return fmt.Errorf("--keys must be 1 to %d", math.MaxInt32/4)
	}
	b.makeKeys()
	heap, err := b.tableSize()
	if err != nil {
		return err
	}
	ops, used, err := run(b)
	if err != nil {
		return err
	}
	r.note("mode %s, %d keys", *mode, b.n)
	r.usage(used)
	r.rate("ops", ops, used.wall, "1/s")
	r.bytes("heap", heap)
	r.measure("heap_per_key", float64(heap)/float64(b.n), "B")
	return nil
}

func (b *mapBench) makeKeys() {
	total := 2 * b.n
	b.entries = make([]mapEntry, total)
	size := 0
	for i := range b.entries {
		b.entries[i] = mapEntry{key: keyOf(i), value: uint64(i)}
		size += len(b.entries[i].key)
	}
	arena := make([]byte, 0, size)
	for i := range b.entries {
		arena = append(arena, b.entries[i].key...)
	}
	copies := string(arena)
	b.lookup = make([]string, total)
	for i := range b.entries {
		length := len(b.entries[i].key)
		b.lookup[i], copies = copies[:length], copies[length:]
	}
}

// inOrder returns pointers to the first N entries, in random order.
func (b *mapBench) inOrder() []*mapEntry {
	order := make([]*mapEntry, 0, b.n)
	for _, i := range shuffled(b.n) {
		order = append(order, &b.entries[i])
	}
	return order
}

// probes returns the lookup keys of N entries from first on, in random order.
// The headers lie in the order of use; only the bytes of the keys are scattered.
func (b *mapBench) probes(first int) []string {
	probes := make([]string, 0, b.n)
	for _, i := range shuffled(b.n) {
		probes = append(probes, b.lookup[first+int(i)])
	}
	return probes
}

// fill makes the map as a program does that does not know its size before.
func fill(order []*mapEntry) map[string]*mapEntry {
	m := map[string]*mapEntry{}
	for _, e := range order {
		m[e.key] = e
	}
	return m
}

// tableSize is the heap that the map takes beside its keys and entries.
func (b *mapBench) tableSize() (uint64, error) {
	order := b.inOrder()
	before := liveHeap()
	m := fill(order)
	after := liveHeap()
	if len(m) != b.n {
		return 0, errors.New("the keys are not distinct")
	}
	runtime.KeepAlive(m)
	runtime.KeepAlive(order)
	return after - before, nil
}

// rounds is how often a pass that changes nothing goes through its n operations:
// a short pass would measure the caches that the collection before it emptied.
func rounds(n int) int {
	return max(1, 1000000/n)
}

// find looks up N keys from number first on, and expects found of them.
func (b *mapBench) find(first, found int) (int64, usage, error) {
	m, probes := fill(b.inOrder()), b.probes(first)
	hits, passes := 0, 0
	ops, used := timedPasses(b.minTime, func() {}, func() int64 {
		for range rounds(len(probes)) {
			passes++
			for _, key := range probes {
				if m[key] != nil {
					hits++
				}
			}
		}
		return int64(len(probes) * rounds(len(probes)))
	})
	if hits != found*passes {
		return 0, usage{}, fmt.Errorf("%d hits, %d expected", hits, found*passes)
	}
	return ops, used, nil
}

// insert fills an empty map.
func (b *mapBench) insert() (int64, usage, error) {
	order := b.inOrder()
	var m map[string]*mapEntry
	ops, used := timedPasses(b.minTime, func() { m = nil }, func() int64 {
		m = fill(order)
		return int64(len(order))
	})
	if len(m) != b.n {
		return 0, usage{}, fmt.Errorf("%d keys inserted, %d expected", len(m), b.n)
	}
	return ops, used, nil
}

// remove empties a full map.
func (b *mapBench) remove() (int64, usage, error) {
	order, probes := b.inOrder(), b.probes(0)
	var m map[string]*mapEntry
	left := 0
	ops, used := timedPasses(b.minTime, func() { m = fill(order) }, func() int64 {
		for _, key := range probes {
			delete(m, key)
		}
		left += len(m)
		return int64(len(probes))
	})
	if left != 0 {
		return 0, usage{}, fmt.Errorf("%d keys left", left)
	}
	return ops, used, nil
}

// mixed is a steady state: all 2N keys stand in one random order, and the map
// always holds a window of N that moves on by one with each insert (at its
// front) and delete (at its back). One step is get, insert, get, delete, so half
// are gets, of a key in the window. A pass takes the window once round, after
// which the map holds what it held before.
func (b *mapBench) mixed() (int64, usage, error) {
	total := 2 * b.n
	order := shuffled(total)
	m := make(map[string]*mapEntry)
	for _, i := range order[:b.n] {
		m[b.entries[i].key] = &b.entries[i]
	}
	// The gets are drawn before, so that drawing is not measured. Back is the
	// window's oldest key; the one just before it was just deleted.
	type step struct {
		getFirst, getSecond, remove string
		insert                      *mapEntry
	}
	rng := splitmix{state: orderSeed}
	steps := make([]step, total)
	for back := range steps {
		at := func(offset uint64) int32 { return order[(back+int(offset))%total] }
		insert := at(uint64(b.n))
		steps[back] = step{
			getFirst:  b.lookup[at(rng.draw()%uint64(b.n))],
			insert:    &b.entries[insert],
			getSecond: b.lookup[at(rng.draw()%uint64(b.n))],
			remove:    b.lookup[at(0)],
		}
	}
	hits, passes := 0, 0
	ops, used := timedPasses(b.minTime, func() {}, func() int64 {
		for range rounds(len(steps)) {
			passes++
			for i := range steps {
				s := &steps[i]
				if m[s.getFirst] != nil {
					hits++
				}
				m[s.insert.key] = s.insert
				if m[s.getSecond] != nil {
					hits++
				}
				delete(m, s.remove)
			}
		}
		return 4 * int64(len(steps)*rounds(len(steps)))
	})
	if want := 2 * len(steps) * passes; hits != want || len(m) != b.n {
		return 0, usage{}, fmt.Errorf("%d hits and %d keys, %d and %d expected", hits, len(m), want, b.n)
	}
	return ops, used, nil
}
