package adversary_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"stoa.dev/stoa/test/adversary"
)

// frames is a connection that speaks HTTP/2 as no client does.
type frames struct {
	*http2.Framer
	conn   net.Conn
	text   bytes.Buffer
	encode *hpack.Encoder
	ended  chan struct{} // the server has closed the connection
	bad    atomic.Int32  // statuses of 500 and above
}

func dialFrames(s *server) (*frames, error) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.target.URL, "http://"))
	if err != nil {
		return nil, err
	}
	f := &frames{Framer: http2.NewFramer(conn, conn), conn: conn, ended: make(chan struct{})}
	f.encode = hpack.NewEncoder(&f.text)
	if _, err := io.WriteString(conn, http2.ClientPreface); err != nil {
		return nil, err
	}
	if err := f.WriteSettings(); err != nil {
		return nil, err
	}
	go f.read()
	return f, nil
}

// read takes what the server says, so that it never waits for this end.
func (f *frames) read() {
	defer close(f.ended)
	f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	for {
		frame, err := f.ReadFrame()
		var stream http2.StreamError
		if err != nil && !errors.As(err, &stream) {
			return
		}
		if headers, ok := frame.(*http2.MetaHeadersFrame); ok && headers.PseudoValue("status") >= "500" {
			f.bad.Add(1)
		}
	}
}

// header is the fields of a request.
func (f *frames) header(path string, more ...string) []byte {
	f.text.Reset()
	fields := append([]string{":method", "GET", ":scheme", "http", ":path", path, ":authority", "127.0.0.1"}, more...)
	for i := 0; i < len(fields); i += 2 {
		_ = f.encode.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]}) // into memory
	}
	return bytes.Clone(f.text.Bytes())
}

// abuse is one misuse of the protocol. It ends when the server ends the connection or
// it has sent all.
type abuse struct {
	name string
	send func(f *frames, many int) (sent int, err error)
	ends bool // the server must end the connection
}

func abuses() []abuse {
	return []abuse{
		{"rapid resets", func(f *frames, many int) (int, error) {
			for i := range many {
				err := f.WriteHeaders(http2.HeadersFrameParam{
					StreamID: uint32(2*i + 1), BlockFragment: f.header("/tasks/v1/users/@me/lists"),
					EndHeaders: true, EndStream: true,
				})
				if err = errors.Join(err, f.WriteRSTStream(uint32(2*i+1), http2.ErrCodeCancel)); err != nil {
					return i, err
				}
			}
			return many, nil
		}, false},
		{"continuations without an end", func(f *frames, many int) (int, error) {
			err := f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: f.header("/"), EndStream: true})
			for i := range many {
				name := fmt.Sprint("x-", i)
				if err = errors.Join(err, f.WriteContinuation(1, false, f.header("/", name, name)[4:])); err != nil {
					return i, err
				}
			}
			return many, nil
		}, true},
		// A header without an end costs a connection, until its idle time is over.
		{"empty continuations", func(f *frames, many int) (int, error) {
			err := f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: f.header("/"), EndStream: true})
			for i := range many {
				if err = errors.Join(err, f.WriteContinuation(1, false, nil)); err != nil {
					return i, err
				}
			}
			return many, nil
		}, false},
		{"a hundred thousand headers", func(f *frames, _ int) (int, error) {
			var more []string
			for i := range 100_000 {
				more = append(more, fmt.Sprint("x-", i), "y")
			}
			block := f.header("/", more...)
			err := f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block[:16000], EndStream: true})
			for block = block[16000:]; err == nil && len(block) > 0; {
				n := min(len(block), 16000)
				err = f.WriteContinuation(1, n == len(block), block[:n])
				block = block[n:]
			}
			return 1, err
		}, false},
		{"pings", func(f *frames, many int) (int, error) {
			for i := range many {
				if err := f.WritePing(false, [8]byte{byte(i)}); err != nil {
					return i, err
				}
			}
			return many, nil
		}, false},
		{"settings", func(f *frames, many int) (int, error) {
			for i := range many {
				if err := f.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: uint32(i + 1)}); err != nil {
					return i, err
				}
			}
			return many, nil
		}, false},
	}
}

// TestHTTP2Abuse: floods of frames cost the server little, no answer says that it failed,
// a caller beside them is served, and soon after them the process rests.
func TestHTTP2Abuse(t *testing.T) {
	s := start(t)
	many, at := 2_000, 4
	if *full {
		many, at = 50_000, 8
	}
	idle := s.memory(t)
	watch, stop := context.WithCancel(t.Context())
	defer stop()
	bystander := &adversary.Bystander{}
	watched := make(chan struct{})
	go func() { defer close(watched); bystander.Watch(watch, 50*time.Millisecond, s.bystander) }()
	for _, a := range abuses() {
		s.flood(t, a, many, at)
	}
	stop()
	<-watched
	rested := s.rests(t)
	peak := s.memory(t)
	t.Logf("%d kinds of frames, %d connections each: at rest after %s, memory %d MiB before and %d after; "+
		"bystander: %d questions, p99 %s", len(abuses()), at, rested.Round(100*time.Millisecond), idle>>20, peak>>20,
		bystander.Asked(), bystander.Percentile(.99).Round(time.Millisecond))
	if failed := bystander.Failed(); len(failed) > 0 {
		t.Errorf("%d questions of the bystander failed, the first: %s", len(failed), failed[0])
	}
	if peak > idle+overhead {
		t.Errorf("memory is %d MiB, want at most %d more than %d", peak>>20, overhead>>20, idle>>20)
	}
	if err := s.process.Stop(context.Background()); err != nil {
		t.Errorf("the server did not survive: %v", err)
	}
}

// flood sends one kind of abuse from several connections at once.
func (s *server) flood(t *testing.T, a abuse, many, connections int) {
	t.Helper()
	var all sync.WaitGroup
	var sent, closed, bad atomic.Int64
	began := time.Now()
	for range connections {
		all.Go(func() {
			f, err := dialFrames(s)
			if err != nil {
				t.Errorf("%s: %v", a.name, err)
				return
			}
			defer func() { _ = f.conn.Close() }() // it may be closed already
			n, err := a.send(f, many)
			sent.Add(int64(n))
			if err != nil || a.ends {
				select {
				case <-f.ended:
					closed.Add(1)
				case <-time.After(30 * time.Second):
					t.Errorf("%s: half a minute later the connection is open (%v)", a.name, err)
				}
			}
			bad.Add(int64(f.bad.Load()))
		})
	}
	all.Wait()
	took := time.Since(began)
	t.Logf("%s: %d sent, %.0f a second, %d of %d connections closed by the server", a.name, sent.Load(),
		float64(sent.Load())/took.Seconds(), closed.Load(), connections)
	if bad.Load() > 0 {
		t.Errorf("%s: %d answers of 500 and above", a.name, bad.Load())
	}
}

// rests waits until the process uses less than a fifth of a processor for half a second,
// and reports how long that took.
func (s *server) rests(t *testing.T) time.Duration {
	t.Helper()
	const window = 500 * time.Millisecond
	began := time.Now()
	for last := s.ticks(t); time.Since(began) < 5*time.Second; {
		time.Sleep(window)
		now := s.ticks(t)
		if now-last <= 10 { // hundredths of a second
			return time.Since(began)
		}
		last = now
	}
	t.Error("five seconds after the last frame the process is still busy")
	return time.Since(began)
}

// ticks is the processor time of the server in hundredths of a second.
func (s *server) ticks(t *testing.T) (sum int64) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.process.PID()))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	for _, field := range fields[11:13] { // in user mode, in the kernel
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	return sum
}
