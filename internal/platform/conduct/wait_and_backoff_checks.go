package conduct

import (
	"fmt"
	"time"
)

// told is a wait that a client was asked for.
type told struct {
	request Past
	wait    time.Duration
	times   int
}

// Waits is a check that clients wait as long as an answer asks. asked is how long it
// does; of whom and for what is the key, empty for requests that are not meant. The
// words say what asked, as in "Retry-After asked".
func Waits(
	words string, key func(*Request) string, asked func(*Request) (time.Duration, bool),
) func(*Breaches) Check {
	return func(b *Breaches) Check {
		var memory Memory[string, told]
		return Each(func(r *Request) {
			k := key(r)
			if k == "" {
				return
			}
			if before, ok := memory.Get(k); ok && r.Follows(before.request) {
				if r.Since(before.request) < before.wait-tolerance(before.wait) {
					b.Add(fmt.Sprintf("%s came %s after the answer before; %s %s",
						r.Line(), r.apart(before.request), words, seconds(before.wait)), before.request, r.Past())
				}
				memory.Delete(k)
			}
			if wait, ok := asked(r); ok && wait > 0 {
				memory.Put(k, told{request: r.Past(), wait: wait})
			}
		})
	}
}

// tolerance is what a timer may be early, and a clock of another machine off.
func tolerance(wait time.Duration) time.Duration { return min(wait/10, time.Second) }

// seconds is a duration as text.
func seconds(d time.Duration) string {
	if d >= time.Second {
		return d.Round(time.Second).String()
	}
	return d.Round(time.Millisecond).String()
}

// ByOperation is the key of a client and an operation.
func ByOperation(r *Request) string { return r.Service + "\x00" + r.Who() + "\x00" + r.Operation }

// ByPlace is the key of a client and an address, for reading requests of these
// operations.
func ByPlace(operations ...string) func(*Request) string {
	meant := set(operations)
	return func(r *Request) string {
		if !meant[r.Operation] || r.Method != "GET" {
			return ""
		}
		return r.Place()
	}
}

func set(names []string) map[string]bool {
	m := map[string]bool{}
	for _, name := range names {
		m[name] = true
	}
	return m
}

// hammered is a row of failures.
type hammered struct {
	first, last Past
	count       int
}

// maxHammered is how many failures in a row a client may meet without slowing down.
const maxHammered = 4

// BacksOff is a check that clients slow down while the service fails: a row of
// failures of one operation less than a second apart is not slowing down. failed says
// which answers count.
func BacksOff(failed func(*Request) bool) func(*Breaches) Check {
	return func(b *Breaches) Check {
		var memory Memory[string, hammered]
		return Each(func(r *Request) {
			k := ByOperation(r)
			row, _ := memory.Get(k)
			switch {
			case !failed(r):
				memory.Delete(k)
				return
			case row.count == 0 || !r.Follows(row.last) || r.Since(row.last) >= time.Second:
				row = hammered{first: r.Past()}
			}
			row.count, row.last = row.count+1, r.Past()
			if row.count > maxHammered {
				b.Add(fmt.Sprintf("%s failed %d times in a row, each less than a second after the one before",
					r.Line(), row.count), row.first, row.last)
			}
			memory.Put(k, row)
		})
	}
}
