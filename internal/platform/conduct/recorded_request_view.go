package conduct

import (
	"encoding/json"
	"hash/maphash"
	"net/url"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/wire"
)

// Request is a record as checks see it. It is reused for the next record: a check
// keeps a Past instead.
type Request struct {
	*journal.Record

	raw          journal.Raw
	seed         maphash.Seed
	params, form url.Values
	body, answer any
	// read says what of the fields above was read already.
	read struct{ params, form, body, answer, who bool }
	who  string
}

// Past is what is remembered of a request.
type Past struct {
	number uint64
	at     time.Time
	began  time.Duration
}

// Known reports whether it is that of a request.
func (p Past) Known() bool { return p.number != 0 }

// Number orders requests.
func (p Past) Number() uint64 { return p.number }

// At is the world's time of the request, after what a fault held back.
func (p Past) At() time.Time { return p.at }

func (r *Request) reset(record *journal.Record) {
	seed := r.seed
	if r.Record == nil {
		seed = maphash.MakeSeed()
	}
	*r = Request{Record: record, raw: record.Raw(), seed: seed}
}

// Past is what a check may keep. What a fault held back is no time that the client
// waited: it had no answer yet.
func (r *Request) Past() Past {
	return Past{number: r.Number(), at: r.At.Add(r.Delay.World), began: r.Began() + r.Delay.Machine}
}

// Follows reports whether the answer to an earlier request was there when this one
// came.
func (r *Request) Follows(p Past) bool { return p.Known() && r.After() >= p.number }

// Since is how long the client waited after an earlier request: on the world's clock
// or on the machine's, whichever is longer.
func (r *Request) Since(p Past) time.Duration { return max(r.At.Sub(p.at), r.Began()-p.began) }

// apart is the time since an earlier request as text: the world's alone, which is
// the same each time the same client meets the same world.
func (r *Request) apart(p Past) string { return seconds(r.At.Sub(p.at)) }

// Raw is the request with its secrets.
func (r *Request) Raw() journal.Raw { return r.raw }

// OK reports whether the answer is a success.
func (r *Request) OK() bool { return r.Status >= 200 && r.Status < 300 }

// Lost reports whether the client cannot know what became of its request: the server
// failed, or the connection ended early.
func (r *Request) Lost() bool {
	switch f := r.Fault(); {
	case f == "cut", f == "reset":
		return true
	}
	return r.Status == 500 || r.Status == 502 || r.Status == 504 || r.Status == 550 || r.Status == 554
}

// Header is a header of the request, Answer one of the answer, by canonical name.
func (r *Request) Header(name string) string { return r.raw.Header(name) }

// Answer is a header of the answer.
func (r *Request) Answer(name string) string { return r.raw.AnswerHeader(name) }

// Param is a parameter of the query.
func (r *Request) Param(name string) string {
	if !r.read.params {
		r.read.params = true
		// What does not read is what the service did not read either.
		r.params, _ = url.ParseQuery(r.raw.Query())
	}
	return r.params.Get(name)
}

// Form is a member of a form in the body; empty where the body was not kept whole.
func (r *Request) Form(name string) string {
	if !r.read.form {
		r.read.form = true
		if !r.RequestCut {
			r.form, _ = url.ParseQuery(r.raw.Body())
		}
	}
	return r.form.Get(name)
}

// Body is the value at a JSON pointer of the request's body, nil where there is none.
func (r *Request) Body(pointer string) any {
	if !r.read.body {
		r.read.body = true
		if !r.RequestCut {
			r.body = decode(r.raw.Body())
		}
	}
	value, _ := wire.Lookup(r.body, pointer)
	return value
}

// AnswerBody is the value at a JSON pointer of the answer's body.
func (r *Request) AnswerBody(pointer string) any {
	if !r.read.answer {
		r.read.answer = true
		if !r.ResponseCut {
			r.answer = decode(r.raw.AnswerBody())
		}
	}
	value, _ := wire.Lookup(r.answer, pointer)
	return value
}

// AnswerText is a text of the answer's body.
func (r *Request) AnswerText(pointer string) string {
	text, _ := r.AnswerBody(pointer).(string)
	return text
}

// AnswerNumber is a number of the answer's body, zero where there is none.
func (r *Request) AnswerNumber(pointer string) float64 {
	n, _ := r.AnswerBody(pointer).(float64)
	return n
}

func decode(text string) (value any) {
	if json.Unmarshal([]byte(text), &value) != nil {
		return nil
	}
	return value
}

// Who tells one client from another: the caller that the service found, or else the
// credential that it refused.
func (r *Request) Who() string {
	if r.read.who {
		return r.who
	}
	r.read.who = true
	if r.who = r.Caller(); r.who == "" {
		r.who = r.Credential()
	}
	return r.who
}

// Credential stands for what the request presents; empty for none. It tells
// credentials apart and is none.
func (r *Request) Credential() string {
	if value := r.Header("Authorization"); value != "" {
		return r.digest(value)
	}
	for _, suffix := range []string{"-Api-Key", "-Token"} {
		if value := r.raw.HeaderEnding(suffix); value != "" {
			return r.digest(value)
		}
	}
	for _, name := range queryCredentials() {
		if strings.Contains(r.raw.Query(), name+"=") && r.Param(name) != "" {
			return r.digest(r.Param(name))
		}
	}
	return ""
}

// queryCredentials are parameters that are tokens or keys.
func queryCredentials() []string {
	return []string{"access_token", "oauth_token", "api_key", "application_key", "pipeline-token", "key"}
}

// Digest stands for a text within this report: equal texts have equal digests.
func (r *Request) Digest(texts ...string) string { return r.digest(texts...) }

func (r *Request) digest(texts ...string) string {
	var h maphash.Hash
	h.SetSeed(r.seed)
	for _, text := range texts {
		_, _ = h.WriteString(text) // it never fails
		_ = h.WriteByte(0)
	}
	return strconv.FormatUint(h.Sum64(), 36)
}

// Place is the client and the address: method, path and query.
func (r *Request) Place() string {
	return r.Service + "\x00" + r.Who() + "\x00" + r.Method + "\x00" + r.raw.Target() + "\x00" + r.raw.Query()
}

// Same is the whole request but for headers; false where the body was not kept whole.
func (r *Request) Same() (string, bool) {
	return r.digest(r.Place(), r.raw.Body()), !r.RequestCut
}

// RetryAfter is how long the answer asks to wait.
func (r *Request) RetryAfter() (time.Duration, bool) {
	text := r.Answer("Retry-After")
	if text == "" {
		return 0, false
	}
	if seconds, err := strconv.Atoi(text); err == nil && seconds >= 0 {
		return time.Duration(seconds) * time.Second, true
	}
	if at, err := time.Parse(time.RFC1123, text); err == nil {
		return max(0, at.Sub(r.At)), true
	}
	return 0, false
}

// Line is the request in a few words, without its query.
func (r *Request) Line() string { return r.Method + " " + r.Path() }
