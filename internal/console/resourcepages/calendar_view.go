package resourcepages

import (
	"maps"
	"net/url"
	"slices"
	"sort"
	"time"

	"stoa.dev/stoa/internal/platform/resource"
	"stoa.dev/stoa/internal/platform/wire"
)

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// The ways to see what has a time.
const (
	weekView  = "week"
	monthView = "month"
)

// viewLink leads to another way to see a list.
type viewLink struct {
	Title, URL string
	Current    bool
}

func (at place) views(values url.Values) []viewLink {
	if at.resource.Calendar == nil {
		return nil
	}
	var list []viewLink
	for _, view := range []struct{ name, title string }{{"", "List"}, {weekView, "Week"}, {monthView, "Month"}} {
		link := at.outer(values)
		if view.name != "" {
			link.Set(viewParameter, view.name)
		}
		if day := values.Get(dayParameter); day != "" {
			link.Set(dayParameter, day)
		}
		list = append(list, viewLink{view.title, withQuery(at.url(), link), values.Get(viewParameter) == view.name})
	}
	return list
}

// window is the days that a grid shows.
type window struct {
	view          string
	from, to, day time.Time
	now           time.Time
}

// window is the week or the month around the chosen day; weeks begin on Monday.
func (p *Pages) window(at place, values url.Values) *window {
	w := &window{view: values.Get(viewParameter), now: p.o.Clock.Now().In(at.zone)}
	day, err := time.ParseInLocation(time.DateOnly, values.Get(dayParameter), at.zone)
	if err != nil || day.Year() < 1900 || day.Year() > 9000 {
		day = midnight(w.now)
	}
	w.day = day
	monday := func(t time.Time) time.Time { return t.AddDate(0, 0, -(int(t.Weekday())+6)%7) }
	if w.view == monthView {
		first := time.Date(day.Year(), day.Month(), 1, 0, 0, 0, 0, at.zone)
		w.from = monday(first)
		w.to = w.from
		for w.to.Before(first.AddDate(0, 1, 0)) {
			w.to = w.to.AddDate(0, 0, 7)
		}
		return w
	}
	w.from = monday(day)
	w.to = w.from.AddDate(0, 0, 7)
	return w
}

// midnight is when the day of a time begins, in its zone.
func midnight(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

// zoneText says which zone the times of the page are in, where that is not UTC, which
// every time says itself.
func (at place) zoneText() string {
	if at.resource.Calendar == nil || at.resource.Calendar.Zone == "" {
		return ""
	}
	return at.zone.String()
}

// bound asks the list for these days only.
func (w *window) bound(c *resource.Calendar, query url.Values) {
	query.Set(c.After, w.from.Format(time.RFC3339))
	query.Set(c.Before, w.to.Format(time.RFC3339))
}

// grid is a week or a month as the page shows it.
type grid struct {
	Title         string
	Month         bool
	Weeks         [][]gridDay
	Before, After string
	Today         string
}

type gridDay struct {
	Day    time.Time
	Today  bool
	Other  bool
	Things []gridThing
}

type gridThing struct {
	Title, URL, Time string
	at               time.Time
}

func (w *window) grid(at place, values url.Values, items []any) *grid {
	g := &grid{Month: w.view == monthView, Title: w.from.Format("2 January") + " to " +
		w.to.AddDate(0, 0, -1).Format("2 January 2006")}
	step := func(n int) string {
		link := at.outer(values)
		link.Set(viewParameter, w.view)
		day := w.day.AddDate(0, 0, 7*n)
		if g.Month {
			day = time.Date(w.day.Year(), w.day.Month()+time.Month(n), 1, 0, 0, 0, 0, at.zone)
		}
		if n != 0 {
			link.Set(dayParameter, day.Format(time.DateOnly))
		}
		return withQuery(at.url(), link)
	}
	if g.Month {
		g.Title = w.day.Format("January 2006")
	}
	g.Before, g.After, g.Today = step(-1), step(1), step(0)
	byDay := w.spread(at, values, items)
	for day := w.from; day.Before(w.to); day = day.AddDate(0, 0, 1) {
		if day.Weekday() == time.Monday {
			g.Weeks = append(g.Weeks, nil)
		}
		last := len(g.Weeks) - 1
		g.Weeks[last] = append(g.Weeks[last], gridDay{
			Day: day, Things: byDay[day.Format(time.DateOnly)], Other: g.Month && day.Month() != w.day.Month(),
			Today: day.Format(time.DateOnly) == w.now.Format(time.DateOnly),
		})
	}
	return g
}

// spread puts each thing on every day that it touches.
func (w *window) spread(at place, values url.Values, items []any) map[string][]gridThing {
	byDay := map[string][]gridThing{}
	c := at.resource.Calendar
	for _, item := range items {
		start, allDay := at.firstTime(item, c.Start)
		end, _ := at.firstTime(item, c.End)
		if start.IsZero() {
			continue
		}
		title, _ := wire.Lookup(item, c.Title)
		thing := gridThing{Title: textOf(title), URL: at.row(values, item).URL, at: start}
		if !allDay {
			thing.Time = start.Format("15:04")
		}
		if thing.Title == "" {
			thing.Title = "(no title)"
		}
		for day := midnight(start); day.Before(w.to); day = day.AddDate(0, 0, 1) {
			if !day.Before(w.from) {
				name := day.Format(time.DateOnly)
				byDay[name] = append(byDay[name], thing)
			}
			if next := day.AddDate(0, 0, 1); !next.Before(end) {
				break
			}
		}
	}
	for _, list := range byDay {
		sort.SliceStable(list, func(i, j int) bool { return list[i].at.Before(list[j].at) })
	}
	return byDay
}

// firstTime is the first of the members that is there; a date alone is a whole day.
func (at place) firstTime(item any, pointers []string) (first time.Time, allDay bool) {
	for _, pointer := range pointers {
		if value, ok := wire.Lookup(item, pointer); ok {
			text := textOf(value)
			if day, err := time.ParseInLocation(time.DateOnly, text, at.zone); err == nil {
				return day, true
			}
			if t := timeOf(value); !t.IsZero() {
				return t.In(at.zone), false
			}
		}
	}
	return time.Time{}, false
}
