// SPDX-License-Identifier: Apache-2.0

// An HTTP/2 server for tests: see README.md.
//
//	h2 frames|standard CERTIFICATE KEY [STREAMS]
package main

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
)

// What both kinds of servers can be told.
type server interface {
	serve(listener net.Listener, config *tls.Config) error
	// Its own commands; false: it does not know this one.
	obey(words []string) bool
}

func die(what any) {
	fmt.Fprintln(os.Stderr, "h2:", what)
	os.Exit(1)
}

func main() {
	if len(os.Args) < 4 {
		die("wrong arguments")
	}
	streams := 250
	if len(os.Args) > 4 {
		n, err := strconv.Atoi(os.Args[4])
		if err != nil {
			die(err)
		}
		streams = n
	}
	certificate, err := tls.LoadX509KeyPair(os.Args[2], os.Args[3])
	if err != nil {
		die(err)
	}
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		die(err)
	}
	book := newBook()
	var s server = newFrames(book, uint32(streams))
	if os.Args[1] == "standard" {
		s = newStandard(book, streams)
	}
	config := &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{"h2"}}
	go func() {
		die(s.serve(&gatedListener{listener, book}, config))
	}()
	fmt.Printf("https://%s\n", listener.Addr())
	command(book, s)
}

// A line in, a line out. Whoever waits must not keep the end of the input from being seen.
func command(book *book, s server) {
	lines := make(chan string)
	go func() {
		for line := range lines {
			fmt.Println(obey(book, s, line))
		}
	}()
	input := bufio.NewScanner(os.Stdin)
	for input.Scan() {
		lines <- input.Text()
	}
	os.Exit(0)
}

func obey(book *book, s server, line string) string {
	words := strings.Fields(line)
	if len(words) == 0 {
		return "what?"
	}
	switch {
	case words[0] == "event":
		_, text, _ := strings.Cut(line, " ")
		book.event(text)
	case words[0] == "end":
		book.end()
	case words[0] == "freeze":
		book.freeze(true)
	case words[0] == "thaw":
		book.freeze(false)
	case words[0] == "close":
		book.closeAll(false)
	case words[0] == "abort":
		book.closeAll(true)
	case words[0] == "count" && len(words) == 2:
		return strconv.FormatInt(book.count(words[1]), 10)
	case words[0] == "await" && len(words) == 3:
		n, err := strconv.ParseInt(words[2], 10, 64)
		if err != nil {
			return err.Error()
		}
		book.await(words[1], n)
	default:
		if !s.obey(words) {
			return "what?"
		}
	}
	return "ok"
}
