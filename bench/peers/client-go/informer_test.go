// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const (
	testPods   = 60
	testEvents = 400
)

func TestSync(t *testing.T) {
	dir := writeFixture(t, testPods, 0)
	measures(t, "convert", dir)
	url := startServer(t, dir, 0)
	for _, c := range []struct{ format, mode string }{
		{formatJSON, listModeList}, {formatJSON, listModeWatchList},
		{formatProtobuf, listModeList}, {formatProtobuf, listModeWatchList},
		{formatUnstructured, listModeList}, {formatUnstructured, listModeWatchList},
		{formatMetadata, listModeList},
	} {
		t.Run(c.format+"_"+c.mode, func(t *testing.T) {
			args := []string{"sync", "--url", url, "--format", c.format, "--list-mode", c.mode, "--timeout", "20s", "--rest"}
			found := measures(t, args...)
			positive(t, args, found, "ops", "alloc", "peak_rss", "heap", "rss", "rss_anon",
				"heap_per_object", "objects_per_object")
			if found["objects"] != testPods {
				t.Errorf("%v objects", found["objects"])
			}
		})
	}
	t.Run("kubeconfig", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "kubeconfig")
		text := `{"apiVersion":"v1","kind":"Config","current-context":"a","users":[{"name":"a","user":{}}],` +
			`"contexts":[{"name":"a","context":{"cluster":"a","user":"a"}}],` +
			`"clusters":[{"name":"a","cluster":{"server":"` + url + `"}}]}`
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		found := measures(t, "sync", "--kubeconfig", path, "--no-gzip", "--timeout", "20s")
		if found["objects"] != testPods || found["received"] < 100*testPods {
			t.Errorf("%v objects, %v bytes", found["objects"], found["received"])
		}
		fails(t, "either --url or --kubeconfig", "sync", "--kubeconfig", path, "--url", url)
	})
	t.Run("default_mode", func(t *testing.T) {
		measures(t, "sync", "--url", url, "--timeout", "20s")
		measures(t, "sync", "--url", url, "--timeout", "20s", "--format", formatMetadata)
	})
}

// TestStripManagedFields checks that the transform is in force.
func TestStripManagedFields(t *testing.T) {
	url := startServer(t, writeFixture(t, testPods, 0), 0)
	args := []string{"sync", "--url", url, "--format", formatJSON, "--list-mode", listModeList, "--timeout", "20s", "--rest"}
	whole := measures(t, args...)
	stripped := measures(t, append(args, "--strip-managed-fields")...)
	if stripped["objects_per_object"] >= whole["objects_per_object"] {
		t.Errorf("%v heap objects per pod without managedFields, %v with",
			stripped["objects_per_object"], whole["objects_per_object"])
	}
}

func TestFlood(t *testing.T) {
	dir := writeFixture(t, testPods, testEvents)
	measures(t, "convert", dir)
	url := startServer(t, dir, 0)
	for _, format := range []string{formatJSON, formatProtobuf, formatUnstructured} {
		args := []string{"flood", "--url", url, "--format", format, "--events", strconv.Itoa(testEvents), "--timeout", "20s"}
		found := measures(t, args...)
		positive(t, args, found, "ops", "cpu_per_event", "peak_rss")
		if found["objects"] != testPods {
			t.Errorf("%s: %v objects", format, found["objects"])
		}
	}
	fails(t, "not done within", "flood", "--url", url, "--events", strconv.Itoa(testEvents+1), "--timeout", "2s")
}

func TestLatency(t *testing.T) {
	dir := writeFixture(t, testPods, testEvents)
	measures(t, "convert", dir)
	url := startServer(t, dir, 2000)
	for _, format := range []string{formatJSON, formatProtobuf, formatUnstructured} {
		args := []string{"latency", "--url", url, "--format", format, "--warmup", "100",
			"--events", strconv.Itoa(testEvents), "--timeout", "20s"}
		found := measures(t, args...)
		positive(t, args, found, "ops", "p50", "p90", "p99", "p999", "max", "cpu_per_event")
		if found["events"] != testEvents-100 {
			t.Errorf("%s: %v events", format, found["events"])
		}
		if found["p50"] > found["p90"] || found["p90"] > found["p99"] || found["p99"] > found["max"] {
			t.Errorf("%s: percentiles out of order: %v", format, found)
		}
	}
}

// TestLatencySaysWhenItDidNotKeepUp tells the client of a rate that is not the
// server's, since how slow a client is depends on the machine.
func TestLatencySaysWhenItDidNotKeepUp(t *testing.T) {
	url := startServer(t, writeFixture(t, testPods, testEvents), 2000)
	for rate, want := range map[string]bool{"0": false, "10": false, "1000000": true} {
		out := output(t, "latency", "--url", url, "--format", formatJSON, "--warmup", "100",
			"--events", strconv.Itoa(testEvents), "--timeout", "20s", "--rate", rate)
		if strings.Contains(out, "note the client did not keep up: ") != want {
			t.Errorf("--rate %s: %s", rate, out)
		}
	}
	for _, c := range []struct {
		ops, rate float64
		want      bool
	}{{970, 1000, true}, {969, 1000, false}, {1100, 1000, true}, {1, 0, true}} {
		if keptUp(c.ops, c.rate) != c.want {
			t.Errorf("%v of %v", c.ops, c.rate)
		}
	}
}

// TestLatencyNeedsStamps sends the zeros of the file as they are.
func TestLatencyNeedsStamps(t *testing.T) {
	dir := writeFixture(t, 2, 10)
	events, err := readEvents(dir + "/events.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	list := readAll(t, dir+"/pods.json")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", mediaTypeJSON)
		if r.URL.Query().Get("watch") != "true" {
			w.Write(list)
			return
		}
		for _, event := range events {
			w.Write(event)
		}
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	fails(t, "does not fit the time", "latency", "--url", server.URL, "--events", "10", "--warmup", "1", "--timeout", "10s")
}

func TestIdle(t *testing.T) {
	url := startServer(t, "", 0)
	for _, mode := range []string{listModeList, listModeWatchList} {
		args := []string{"idle", "--url", url, "--kinds", "10", "--window", "100ms", "--list-mode", mode, "--timeout", "20s"}
		positive(t, args, measures(t, args...), "rss", "rss_anon", "threads", "goroutines", "heap")
	}
	fails(t, "--kinds", "idle", "--url", url, "--kinds", "100")
}

// TestRefusesOtherThings checks that a run fails when client-go silently did
// something other than what is measured.
func TestRefusesOtherThings(t *testing.T) {
	dir := writeFixture(t, 3, 0) // without protobuf files
	t.Run("protobuf became JSON", func(t *testing.T) {
		url := startServer(t, dir, 0)
		fails(t, "the server answered with", "sync", "--url", url, "--format", formatProtobuf,
			"--list-mode", listModeList, "--timeout", "10s")
	})
	list := readAll(t, dir+"/pods.json")
	t.Run("the streaming list became a list", func(t *testing.T) {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", mediaTypeJSON)
			switch {
			case r.URL.Query().Get("sendInitialEvents") == "true":
				w.WriteHeader(http.StatusUnprocessableEntity)
				w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422}`))
			case r.URL.Query().Get("watch") == "true":
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			default:
				w.Write(list)
			}
		}))
		defer server.Close()
		fails(t, "the client made 1 lists", "sync", "--url", server.URL, "--list-mode", listModeWatchList, "--timeout", "10s")
	})
	t.Run("a list that fails", func(t *testing.T) {
		server := httptest.NewServer(http.NotFoundHandler())
		defer server.Close()
		fails(t, "failed to list", "sync", "--url", server.URL, "--list-mode", listModeList, "--timeout", "10s")
		fails(t, "the server could not find", "idle", "--url", server.URL, "--list-mode", listModeList, "--timeout", "10s")
	})
	t.Run("nobody listens", func(t *testing.T) {
		server := httptest.NewServer(http.NotFoundHandler())
		server.Close()
		fails(t, "connection refused", "sync", "--url", server.URL, "--list-mode", listModeList, "--timeout", "10s")
	})
}
