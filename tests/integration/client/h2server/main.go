// SPDX-License-Identifier: Apache-2.0

// An HTTP/2 server of Go's net/http for tests of the transport: what a real peer does with streams.
//
//	h2server CERTIFICATE KEY MAX-STREAMS
//
// It prints its address, then obeys lines on its standard input, each answered by a line, and ends
// when that is closed:
//
//	send ID N SIZE   write N lines of SIZE bytes to stream ID, flushed one by one, in the background
//	end ID           end the stream well
//	reset ID         end it by RST_STREAM
//	drop             close all TCP connections without a word
//	await N          wait until N streams are open
//	stats            connections accepted, open; streams open, most at once
//
// Requests: /hello, /bytes/N, /stream/ID (obeys the lines above), /abort (RST_STREAM instead of an
// answer), /goaway (answered, and the connection takes no more), /stall (no answer).
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
)

type order struct {
	verb string
	n    int
	size int
}

type server struct {
	mutex       sync.Mutex
	changed     *sync.Cond
	streams     map[string]chan order
	conns       map[net.Conn]bool
	accepted    int
	open        int
	mostStreams int
}

func (s *server) orders(id string) chan order {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.streams[id] == nil {
		s.streams[id] = make(chan order, 1024)
	}
	return s.streams[id]
}

func (s *server) enter(by int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.open += by
	s.mostStreams = max(s.mostStreams, s.open)
	s.changed.Broadcast()
}

// line n of a stream: its number, and filling.
func line(n, size int) []byte {
	text := []byte(fmt.Sprintf("%d ", n))
	if len(text) < size-1 {
		text = append(text, bytes.Repeat([]byte{byte('a' + n%26)}, size-1-len(text))...)
	}
	return append(text, '\n')
}

func (s *server) stream(w http.ResponseWriter, r *http.Request, id string) {
	orders := s.orders(id)
	flush := http.NewResponseController(w)
	n := 0
	flush.Flush()
	for {
		select {
		case <-r.Context().Done():
			return
		case o := <-orders:
			switch o.verb {
			case "send":
				for i := 0; i < o.n; i++ {
					if _, err := w.Write(line(n, o.size)); err != nil {
						return
					}
					n++
					flush.Flush()
				}
			case "end":
				return
			case "reset":
				panic(http.ErrAbortHandler)
			}
		}
	}
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.enter(1)
	defer s.enter(-1)
	kind, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch kind {
	case "hello":
		fmt.Fprintf(w, "hello over %s", r.Proto)
	case "bytes":
		n, _ := strconv.Atoi(rest)
		piece := bytes.Repeat([]byte("0123456789abcdef"), 1024)
		for n > 0 {
			k := min(n, len(piece))
			if _, err := w.Write(piece[:k]); err != nil {
				return
			}
			n -= k
		}
	case "stream":
		s.stream(w, r, rest)
	case "abort":
		panic(http.ErrAbortHandler)
	case "goaway":
		w.Header().Set("Connection", "close")
		fmt.Fprint(w, "bye")
	case "stall":
		<-r.Context().Done()
	default:
		http.NotFound(w, r)
	}
}

func (s *server) note(conn net.Conn, state http.ConnState) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	switch state {
	case http.StateNew:
		s.accepted++
		s.conns[conn] = true
	case http.StateClosed, http.StateHijacked:
		delete(s.conns, conn)
	}
	s.changed.Broadcast()
}

func (s *server) drop() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for conn := range s.conns {
		if tls, ok := conn.(interface{ NetConn() net.Conn }); ok {
			conn = tls.NetConn()
		}
		conn.Close()
	}
}

func (s *server) obey(words []string) string {
	number := func(i int) int {
		n, _ := strconv.Atoi(words[i])
		return n
	}
	switch words[0] {
	case "send":
		s.orders(words[1]) <- order{"send", number(2), number(3)}
	case "end", "reset":
		s.orders(words[1]) <- order{verb: words[0]}
	case "drop":
		s.drop()
	case "await":
		s.mutex.Lock()
		for s.open != number(1) {
			s.changed.Wait()
		}
		s.mutex.Unlock()
	case "stats":
		s.mutex.Lock()
		defer s.mutex.Unlock()
		return fmt.Sprintf("%d %d %d %d", s.accepted, len(s.conns), s.open, s.mostStreams)
	default:
		return "what?"
	}
	return "ok"
}

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: h2server CERTIFICATE KEY MAX-STREAMS")
	}
	streams, _ := strconv.Atoi(os.Args[3])
	s := &server{streams: map[string]chan order{}, conns: map[net.Conn]bool{}}
	s.changed = sync.NewCond(&s.mutex)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	http1 := &http.Server{
		Handler:   s,
		ConnState: s.note,
		HTTP2:     &http.HTTP2Config{MaxConcurrentStreams: streams},
		ErrorLog:  log.New(&bytes.Buffer{}, "", 0),
	}
	go func() { log.Fatal(http1.ServeTLS(listener, os.Args[1], os.Args[2])) }()
	fmt.Printf("https://%s\n", listener.Addr())
	input := bufio.NewScanner(os.Stdin)
	for input.Scan() {
		fmt.Println(s.obey(strings.Fields(input.Text())))
	}
}
