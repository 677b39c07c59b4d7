// SPDX-License-Identifier: Apache-2.0

// kin-oracle-discovery says which resource kubectl would take for a name: client-go reads the same
// discovery documents, and its mappers are asked in kubectl's order. README.md has the format.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
)

const aggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

// documents is a server that has nothing but discovery documents, by path.
type documents map[string]string

func (d documents) RoundTrip(request *http.Request) (*http.Response, error) {
	text, found := d[request.URL.Path]
	answer := &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Request: request}
	if !found {
		answer.StatusCode = http.StatusNotFound
		text = "none"
	}
	var kind struct{ Kind string }
	answer.Header.Set("Content-Type", "application/json")
	if json.Unmarshal([]byte(text), &kind) == nil && kind.Kind == "APIGroupDiscoveryList" {
		answer.Header.Set("Content-Type", aggregatedType)
	}
	answer.Body = io.NopCloser(bytes.NewReader([]byte(text)))
	return answer, nil
}

func newMapper(d documents) (meta.RESTMapper, error) {
	client, err := discovery.NewDiscoveryClientForConfig(
		&rest.Config{Host: "http://192.0.2.1", Transport: d, QPS: -1})
	if err != nil {
		return nil, err
	}
	groups, err := restmapper.GetAPIGroupResources(client)
	if err != nil {
		return nil, err
	}
	mapper := restmapper.NewDiscoveryRESTMapper(groups)
	return restmapper.NewShortcutExpander(mapper, client, nil), nil
}

// resolve asks for a resource in each reading of the name, then for a kind.
func resolve(mapper meta.RESTMapper, name string) (*meta.RESTMapping, error) {
	withVersion, groupResource := schema.ParseResourceArg(name)
	readings := []schema.GroupVersionResource{groupResource.WithVersion("")}
	if withVersion != nil {
		readings = append([]schema.GroupVersionResource{*withVersion}, readings...)
	}
	for _, reading := range readings {
		if kind, err := mapper.KindFor(reading); err == nil {
			return mapper.RESTMapping(kind.GroupKind(), kind.Version)
		}
	}
	kind, groupKind := schema.ParseKindArg(name)
	if kind != nil {
		if mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version); err == nil {
			return mapping, nil
		}
	}
	return mapper.RESTMapping(groupKind)
}

type server struct {
	documents documents
	mapper    meta.RESTMapper
}

func (s *server) ask(name string) string {
	if s.mapper == nil {
		mapper, err := newMapper(s.documents)
		if err != nil {
			return "none"
		}
		s.mapper = mapper
	}
	mapping, err := resolve(s.mapper, name)
	if err != nil {
		return "none"
	}
	scope := "cluster"
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		scope = "namespaced"
	}
	return fmt.Sprintf("%s %s %s", mapping.Resource.GroupVersion(), mapping.Resource.Resource, scope)
}

// answer is the line that a line is answered with.
func (s *server) answer(line string) (string, error) {
	line, _, _ = strings.Cut(line, " #")
	command, rest, _ := strings.Cut(line, " ")
	switch command {
	case "script":
		*s = server{documents: documents{}}
		return "script", nil
	case "document":
		path, text, _ := strings.Cut(rest, " ")
		s.documents[path] = text
		s.mapper = nil
		return "document", nil
	case "ask":
		return s.ask(rest), nil
	}
	return "", fmt.Errorf("no command %q", command)
}

func serve(in io.Reader, out io.Writer) error {
	var s server
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, 1<<24)
	for scanner.Scan() {
		text, err := s.answer(scanner.Text())
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(out, text); err != nil {
			return err
		}
	}
	return scanner.Err()
}

func main() {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "kin-oracle-discovery: %v\n", err)
		os.Exit(1)
	}
}
