package journal_test

import (
	"fmt"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/journal"
)

// answers are bodies that are asked for in turn, some of them as long as another.
func answers() []string {
	list := []string{"", "short"}
	for i := range 20 {
		list = append(list, strings.Repeat(fmt.Sprint(i%10), 600+i/2), strings.Repeat("x", 40_000)+fmt.Sprint(i))
	}
	return list
}

// TestSharedAnswers: each record has the body of its own answer, however many have the
// same one, and whether records were lost or numbers began again in between.
func TestSharedAnswers(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]journal.Options{"all kept": {}, "few kept": {MaxRecords: 3}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := full(o)
			for range 3 {
				for i, want := range answers() {
					for range 2 {
						if got := put(j, journal.Entry{}, "", want).ResponseBody(); got != want {
							t.Fatalf("answer %d has %d bytes, want %d", i, len(got), len(want))
						}
					}
					switch i {
					case 10:
						j.Reset()
					case 30:
						j.Clear()
					}
				}
			}
		})
	}
}

// TestSameAnswerIsNotCopied: to keep an answer again costs no memory of its size.
func TestSameAnswerIsNotCopied(t *testing.T) {
	j := full(journal.Options{})
	answer := []byte(strings.Repeat("x", 10_000))
	keep := func() {
		d := j.Begin(t.Context())
		d.AddResponse(answer)
		d.Finish(&journal.Entry{})
	}
	keep()
	result := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			keep()
		}
	})
	if size := result.AllocedBytesPerOp(); size >= int64(len(answer)) {
		t.Errorf("%d bytes are allocated for an answer that was kept before", size)
	}
}

func TestFindInPackedRequest(t *testing.T) {
	t.Parallel()
	j := full(journal.Options{})
	h := map[string][]string{"Content-Encoding": {"gzip"}, "Content-Type": {"application/json"}}
	put(j, journal.Entry{RequestHeader: h}, gzipped(t, `{"title":"water the plants"}`), "")
	if found, _ := j.Find(&journal.Filter{Text: "the plants"}, 0, 10); len(found) != 1 {
		t.Errorf("%d found, want 1", len(found))
	}
}
