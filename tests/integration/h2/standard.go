// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
)

// Go's own server, as API servers use it: what it does with GOAWAY, limits and aborts is what a
// client meets in the field. There is less that it can be told.
type standard struct {
	book *book
	http *http.Server
}

func newStandard(book *book, streams int) *standard {
	s := &standard{book: book}
	// Clients that leave in a handshake are what tests are made of.
	s.http = &http.Server{Handler: s, ErrorLog: log.New(io.Discard, "", 0),
		HTTP2: &http.HTTP2Config{MaxConcurrentStreams: streams}}
	return s
}

func (s *standard) serve(listener net.Listener, config *tls.Config) error {
	s.http.TLSConfig = config
	return s.http.ServeTLS(listener, "", "")
}

func (s *standard) obey([]string) bool {
	return false
}

func (s *standard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.book.add("streams", 1)
	s.book.add("active", 1)
	s.book.most("most", s.book.count("active"))
	defer func() {
		s.book.add("active", -1)
		s.book.add("ended", 1)
	}()
	if r.ProtoMajor != 2 {
		s.book.add("not_h2", 1)
	}
	words := strings.Split(strings.TrimPrefix(r.URL.Path, "/"), "/")
	n := 0
	if len(words) > 1 {
		n, _ = strconv.Atoi(words[1])
	}
	switch words[0] {
	case "size":
		w.Header().Set("Content-Length", strconv.Itoa(n))
		w.Write(bytes.Repeat([]byte("x"), n))
	case "echo":
		body, _ := io.ReadAll(r.Body)
		w.Write(body)
	case "watch":
		s.watch(w, r)
	case "api":
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Get("sendInitialEvents") == "true" && !s.initialEvents(w, r) {
			return
		}
		s.watch(w, r)
	case "flood":
		piece := bytes.Repeat([]byte("f"), 16384)
		for {
			n, err := w.Write(piece)
			s.book.add("sent", int64(n))
			if err != nil {
				return
			}
		}
	case "stall":
		<-r.Context().Done()
	case "abort": // RST_STREAM after so many bytes
		w.Write(bytes.Repeat([]byte("x"), n))
		if n > 0 {
			w.(http.Flusher).Flush()
		}
		panic(http.ErrAbortHandler)
	case "goaway": // GOAWAY on this connection; what is on it goes on
		w.Header().Set("Connection", "close")
		fmt.Fprint(w, "h2\n")
	default:
		fmt.Fprint(w, "h2\n")
	}
}

// The first part of a streaming list: Pods of 16 KiB, as many bytes as the label selector asks for.
// False: the client is gone.
func (s *standard) initialEvents(w http.ResponseWriter, r *http.Request) bool {
	const event = `{"type":"%s","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p%d",` +
		`"namespace":"ns","resourceVersion":"%d","annotations":{"%s":"%s"}}}}` + "\n"
	_, size, _ := strings.Cut(r.URL.Query().Get("labelSelector"), "=")
	all, _ := strconv.Atoi(size)
	stuffing := strings.Repeat("s", 16384)
	n := 0
	for sent := 0; sent < all; n++ {
		written, err := fmt.Fprintf(w, event, "ADDED", n, n+1, "stuffing", stuffing)
		if err != nil {
			return false
		}
		sent += written
		s.book.add("sent", int64(written))
	}
	fmt.Fprintf(w, event, "BOOKMARK", n, n, "k8s.io/initial-events-end", "true")
	return true
}

func (s *standard) watch(w http.ResponseWriter, r *http.Request) {
	n, ends := s.book.mark()
	w.Header().Set("Content-Type", "application/json")
	w.(http.Flusher).Flush()
	s.book.add("watches", 1)
	gone := func() bool { return r.Context().Err() != nil }
	go func() {
		<-r.Context().Done()
		s.book.wake()
	}()
	for {
		news, on := s.book.news(n, ends, gone)
		for _, text := range news {
			fmt.Fprintln(w, text)
		}
		w.(http.Flusher).Flush()
		if !on {
			return
		}
		n += len(news)
	}
}
