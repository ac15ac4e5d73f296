package listen

import (
	"errors"
	"log/slog"
	"net"
	"os"
	"testing"
	"time"
)

// TestUnsent: a client that does not read is given little before a write is held up.
func TestUnsent(t *testing.T) {
	t.Parallel()
	l := boundPort(t, connectionsOf(1024, 0), slog.New(slog.DiscardHandler))
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }() // the test is over
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }() // the test is over
	if err := server.SetWriteDeadline(time.Now().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	taken := 0
	for piece := make([]byte, 32<<10); err == nil; {
		var n int
		n, err = server.Write(piece)
		taken += n
	}
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal(err)
	}
	const most = 1 << 20 // with what the client's side takes
	t.Logf("%d kB were taken", taken>>10)
	if taken > most {
		t.Errorf("the system took %d kB for a client that does not read, want at most %d", taken>>10, most>>10)
	}
}
