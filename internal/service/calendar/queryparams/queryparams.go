package queryparams

import (
	"net/url"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/calendar/listing"
	"stoa.dev/stoa/internal/service/calendar/recurrence"
	"stoa.dev/stoa/internal/service/calendar/refusal"
	"stoa.dev/stoa/internal/service/calendar/timespan"
)

// Query reads the parameters of one request and keeps the first mistake.
type Query struct {
	r   *route.Request
	err error
}

// New reads those of a request.
func New(r *route.Request) *Query { return &Query{r: r} }

// Values are all parameters.
func (q *Query) Values() url.Values { return q.r.Query() }

// Err is the first mistake.
func (q *Query) Err() error { return q.err }

// Text is the parameter as it was sent.
func (q *Query) Text(name string) string { return q.r.Query().Get(name) }

// Fail keeps a mistake about a parameter.
func (q *Query) Fail(name, format string, args ...any) {
	q.Refuse(refusal.Invalid(name, format, args...))
}

// Refuse keeps a mistake unless there is one.
func (q *Query) Refuse(err error) {
	if q.err == nil {
		q.err = err
	}
}

// Flag reads true or false.
func (q *Query) Flag(name string) bool {
	value := q.Text(name)
	if value == "" {
		return false
	}
	b, err := strconv.ParseBool(value)
	if err != nil {
		q.Fail(name, "%s must be true or false", name)
	}
	return b
}

// Has reports whether the parameter was sent at all.
func (q *Query) Has(name string) bool { return q.r.Query().Has(name) }

// Number reads a count; more than most means most, as the public service has it.
func (q *Query) Number(name string, otherwise, limit int) int {
	value := q.Text(name)
	if value == "" {
		return otherwise
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 {
		q.Fail(name, "%s must be a number above 0", name)
		return otherwise
	}
	return min(n, limit)
}

// Moment reads an RFC 3339 time with its mandatory offset; fractions of a
// second are ignored.
func (q *Query) Moment(name string) time.Time {
	value := q.Text(name)
	if value == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, value)
	if err != nil {
		q.Fail(name, "%s must be an RFC 3339 time with an offset, as in 2026-01-02T03:04:05Z", name)
		return time.Time{}
	}
	return timespan.Earlier(t.UTC().Truncate(time.Second), timespan.Max())
}

// Zone reads the name of a time zone; nil when there is none.
func (q *Query) Zone(name string) *time.Location {
	value := q.Text(name)
	if value == "" {
		return nil
	}
	z, err := recurrence.Zone(value)
	if err != nil {
		q.Fail(name, "%s is not a known time zone", refusal.Clip(value))
	}
	return z
}

// The page sizes of every list but events.
const (
	DefaultPageSize = 100
	MaxPageSize     = 250
)

// Page reads the parameters that all lists have.
func (q *Query) Page(size, limit int) listing.Request {
	return listing.Request{
		Filters:   listing.Filters(q.Values()),
		PageToken: q.Text("pageToken"), SyncToken: q.Text("syncToken"),
		Size: q.Number("maxResults", size, limit),
	}
}
