package conduct

import (
	"fmt"
	"time"
)

// RepeatsSafely is a check that a write whose fate is unknown is not sent again as it
// was: it may be done twice. safe, which may be nil, says which repeats do no harm.
func RepeatsSafely(safe func(*Request) bool, operations ...string) func(*Breaches) Check {
	meant := set(operations)
	return func(b *Breaches) Check {
		var lost Memory[string, Past]
		return Each(func(r *Request) {
			if !meant[r.Operation] || safe != nil && safe(r) {
				return
			}
			k, whole := r.Same()
			if !whole {
				return
			}
			if before, ok := lost.Get(k); ok && r.Follows(before) && r.Since(before) < repeatSpan {
				b.Add(fmt.Sprintf("%s was sent again unchanged after its first answer was lost", r.Line()),
					before, r.Past())
				lost.Delete(k)
			}
			if r.Lost() {
				lost.Put(k, r.Past())
			}
		})
	}
}

// HasHeader says which requests have a header.
func HasHeader(name string) func(*Request) bool {
	return func(r *Request) bool { return r.Header(name) != "" }
}

// repeatSpan is how long after a failure an equal request is still a repeat of it.
const repeatSpan = 10 * time.Minute

// Refused is a check that a request is not sent again as it was after it was refused
// for what it is. refused says which answers are meant.
func Refused(words string, refused func(*Request) bool) func(*Breaches) Check {
	return func(b *Breaches) Check {
		var last Memory[string, same] // by client and operation
		return Each(func(r *Request) {
			k := ByOperation(r)
			if !refused(r) {
				last.Delete(k)
				return
			}
			digest, whole := r.Same()
			if !whole {
				return
			}
			before, ok := last.Get(k)
			if ok && before.digest == digest && r.Follows(before.request) && r.Since(before.request) < repeatSpan {
				b.Add(fmt.Sprintf("%s was sent again unchanged after it %s", r.Line(), words),
					before.request, r.Past())
			}
			last.Put(k, same{digest, r.Past()})
		})
	}
}

type same struct {
	digest  string
	request Past
}

// Often is a check that an operation is not called one by one more than a number of
// times within a span. The key says what belongs together, empty what is not meant.
func Often(
	limit int, span time.Duration, key func(*Request) string, words string,
) func(*Breaches) Check {
	return func(b *Breaches) Check {
		var memory Memory[string, hammered]
		return Each(func(r *Request) {
			k := key(r)
			if k == "" {
				return
			}
			row, _ := memory.Get(k)
			if row.count == 0 || r.Since(row.first) > span {
				row = hammered{first: r.Past()}
			}
			row.count, row.last = row.count+1, r.Past()
			if row.count == limit+1 {
				b.Add(fmt.Sprintf("%s was called more than %d times within %s; %s",
					r.Line(), limit, seconds(span), words), row.first, row.last)
			}
			memory.Put(k, row)
		})
	}
}

// Once is a check that a secret is used once: a code or a refresh token. secret is
// what the request presents, empty where it is not meant; what was answered with a
// success is used.
func Once(words string, secret func(*Request) string) func(*Breaches) Check {
	return func(b *Breaches) Check {
		var used Memory[string, Past]
		return Each(func(r *Request) {
			text := secret(r)
			if text == "" {
				return
			}
			k := r.Digest(text)
			if before, ok := used.Get(k); ok && r.Follows(before) {
				b.Add(fmt.Sprintf("%s presented %s that was used before", r.Line(), words), before, r.Past())
				return
			}
			if r.OK() && !r.Lost() {
				used.Put(k, r.Past())
			}
		})
	}
}
