// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net"
	"sync"
)

// What was seen and what was told, for all connections.
type book struct {
	mu     sync.Mutex
	cond   *sync.Cond
	counts map[string]int64
	events []string
	ends   int
	frozen bool
	conns  map[net.Conn]bool
}

func newBook() *book {
	b := &book{counts: map[string]int64{}, conns: map[net.Conn]bool{}}
	b.cond = sync.NewCond(&b.mu)
	return b
}

func (b *book) add(what string, n int64) {
	b.mu.Lock()
	b.counts[what] += n
	b.cond.Broadcast()
	b.mu.Unlock()
}

// Count, and whether it is the first.
func (b *book) first(what string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.counts[what]++
	b.cond.Broadcast()
	return b.counts[what] == 1
}

// The largest that was ever seen.
func (b *book) most(what string, n int64) {
	b.mu.Lock()
	b.counts[what] = max(b.counts[what], n)
	b.cond.Broadcast()
	b.mu.Unlock()
}

func (b *book) count(what string) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.counts[what]
}

// Until there are at least n.
func (b *book) await(what string, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.counts[what] < n {
		b.cond.Wait()
	}
}

func (b *book) event(text string) {
	b.mu.Lock()
	b.events = append(b.events, text)
	b.cond.Broadcast()
	b.mu.Unlock()
}

func (b *book) end() {
	b.mu.Lock()
	b.ends++
	b.cond.Broadcast()
	b.mu.Unlock()
}

// Where a watch that begins now stands: the events and the ends that are not for it.
func (b *book) mark() (events, ends int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.events), b.ends
}

// The events after the first n; false: it is to end, or gone() is true.
func (b *book) news(n, ends int, gone func() bool) ([]string, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.events) <= n {
		if b.ends != ends || gone() {
			return nil, false
		}
		b.cond.Wait()
	}
	return b.events[n:], !gone()
}

// Whoever waits looks at its conditions again.
func (b *book) wake() {
	b.mu.Lock()
	b.cond.Broadcast()
	b.mu.Unlock()
}

// ---- Connections that can be held up

type gatedListener struct {
	net.Listener
	book *book
}

func (l *gatedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	gated := &gatedConn{Conn: c, book: l.book}
	l.book.mu.Lock()
	l.book.conns[gated] = true
	l.book.mu.Unlock()
	l.book.add("connections", 1)
	l.book.add("open", 1)
	return gated, nil
}

type gatedConn struct {
	net.Conn
	book *book
	once sync.Once
}

func (b *book) freeze(on bool) {
	b.mu.Lock()
	b.frozen = on
	b.cond.Broadcast()
	b.mu.Unlock()
}

func (b *book) gate() {
	b.mu.Lock()
	for b.frozen {
		b.cond.Wait()
	}
	b.mu.Unlock()
}

// What has been read while the gate was closed is kept back until it opens.
func (c *gatedConn) Read(p []byte) (int, error) {
	c.book.gate()
	n, err := c.Conn.Read(p)
	c.book.gate()
	return n, err
}

func (c *gatedConn) Write(p []byte) (int, error) {
	c.book.gate()
	return c.Conn.Write(p)
}

func (c *gatedConn) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() {
		c.book.mu.Lock()
		delete(c.book.conns, c)
		c.book.mu.Unlock()
		c.book.add("open", -1)
		c.book.add("closed", 1)
	})
	return err
}

// End the TCP connections, with all streams that are on them.
func (b *book) closeAll(reset bool) {
	b.mu.Lock()
	var all []net.Conn
	for c := range b.conns {
		all = append(all, c)
	}
	b.mu.Unlock()
	for _, c := range all {
		if tcp, ok := c.(*gatedConn).Conn.(*net.TCPConn); ok && reset {
			tcp.SetLinger(0)
		}
		c.Close()
	}
}
