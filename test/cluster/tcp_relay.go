package main

import (
	"errors"
	"io"
	"net"
	"sync"
)

// linkState is what a relay does with connections.
type linkState int

const (
	linkOpen    linkState = iota
	linkCut               // connections are reset, new ones too
	linkStalled           // connections stay, nothing passes, as where packets are dropped
)

// relay stands for the network between two programs.
type relay struct {
	listener net.Listener
	target   string

	mu      sync.Mutex
	changed sync.Cond
	state   linkState
	conns   map[net.Conn]bool
}

func newRelay(target string) (*relay, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &relay{listener: l, target: target, conns: map[net.Conn]bool{}}
	r.changed.L = &r.mu
	go r.accept()
	return r, nil
}

func (r *relay) address() string { return r.listener.Addr().String() }

func (r *relay) port() int { return r.listener.Addr().(*net.TCPAddr).Port }

// set changes what the relay does, also with the connections that there are.
func (r *relay) set(s linkState) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state = s
	if s == linkCut {
		r.dropAll()
	}
	r.changed.Broadcast()
}

func (r *relay) dropAll() {
	for c := range r.conns {
		reset(c)
		delete(r.conns, c)
	}
}

// reset closes a connection as a broken network does, without the orderly end.
func reset(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // the connection may be gone already
	}
	_ = c.Close()
}

// close ends the relay; what waits in it ends as well.
func (r *relay) close() {
	_ = r.listener.Close()
	r.set(linkCut)
}

func (r *relay) accept() {
	for {
		client, err := r.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil {
			go r.pass(client)
		}
	}
}

// wait returns when bytes may pass; it reports whether they may.
func (r *relay) wait() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.state == linkStalled {
		r.changed.Wait()
	}
	return r.state == linkOpen
}

// keep notes a connection so that it can be cut.
func (r *relay) keep(c net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state == linkCut {
		return false
	}
	r.conns[c] = true
	return true
}

func (r *relay) drop(c net.Conn) {
	r.mu.Lock()
	delete(r.conns, c)
	r.mu.Unlock()
	reset(c)
}

func (r *relay) pass(client net.Conn) {
	if !r.keep(client) || !r.wait() {
		r.drop(client)
		return
	}
	server, err := net.Dial("tcp", r.target)
	if err != nil || !r.keep(server) {
		r.drop(client)
		if err == nil {
			r.drop(server)
		}
		return
	}
	var both sync.WaitGroup
	both.Go(func() { r.copy(server, client) })
	both.Go(func() { r.copy(client, server) })
	both.Wait()
	r.end(client)
	r.end(server)
}

// end closes a connection in order; one that was cut is closed already.
func (r *relay) end(c net.Conn) {
	r.mu.Lock()
	delete(r.conns, c)
	r.mu.Unlock()
	_ = c.Close()
}

// copy passes one direction on until it ends, and its end as well.
func (r *relay) copy(to, from net.Conn) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			if !r.wait() {
				break
			}
			if _, err := to.Write(buffer[:n]); err != nil {
				break
			}
		}
		if errors.Is(err, io.EOF) {
			_ = to.(*net.TCPConn).CloseWrite() // the other direction notices what is wrong
			return
		}
		if err != nil {
			break
		}
	}
	r.drop(to)
	r.drop(from)
}
