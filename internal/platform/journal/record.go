package journal

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/journal/explain"
	"stoa.dev/stoa/internal/platform/wire"
)

// Entry is what is known of a request when it is done.
type Entry struct {
	At        time.Time     // of the world
	Duration  time.Duration // without what a fault held back
	Service   string
	Operation string // name in the route table
	Method    string
	// Path is as it is shown: the pattern where the path holds a secret. Target is
	// the path as sent, escaped; Query is as sent.
	Path, Target, Query string
	Status              int
	Reason              string
	Caller              string
	Host                string
	ByConsole, Page     bool // made by a page of the console; for such a page

	RequestHeader, ResponseHeader map[string][]string
	// Explain says more of a refused credential. It comes with each request: a journal outlives the services whose
	// requests it keeps, and must not keep them too.
	Explain explain.Headers
}

// part is one text of a record; all but the answer's body lie one after the other in
// Record.text.
type part int

const (
	names part = iota // service, operation and method, to be found by text
	path
	query
	target
	reason
	caller
	fault
	faultRule
	host
	requestID // where the header of the answer, which has it, is not kept
	requestHeader
	requestBody
	responseHeader
	parts
)

// Record is one request and its answer. It never changes.
type Record struct {
	// At is the world's time when the request came, Duration the machine's that the
	// service took until it was answered; Delay is what a fault added.
	At        time.Time
	Duration  time.Duration
	Delay     Delay
	Service   string
	Operation string
	Method    string
	Status    int
	// RequestCut and ResponseCut are true where a body was not kept whole.
	RequestCut, ResponseCut bool
	// ByConsole says that a page of the console made the request, and no client; Page that one was asked for.
	ByConsole, Page bool
	Limits          []Limit
	Caused          []Cause

	number uint64
	// after is the newest record that had ended when the request came, and began when
	// that was on the machine's clock, since the journal was made.
	after   uint64
	began   time.Duration
	decoded reflect.Type
	text    string
	ends    [parts]uint32
	// answer is the answer's body: records of the same answer share it.
	answer string
}

func (r *Record) size() int64 {
	return int64(len(r.text)+len(r.answer)) + 336 + 48*int64(len(r.Limits)+len(r.Caused))
}

func (r *Record) part(p part) string {
	begin := uint32(0)
	if p > 0 {
		begin = r.ends[p-1]
	}
	return r.text[begin:r.ends[p]]
}

// Number orders the records of a journal; ID is it as a text.
func (r *Record) Number() uint64 { return r.number }

// ID names the record.
func (r *Record) ID() string { return strconv.FormatUint(r.number, 10) }

// Path is the path without the prefix of the world; where it holds a secret, the
// pattern of the route.
func (r *Record) Path() string { return r.part(path) }

// Reason says why the request was refused; empty when it was not.
func (r *Record) Reason() string { return r.part(reason) }

// Caller is who asked, as the log has it; empty for an anonymous request.
func (r *Record) Caller() string { return r.part(caller) }

// idHeader holds the request's id in an answer.
const idHeader = "X-Request-Id"

// RequestID is the request's id as its answer has it.
func (r *Record) RequestID() string {
	if id := r.part(requestID); id != "" {
		return id
	}
	return Join(idHeader, r.header(responseHeader)[idHeader])
}

// Fault is the name of the fault that hit.
func (r *Record) Fault() string { return r.part(fault) }

// FaultRule is the id of the rule that the fault is of.
func (r *Record) FaultRule() string { return r.part(faultRule) }

// Unread are the members of the request's body that were not read, as JSON
// pointers; none where the body was not decoded, or not kept whole.
func (r *Record) Unread() []string {
	if r.decoded == nil || r.RequestCut {
		return nil
	}
	return wire.Unread(r.decoded, []byte(unpack(r.part(requestBody), r.header(requestHeader))))
}

func (r *Record) header(p part) map[string][]string {
	h := map[string][]string{}
	for rest := r.part(p); rest != ""; {
		var name, value string
		name, rest, _ = strings.Cut(rest, "\x00")
		value, rest, _ = strings.Cut(rest, "\x00")
		h[name] = append(h[name], value)
	}
	return h
}

// Names are the names of a header, sorted.
func Names(h map[string][]string) []string {
	return slices.SortedFunc(maps.Keys(h), cmp.Compare[string])
}

// Join is the values of a header in one text.
func Join(name string, values []string) string {
	if name == "Set-Cookie" {
		return strings.Join(values, "\n")
	}
	return strings.Join(values, ", ")
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
