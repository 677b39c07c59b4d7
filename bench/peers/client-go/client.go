// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/features"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// The ways a controller author can have Pods.
const (
	formatJSON         = "json"         // typed, over JSON: what custom resources have
	formatProtobuf     = "protobuf"     // typed, over protobuf: the default for built-in kinds
	formatUnstructured = "unstructured" // the dynamic client, over JSON
	formatMetadata     = "metadata"     // the metadata client (PartialObjectMetadata)
)

// How the first state is got.
const (
	listModeList      = "list"      // one LIST, then a WATCH
	listModeWatchList = "watchlist" // a streaming list: client-go's default since 1.35
)

const (
	mediaTypeJSON     = "application/json"
	mediaTypeProtobuf = "application/vnd.kubernetes.protobuf"
)

// serverFlags are the flags of every subcommand that talks to a server.
type serverFlags struct {
	url        string
	kubeconfig string
	noGzip     bool
	format     string
	listMode   string
	timeout    time.Duration
}

func (f *serverFlags) register(fs *flag.FlagSet, defaultListMode string) {
	fs.StringVar(&f.url, "url", "", "address of the replay server")
	fs.StringVar(&f.kubeconfig, "kubeconfig", "", "a server that wants credentials, instead of --url")
	fs.BoolVar(&f.noGzip, "no-gzip", false, "do not let the server compress, which is the default")
	fs.StringVar(&f.format, "format", formatProtobuf, "json, protobuf, unstructured or metadata")
	fs.StringVar(&f.listMode, "list-mode", defaultListMode, "list or watchlist")
	fs.DurationVar(&f.timeout, "timeout", 30*time.Minute, "give up after this time")
}

// prepare checks the flags and sets client-go's feature gate. The returned
// context bounds the whole run, as informers themselves retry for ever.
func (f *serverFlags) prepare(ctx context.Context) (context.Context, context.CancelFunc, error) {
	if (f.url == "") == (f.kubeconfig == "") {
		return nil, nil, errors.New("either --url or --kubeconfig is needed")
	}
	switch f.format {
	case formatJSON, formatProtobuf, formatUnstructured:
	case formatMetadata:
		// The replay server has the metadata of a list, not of a stream.
		if f.listMode != listModeList {
			return nil, nil, errors.New("--format metadata needs --list-mode list")
		}
	default:
		return nil, nil, fmt.Errorf("unknown --format %q", f.format)
	}
	if f.listMode != listModeList && f.listMode != listModeWatchList {
		return nil, nil, fmt.Errorf("unknown --list-mode %q", f.listMode)
	}
	gates, ok := features.FeatureGates().(interface {
		Set(features.Feature, bool) error
	})
	if !ok {
		return nil, nil, errors.New("client-go's feature gates cannot be set")
	}
	if err := gates.Set(features.WatchListClient, f.listMode == listModeWatchList); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, f.timeout, fmt.Errorf("not done within %v", f.timeout))
	return ctx, cancel, nil
}

// needEvents refuses what the server cannot send as a watch.
func (f *serverFlags) needEvents() error {
	if f.format == formatMetadata {
		return errors.New("--format metadata has no watch events")
	}
	return nil
}

// config makes the client configuration of a well-written controller: defaults,
// and no client-side throttling. Nothing need be said for protobuf, which the
// typed clients of built-in kinds ask for by themselves; JSON must be asked for.
func (f *serverFlags) config(req *requests) (*rest.Config, error) {
	config := &rest.Config{Host: f.url}
	if f.kubeconfig != "" {
		var err error
		if config, err = clientcmd.BuildConfigFromFlags("", f.kubeconfig); err != nil {
			return nil, err
		}
	}
	config.QPS = -1 // a throttled client would measure the throttle
	config.WrapTransport = req.wrap
	config.DisableCompression = f.noGzip
	if f.format == formatJSON {
		config.ContentType = mediaTypeJSON
		config.AcceptContentTypes = mediaTypeJSON
	}
	return config, nil
}

// requests records what was really asked and answered. client-go falls back
// silently (streaming list to list, protobuf to JSON, a broken watch to a new
// one); each of these would make the figures those of something else.
type requests struct {
	mu         sync.Mutex
	lists      int
	watches    int
	streamed   int // watches that asked for the initial events
	mediaTypes map[string]int
}

func newRequests() *requests {
	return &requests{mediaTypes: map[string]int{}}
}

func (q *requests) wrap(base http.RoundTripper) http.RoundTripper {
	return &recorder{base: base, requests: q}
}

type recorder struct {
	base     http.RoundTripper
	requests *requests
}

func (c *recorder) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := c.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	mediaType, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	query := r.URL.Query()
	q := c.requests
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case query.Get("watch") != "true" && query.Get("watch") != "1":
		q.lists++
	case query.Get("sendInitialEvents") == "true":
		q.streamed++
	default:
		q.watches++
	}
	if resp.StatusCode == http.StatusOK { // errors reach the run another way
		q.mediaTypes[mediaType]++
	}
	return resp, nil
}

// WrappedRoundTripper lets client-go see the transport below.
func (c *recorder) WrappedRoundTripper() http.RoundTripper { return c.base }

// check tells whether the state of kinds informers was got as asked for. There
// may be no second list or stream, and at most one watch each.
func (q *requests) check(f *serverFlags, kinds int) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	lists, streamed, watches := kinds, 0, kinds
	switch {
	case f.listMode == listModeWatchList:
		lists, streamed, watches = 0, kinds, 0
	case f.format == formatMetadata:
		watches = q.watches // the server has no stream for it; only the list counts
	}
	if q.lists != lists || q.streamed != streamed || q.watches > watches {
		return fmt.Errorf("list mode %s, %d kinds: the client made %d lists, %d streaming lists and %d watches",
			f.listMode, kinds, q.lists, q.streamed, q.watches)
	}
	return nil
}

// answered names the formats of the answers.
func (q *requests) answered() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return strings.Join(slices.Sorted(maps.Keys(q.mediaTypes)), ", ")
}

// checkMediaType tells whether every answer had the format asked for.
func (q *requests) checkMediaType(f *serverFlags) error {
	want := mediaTypeJSON
	if f.format == formatProtobuf {
		want = mediaTypeProtobuf
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for got := range q.mediaTypes {
		if got != want {
			return fmt.Errorf("format %s: the server answered with %q", f.format, got)
		}
	}
	return nil
}
