package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/test/bench/drive"
)

// samplePage has one peer that was measured and one that was not fetched.
func samplePage() page {
	return page{
		machine: machine{
			date: "2026-01-02", processor: "A processor", cores: 2, system: "linux/amd64", golang: "go1",
			before: "9.5", after: "0.1",
		},
		rounds: 3, warm: time.Second, length: 2 * time.Second,
		all: []found{
			{
				peer: peer{
					name: "Peer", pin: pin{name: "peer", version: "v1.2.3"}, durable: "nothing",
					differs: []string{"It is one.", "Stoa is not."},
				},
				outcomes: []outcome{
					{
						ask:    ask{what: "read", clients: 16, theirs: "GET record", ours: "GET task"},
						theirs: drive.Sample{Rate: 1000, P50: 2e6, P99: 150e6, CPU: 90e3},
						ours:   drive.Sample{Rate: 2500, P50: 1e6, P99: 5e6, CPU: 30e3},
					},
					{
						ask:    ask{what: "Status", clients: 16, theirs: "Status", ours: "Status"},
						theirs: drive.Sample{Rate: 100}, ours: drive.Sample{Rate: 2500},
					},
				},
				theirs: life{start: 1500 * time.Millisecond, rest: 80, after: 120.4},
				ours:   life{start: 90 * time.Millisecond, rest: 44, after: 60},
			},
			{peer: peer{name: "Refused", pin: pin{name: "refused", version: "4.5.6"}}},
		},
	}
}

func TestPage(t *testing.T) {
	t.Parallel()
	text := string(samplePage().text())
	for _, want := range []string{
		"| Peer | read: GET record and GET task | 16 | 1000 | 2500 | 2.50 " +
			"| 2.00 ms | 1.00 ms | 150 ms | 5.00 ms | 90 µs | 30 µs |\n",
		"| Peer | Status | 16 | 100 | 2500 | 25 |",
		"| Peer 1.2.3 | 1500 ms | 90.00 ms | 80 MB | 44 MB | 120 MB | 60 MB |\n",
		"| Peer 1.2.3 | nothing |\n",
		"- **Peer**: It is one. Stoa is not.\n",
		"Could not be fetched on this machine: Refused 4.5.6.\n",
		"9.5 before the run, 0.1 after it; the machine was busy",
		"- rounds: 3 of 2s, each after 1s of warm-up",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
	for line := range strings.Lines(text) {
		if len(line) > 121 && !strings.HasPrefix(line, "|") {
			t.Errorf("a line of %d columns: %s", len(line), line)
		}
	}
}

// TestPeersAreWhole checks the table: each peer has a pinned version, something
// to ask, and words about durability and differences.
func TestPeersAreWhole(t *testing.T) {
	t.Parallel()
	for _, p := range peers() {
		if p.name == "" || p.durable == "" || len(p.differs) < 2 || p.servers == nil || p.asks == nil {
			t.Errorf("%s is not whole: %+v", p.name, p)
		}
		if p.pin.from == "" || p.pin.version == "" || strings.ContainsAny(p.pin.version, "^~* ") {
			t.Errorf("%s: got %+v, want one pinned version", p.name, p.pin)
		}
	}
	module, err := os.ReadFile(filepath.Join("..", "..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pins() {
		linked := strings.Contains(string(module), "\t"+p.from+" "+p.version+"\n")
		if want := p.from == kmsLibrary; linked != want {
			t.Errorf("%s %s in go.mod: got %v, want %v", p.from, p.version, linked, want)
		}
	}
}

// TestCompareInTurn checks that both are asked equally often, in turn, and that a
// failure says whose it is.
func TestCompareInTurn(t *testing.T) {
	t.Parallel()
	var asked strings.Builder
	rates := map[string][]float64{"p": {1, 9, 5}, "s": {20, 10, 30}}
	side := func(name string) measure {
		return func(context.Context) (drive.Sample, error) {
			asked.WriteString(name)
			rate := rates[name][0]
			rates[name] = rates[name][1:]
			return drive.Sample{Rate: rate}, nil
		}
	}
	a := ask{askTheirs: side("p"), askOurs: side("s")}
	o, err := a.compare(t.Context(), 3)
	if err != nil || o.theirs.Rate != 5 || o.ours.Rate != 20 || asked.String() != "psspps" {
		t.Errorf("got %+v, %v in the order %s; want the medians 5 and 20 in the order psspps", o, err, asked.String())
	}
	a.askTheirs = func(context.Context) (drive.Sample, error) { return drive.Sample{}, errors.New("status 500") }
	if _, err := a.compare(t.Context(), 1); err == nil || err.Error() != "peer: status 500" {
		t.Errorf("got %v, want the peer's error", err)
	}
}

// TestFetched checks that a folder appears whole or not at all, and is not
// fetched twice.
func TestFetched(t *testing.T) {
	t.Parallel()
	r := &run{cache: t.TempDir()}
	p := pin{name: "peer", version: "1.0.0"}
	if _, err := r.fetched(p, func(string) error { return errors.New("refused") }); err == nil {
		t.Error("got no error, want that of the registry")
	}
	times := 0
	for range 2 {
		folder, err := r.fetched(p, func(folder string) error {
			times++
			return os.WriteFile(filepath.Join(folder, "program"), nil, 0o600)
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(folder, "program")); err != nil {
			t.Error(err)
		}
	}
	if times != 1 {
		t.Errorf("fetched %d times, want once", times)
	}
}

func TestChanged(t *testing.T) {
	t.Parallel()
	made := 0
	c := &changed{every: 3, request: func() []byte { made++; return []byte{byte('a' + made)} }}
	var sent []byte
	for range 7 {
		sent = append(sent, c.Next()...)
	}
	if string(sent) != "bbbcccd" {
		t.Errorf("got %s, want another request after each three", sent)
	}
}
