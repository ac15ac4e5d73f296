package journal

import (
	"strings"
	"time"
)

// Raw is a record with its secrets, for rules about clients: whether two requests
// bear the same credential is seen only there. What a rule says must not repeat one.
type Raw struct{ record *Record }

// Raw is the record as it was sent and answered.
func (r *Record) Raw() Raw { return Raw{r} }

// After is the number of the newest record that had ended when the request came: its
// client could know the answers up to that one.
func (r *Record) After() uint64 { return r.after }

// Began is when the request came on the machine's clock, since the journal was made.
// It tells how long a client waited in a world whose own clock stands.
func (r *Record) Began() time.Duration { return r.began }

// Target is the path as it was sent, escaped.
func (w Raw) Target() string { return w.record.part(target) }

// Query is the query as it was sent.
func (w Raw) Query() string { return w.record.part(query) }

// Header is the first value of a header of the request, by its canonical name.
func (w Raw) Header(name string) string {
	return w.record.find(requestHeader, func(n string) bool { return n == name })
}

// HeaderEnding is the first value of a header of the request whose name ends so: its
// beginning depends on the world's dialect.
func (w Raw) HeaderEnding(suffix string) string {
	return w.record.find(requestHeader, func(n string) bool { return strings.HasSuffix(n, suffix) })
}

// AnswerHeader is the first value of a header of the answer, by its canonical name.
func (w Raw) AnswerHeader(name string) string {
	return w.record.find(responseHeader, func(n string) bool { return n == name })
}

// AnswerHeaderEnding is the first value of a header of the answer whose name ends so.
func (w Raw) AnswerHeaderEnding(suffix string) string {
	return w.record.find(responseHeader, func(n string) bool { return strings.HasSuffix(n, suffix) })
}

// Body is the request's body, unpacked.
func (w Raw) Body() string {
	return unpackAs(w.record.part(requestBody), w.Header("Content-Encoding"))
}

// AnswerBody is the answer's body, unpacked.
func (w Raw) AnswerBody() string {
	return unpackAs(w.record.answer, w.AnswerHeader("Content-Encoding"))
}

func unpackAs(body, encoding string) string {
	return unpack(body, map[string][]string{"Content-Encoding": {encoding}})
}

// find is the first value of a header whose name fits.
func (r *Record) find(p part, fits func(string) bool) string {
	for rest := r.part(p); rest != ""; {
		var name, value string
		name, rest, _ = strings.Cut(rest, "\x00")
		value, rest, _ = strings.Cut(rest, "\x00")
		if fits(name) {
			return value
		}
	}
	return ""
}

// Sent is a request as it was sent, with its secrets.
type Sent struct {
	Method, Host, Target, Query string
	Header                      map[string][]string
	Body                        string
}

// Sent is what it takes to send the request again; false where it was not kept
// whole.
func (r *Record) Sent() (Sent, bool) {
	whole := !r.RequestCut && r.part(target) != "" && len(r.part(target)) < maxTarget && len(r.part(query)) < maxTarget
	return Sent{
		Method: r.Method, Host: r.part(host), Target: r.part(target), Query: r.part(query),
		Header: r.header(requestHeader), Body: r.part(requestBody),
	}, whole
}
