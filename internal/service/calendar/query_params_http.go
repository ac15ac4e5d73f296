package calendar

import (
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/calendar/listing"
	"stoa.dev/stoa/internal/service/calendar/reason"
	"stoa.dev/stoa/internal/service/calendar/recurrence"
)

// query reads the parameters of one request and keeps the first mistake.
type query struct {
	r   *route.Request
	err error
}

func (q *query) text(name string) string { return q.r.Query().Get(name) }

func (q *query) fail(name, format string, args ...any) {
	if q.err == nil {
		q.err = errInvalidField(name, format, args...)
	}
}

func (q *query) flag(name string) bool {
	value := q.text(name)
	if value == "" {
		return false
	}
	b, err := strconv.ParseBool(value)
	if err != nil {
		q.fail(name, "%s must be true or false", name)
	}
	return b
}

// has reports whether the parameter was sent at all.
func (q *query) has(name string) bool { return q.r.Query().Has(name) }

// number reads a count; more than most means most, as the public service has it.
func (q *query) number(name string, otherwise, limit int) int {
	value := q.text(name)
	if value == "" {
		return otherwise
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 {
		q.fail(name, "%s must be a number above 0", name)
		return otherwise
	}
	return min(n, limit)
}

// moment reads an RFC 3339 time with its mandatory offset; fractions of a
// second are ignored.
func (q *query) moment(name string) time.Time {
	value := q.text(name)
	if value == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, value)
	if err != nil {
		q.fail(name, "%s must be an RFC 3339 time with an offset, as in 2026-01-02T03:04:05Z", name)
		return time.Time{}
	}
	return earlier(t.UTC().Truncate(time.Second), maxTime())
}

// zone reads the name of a time zone; nil when there is none.
func (q *query) zone(name string) *time.Location {
	value := q.text(name)
	if value == "" {
		return nil
	}
	z, err := recurrence.Zone(value)
	if err != nil {
		q.fail(name, "%s is not a known time zone", reason.Clip(value))
	}
	return z
}

// The page sizes of every list but events.
const (
	defaultPageSize = 100
	maxPageSize     = 250
)

// readPageRequest reads the parameters that all lists have.
func readPageRequest(q *query, size, limit int) listing.Request {
	return listing.Request{
		Filters:   listing.Filters(q.r.Query()),
		PageToken: q.text("pageToken"), SyncToken: q.text("syncToken"),
		Size: q.number("maxResults", size, limit),
	}
}
