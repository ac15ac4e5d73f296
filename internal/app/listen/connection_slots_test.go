package listen

import (
	"bytes"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"
)

func TestConnectionsOf(t *testing.T) {
	t.Parallel()
	for descriptors, want := range map[uint64]int{0: 0, 128: 64, 1024: 512, 4096: 3072, 1 << 40: 1<<20 - 1024} {
		if got := cap(connectionsOf(descriptors, 0).slots); got != want {
			t.Errorf("%d descriptors: %d connections, want %d", descriptors, got, want)
		}
	}
	for memory, want := range map[int64]int{0: 3072, 96 << 20: 768, 1 << 20: 64, 64 << 30: 3072} {
		if got := cap(connectionsOf(4096, memory).slots); got != want {
			t.Errorf("%d bytes of memory: %d connections, want %d", memory, got, want)
		}
	}
}

// TestConnectionsWait has two ports with two slots: a third connection is accepted when one
// of the others ends, and closing the port ends the wait.
func TestConnectionsWait(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	log := slog.New(slog.NewTextHandler(&text, nil))
	slots := connectionsOf(4, 0)
	slots.share = func(bool) int { return 3 } // more than there are: who waits has its share
	first, second := boundPort(t, slots, log), boundPort(t, slots, log)
	one, two := acceptOne(t, first), acceptOne(t, second)
	accepted := make(chan error, 1)
	dial(t, second)
	go func() {
		c, err := second.Accept()
		if err == nil {
			err = c.Close()
		}
		accepted <- err
	}()
	select {
	case err := <-accepted:
		t.Fatalf("a third connection was accepted: %v", err)
	default:
	}
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-accepted; err != nil {
		t.Errorf("after the end of another: %v", err)
	}
	_ = one.Close() // a second time gives no second slot
	if got := len(slots.slots); got != 1 {
		t.Errorf("%d slots are taken, want the one of the open connection", got)
	}
	acceptOne(t, first)
	go func() {
		_, err := second.Accept()
		accepted <- err
	}()
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-accepted; err == nil {
		t.Error("a closed port accepts")
	}
	_ = two.Close() // the test is over
	slots.note(log, "connections wait")
	if !strings.Contains(text.String(), "connections wait") {
		t.Errorf("the log says %q", text.String())
	}
}

// TestConnectionsAreShared has one address that opens as many connections as it can: it
// loses its oldest idle one for each that is too many, one that has none to lose is
// refused, and another address is served.
func TestConnectionsAreShared(t *testing.T) {
	t.Parallel()
	slots := connectionsOf(16, 0) // 8 connections, 4 of one address of this machine
	l := boundPort(t, slots, slog.New(slog.DiscardHandler))
	var open []net.Conn
	for range 4 {
		open = append(open, acceptOne(t, l))
	}
	slots.noteState(open[1], http.StateIdle)
	slots.noteState(open[0], http.StateIdle)
	slots.noteState(open[1], http.StateActive)
	slots.noteState(open[1], http.StateIdle)
	for _, lost := range []int{0, 1} {
		open = append(open, acceptOne(t, l))
		if _, err := open[lost].Write([]byte("x")); !errors.Is(err, net.ErrClosed) {
			t.Errorf("idle connection %d is still open: %v", lost, err)
		}
	}
	dial(t, l) // one too many, and none is idle
	other := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 77)}}
	c, err := other.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	accepted, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer accepted.Close()
	if got, want := accepted.RemoteAddr().String(), c.LocalAddr().String(); got != want {
		t.Errorf("accepted %s, want the other address %s", got, want)
	}
	for _, c := range open {
		_ = c.Close() // two were closed before
	}
}

// TestOldestIdleConnectionIsClosed has all slots taken by several addresses.
func TestOldestIdleConnectionIsClosed(t *testing.T) {
	t.Parallel()
	slots := connectionsOf(8, 0)
	slots.share = func(bool) int { return 2 }
	l := boundPort(t, slots, slog.New(slog.DiscardHandler))
	from := func(last byte) net.Conn {
		d := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, last)}}
		c, err := d.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() }) // the other end may have closed it
		accepted, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		return accepted
	}
	first, second := from(1), from(2)
	from(3)
	from(4)
	slots.noteState(&begun{Conn: second}, http.StateIdle)
	slots.noteState(first, http.StateIdle)
	from(5)
	if _, err := second.Write([]byte("x")); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the oldest idle connection is still open: %v", err)
	}
	if _, err := first.Write([]byte("x")); err != nil {
		t.Errorf("another idle connection: %v", err)
	}
	// One that waits is served when a request ends.
	slots.noteState(first, http.StateActive)
	served := make(chan net.Conn)
	go func() { served <- from(6) }()
	for slots.waiting.Load() == 0 {
		<-time.After(time.Millisecond)
	}
	slots.noteState(first, http.StateIdle)
	<-served
}

// TestTrustedProxyHasNoShare: the connections of a proxy are those of many clients.
func TestTrustedProxyHasNoShare(t *testing.T) {
	t.Parallel()
	slots := connectionsOf(16, 0)
	l := boundPort(t, slots, slog.New(slog.DiscardHandler))
	l.proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	for range 8 {
		acceptOne(t, l)
	}
}

// TestWaitingTakesNoSlot has more ports than slots, each waiting for a connection.
func TestWaitingTakesNoSlot(t *testing.T) {
	t.Parallel()
	slots := connectionsOf(4, 0)
	accepted := make(chan error)
	var last *boundedListener
	for range 8 {
		last = boundPort(t, slots, slog.New(slog.DiscardHandler))
		go func(l *boundedListener) {
			c, err := l.Accept()
			if err == nil {
				err = c.Close()
			}
			accepted <- err
		}(last)
	}
	dial(t, last)
	if err := <-accepted; err != nil {
		t.Error(err)
	}
	go func() {
		for range 7 {
			<-accepted // the others end with their ports
		}
	}()
}

func boundPort(t *testing.T, slots *Connections, log *slog.Logger) *boundedListener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() }) // it may be closed already
	return slots.bound(l, log, nil)
}

func dial(t *testing.T, l *boundedListener) {
	t.Helper()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() }) // the other end may have closed it
}

func acceptOne(t *testing.T, l *boundedListener) net.Conn {
	t.Helper()
	dial(t, l)
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	return c
}
