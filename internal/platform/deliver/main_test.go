package deliver_test

import (
	"context"
	"encoding/binary"
	"flag"
	"io"
	"net"
	"net/netip"
	"sync"
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/net/dns/dnsmessage"

	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/deliver"
	"stoa.dev/stoa/internal/platform/jobs"
)

// databases are handed on from test to test.
var databases = databasetest.NewPool(jobs.Migrations(), deliver.Migrations())

// TestMain lowers how often a property is tried: here every trial is many calls. The flag on the command line still
// decides.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "10"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(databases.Main(m))
}

func newClient(t testing.TB, c deliver.Config, resolver *net.Resolver) *deliver.Client {
	t.Helper()
	client, err := deliver.NewClient(c, nil, resolver)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// names is a name server in memory: every name has the addresses that answer gives at that moment.
type names struct {
	mu     sync.Mutex
	asked  int
	answer func(asked int) []netip.Addr
}

// always answers every question alike.
func always(addrs ...string) *names {
	var parsed []netip.Addr
	for _, a := range addrs {
		parsed = append(parsed, netip.MustParseAddr(a))
	}
	return &names{answer: func(int) []netip.Addr { return parsed }}
}

func (n *names) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go n.serve(server)
		return client, nil
	}}
}

// serve answers questions in the form that DNS has on streams: each message after its length.
func (n *names) serve(conn net.Conn) {
	defer conn.Close()
	for {
		var size [2]byte
		if _, err := io.ReadFull(conn, size[:]); err != nil {
			return
		}
		text := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(conn, text); err != nil {
			return
		}
		var m dnsmessage.Message
		if err := m.Unpack(text); err != nil || len(m.Questions) != 1 {
			return
		}
		m.Response, m.Authoritative, m.Additionals = true, true, nil
		m.Answers = n.answers(m.Questions[0])
		out, err := m.AppendPack(make([]byte, 2))
		if err != nil {
			return
		}
		binary.BigEndian.PutUint16(out, uint16(len(out)-2))
		if _, err := conn.Write(out); err != nil {
			return
		}
	}
}

// answers counts questions for IPv4 only: a resolver asks for both kinds at once.
func (n *names) answers(q dnsmessage.Question) []dnsmessage.Resource {
	n.mu.Lock()
	defer n.mu.Unlock()
	if q.Type == dnsmessage.TypeA {
		n.asked++
	}
	var found []dnsmessage.Resource
	for _, a := range n.answer(n.asked) {
		r := dnsmessage.Resource{Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}}
		switch {
		case a.Is4() && q.Type == dnsmessage.TypeA:
			r.Body = &dnsmessage.AResource{A: a.As4()}
		case a.Is6() && q.Type == dnsmessage.TypeAAAA:
			r.Body = &dnsmessage.AAAAResource{AAAA: a.As16()}
		default:
			continue
		}
		found = append(found, r)
	}
	return found
}
