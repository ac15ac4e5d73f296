package journal

import (
	"fmt"
	"strings"

	"stoa.dev/stoa/internal/platform/journal/wildcard"
)

// Misses says in words what keeps the record from being looked for; none where
// nothing does.
func (f *Filter) Misses(r *Record) []string {
	list, _ := f.compare(r)
	return list
}

// compare lists what differs, and how much that weighs.
func (f *Filter) compare(r *Record) (list []string, weight int) {
	differ := func(heavy int, format string, args ...any) {
		list = append(list, fmt.Sprintf(format, args...))
		weight += heavy
	}
	if f.Service != "" && f.Service != r.Service {
		differ(16, "its service is %s, not %s", r.Service, f.Service)
	}
	if f.Operation != "" && f.Operation != r.Operation {
		differ(8, "its operation is %s, not %s", r.Operation, f.Operation)
	}
	if f.Path != "" && !wildcard.Matches(f.Path, r.Path()) {
		differ(8, "its path is %s, which %s does not match", r.Path(), f.Path)
	}
	if f.Method != "" && f.Method != r.Method {
		differ(4, "its method is %s, not %s", r.Method, f.Method)
	}
	if f.Caller != "" && !isCaller(f.Caller, r.Caller()) {
		who := r.Caller()
		if who == "" {
			who = "anonymous"
		}
		differ(2, "its caller is %s, not %s", who, f.Caller)
	}
	if !f.Status.Has(r.Status) {
		why := ""
		if r.Reason() != "" {
			why = " (" + r.Reason() + ")"
		}
		differ(2, "its status is %d%s, not %s", r.Status, why, f.Status)
	}
	if !f.Since.IsZero() && r.At.Before(f.Since) {
		differ(1, "it came before %s", f.Since.Format("2006-01-02T15:04:05Z07:00"))
	}
	if f.Text != "" && !r.contains(f.Text) {
		differ(1, "%q is not in it", f.Text)
	}
	for _, miss := range f.misses(r) {
		differ(1, "%s", miss)
	}
	return list, weight
}

// maxCompared bounds how many records Nearest looks at.
const maxCompared = 10_000

// Nearest is the record that differs least from what is looked for, of several the
// newest, and what it differs in; nil when there is none.
func (j *Journal) Nearest(f *Filter) (nearest *Record, why string) {
	least, n := 0, 0
	for r := range j.NewestFirst(0) {
		if n++; n > maxCompared {
			break
		}
		list, weight := f.compare(r)
		if weight > 0 && (nearest == nil || weight < least) {
			nearest, least, why = r, weight, strings.Join(list, ", and ")
		}
	}
	return nearest, why
}
