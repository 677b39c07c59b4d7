// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// A server that writes the frames that it is told to write. It keeps to flow control and answers
// what must be answered; all else is the script's.
type frames struct {
	book *book

	mu      sync.Mutex
	streams uint32 // SETTINGS_MAX_CONCURRENT_STREAMS
	mute    bool   // PINGs are not answered
	conns   map[*conn]bool
}

func newFrames(book *book, streams uint32) *frames {
	return &frames{book: book, streams: streams, conns: map[*conn]bool{}}
}

func (f *frames) serve(listener net.Listener, config *tls.Config) error {
	for {
		c, err := listener.Accept()
		if err != nil {
			return err
		}
		go f.run(tls.Server(c, config))
	}
}

func (f *frames) all() []*conn {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []*conn
	for c := range f.conns {
		all = append(all, c)
	}
	return all
}

var codes = map[string]http2.ErrCode{}

func init() {
	for code := http2.ErrCodeNo; code <= http2.ErrCodeHTTP11Required; code++ {
		codes[code.String()] = code
	}
}

func (f *frames) obey(words []string) bool {
	switch {
	case words[0] == "streams" && len(words) == 2:
		n, err := strconv.ParseUint(words[1], 10, 32)
		if err != nil {
			return false
		}
		f.mu.Lock()
		f.streams = uint32(n)
		f.mu.Unlock()
		for _, c := range f.all() {
			c.write(func() error {
				return c.framer.WriteSettings(
					http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: uint32(n)})
			})
		}
	case words[0] == "mute":
		f.mu.Lock()
		f.mute = true
		f.mu.Unlock()
	case words[0] == "goaway" && len(words) == 2:
		for _, c := range f.all() {
			if !c.goAway(words[1]) {
				return false
			}
		}
	case words[0] == "reset" && len(words) == 3:
		code, known := codes[words[1]]
		if !known {
			return false
		}
		for _, c := range f.all() {
			c.resetPath(code, words[2])
		}
	default:
		return false
	}
	return true
}

// ---- One connection

type conn struct {
	server *frames
	book   *book
	tls    *tls.Conn
	framer *http2.Framer

	// Held while frames are written, and for nothing else; never taken inside mu.
	writing sync.Mutex
	block   bytes.Buffer
	encoder *hpack.Encoder

	mu       sync.Mutex
	cond     *sync.Cond
	open     map[uint32]*stream
	live     int    // of these, without those whose end is on its way
	last     uint32 // the newest that was taken
	window   int64  // what we may send
	initial  int64  // ... on a new stream
	maxFrame int
	leaving  bool // GOAWAY was sent
	closed   bool
}

func (f *frames) run(t *tls.Conn) {
	defer t.Close()
	if t.Handshake() != nil || t.ConnectionState().NegotiatedProtocol != "h2" {
		f.book.add("not_h2", 1)
		return
	}
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(t, preface); err != nil || string(preface) != http2.ClientPreface {
		f.book.add("not_h2", 1)
		return
	}
	c := &conn{server: f, book: f.book, tls: t, framer: http2.NewFramer(t, t),
		open: map[uint32]*stream{}, window: 65535, initial: 65535, maxFrame: 16384}
	c.cond = sync.NewCond(&c.mu)
	c.encoder = hpack.NewEncoder(&c.block)
	c.encoder.SetMaxDynamicTableSize(0)
	c.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	f.mu.Lock()
	f.conns[c] = true
	streams := f.streams
	f.mu.Unlock()
	c.write(func() error {
		return c.framer.WriteSettings(
			http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: streams})
	})
	c.read()
	c.close()
}

// After a write that fails the connection is of no use.
func (c *conn) write(what func() error) bool {
	c.writing.Lock()
	err := what()
	c.writing.Unlock()
	if err != nil {
		c.tls.NetConn().Close()
	}
	return err == nil
}

func (c *conn) close() {
	c.server.mu.Lock()
	delete(c.server.conns, c)
	c.server.mu.Unlock()
	c.mu.Lock()
	c.closed = true
	c.cond.Broadcast()
	c.mu.Unlock()
	c.tls.NetConn().Close()
	c.book.wake()
}

func (c *conn) read() {
	for {
		frame, err := c.framer.ReadFrame()
		if err != nil {
			if streamError, ok := err.(http2.StreamError); ok {
				c.reset(streamError.StreamID, streamError.Code)
				continue
			}
			return
		}
		c.take(frame)
	}
}

func (c *conn) take(frame http2.Frame) {
	switch frame := frame.(type) {
	case *http2.SettingsFrame:
		c.takeSettings(frame)
	case *http2.MetaHeadersFrame:
		c.takeHeaders(frame)
	case *http2.DataFrame:
		c.takeData(frame)
	case *http2.WindowUpdateFrame:
		c.mu.Lock()
		if s := c.open[frame.StreamID]; s != nil {
			s.window += int64(frame.Increment)
		} else if frame.StreamID == 0 {
			c.window += int64(frame.Increment)
		}
		c.cond.Broadcast()
		c.mu.Unlock()
	case *http2.RSTStreamFrame:
		c.book.add("resets", 1)
		c.book.add("resets."+frame.ErrCode.String(), 1)
		c.drop(frame.StreamID)
	case *http2.PingFrame:
		c.book.add("pings", 1)
		c.server.mu.Lock()
		mute := c.server.mute
		c.server.mu.Unlock()
		if !frame.IsAck() && !mute {
			c.write(func() error { return c.framer.WritePing(true, frame.Data) })
		}
	case *http2.GoAwayFrame:
		c.book.add("goaways", 1)
	}
}

func (c *conn) takeSettings(frame *http2.SettingsFrame) {
	if frame.IsAck() {
		c.book.add("settings_acks", 1)
		return
	}
	c.mu.Lock()
	frame.ForeachSetting(func(s http2.Setting) error {
		switch s.ID {
		case http2.SettingInitialWindowSize:
			for _, stream := range c.open {
				stream.window += int64(s.Val) - c.initial
			}
			c.initial = int64(s.Val)
		case http2.SettingMaxFrameSize:
			c.maxFrame = int(s.Val)
		}
		return nil
	})
	c.cond.Broadcast()
	c.mu.Unlock()
	c.write(c.framer.WriteSettingsAck)
}

func (c *conn) takeHeaders(frame *http2.MetaHeadersFrame) {
	c.mu.Lock()
	if s := c.open[frame.StreamID]; s != nil { // trailers of a request
		s.bodyEnded = true
		c.cond.Broadcast()
		c.mu.Unlock()
		return
	}
	c.server.mu.Lock()
	limit := int(c.server.streams)
	c.server.mu.Unlock()
	if c.leaving || c.live >= limit {
		c.mu.Unlock()
		c.book.add("refused", 1)
		c.write(func() error {
			return c.framer.WriteRSTStream(frame.StreamID, http2.ErrCodeRefusedStream)
		})
		return
	}
	s := &stream{conn: c, id: frame.StreamID, path: frame.PseudoValue("path"),
		method: frame.PseudoValue("method"), window: c.initial, bodyEnded: frame.StreamEnded()}
	c.open[s.id] = s
	c.last = s.id
	c.live++
	active := c.live
	c.mu.Unlock()
	c.book.add("streams", 1)
	c.book.add("active", 1)
	c.book.most("most", int64(active))
	go s.run()
}

func (c *conn) takeData(frame *http2.DataFrame) {
	n := len(frame.Data())
	c.book.add("received", int64(n))
	c.mu.Lock()
	s := c.open[frame.StreamID]
	credit := s != nil && !strings.HasPrefix(s.path, "/hold")
	if s != nil {
		s.body = append(s.body, frame.Data()...)
		s.bodyEnded = s.bodyEnded || frame.StreamEnded()
		c.cond.Broadcast()
	}
	c.mu.Unlock()
	if total := frame.Header().Length; total > 0 {
		c.write(func() error { return c.framer.WriteWindowUpdate(0, total) })
		if credit {
			c.write(func() error { return c.framer.WriteWindowUpdate(frame.StreamID, total) })
		}
	}
}

// The stream is over; true: it was not before.
func (c *conn) drop(id uint32) bool {
	c.mu.Lock()
	s := c.open[id]
	if s != nil {
		s.endLocked()
		s.over = true
		delete(c.open, id)
	}
	leave := c.leaving && len(c.open) == 0
	c.cond.Broadcast()
	c.mu.Unlock()
	if s != nil {
		c.book.add("active", -1)
		c.book.add("ended", 1)
	}
	c.book.wake()
	if leave {
		c.tls.Close()
	}
	return s != nil
}

func (c *conn) reset(id uint32, code http2.ErrCode) {
	c.write(func() error { return c.framer.WriteRSTStream(id, code) })
	c.drop(id)
}

func (c *conn) resetPath(code http2.ErrCode, path string) {
	c.mu.Lock()
	var ids []uint32
	for id, s := range c.open {
		if s.path == path {
			ids = append(ids, id)
		}
	}
	c.mu.Unlock()
	for _, id := range ids {
		c.reset(id, code)
	}
}

// graceful: streams that are there end in peace, then the connection is closed. notice: as
// graceful, but which stream is the last one is left open, and new ones are taken. drop: nothing
// was processed, and the connection is closed. A code: all was processed, closed with that code.
func (c *conn) goAway(how string) bool {
	code, known := codes[how]
	c.mu.Lock()
	last := c.last
	switch {
	case how == "graceful":
		c.leaving = true
	case how == "notice":
		last = 1<<31 - 1
	case how == "drop":
		last = 0
	case !known:
		c.mu.Unlock()
		return false
	}
	idle := len(c.open) == 0
	c.mu.Unlock()
	c.write(func() error { return c.framer.WriteGoAway(last, code, []byte("as told")) })
	if how == "drop" || known || (how == "graceful" && idle) {
		c.tls.Close()
	}
	return true
}
