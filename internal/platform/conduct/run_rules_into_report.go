package conduct

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"stoa.dev/stoa/internal/platform/journal"
)

// Everywhere is the service of rules that hold for all.
const Everywhere = "*"

// Stated is a rule and the service that states it.
type Stated struct {
	Rule
	Service string
}

// Finding is a rule that was broken.
type Finding struct {
	Rule Stated
	// Count is how often, and Message says how the first time.
	Count   int
	Message string
	// Requests are some that show it, by their numbers, in order.
	Requests []uint64
}

// Report is what was found in a journal.
type Report struct {
	// Requests is how many were looked at, from First to Last on the world's clock.
	Requests    int
	First, Last time.Time
	// Findings are ordered by severity, the worst first, and then by rule.
	Findings []Finding
	// Silenced are findings that are not held against the client.
	Silenced []Silenced
	// Rules is how many were checked.
	Rules int
}

// Clean reports whether nothing worse than advice was found.
func (r *Report) Clean() bool { return !r.Reaches(Warning) }

// Reaches reports whether there is a finding of this severity or above.
func (r *Report) Reaches(least Severity) bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Rule.Severity >= least })
}

// running is a rule's check at work.
type running struct {
	rule     Stated
	breaches *Breaches
	check    Check
}

// Run shows the records, oldest first, to all rules. Records of services that state
// none are not looked at, nor what pages of the console asked: no client did.
func Run(rules []Stated, records iter.Seq[*journal.Record]) *Report {
	report := &Report{Rules: len(rules)}
	checks, byService := start(rules)
	request := &Request{}
	for record := range records {
		see, ok := byService[record.Service]
		if !ok || record.ByConsole {
			continue
		}
		request.reset(record)
		report.add(record)
		for _, c := range byService[Everywhere] {
			c.check.See(request)
		}
		for _, c := range see {
			c.check.See(request)
		}
	}
	for _, c := range checks {
		if c.check.End != nil {
			c.check.End()
		}
		if c.breaches.count > 0 {
			slices.Sort(c.breaches.requests)
			report.Findings = append(report.Findings, Finding{
				Rule: c.rule, Count: c.breaches.count, Message: c.breaches.message, Requests: c.breaches.requests,
			})
		}
	}
	slices.SortStableFunc(report.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Rule.Severity, a.Rule.Severity), cmp.Compare(a.Rule.ID, b.Rule.ID))
	})
	return report
}

func start(rules []Stated) (checks []*running, byService map[string][]*running) {
	byService = map[string][]*running{}
	for _, rule := range rules {
		c := &running{rule: rule, breaches: &Breaches{}}
		c.check = rule.New(c.breaches)
		checks = append(checks, c)
		byService[rule.Service] = append(byService[rule.Service], c)
	}
	return checks, byService
}

func (r *Report) add(record *journal.Record) {
	if r.Requests == 0 || record.At.Before(r.First) {
		r.First = record.At
	}
	if record.At.After(r.Last) {
		r.Last = record.At
	}
	r.Requests++
}
