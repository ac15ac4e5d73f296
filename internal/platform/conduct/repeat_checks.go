package conduct

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// answered is an answer that a client has.
type answered struct {
	request Past
	tag     string
	wasted  int
}

// Conditional is a check that clients send If-None-Match once they have an ETag. It
// speaks when an answer was sent again although nothing had changed, from the nth time
// on. Operations are those that are meant; none means all.
func Conditional(nth int, operations ...string) func(*Breaches) Check {
	meant := set(operations)
	return func(b *Breaches) Check {
		var memory Memory[string, answered]
		return Each(func(r *Request) {
			if r.Method != "GET" || len(meant) > 0 && !meant[r.Operation] {
				return
			}
			tag := r.Answer("Etag")
			if r.Status != 200 || tag == "" {
				return
			}
			k := r.Place()
			before, ok := memory.Get(k)
			now := answered{request: r.Past(), tag: tag}
			if ok && before.tag == tag && r.Follows(before.request) && !conditional(r) {
				now.wasted = before.wasted + 1
				if now.wasted >= nth {
					b.Add(fmt.Sprintf("%s was answered whole again although nothing had changed; "+
						"If-None-Match would have made it 304", r.Line()), before.request, now.request)
				}
			}
			memory.Put(k, now)
		})
	}
}

func conditional(r *Request) bool {
	return r.Header("If-None-Match") != "" || r.Header("If-Modified-Since") != ""
}

// Fresh is a check that clients keep an answer as long as its Cache-Control says.
func Fresh(nth int) func(*Breaches) Check {
	return func(b *Breaches) Check {
		var memory Memory[string, told]
		return Each(func(r *Request) {
			if r.Method != "GET" {
				return
			}
			k := r.Place()
			before, ok := memory.Get(k)
			if ok && r.Follows(before.request) && r.Since(before.request) < before.wait && !conditional(r) {
				before.times++
				if before.times >= nth {
					b.Add(fmt.Sprintf("%s was asked %s after an answer that may be kept for %s",
						r.Line(), r.apart(before.request), seconds(before.wait)), before.request, r.Past())
				}
				memory.Put(k, before)
				return
			}
			if age := maxAge(r.Answer("Cache-Control")); r.Status == 200 && age > 0 {
				memory.Put(k, told{request: r.Past(), wait: age})
			}
		})
	}
}

// maxAge is how long an answer may be kept.
func maxAge(control string) time.Duration {
	for word := range strings.SplitSeq(control, ",") {
		if text, ok := strings.CutPrefix(strings.TrimSpace(word), "max-age="); ok {
			if n, err := strconv.Atoi(text); err == nil {
				return time.Duration(n) * time.Second
			}
		}
	}
	return 0
}

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

// Versioned is a check that clients which replace a resource say which version they
// have read. It speaks when the resource was written in between: another client's change was
// lost, or might have been.
func Versioned(operations ...string) func(*Breaches) Check {
	meant := set(operations)
	return func(b *Breaches) Check {
		var written Memory[string, same] // by address: who wrote last
		return Each(func(r *Request) {
			if r.Method == "GET" || !r.OK() {
				return
			}
			k := r.Raw().Target()
			before, ok := written.Get(k)
			if ok && meant[r.Operation] && before.digest != r.Credential() && r.Follows(before.request) &&
				r.Header("If-Match") == "" {
				b.Add(fmt.Sprintf("%s replaced what another client had changed, without If-Match", r.Line()),
					before.request, r.Past())
			}
			written.Put(k, same{r.Credential(), r.Past()})
		})
	}
}
