package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/test/bench/drive"
)

func TestVerdicts(t *testing.T) {
	t.Parallel()
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
	l := drive.Load{Address: address, Clients: 1, Length: 20 * time.Millisecond, Source: func(int) drive.Source {
		return checked{text: drive.Request("GET", "/", address, "", ""), want: `{"a":1}`, t: t}
	}}
	if s, err := l.Run(ctx); err != nil || s.Rate == 0 {
		t.Errorf("got %+v, %v; want answers", s, err)
	}
}

// checked compares every body.
type checked struct {
	text []byte
	want string
	t    *testing.T
}

func (c checked) Next() []byte { return c.text }
func (c checked) Seen(body []byte) error {
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
