package recipe

import (
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/jobs/cron"
)

// Schedule is one entry under triggers of a workflow.
type Schedule struct {
	Workflow string
	// Cron has five fields, in UTC.
	Cron string

	times  cron.Spec
	branch filter
	scope  scope
}

// Next is the first due time after another.
func (s Schedule) Next(after time.Time) time.Time { return s.times.Next(after.UTC()) }

// NextDue is the first due time of a Cron after another.
func NextDue(text string, after time.Time) (time.Time, error) {
	times, err := parseCron(text)
	if err != nil {
		return time.Time{}, err
	}
	return times.Next(after.UTC()), nil
}

// Admits reports whether the schedule is for a branch.
func (s Schedule) Admits(branch string) (bool, error) { return s.branch.admits(branch, s.scope) }

// Schedules are the due times that the workflows of a file ask for.
func (f *File) Schedules() []Schedule { return f.schedules }

// maxSchedules bounds the schedules of a file.
const maxSchedules = 20

// readTriggers reads triggers of a workflow.
func readTriggers(workflow string, n *node, s scope) ([]Schedule, error) {
	if n.kind != sequence || len(n.items) == 0 {
		return nil, n.errorf("triggers is a list of entries with schedule, this is %s", n.what())
	}
	var out []Schedule
	for _, item := range n.items {
		in := open(item, s, "a trigger")
		body := in.take("schedule")
		if err := in.close(); err != nil {
			return nil, err
		}
		if body == nil {
			return nil, item.errorf("a trigger needs schedule")
		}
		one, err := readSchedule(workflow, body, s)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

func readSchedule(workflow string, n *node, s scope) (Schedule, error) {
	in := open(n, s, "schedule")
	out := Schedule{Workflow: workflow, Cron: in.need("cron"), scope: s}
	given := in.take("filters")
	if err := in.close(); err != nil {
		return out, err
	}
	var err error
	if out.times, err = parseCron(out.Cron); err != nil {
		return out, n.get("cron").errorf("cron is not understood: %v", err)
	}
	all, err := readFilters(given, s)
	if err != nil {
		return out, err
	}
	if given == nil || !all.branches.given {
		return out, n.errorf("a schedule says for which branches it runs: filters with branches and only")
	}
	if all.tags.given || all.condition != nil {
		return out, given.errorf("filters of a schedule have branches only")
	}
	out.branch = all.branches
	return out, nil
}

const (
	monthNames = "jan feb mar apr may jun jul aug sep oct nov dec"
	dayNames   = "sun mon tue wed thu fri sat"
)

// parseCron reads five fields, in which months and days of the week may have
// their names.
func parseCron(text string) (cron.Spec, error) {
	fields := strings.Fields(strings.ToLower(text))
	if len(fields) == 5 {
		fields[3] = numbered(fields[3], strings.Fields(monthNames), 1)
		fields[4] = numbered(fields[4], strings.Fields(dayNames), 0)
		text = strings.Join(fields, " ")
	} else if strings.HasPrefix(text, "@") {
		text = "" // intervals are not of this language
	}
	return cron.Parse(text)
}

// numbered replaces names by numbers that start with the first.
func numbered(field string, names []string, first int) string {
	for i, name := range names {
		field = strings.ReplaceAll(field, name, strconv.Itoa(i+first))
	}
	return field
}
