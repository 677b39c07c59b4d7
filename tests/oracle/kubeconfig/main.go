// SPDX-License-Identifier: Apache-2.0

// kin-oracle-kubeconfig says how client-go's clientcmd resolves a set of kubeconfigs and overrides:
// one request per line on standard input, one answer per line on standard output. README.md has the
// format.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/klog/v2"
)

// Where to look, and what goes on top of what is found there.
type request struct {
	Kubeconfig string   `json:"kubeconfig"` // a file of the caller's choice
	List       string   `json:"list"`       // $KUBECONFIG
	Home       string   `json:"home"`       // $HOME
	Options    *options `json:"options"`
}

type options struct {
	Context         string              `json:"context"`
	Cluster         string              `json:"cluster"`
	User            string              `json:"user"`
	Namespace       string              `json:"namespace"`
	Server          string              `json:"server"`
	TLSServerName   string              `json:"tls_server_name"`
	ProxyURL        string              `json:"proxy_url"`
	CAFile          string              `json:"ca_file"`
	CAData          string              `json:"ca_data"`
	Insecure        bool                `json:"insecure"`
	NoCompression   bool                `json:"no_compression"`
	Token           string              `json:"token"`
	TokenFile       string              `json:"token_file"`
	Username        string              `json:"username"`
	Password        string              `json:"password"`
	CertificateFile string              `json:"certificate_file"`
	CertificateData string              `json:"certificate_data"`
	KeyFile         string              `json:"key_file"`
	KeyData         string              `json:"key_data"`
	As              string              `json:"as"`
	AsUID           string              `json:"as_uid"`
	AsGroups        []string            `json:"as_groups"`
	AsExtra         map[string][]string `json:"as_extra"`
}

type execAnswer struct {
	APIVersion  string      `json:"api_version"`
	Command     string      `json:"command"`
	Args        []string    `json:"args"`
	Env         [][2]string `json:"env"`
	InstallHint string      `json:"install_hint"`
	ClusterInfo bool        `json:"cluster_info"`
	Interactive string      `json:"interactive"`
	Config      any         `json:"config"`
}

type answer struct {
	OK              bool                `json:"ok"`
	Error           string              `json:"error,omitempty"`
	Server          string              `json:"server"`
	TLSServerName   string              `json:"tls_server_name"`
	ProxyURL        string              `json:"proxy_url"`
	CAFile          string              `json:"ca_file"`
	CAData          string              `json:"ca_data"`
	Insecure        bool                `json:"insecure"`
	NoCompression   bool                `json:"no_compression"`
	Namespace       string              `json:"namespace"`
	CertificateFile string              `json:"certificate_file"`
	CertificateData string              `json:"certificate_data"`
	KeyFile         string              `json:"key_file"`
	KeyData         string              `json:"key_data"`
	Token           string              `json:"token"`
	TokenFile       string              `json:"token_file"`
	Username        string              `json:"username"`
	Password        string              `json:"password"`
	As              string              `json:"as"`
	AsUID           string              `json:"as_uid"`
	AsGroups        []string            `json:"as_groups"`
	AsExtra         map[string][]string `json:"as_extra"`
	Exec            *execAnswer         `json:"exec"`
}

// loadingRules are those of NewDefaultClientConfigLoadingRules, but that the home directory, which
// that package looks up once, may be another each time, and that no file is migrated.
func loadingRules(r *request) (*clientcmd.ClientConfigLoadingRules, error) {
	if err := os.Setenv(clientcmd.RecommendedConfigPathEnvVar, r.List); err != nil {
		return nil, err
	}
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.MigrationRules = nil
	rules.ExplicitPath = r.Kubeconfig
	if r.List == "" {
		rules.Precedence = []string{filepath.Join(r.Home, ".kube", "config")}
	}
	return rules, nil
}

func overrides(o *options) *clientcmd.ConfigOverrides {
	if o == nil {
		return &clientcmd.ConfigOverrides{}
	}
	return &clientcmd.ConfigOverrides{
		CurrentContext: o.Context,
		Context:        api.Context{Cluster: o.Cluster, AuthInfo: o.User, Namespace: o.Namespace},
		ClusterInfo: api.Cluster{
			Server:                   o.Server,
			TLSServerName:            o.TLSServerName,
			ProxyURL:                 o.ProxyURL,
			CertificateAuthority:     o.CAFile,
			CertificateAuthorityData: []byte(o.CAData),
			InsecureSkipTLSVerify:    o.Insecure,
			DisableCompression:       o.NoCompression,
		},
		AuthInfo: api.AuthInfo{
			Token:                 o.Token,
			TokenFile:             o.TokenFile,
			Username:              o.Username,
			Password:              o.Password,
			ClientCertificate:     o.CertificateFile,
			ClientCertificateData: []byte(o.CertificateData),
			ClientKey:             o.KeyFile,
			ClientKeyData:         []byte(o.KeyData),
			Impersonate:           o.As,
			ImpersonateUID:        o.AsUID,
			ImpersonateGroups:     o.AsGroups,
			ImpersonateUserExtra:  o.AsExtra,
		},
	}
}

func describeExec(e *api.ExecConfig) (*execAnswer, error) {
	if e == nil {
		return nil, nil
	}
	said := &execAnswer{
		APIVersion:  e.APIVersion,
		Command:     e.Command,
		Args:        append([]string{}, e.Args...),
		Env:         [][2]string{},
		InstallHint: e.InstallHint,
		ClusterInfo: e.ProvideClusterInfo,
		Interactive: string(e.InteractiveMode),
	}
	for _, v := range e.Env {
		said.Env = append(said.Env, [2]string{v.Name, v.Value})
	}
	if raw, ok := e.Config.(*runtime.Unknown); ok {
		if err := json.Unmarshal(raw.Raw, &said.Config); err != nil {
			return nil, err
		}
	}
	return said, nil
}

// serverOf is the address that requests would go to.
func serverOf(c *rest.Config) (string, error) {
	u, _, err := rest.DefaultServerUrlFor(c)
	if err != nil {
		return "", err
	}
	return strings.TrimRight(u.String(), "/"), nil
}

func proxyOf(c *rest.Config) (string, error) {
	if c.Proxy == nil {
		return "", nil
	}
	u, err := c.Proxy(&http.Request{})
	if err != nil || u == nil {
		return "", err
	}
	return u.String(), nil
}

// tokenOf is the token that was configured, not the one that was read from the file at once.
func tokenOf(c *rest.Config) string {
	if c.BearerTokenFile == "" {
		return c.BearerToken
	}
	content, err := os.ReadFile(c.BearerTokenFile)
	if err == nil && string(content) == c.BearerToken {
		return ""
	}
	return c.BearerToken
}

func resolve(r *request) (*answer, error) {
	rules, err := loadingRules(r)
	if err != nil {
		return nil, err
	}
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides(r.Options))
	c, err := loader.ClientConfig()
	if err != nil {
		return nil, err
	}
	namespace, _, err := loader.Namespace()
	if err != nil {
		return nil, err
	}
	server, err := serverOf(c)
	if err != nil {
		return nil, err
	}
	proxy, err := proxyOf(c)
	if err != nil {
		return nil, err
	}
	exec, err := describeExec(c.ExecProvider)
	if err != nil {
		return nil, err
	}
	return &answer{
		OK:              true,
		Server:          server,
		TLSServerName:   c.ServerName,
		ProxyURL:        proxy,
		CAFile:          c.CAFile,
		CAData:          string(c.CAData),
		Insecure:        c.Insecure,
		NoCompression:   c.DisableCompression,
		Namespace:       namespace,
		CertificateFile: c.CertFile,
		CertificateData: string(c.CertData),
		KeyFile:         c.KeyFile,
		KeyData:         string(c.KeyData),
		Token:           tokenOf(c),
		TokenFile:       c.BearerTokenFile,
		Username:        c.Username,
		Password:        c.Password,
		As:              c.Impersonate.UserName,
		AsUID:           c.Impersonate.UID,
		AsGroups:        append([]string{}, c.Impersonate.Groups...),
		AsExtra:         c.Impersonate.Extra,
		Exec:            exec,
	}, nil
}

func answerTo(line []byte) (any, error) {
	var r request
	if err := json.Unmarshal(line, &r); err != nil {
		return nil, err
	}
	said, err := resolve(&r)
	if err != nil {
		return map[string]any{"ok": false, "error": err.Error()}, nil
	}
	if said.AsExtra == nil {
		said.AsExtra = map[string][]string{}
	}
	for name, values := range said.AsExtra {
		said.AsExtra[name] = append([]string{}, values...)
	}
	return said, nil
}

func run(in *bufio.Scanner, out *bufio.Writer) error {
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		said, err := answerTo(in.Bytes())
		if err != nil {
			return err
		}
		text, err := json.Marshal(said)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "%s\n", text); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return in.Err()
}

func main() {
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	_ = flags.Set("logtostderr", "false")
	_ = flags.Set("stderrthreshold", "FATAL")
	if err := run(bufio.NewScanner(os.Stdin), bufio.NewWriter(os.Stdout)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
