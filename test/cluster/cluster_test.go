package main

import (
	"context"
	"errors"
	"flag"
	"net"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"stoa.dev/stoa/test/program"
)

// memoryBucket is an S3 server in this process; what it holds stays while it is away.
type memoryBucket struct {
	handler http.Handler
	listen  string
	server  *http.Server
}

func newMemoryBucket() (*memoryBucket, error) {
	backend := s3mem.New()
	if err := backend.CreateBucket(bucketName); err != nil {
		return nil, err
	}
	m := &memoryBucket{handler: gofakes3.New(backend).Server(), listen: "127.0.0.1:0"}
	return m, m.back()
}

func (m *memoryBucket) address() string { return m.listen }

func (m *memoryBucket) kill() { _ = m.server.Close() }

func (m *memoryBucket) back() error {
	l, err := net.Listen("tcp", m.listen)
	if err != nil {
		return err
	}
	m.listen, m.server = l.Addr().String(), &http.Server{Handler: m.handler, ReadHeaderTimeout: time.Minute}
	go func() { _ = m.server.Serve(l) }() // it ends with kill
	return nil
}

var times = flag.Int("times", 0, "restart, switch over, kill and pause PostgreSQL so often each; 0 is the short form")

// TestCluster is the short form of make cluster-check: a node killed, one failover and
// one death of the S3 server, where the programs are installed.
func TestCluster(t *testing.T) {
	for _, name := range []string{"patroni", "etcd", "haproxy", "pgbouncer"} {
		program.Need(t, findProgram(name))
	}
	binary, err := program.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	chosenTrials, limit := shortTrials(), 5*time.Minute
	if *times > 0 {
		chosenTrials = slices.Repeat(chosen(trials(), "PostgreSQL,primary and its Patroni"), *times)
		limit = time.Duration(*times) * 10 * time.Minute
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	s := setup{binary: binary, first: binary, trials: chosenTrials, bucket: func(*cluster) (bucketStore, error) {
		return newMemoryBucket()
	}}
	found, err := s.run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, v := range found.verdicts {
		total += v.acked
	}
	t.Logf("%d writes acknowledged in %d trials, none lost", total, len(chosenTrials))
}

// TestRelay: an open link passes bytes, a silent one keeps them, a cut one ends.
func TestRelay(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				b := make([]byte, 1)
				for {
					if _, err := c.Read(b); err != nil {
						return
					}
					if _, err := c.Write(b); err != nil {
						return
					}
				}
			}()
		}
	}()
	r, err := newRelay(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.close)
	c, err := net.Dial("tcp", r.address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	echo := func(within time.Duration) error {
		if err := c.SetDeadline(time.Now().Add(within)); err != nil {
			return err
		}
		if _, err := c.Write([]byte("x")); err != nil {
			return err
		}
		_, err := c.Read(make([]byte, 1))
		return err
	}
	if err := echo(20 * time.Second); err != nil {
		t.Fatalf("open: %v", err)
	}
	r.set(linkStalled)
	if err := echo(300 * time.Millisecond); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("silent: %v, want a timeout", err)
	}
	r.set(linkOpen)
	if err := echo(20 * time.Second); err != nil {
		t.Errorf("open again: %v", err)
	}
	r.set(linkCut)
	if err := echo(20 * time.Second); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("cut: %v, want the end of the connection", err)
	}
}
