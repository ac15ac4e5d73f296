package adversary_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// slowEnv has this program hold slow connections and do nothing else.
const slowEnv = "ADVERSARY_SLOW"

// slowPlan is what it does then: so many connections are open for a while, each opened again when
// it is closed, not more than so many in a second.
type slowPlan struct {
	URL, Token  string
	Connections int
	PerSecond   int
	For         time.Duration
}

// slowKind is how those of one kind ended.
type slowKind struct {
	Opened  int
	Left    int // that were not closed
	Longest time.Duration
}

func TestMain(m *testing.M) {
	text := os.Getenv(slowEnv)
	if text == "" {
		os.Exit(m.Run())
	}
	if err := playSlow(text); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// slowRequest begins a request that never comes to its end, or asks for an answer that is not read.
type slowRequest struct {
	name, begin string
	more        string // what is sent each second
}

// slowRequests are a third each of headers, bodies and answers: a body that trickles from its beginning or after 20 kB,
// answers that fill the buffers of the system, and one that fits into them.
func slowRequests(token string) []slowRequest {
	const page = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"
	insert := "POST /tasks/v1/lists/@default/tasks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token +
		"\r\nContent-Type: application/json\r\n"
	header := slowRequest{"header", "GET /tasks/v1/users/@me/lists HTTP/1.1\r\nHost: x\r\nX-Slow: ", "x"}
	const begun = 20 << 10
	return []slowRequest{
		header,
		{"body", insert + "Content-Length: 4000\r\n\r\n{\"title\":\"", "x"},
		{"read", strings.Repeat(page, 60), ""},
		header,
		{"later body", insert + fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", begun,
			"{\"title\":\""+strings.Repeat("x", begun-10)), "1\r\nx\r\n"},
		{"read one", page, ""},
	}
}

// playSlow holds the connections and writes how they ended.
func playSlow(text string) error {
	var plan slowPlan
	if err := json.Unmarshal([]byte(text), &plan); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), plan.For)
	defer cancel()
	turns := time.NewTicker(time.Second / time.Duration(plan.PerSecond))
	defer turns.Stop()
	address := strings.TrimPrefix(plan.URL, "http://")
	requests, kinds := slowRequests(plan.Token), map[string]slowKind{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := range plan.Connections {
		all.Go(func() {
			for r := requests[i%len(requests)]; ; {
				select {
				case <-turns.C:
				case <-ctx.Done():
					return
				}
				held, closed := r.hold(address)
				mu.Lock()
				k := kinds[r.name]
				k.Opened++
				if k.Longest = max(k.Longest, held); !closed {
					k.Left++
				}
				kinds[r.name] = k
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return json.NewEncoder(os.Stdout).Encode(kinds)
}

// hold opens a connection and reports how long the server kept it.
func (r slowRequest) hold(address string) (held time.Duration, closed bool) {
	dialer := net.Dialer{Control: func(_, _ string, c syscall.RawConn) (err error) {
		controlled := c.Control(func(fd uintptr) {
			err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUF, 4<<10)
		})
		if controlled != nil {
			return controlled
		}
		return err
	}}
	began := time.Now()
	conn, err := dialer.Dial("tcp", address)
	if err != nil {
		return 0, true // refused
	}
	defer func() { _ = conn.Close() }() // it may be closed already
	if _, err := io.WriteString(conn, r.begin); err != nil {
		return time.Since(began), true
	}
	for n := 1; time.Since(began) < maxHeld+shortSlack; n++ {
		time.Sleep(100 * time.Millisecond)
		if isClosed(conn.(*net.TCPConn)) {
			return time.Since(began), true
		}
		if n%10 == 0 {
			if _, err := io.WriteString(conn, r.more); err != nil {
				return time.Since(began), true
			}
		}
	}
	return time.Since(began), false
}

// isClosed reports whether the server has ended a connection, also where what it sent before is
// not read.
func isClosed(c *net.TCPConn) bool {
	const established = 1
	raw, err := c.SyscallConn()
	if err != nil {
		return true
	}
	closed := true
	err = raw.Control(func(fd uintptr) {
		info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
		closed = err != nil || info.State != established
	})
	return closed || err != nil
}
