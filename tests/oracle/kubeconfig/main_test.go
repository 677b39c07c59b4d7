// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func ask(t *testing.T, r any) map[string]any {
	t.Helper()
	line, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run(bufio.NewScanner(bytes.NewReader(append(line, '\n'))), bufio.NewWriter(&out)); err != nil {
		t.Fatal(err)
	}
	said := map[string]any{}
	if err := json.Unmarshal(out.Bytes(), &said); err != nil {
		t.Fatal(err)
	}
	return said
}

func TestResolves(t *testing.T) {
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, ".kube"), 0o700); err != nil {
		t.Fatal(err)
	}
	text := "current-context: a\n" +
		"contexts: [{name: a, context: {cluster: a, user: a}}]\n" +
		"clusters: [{name: a, cluster: {server: 'https://a/x/', certificate-authority: ca, extensions: " +
		"[{name: client.authentication.k8s.io/exec, extension: {b: 1}}]}}]\n" +
		"users: [{name: a, user: {tokenFile: ca, exec: {command: ./get, " +
		"apiVersion: client.authentication.k8s.io/v1beta1}}}]\n"
	for name, content := range map[string]string{"config": text, "ca": "hush"} {
		if err := os.WriteFile(filepath.Join(home, ".kube", name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	said := ask(t, map[string]any{"home": home, "options": map[string]any{"proxy_url": "http://p:1"}})
	ca := filepath.Join(home, ".kube", "ca")
	for name, expected := range map[string]any{
		"ok": true, "server": "https://a/x", "ca_file": ca, "token_file": ca, "token": "",
		"proxy_url": "http://p:1", "namespace": "default",
	} {
		if said[name] != expected {
			t.Errorf("%s: %v, not %v", name, said[name], expected)
		}
	}
	exec := said["exec"].(map[string]any)
	if exec["command"] != filepath.Join(home, ".kube", "get") {
		t.Errorf("command: %v", exec["command"])
	}
	if exec["config"].(map[string]any)["b"] != 1.0 {
		t.Errorf("config: %v", exec["config"])
	}
}

func TestRefuses(t *testing.T) {
	said := ask(t, map[string]any{"kubeconfig": "/nowhere"})
	if said["ok"] != false || !strings.Contains(said["error"].(string), "/nowhere") {
		t.Errorf("%v", said)
	}
}
