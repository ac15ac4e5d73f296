package journal_test

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/journal/statusclass"
)

func filled(b *testing.B, n int) *journal.Journal {
	b.Helper()
	j := full(journal.Options{MaxRecords: n, MaxBytes: 1 << 30})
	h := map[string][]string{
		"Authorization": {"Bearer 0123456789abcdef"}, "User-Agent": {"client/1.0 (somewhere)"}, "Accept": {"*/*"},
		"Content-Type": {"application/json"}, "X-Request-Id": {"0123456789abcdef0123456789abcdef"},
	}
	body := `{"title":"` + strings.Repeat("x", 200) + `"}`
	for i := range n {
		put(j, journal.Entry{
			At: day(1), Service: "things", Operation: "things.list", Method: "GET", Path: fmt.Sprint("/things/", i),
			Status: 200, Caller: "user ada", RequestHeader: h, ResponseHeader: h,
		}, body, body)
	}
	return j
}

// BenchmarkFind searches 100,000 records for what none has.
func BenchmarkFind(b *testing.B) {
	j := filled(b, 100_000)
	none, _ := statusclass.Parse("404")
	for name, f := range map[string]journal.Filter{
		"status": {Status: none}, "path": {Path: "/**/none/*"}, "text": {Text: "not in any of them"},
		"caller": {Caller: "bob"},
	} {
		b.Run(name, func(b *testing.B) {
			begin := processorTime(b)
			for b.Loop() {
				if found, _ := j.Find(&f, 0, 100); len(found) != 0 {
					b.Fatal("found some")
				}
			}
			// What counts on a machine that does other things too.
			b.ReportMetric(float64((processorTime(b)-begin).Milliseconds())/float64(b.N), "cpu-ms/op")
		})
	}
}

func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkKeep is what keeping a request costs.
func BenchmarkKeep(b *testing.B) {
	j := full(journal.Options{})
	h := map[string][]string{
		"Authorization": {"Bearer 0123456789abcdef"}, "User-Agent": {"client/1.0 (somewhere)"}, "Accept": {"*/*"},
		"Content-Type": {"application/json"}, "X-Request-Id": {"0123456789abcdef0123456789abcdef"},
	}
	body := []byte(`{"title":"` + strings.Repeat("x", 200) + `"}`)
	e := journal.Entry{
		At: day(1), Service: "things", Operation: "things.list", Method: "GET", Path: "/things/1", Target: "/things/1",
		Status: 200, Caller: "user ada", RequestHeader: h, ResponseHeader: h,
	}
	b.ReportAllocs()
	for b.Loop() {
		d := j.Begin(context.Background())
		d.AddRequest(body)
		d.AddResponse(body)
		d.Finish(&e)
	}
}
