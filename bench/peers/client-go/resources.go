// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// usage is what one measured section took.
type usage struct {
	wall, cpu time.Duration
}

func (u *usage) add(v usage) {
	u.wall += v.wall
	u.cpu += v.cpu
}

// section is a measured section under way.
type section struct {
	begin time.Time
	cpu   time.Duration
}

func startSection() section {
	return section{begin: time.Now(), cpu: cpuTime()}
}

func (s section) stop() usage {
	return usage{wall: time.Since(s.begin), cpu: cpuTime() - s.cpu}
}

// cpuTime is the user and system time of the whole process, the threads of the
// garbage collector included.
func cpuTime() time.Duration {
	var ru unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &ru); err != nil {
		panic(err) // cannot fail with these arguments
	}
	return time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
}

// monotonicNow reads the clock that the replay server stamps its events with.
// Go's own time.Now hides its monotonic reading.
func monotonicNow() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		panic(err) // cannot fail with these arguments
	}
	return ts.Nano()
}

// processStatus is the part of /proc/self/status that is measured, in bytes.
type processStatus struct {
	rss, rssAnon, peakRSS uint64
	threads               int64
}

func readStatus() (processStatus, error) {
	var s processStatus
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return s, err
	}
	defer f.Close()
	found := 0
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		fields := strings.Fields(value)
		if len(fields) == 0 {
			continue
		}
		n, err := strconv.ParseUint(fields[0], 10, 64)
		if err != nil {
			continue // a line of another kind
		}
		found++
		switch name {
		case "VmRSS":
			s.rss = n * 1024
		case "RssAnon":
			s.rssAnon = n * 1024
		case "VmHWM":
			s.peakRSS = n * 1024
		case "Threads":
			s.threads = int64(n)
		default:
			found--
		}
	}
	if err := lines.Err(); err != nil {
		return s, err
	}
	if found != 4 {
		return s, fmt.Errorf("/proc/self/status has only %d of the 4 lines needed", found)
	}
	return s, nil
}

// restingMemory is what the process holds once everything it can give back has
// been given back.
type restingMemory struct {
	heap, objects uint64
	status        processStatus
}

func measureResting() (restingMemory, error) {
	// The second collection frees what finalizers and pools kept alive in the
	// first one.
	runtime.GC()
	runtime.GC()
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	status, err := readStatus()
	return restingMemory{heap: m.HeapAlloc, objects: m.HeapObjects, status: status}, err
}

// totalAllocated is the number of bytes ever allocated on the heap.
func totalAllocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// liveHeap is the number of heap bytes in use after a collection.
func liveHeap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
