package faultrule

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/spelling"
)

// Bounds of a rule.
const (
	maxRules   = 1000
	maxPattern = 1024
	maxMembers = 32
	maxBody    = 1 << 20
	maxDelay   = 400 * 24 * time.Hour
	maxCopies  = 100
)

// Error is why a rule is refused.
type Error struct {
	// Member is the part of the rule that is wrong, such as "when.share".
	Member  string
	Message string
	// Next is what to do about it.
	Next string
	// Full means that there are too many rules already.
	Full bool
}

// Error names the member.
func (e *Error) Error() string { return e.Member + " " + e.Message }

func refuse(member, next, format string, args ...any) *Error {
	return &Error{Member: member, Message: fmt.Sprintf(format, args...), Next: next}
}

// check refuses what could never happen, by the names in the catalogue.
func (r Rule) check(c *Catalogue) error {
	if err := r.Match.check(c); err != nil {
		return err
	}
	if err := r.When.check(); err != nil {
		return err
	}
	return r.Deed.check(r.Match, c)
}

func (m Match) check(c *Catalogue) error {
	if m.Service != Deliveries && m.Service != Jobs {
		if err := c.CheckNames("match.", m.Service, m.Operation, Deliveries, Jobs); err != nil {
			return err
		}
	}
	if m.Service == Jobs {
		if err := c.checkJobKind(m.Operation); err != nil {
			return err
		}
	}
	if m.Method != strings.ToUpper(m.Method) {
		return refuse("match.method", "write it in capitals, such as POST", "%q is not a method", m.Method)
	}
	if m.Path != "" && m.Path[0] != '/' && m.Path[0] != '*' {
		return refuse("match.path", "begin with a slash: * stands for a segment, ** for several",
			"%q is not a path", m.Path)
	}
	for name, text := range map[string]string{"path": m.Path, "caller": m.Caller} {
		if len(text) > maxPattern {
			return refuse("match."+name, fmt.Sprintf("use at most %d characters", maxPattern), "is too long")
		}
	}
	return m.checkParts()
}

// CheckNames refuses a service and an operation that do not exist; either may be empty.
// The members that are refused have the prefix, and more are the names that are allowed
// in place of a service's.
func (c *Catalogue) CheckNames(prefix, service, operation string, more ...string) error {
	if service != "" && !c.has(service) {
		return refuse(prefix+"service", "use one of "+strings.Join(append(c.Services(), more...), ", "),
			"%q is not known", service)
	}
	if operation != "" && !c.hasOperation(service, operation) {
		return refuse(prefix+"operation", "docs/openapi has the names of the operations; "+c.near(service, operation),
			"%q is not an operation of %s", operation, orAny(service))
	}
	return nil
}

func (m Match) checkParts() error {
	if len(m.Header) > maxMembers || len(m.Body) > maxMembers {
		return refuse("match", fmt.Sprintf("name at most %d headers and members", maxMembers), "is too long")
	}
	if m.Service == Jobs && (m.Method != "" || m.Path != "" || m.Caller != "" || m.Header != nil) {
		return refuse("match", "use operation, which is the kind of a job, and body", "has parts that jobs do not have")
	}
	for name, pattern := range m.Header {
		if name == "" || len(pattern) > maxPattern {
			return refuse("match.header", "name a header and a pattern in which * stands for any text",
				"%q has no name or is too long", name)
		}
	}
	for pointer, value := range m.Body {
		if pointer != "" && pointer[0] != '/' {
			return refuse("match.body", `begin with a slash, such as "/contents/0/role"`, "%q is not a JSON pointer", pointer)
		}
		if !json.Valid(value) {
			return refuse("match.body", "give any JSON value", "the value of %q does not read", pointer)
		}
	}
	return nil
}

func (w When) check() error {
	for _, n := range [...]struct {
		member string
		value  *int64
		least  int64
	}{{"nth", w.Nth, 1}, {"every", w.Every, 1}, {"first", w.First, 1}, {"after", w.After, 0}} {
		if n.value != nil && *n.value < n.least {
			return refuse("when."+n.member, fmt.Sprintf("use a number from %d", n.least), "must not be %d", *n.value)
		}
	}
	if w.Share != nil && !(*w.Share >= 0 && *w.Share <= 1) {
		return refuse("when.share", "use a number from 0 to 1", "must not be %v", *w.Share)
	}
	if w.From != nil && w.Until != nil && !w.From.Before(*w.Until) {
		return refuse("when.until", "use a time after when.from", "is not after when.from")
	}
	return nil
}

// allowed are the deeds of what a match is about.
func (m Match) allowed(c *Catalogue) []kind {
	switch {
	case m.Service == Deliveries:
		return []kind{kindDrop, kindDuplicate, kindDelay}
	case m.Service == Jobs:
		return []kind{kindFail, kindDelay}
	case c.remote(m.Service):
		return []kind{kindFault, kindDelay}
	}
	return []kind{kindFault, kindStatus, kindDelay, kindCut, kindReset, kindDrip}
}

func (d Deed) check(m Match, c *Catalogue) error {
	allowed := m.allowed(c)
	var names []string
	for _, k := range allowed {
		names = append(names, string(k))
	}
	list := d.kinds()
	switch {
	case len(list) == 0:
		return refuse("deed", "name one of "+strings.Join(names, ", "), "is missing")
	case len(list) > 1:
		return refuse("deed", "make a rule for each", "has more than one kind: %s and %s", list[0], list[1])
	case !slices.Contains(allowed, list[0]):
		return refuse("deed", "use one of "+strings.Join(names, ", "), "%s is not for %s", list[0], orAny(m.Service))
	}
	switch list[0] {
	case kindFault:
		return c.checkFault(m, d.Fault)
	case kindStatus:
		return d.checkAnswer()
	case kindDelay:
		return d.checkDelay(m)
	default:
		return d.checkNumbers()
	}
}

func (d Deed) checkAnswer() error {
	if d.Status < 200 || d.Status > 599 {
		return refuse("deed.status", "use a status from 200 to 599", "must be a status of an answer, not %d", d.Status)
	}
	if len(d.Body) > maxBody || d.Body != nil && !json.Valid(d.Body) {
		return refuse("deed.body", "give text or any other JSON value of at most 1 MiB", "does not read or is too long")
	}
	if d.Body != nil && (d.Status == http.StatusNoContent || d.Status == http.StatusNotModified) {
		return refuse("deed.body", "leave it out", "is not sent with %d", d.Status)
	}
	for name, value := range d.Headers {
		if !validHeader(name, value) {
			return refuse("deed.headers", "use a header's name and a line of text", "%q is not a header", name)
		}
	}
	return nil
}

func (d Deed) checkDelay(m Match) error {
	switch {
	case d.Delay == nil:
		return refuse("deed.delay", "give a duration such as 5s", "is missing")
	case *d.Delay <= 0 || time.Duration(*d.Delay) > maxDelay:
		return refuse("deed.delay", "use a duration above 0 up to 400d", "is out of range")
	case d.Clock != "" && d.Clock != RealClock && d.Clock != WorldClock:
		return refuse("deed.clock", "use real or world", "%q is not known", d.Clock)
	case d.Clock == RealClock && (m.Service == Deliveries || m.Service == Jobs):
		return refuse("deed.clock", "leave it out, or use world", "messages and jobs wait on the world's clock")
	}
	return nil
}

func (d Deed) checkNumbers() error {
	switch {
	case d.Cut != nil && d.Cut.AfterBytes < 0:
		return refuse("deed.cut.afterBytes", "use a number from 0", "must not be %d", d.Cut.AfterBytes)
	case d.Drip != nil && (d.Drip.BytesPerSecond < 1 || d.Drip.BytesPerSecond > 1<<30):
		return refuse("deed.drip.bytesPerSecond", "use a number from 1 to 1073741824",
			"must not be %d", d.Drip.BytesPerSecond)
	case d.Duplicate != 0 && (d.Duplicate < 2 || d.Duplicate > maxCopies):
		return refuse("deed.duplicate", fmt.Sprintf("use a number from 2 to %d, all copies counted", maxCopies),
			"must not be %d", d.Duplicate)
	}
	return nil
}

func orAny(service string) string {
	if service == "" {
		return "any service"
	}
	return service
}

func validHeader(name, value string) bool {
	for _, c := range []byte(name) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`()<>@,;:\"/[]?={}`, c) >= 0 {
			return false
		}
	}
	return name != "" && !strings.ContainsAny(value, "\r\n\x00")
}

// checkFault refuses names that no operation of the match can meet.
func (c *Catalogue) checkFault(m Match, name string) error {
	known, meets := false, false
	var meeting []string
	for _, e := range c.services {
		f := e.byName[name]
		if f == nil || m.Service != "" && e.name != m.Service {
			continue
		}
		known = true
		meeting = append(meeting, cmp.Or(strings.Join(f.Operations, ", "), "the operations of "+e.name))
		if m.Operation == "" || e.operations[m.Operation] && c.find(e.name, m.Operation, name) != nil {
			meets = true
		}
	}
	switch {
	case !known && number(name):
		return refuse("deed.fault", `a status is {"status":`+name+`}, as in --deed '{"status":`+name+`}'`,
			"%q is not in the catalogue of %s", name, orAny(m.Service))
	case !known:
		return refuse("deed.fault",
			strings.TrimSpace(c.nearFault(m.Service, name)+" stoa fault catalog lists them, as does GET /lab/v1/faults/catalog"),
			"%q is not in the catalogue of %s", name, orAny(m.Service))
	case !meets:
		return refuse("deed.fault", "match one of "+strings.Join(meeting, ", "), "%q is not met by %s", name, m.Operation)
	}
	return nil
}

// number reports whether a name is a status.
func number(name string) bool {
	_, err := strconv.ParseUint(name, 10, 16)
	return err == nil
}

// checkJobKind refuses a kind of jobs that does not exist; it may be empty.
func (c *Catalogue) checkJobKind(kind string) error {
	if kind == "" || len(c.jobKinds) == 0 || slices.Contains(c.jobKinds, kind) {
		return nil
	}
	return refuse("match.operation", cmp.Or(spelling.Meant(kind, c.jobKinds), "docs/faults.md lists them"),
		"%q is not a kind of jobs", kind)
}
