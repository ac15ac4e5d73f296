package listen

import (
	"bytes"
	"log/slog"
	"net"
	"strings"
	"testing"
)

func TestConnectionsOf(t *testing.T) {
	t.Parallel()
	for descriptors, want := range map[uint64]int{0: 0, 128: 64, 1024: 512, 4096: 3072, 1 << 40: 1<<20 - 1024} {
		if got := cap(connectionsOf(descriptors).slots); got != want {
			t.Errorf("%d descriptors: %d connections, want %d", descriptors, got, want)
		}
	}
}

// TestConnectionsWait has two ports with two slots: a third connection is accepted when one
// of the others ends, and closing the port ends the wait.
func TestConnectionsWait(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	log := slog.New(slog.NewTextHandler(&text, nil))
	slots := connectionsOf(4)
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
	slots.note(log)
	if !strings.Contains(text.String(), "connections wait") {
		t.Errorf("the log says %q", text.String())
	}
}

// TestWaitingTakesNoSlot has more ports than slots, each waiting for a connection.
func TestWaitingTakesNoSlot(t *testing.T) {
	t.Parallel()
	slots := connectionsOf(4)
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
	return slots.bound(l, log)
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
