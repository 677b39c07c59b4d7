// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"strconv"
	"strings"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

type stream struct {
	conn   *conn
	id     uint32
	path   string
	method string

	// Guarded by the connection's lock.
	window    int64
	body      []byte
	bodyEnded bool
	ending    bool
	over      bool
}

// ---- Means

func (s *stream) gone() bool {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	return s.over || s.conn.closed
}

func (s *stream) endLocked() {
	if !s.ending {
		s.ending = true
		s.conn.live--
	}
}

// Called before the last frame is written: a client that has it may open another stream at once,
// and this one does not count any more.
func (s *stream) end() {
	s.conn.mu.Lock()
	s.endLocked()
	s.conn.mu.Unlock()
}

// Names and values in turn.
func (s *stream) head(end bool, fields ...string) {
	if s.gone() {
		return
	}
	c := s.conn
	if end {
		s.end()
	}
	c.write(func() error {
		c.block.Reset()
		for i := 0; i+1 < len(fields); i += 2 {
			c.encoder.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
		}
		block := c.block.Bytes()
		first := block[:min(len(block), 16384)]
		rest := block[len(first):]
		err := c.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: s.id, BlockFragment: first,
			EndStream: end, EndHeaders: len(rest) == 0})
		for err == nil && len(rest) > 0 {
			next := rest[:min(len(rest), 16384)]
			rest = rest[len(next):]
			err = c.framer.WriteContinuation(s.id, len(rest) == 0, next)
		}
		return err
	})
}

// As many bytes as flow control lets us send now, waiting for the first; 0: the stream is over.
func (s *stream) credit(want int) int {
	c := s.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	for !s.over && !c.closed {
		n := min(int64(want), s.window, c.window, int64(c.maxFrame))
		if n > 0 {
			s.window -= n
			c.window -= n
			return int(n)
		}
		c.cond.Wait()
	}
	return 0
}

func (s *stream) send(data []byte, end bool) bool {
	for len(data) > 0 {
		n := s.credit(len(data))
		if n == 0 {
			return false
		}
		piece := data[:n]
		data = data[n:]
		if end && len(data) == 0 {
			s.end()
		}
		if !s.conn.write(func() error {
			return s.conn.framer.WriteData(s.id, end && len(data) == 0, piece)
		}) {
			return false
		}
		s.conn.book.add("sent", int64(n))
		end = end && len(data) > 0
	}
	if end {
		s.end()
		return !s.gone() &&
			s.conn.write(func() error { return s.conn.framer.WriteData(s.id, true, nil) })
	}
	return true
}

func (s *stream) wholeBody() []byte {
	c := s.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	for !s.bodyEnded && !s.over && !c.closed {
		c.cond.Wait()
	}
	return s.body
}

func (s *stream) waitForEnd() {
	c := s.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	for !s.over && !c.closed {
		c.cond.Wait()
	}
}

func (s *stream) answer(body []byte) {
	s.head(false, ":status", "200", "content-type", "text/plain",
		"content-length", strconv.Itoa(len(body)))
	s.send(body, true)
}

// ---- Answers

func (s *stream) run() {
	words := strings.Split(strings.TrimPrefix(s.path, "/"), "/")
	word := func(i int) string {
		if i < len(words) {
			return words[i]
		}
		return ""
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(word(i))
		return n
	}
	switch words[0] {
	case "size":
		s.answer(bytes.Repeat([]byte("x"), number(1)))
	case "echo":
		s.answer(s.wholeBody())
	case "watch":
		s.watch()
	case "api":
		s.object()
	case "flood":
		s.flood()
	case "stall", "hold":
		s.waitForEnd()
	case "headers":
		s.head(false, ":status", "200", "x-large", strings.Repeat("v", number(1)))
		s.send([]byte("h2\n"), true)
	case "trailers":
		s.head(false, ":status", "200")
		s.send([]byte("h2\n"), false)
		s.head(true, "x-trailer", "yes")
	case "status":
		s.head(true, ":status", word(1))
	case "short": // says that there is one byte more than there is
		s.head(false, ":status", "200", "content-length", strconv.Itoa(number(1)+1))
		s.send(bytes.Repeat([]byte("x"), number(1)), true)
	case "reset": // so many bytes, then RST_STREAM with this code
		if number(2) > 0 {
			s.head(false, ":status", "200")
			s.send(bytes.Repeat([]byte("x"), number(2)), false)
		}
		s.conn.reset(s.id, codes[word(1)])
	case "disown":
		s.disown(word(1) == "early")
	case "goaway": // on this connection, before the answer
		s.conn.goAway(word(1))
		s.answer([]byte("h2\n"))
	default:
		s.answer([]byte("h2\n"))
	}
	s.conn.drop(s.id)
}

func (s *stream) watch() {
	n, ends := s.conn.book.mark()
	s.conn.book.add("watches", 1)
	s.head(false, ":status", "200", "content-type", "application/json")
	for {
		news, on := s.conn.book.news(n, ends, s.gone)
		for _, text := range news {
			s.send([]byte(text+"\n"), false)
		}
		if !on {
			break
		}
		n += len(news)
	}
	s.send(nil, true)
}

// An object without a length. On the first connection its end does not come.
func (s *stream) object() {
	const half = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"half",`
	s.wholeBody()
	s.head(false, ":status", "200", "content-type", "application/json")
	s.send([]byte(half), false)
	if s.conn.book.count("connections") == 1 {
		s.conn.book.add("halves", 1)
		s.waitForEnd()
		return
	}
	s.send([]byte(`"namespace":"ns"}}`), true)
}

// The first one is answered by GOAWAY, which says that it was not seen: before its body has come,
// or behind. All others as /echo.
func (s *stream) disown(early bool) {
	if !s.conn.book.first("disowned") {
		s.answer(s.wholeBody())
		return
	}
	if !early {
		s.wholeBody()
	}
	s.conn.mu.Lock()
	s.conn.leaving = true
	s.conn.mu.Unlock()
	s.conn.write(func() error {
		return s.conn.framer.WriteGoAway(max(s.id, 2)-2, http2.ErrCodeNo, nil)
	})
	s.waitForEnd()
}

// As much as the client lets us.
func (s *stream) flood() {
	bytes := bytes.Repeat([]byte("f"), 16384)
	s.head(false, ":status", "200")
	for s.send(bytes, false) {
	}
}
