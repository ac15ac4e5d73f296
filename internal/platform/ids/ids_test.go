package ids_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/ids"
)

func TestShapes(t *testing.T) {
	t.Parallel()
	s := ids.Random()
	for _, row := range []struct{ name, got, want string }{
		{"hex even", s.Hex(40), `^[0-9a-f]{40}$`},
		{"hex odd", s.Hex(7), `^[0-9a-f]{7}$`},
		{"uuid", s.UUID(), `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`},
		{"token", s.Token(), `^[A-Za-z0-9_-]{43}$`},
		{"text", s.Text("BCDF", 9), `^[BCDF]{9}$`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if !regexp.MustCompile(row.want).MatchString(row.got) {
				t.Errorf("got %q, want a match of %s", row.got, row.want)
			}
		})
	}
}

func TestSeededRepeats(t *testing.T) {
	t.Parallel()
	draw := func(seed uint64) string {
		s := ids.Seeded(seed)
		return s.Hex(32) + s.UUID() + s.Token() + s.Text("abc", 20)
	}
	if a, b := draw(7), draw(7); a != b {
		t.Errorf("the same seed gave %q and %q", a, b)
	}
	if a, b := draw(7), draw(8); a == b {
		t.Errorf("two seeds gave the same %q", a)
	}
}

func TestTextIsEven(t *testing.T) {
	t.Parallel()
	const draws, letters = 60_000, "abcdefg"
	text := ids.Seeded(1).Text(letters, draws)
	want := draws / len(letters)
	for _, letter := range letters {
		got := strings.Count(text, string(letter))
		if got < want*95/100 || got > want*105/100 {
			t.Errorf("%c appeared %d times, want about %d", letter, got, want)
		}
	}
}

func TestNumbersStayInRange(t *testing.T) {
	t.Parallel()
	s := ids.Seeded(3)
	for range 10_000 {
		if n := s.Int64N(13); n < 0 || n > 12 {
			t.Fatalf("Int64N(13) = %d", n)
		}
		if f := s.Float64(); f < 0 || f >= 1 {
			t.Fatalf("Float64 = %v", f)
		}
	}
}

func TestConcurrentUseNeverRepeats(t *testing.T) {
	t.Parallel()
	s := ids.Random()
	var (
		mu   sync.Mutex
		seen = map[string]bool{}
		wg   sync.WaitGroup
	)
	for range 8 {
		wg.Go(func() {
			for range 500 {
				id := s.Hex(32)
				mu.Lock()
				if seen[id] {
					t.Errorf("%s was made twice", id)
				}
				seen[id] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}

func TestStampGrows(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	last := ids.Stamp(start)
	if last != "019cb73d3218" {
		t.Errorf("Stamp(%s) = %s, want 019cb73d3218", start, last)
	}
	for _, later := range []time.Duration{time.Millisecond, time.Second, time.Hour, 20 * 365 * 24 * time.Hour} {
		got := ids.Stamp(start.Add(later))
		if len(got) != 12 || got <= last {
			t.Errorf("after %s the stamp is %s, want twelve characters above %s", later, got, last)
		}
		last = got
	}
}

// TestBlocks checks that no byte is given twice and that the length of a read
// does not change the sequence, across the ends of blocks.
func TestBlocks(t *testing.T) {
	t.Parallel()
	whole := make([]byte, 5000)
	if n, err := ids.Seeded(9).Read(whole); n != len(whole) || err != nil {
		t.Fatal(n, err)
	}
	parts := ids.Seeded(9)
	for at := 0; at < len(whole); {
		part := make([]byte, min(1+at%97, len(whole)-at))
		if _, err := parts.Read(part); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(part, whole[at:at+len(part)]) {
			t.Fatalf("bytes %d to %d differ", at, at+len(part))
		}
		at += len(part)
	}
	if text := ids.Seeded(4).Hex(129); len(text) != 129 || text[:64] == text[64:128] {
		t.Errorf("a long text: %q", text)
	}
}

func TestSeededAt(t *testing.T) {
	t.Parallel()
	s := ids.Seeded(5)
	s.Hex(2345)
	again := ids.SeededAt(5, s.Drawn())
	if a, b := s.Token(), again.Token(); a != b {
		t.Errorf("went on with %q, want %q", b, a)
	}
}

func TestJitter(t *testing.T) {
	t.Parallel()
	s, again := ids.Seeded(6), ids.Seeded(6)
	again.Token()
	if a, b := s.Jitter("one"), again.Jitter("one"); a != b {
		t.Errorf("%v and %v, want the same whatever was drawn", a, b)
	}
	if s.Drawn() != 0 {
		t.Errorf("%d bytes are drawn, want none", s.Drawn())
	}
	seen := map[float64]bool{}
	for i := range 100 {
		for _, from := range []*ids.Source{s, ids.Random()} {
			j := from.Jitter(fmt.Sprint(i))
			if j < 0 || j >= 1 || seen[j] {
				t.Errorf("%v is drawn twice or out of range", j)
			}
			seen[j] = true
		}
	}
	if s.Jitter("1") == ids.Seeded(7).Jitter("1") {
		t.Error("two seeds have the same")
	}
}
