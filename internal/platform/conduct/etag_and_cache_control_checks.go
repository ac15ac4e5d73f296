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
