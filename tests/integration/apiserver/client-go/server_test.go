// SPDX-License-Identifier: Apache-2.0

// Package apiserver has client-go against the embedded API server. KIN_KINFORM is the command that has it.
package apiserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const deadline = 50 * time.Second // of anything that is waited for

// server keeps its objects in a file, so that it can be killed.
type server struct {
	t          *testing.T
	arguments  []string
	kubeconfig string
	port       string
	cmd        *exec.Cmd
	stdin      io.WriteCloser
	config     *rest.Config
	control    *http.Client
}

func startServer(t *testing.T, arguments ...string) *server {
	t.Helper()
	if os.Getenv("KIN_KINFORM") == "" {
		t.Fatal("KIN_KINFORM names no command")
	}
	folder := t.TempDir()
	s := &server{
		t:          t,
		kubeconfig: filepath.Join(folder, "kubeconfig"),
		arguments:  append([]string{"--control", "--data", filepath.Join(folder, "data")}, arguments...),
		port:       "0",
	}
	s.start()
	t.Cleanup(func() {
		s.stdin.Close()
		if err := s.cmd.Wait(); err != nil {
			t.Errorf("the server: %v", err)
		}
	})
	config, err := clientcmd.BuildConfigFromFlags("", s.kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	config.QPS = -1
	s.config = config
	at, err := url.Parse(config.Host)
	if err != nil {
		t.Fatal(err)
	}
	s.port = at.Port()
	// Connections that are kept would be those of a server that is gone.
	control := rest.CopyConfig(config)
	control.Timeout = 10 * time.Second
	if s.control, err = rest.HTTPClientFor(control); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *server) start() {
	s.t.Helper()
	arguments := append([]string{"serve", "--until-eof", "--write-kubeconfig", s.kubeconfig, "--port", s.port},
		s.arguments...)
	// Plain, unless the test is about TLS: after a restart the kubeconfig is the same.
	if !slices.Contains(arguments, "--token") && !slices.Contains(arguments, "--allow-anonymous") {
		arguments = append(arguments, "--plain")
	}
	s.cmd = exec.Command(os.Getenv("KIN_KINFORM"), arguments...)
	s.cmd.Stderr = os.Stderr
	stdin, err := s.cmd.StdinPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	s.stdin = stdin
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "export KUBECONFIG=") {
		s.t.Fatalf("the server said %q: %v", line, err)
	}
}

// restart ends the server, as a crash does if it is killed, and starts another one in its place.
func (s *server) restart(kill bool) {
	s.t.Helper()
	if kill {
		s.cmd.Process.Kill()
		s.cmd.Wait()
	} else {
		s.stdin.Close()
		if err := s.cmd.Wait(); err != nil {
			s.t.Errorf("the server: %v", err)
		}
	}
	s.start()
}

// ask sends a request to the control endpoint. A fault may hit it as any other.
func (s *server) ask(method, path string, body any) ([]byte, error) {
	text := []byte{}
	if body != nil {
		text, _ = json.Marshal(body)
	}
	request, err := http.NewRequest(method, s.config.Host+"/_kinform/"+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := s.control.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: %s: %s", method, path, answer.Status, said)
	}
	return said, err
}

func (s *server) mustAsk(method, path string, body any) []byte {
	s.t.Helper()
	said, err := s.ask(method, path, body)
	if err != nil {
		s.t.Fatal(err)
	}
	return said
}

func (s *server) client() dynamic.Interface {
	s.t.Helper()
	client, err := dynamic.NewForConfig(s.config)
	if err != nil {
		s.t.Fatal(err)
	}
	return client
}

// queries are those of the requests for a verb that the server remembers.
func (s *server) queries(verb string) []url.Values {
	s.t.Helper()
	var log struct {
		Requests []struct{ Verb, Path, Query string }
	}
	if err := json.Unmarshal(s.mustAsk("GET", "requests", nil), &log); err != nil {
		s.t.Fatal(err)
	}
	var found []url.Values
	for _, one := range log.Requests {
		if one.Verb == verb {
			values, _ := url.ParseQuery(one.Query)
			found = append(found, values)
		}
	}
	return found
}

// eventually waits until it holds; what says what it looked like last.
func eventually(t *testing.T, what func() string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	for {
		wrong := what()
		if wrong == "" {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatal(wrong)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
