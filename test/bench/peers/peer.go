package main

import (
	"context"

	"stoa.dev/stoa/test/bench/drive"
)

// peer is one program that is compared with Stoa.
type peer struct {
	name string
	pin  pin
	// durable says what an acknowledged write of it survives, as its source at
	// this version shows.
	durable string
	// differs are sentences: what it does not do, what Stoa does not do, and what
	// was done to ask both for the same.
	differs []string
	// servers fetches it and says how both are started.
	servers func(ctx context.Context, r *run, p pin) (theirs, ours server, err error)
	// asks fills both servers with the same data and says what each is asked.
	asks func(ctx context.Context, r *run, theirs, ours *child) ([]ask, error)
}

// ask is one operation that both have.
type ask struct {
	what         string
	clients      int
	theirs, ours string // what each is asked, for the page
	askTheirs    measure
	askOurs      measure
}

// measure is one round.
type measure func(context.Context) (drive.Sample, error)

// How many connections ask at once: readers, and writers that share a commit.
const (
	readers = 16
	writers = 32
)

// peers are all of them, in the order of the page.
func peers() []peer {
	return []peer{pocketBase(), stripeMock(), kmsServer(), verdaccio(), aimock(), emulate(), prism()}
}

// request repeats one request on several connections.
func (r *run) request(c *child, clients int, method, path, bearer, body string) measure {
	text := drive.Request(method, path, c.address, bearer, body)
	return r.requests(c, clients, func(int) drive.Source { return drive.Constant(text) })
}

func (r *run) requests(c *child, clients int, from func(int) drive.Source) measure {
	return drive.Load{
		Address: c.address, PID: c.cmd.Process.Pid, Clients: clients, Warm: r.warm, Length: r.length, Source: from,
	}.Run
}

// calls repeats a call that is not HTTP/1.1.
func (r *run) calls(c *child, clients int, call func(context.Context) error) measure {
	loop := drive.Loop{Clients: clients, PID: c.cmd.Process.Pid, Warm: r.warm, Length: r.length, Call: call}
	return func(ctx context.Context) (drive.Sample, error) {
		s, _, err := loop.Run(ctx)
		return s, err
	}
}

// beside is a peer that speaks HTTP, and Stoa as it is started beside most of them.
func (r *run) beside(arguments func(folder, address string) []string, ready string) (theirs, ours server) {
	return server{arguments: arguments, ready: ready}, r.stoa()
}
