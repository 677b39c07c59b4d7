// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// startServer serves a data directory and returns its address: with the real
// replay server where KIN_BENCH_BIN says where it is, else with a small one that
// keeps the same contract. rate 0 is a flood.
func startServer(t *testing.T, dir string, rate int) string {
	t.Helper()
	if bin := os.Getenv("KIN_BENCH_BIN"); bin != "" {
		return startReplay(t, bin, dir, rate)
	}
	server := httptest.NewServer(&replay{dir: dir, rate: rate})
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

func startReplay(t *testing.T, bin, dir string, rate int) string {
	t.Helper()
	args := []string{"--rate", strconv.Itoa(rate)}
	if dir != "" {
		args = append(args, "--data", dir)
	}
	cmd := exec.Command(filepath.Join(bin, "kin-bench-replay"), args...)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close() // this is how the server is told to stop
		killer := time.AfterFunc(5*time.Second, func() { cmd.Process.Kill() })
		defer killer.Stop()
		if err := cmd.Wait(); err != nil {
			t.Errorf("kin-bench-replay: %v", err)
		}
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "listening ")
	if !ok {
		t.Fatalf("kin-bench-replay said %q", line)
	}
	return url
}

// replay is a replay server for tests.
type replay struct {
	dir  string
	rate int
}

// kinds of the paths that idle asks for.
var kinds = map[string]string{
	"services": "Service", "configmaps": "ConfigMap", "secrets": "Secret", "nodes": "Node",
	"namespaces": "Namespace", "serviceaccounts": "ServiceAccount", "deployments": "Deployment",
	"replicasets": "ReplicaSet", "statefulsets": "StatefulSet", "daemonsets": "DaemonSet",
	"jobs": "Job", "endpointslices": "EndpointSlice",
}

func (s *replay) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	watch := query.Get("watch") == "true" || query.Get("watch") == "1"
	initial := query.Get("sendInitialEvents") == "true"
	if path.Base(r.URL.Path) != "pods" {
		s.empty(w, r, watch, initial)
		return
	}
	// The first media type with a file wins.
	for entry := range strings.SplitSeq(r.Header.Get("Accept"), ",") {
		mediaType, params, err := mime.ParseMediaType(entry)
		if err != nil {
			continue
		}
		switch {
		case !watch:
			name := map[string]string{
				mediaTypeJSON: "pods.json", mediaTypeProtobuf: "pods.pb",
				mediaTypeJSON + "PartialObjectMetadataList": "pods.meta.json",
			}[mediaType+params["as"]]
			if data, err := os.ReadFile(filepath.Join(s.dir, name)); err == nil && name != "" {
				w.Header().Set("Content-Type", mediaType)
				w.Write(data)
				return
			}
		case params["as"] == "" && s.watch(w, r, mediaType, initial):
			return
		}
	}
	http.Error(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":406}`, http.StatusNotAcceptable)
}

func (s *replay) empty(w http.ResponseWriter, r *http.Request, watch, initial bool) {
	kind := kinds[path.Base(r.URL.Path)]
	version := strings.TrimPrefix(strings.TrimPrefix(path.Dir(r.URL.Path), "/apis/"), "/api/")
	if kind == "" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", mediaTypeJSON)
	if !watch {
		fmt.Fprintf(w, `{"kind":"%sList","apiVersion":%q,"metadata":{"resourceVersion":"1"},"items":[]}`, kind, version)
		return
	}
	if initial {
		fmt.Fprintf(w, `{"type":"BOOKMARK","object":{"kind":%q,"apiVersion":%q,"metadata":{"resourceVersion":"1","annotations":{"k8s.io/initial-events-end":"true"}}}}`+"\n", kind, version)
	}
	w.(http.Flusher).Flush()
	<-r.Context().Done()
}

// watch sends the events; false if there is no file for this format.
func (s *replay) watch(w http.ResponseWriter, r *http.Request, mediaType string, initial bool) bool {
	suffix, contentType := ".jsonl", mediaType
	mark := []byte(`"` + stampAnnotation + `":"`)
	if mediaType == mediaTypeProtobuf {
		suffix, contentType, mark = ".pbs", mediaType+";stream=watch", stampMark
	}
	var first, events [][]byte
	var err error
	if initial {
		if first, err = readEvents(filepath.Join(s.dir, "stream"+suffix)); err != nil {
			return false
		}
	}
	events, err = readEvents(filepath.Join(s.dir, "events"+suffix))
	if err != nil && !os.IsNotExist(err) {
		return false
	}
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(http.StatusOK)
	for _, event := range first {
		w.Write(event)
	}
	w.(http.Flusher).Flush()
	begin := time.Now()
	for i, event := range events {
		if s.rate > 0 {
			time.Sleep(time.Until(begin.Add(time.Duration(i) * time.Second / time.Duration(s.rate))))
		}
		if at := bytes.Index(event, mark); at >= 0 {
			at += len(mark)
			copy(event[at:at+stampDigits], fmt.Sprintf("%0*d", stampDigits, monotonicNow()))
		}
		if _, err := w.Write(event); err != nil {
			return true
		}
		if s.rate > 0 {
			w.(http.Flusher).Flush()
		}
	}
	w.(http.Flusher).Flush()
	<-r.Context().Done()
	return true
}

// readEvents splits a file into what is sent for each event.
func readEvents(name string) ([][]byte, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var events [][]byte
	if strings.HasSuffix(name, ".jsonl") {
		for line := range bytes.Lines(data) {
			events = append(events, line)
		}
		return events, nil
	}
	for len(data) > 0 {
		size := 4 + int(binary.BigEndian.Uint32(data))
		if size > len(data) {
			return nil, io.ErrUnexpectedEOF
		}
		events, data = append(events, data[:size]), data[size:]
	}
	return events, nil
}
