package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestLoadCounts drives a server of known answers: the generator must see
// every one of them and no other.
func TestLoadCounts(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer t" {
			w.WriteHeader(http.StatusUnauthorized)
		}
		_, _ = w.Write([]byte("{}"))
	}))
	t.Cleanup(server.Close)
	address := strings.TrimPrefix(server.URL, "http://")
	l := load{address: address, clients: 2, length: 50 * time.Millisecond, source: func(int) source {
		return constant(request("GET", "/", address, "t", ""))
	}}
	s, err := l.run(t.Context())
	if err != nil || s.rate <= 0 || s.p50 <= 0 || s.p99 < s.p50 {
		t.Errorf("got %+v, %v; want a rate and ordered percentiles", s, err)
	}
	l.source = func(int) source { return constant(request("GET", "/", address, "wrong", "")) }
	if s, err := l.run(t.Context()); err == nil {
		t.Errorf("got %+v, want refusals to be errors", s)
	}
}

func TestReadAnswer(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text, want string
		fails      bool
	}{
		"body":      {text: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", want: "{}"},
		"no length": {text: "HTTP/1.1 200 OK\r\n\r\n", fails: true},
		"refusal":   {text: "HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n", fails: true},
		"cut off":   {text: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}", fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := readAnswer(bufio.NewReader(strings.NewReader(tc.text)), nil, "")
			if (err != nil) != tc.fails || string(got) != tc.want {
				t.Errorf("got %q, %v; want %q, failure %v", got, err, tc.want, tc.fails)
			}
		})
	}
}

func TestMedianAndVerdicts(t *testing.T) {
	t.Parallel()
	m := median([]sample{{rate: 3, p99: 1}, {rate: 1, p99: 9}, {rate: 2, p99: 5}})
	if m.rate != 2 || m.p99 != 5 {
		t.Errorf("median: got %+v, want rate 2 and p99 5", m)
	}
	for name, tc := range map[string]struct {
		row  row
		line result
		want bool
	}{
		"ratio met":       {row{atLeast: 0.45}, result{ratio: 0.5, p99: 2, bareP99: 1, judged: true}, true},
		"ratio missed":    {row{atLeast: 0.45}, result{ratio: 0.4, p99: 2, bareP99: 1, judged: true}, false},
		"slow tail":       {row{atLeast: 0.45}, result{ratio: 0.5, p99: 3, bareP99: 1, judged: true}, false},
		"times missed":    {row{atLeast: 15}, result{times: 14, judged: true}, false},
		"value missed":    {row{atMost: 60, unit: "MB"}, result{value: 61, judged: true}, false},
		"no target bound": {row{atLeast: 15}, result{times: 1}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			if got := printLine(&out, tc.row, tc.line); got != tc.want {
				t.Errorf("got %v, want %v: %s", got, tc.want, out.String())
			}
		})
	}
}

// TestBareServer starts the answer that ours is compared with.
func TestBareServer(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	t.Cleanup(cancel)
	out, writer := io.Pipe()
	reader := bufio.NewReader(out)
	go func() { _ = serveBare(strings.NewReader(`{"a":1}`), writer, constantAnswer) }()
	address, err := reader.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address = strings.TrimSpace(address)
	l := load{address: address, clients: 1, length: 20 * time.Millisecond, source: func(int) source {
		return checked{text: request("GET", "/", address, "", ""), want: `{"a":1}`, t: t}
	}}
	if s, err := l.run(ctx); err != nil || s.rate == 0 {
		t.Errorf("got %+v, %v; want answers", s, err)
	}
}

// checked compares every body.
type checked struct {
	text []byte
	want string
	t    *testing.T
}

func (c checked) next() []byte { return c.text }
func (c checked) seen(body []byte) error {
	if string(body) != c.want {
		c.t.Errorf("body: got %q, want %q", body, c.want)
	}
	return nil
}

func TestMergePage(t *testing.T) {
	t.Parallel()
	const head = "| what | met |\n|---|---|\n"
	old := "# Benchmarks\n\n- Go: go1\n- rows that match `b`: then\n\n" + head + "| a | yes |\n| b | no |\n"
	got := mergePage(old, head+"| b | yes |\n| c | yes |\n", "- rows that match `b`: now")
	want := "# Benchmarks\n\n- Go: go1\n- rows that match `b`: now\n\n" + head + "| a | yes |\n| b | yes |\n| c | yes |\n"
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// TestLostRows checks that a row is compared by its ratio where it has one, that a time
// is better when it is smaller, and that a tenth is allowed.
func TestLostRows(t *testing.T) {
	t.Parallel()
	const head = "| what | bare /s | ours /s | ratio | p50 |\n|---|--:|--:|--:|--:|\n"
	const old = "# Benchmarks\n\n" + head +
		"| ratio kept | 1000 | 500 | 0.50 | 1 ms |\n| ratio lost | 1000 | 500 | 0.50 | 1 ms |\n" +
		"| rate kept |  | 1000 |  | 1 ms |\n| rate lost |  | 1000 |  | 1 ms |\n" +
		"| time kept |  | 100 ms |  |  |\n| time lost |  | 100 ms |  |  |\n| gone |  | 5 |  |  |\n" +
		"| create, 8 clients, 7.8 rows a commit |  | 1000 | 2.7 times one client | 1 ms |\n"
	const table = head +
		"| ratio kept | 500 | 230 | 0.46 | 1 ms |\n| ratio lost | 2000 | 800 | 0.40 | 1 ms |\n" +
		"| rate kept |  | 950 |  | 1 ms |\n| rate lost |  | 850 |  | 1 ms |\n" +
		"| time kept |  | 109 ms |  |  |\n| time lost |  | 120 ms |  |  |\n| new |  | 5 |  |  |\n" +
		"| create, 8 clients, 6.1 rows a commit |  | 500 | 2.7 times one client | 1 ms |\n"
	want := []string{
		"ratio lost: 0.5 of bare before, 0.4 of bare now, 0.80 of it",
		"rate lost: 1000 a second before, 850 a second now, 0.85 of it",
		"time lost: 100 ms before, 120 ms now, 0.83 of it",
		"create, 8 clients: 1000 a second before, 500 a second now, 0.50 of it",
	}
	if got := lostRows(old, table); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
