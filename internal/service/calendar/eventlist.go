package calendar

import (
	"context"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// eventFilter selects events of a list.
type eventFilter struct {
	window          span
	single          bool
	deleted         bool
	updatedMin      time.Time
	uid             string
	words           []string // of q, in lower case; all must occur
	types           []string
	private, shared map[string]string
}

// batch is how many rows are read at a time, at most.
const batch = 500

// rowsFor is how many rows to read for a page: as many as it has and the one
// that tells of another page. Filters may ask for more of them.
func rowsFor(size int) int { return min(batch, size+1) }

// ListEvents is a page of a calendar's events, or of what changed since a sync.
func (s *Service) ListEvents(ctx context.Context, p person, calendar string, l listing, f eventFilter, look view) (*eventsJSON, error) {
	c, role, err := s.open(ctx, p, calendar, RoleFreeBusy)
	if err != nil {
		return nil, err
	}
	if !f.updatedMin.IsZero() && f.updatedMin.Before(s.world.Clock.Now().Add(-s.config.SyncLifetime)) {
		return nil, refuse(CodeUpdatedMin, "updatedMin", "The requested minimum modification time lies too far in the past.")
	}
	l.bind = "events " + c.id + " " + p.address
	if f.single {
		l.bind += " single"
	}
	cur, err := s.begin(l)
	if err != nil {
		return nil, err
	}
	var rows []eventRow
	var next *cursor
	err = s.world.DB.Read(ctx, func(tx *database.Tx) error {
		if c, err = calendarByID(ctx, tx, c.id); err != nil {
			return err
		}
		if cur.Sync && (cur.Role != role || cur.Since < c.purgedSeq || f.single && cur.Since < c.rulesSeq) {
			return errFullSync()
		}
		if l.pageToken == "" {
			cur.Seq, cur.Role = c.eventsSeq, role
			if !cur.Sync {
				cur.From, cur.To = seconds(f.window.from), seconds(f.window.to)
			}
		}
		rows, next, err = s.page(ctx, tx, c, cur, f, l.size)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.eventsAnswer(ctx, p, l, cur, next, rows, look.of(c, role))
}

// page picks the way to read a page; next is nil after the last one.
func (s *Service) page(ctx context.Context, tx *database.Tx, c calendarRow, cur cursor, f eventFilter, size int) ([]eventRow, *cursor, error) {
	f.window = cur.window()
	switch {
	case f.single && cur.Sync:
		return s.changedInstances(ctx, tx, c, cur, f, size)
	case f.single:
		return s.singles(ctx, tx, c, cur, f, size)
	}
	return s.byChange(ctx, tx, c, cur, f, size)
}

// byChange lists rows in the order of their changes.
func (s *Service) byChange(ctx context.Context, tx *database.Tx, c calendarRow, cur cursor, f eventFilter, size int) (found []eventRow, next *cursor, err error) {
	deleted := f.deleted || cur.Sync || !f.updatedMin.IsZero()
	window := f.window
	if deleted {
		window = span{} // What was deleted is told wherever it was.
	}
	for most := rowsFor(size); ; most = batch {
		rows, err := eventsAfter(ctx, tx, c.id, cur.After, deleted, window, most)
		if err != nil {
			return nil, nil, err
		}
		for _, e := range rows {
			if f.takes(e, cur.Sync) {
				if len(found) == size {
					return found, &cur, nil
				}
				found = append(found, e)
			}
			cur.After = e.seq
		}
		if len(rows) < most {
			return found, nil, nil
		}
	}
}

// takes tells whether a row is part of the list.
func (f eventFilter) takes(e eventRow, sync bool) bool {
	if !e.cancelled || !sync {
		whole := e
		if e.recurring && e.ends.IsZero() {
			whole.ends = farFuture()
		}
		if !whole.in(f.window) {
			return false
		}
	}
	return f.about(e)
}

func farFuture() time.Time { return time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC) }

// about holds the filters that do not concern time.
func (f eventFilter) about(e eventRow) bool {
	switch {
	case !f.updatedMin.IsZero() && e.updated.Before(f.updatedMin),
		f.uid != "" && e.uid != f.uid,
		len(f.types) > 0 && !slices.Contains(f.types, e.doc.EventType):
		return false
	}
	p := e.doc.ExtendedProperties
	if p == nil {
		p = &propertiesJSON{}
	}
	return contains(p.Private, f.private) && contains(p.Shared, f.shared) && f.mentions(e.doc)
}

func contains(have, want map[string]string) bool {
	for name, value := range want {
		if got, ok := have[name]; !ok || got != value {
			return false
		}
	}
	return true
}

// mentions tells whether all words occur somewhere in an event's texts.
func (f eventFilter) mentions(e eventJSON) bool {
	if len(f.words) == 0 {
		return true
	}
	var b strings.Builder
	for _, text := range []string{e.Summary, e.Description, e.Location} {
		b.WriteString(text)
		b.WriteByte('\n')
	}
	for _, a := range e.Attendees {
		b.WriteString(a.DisplayName + "\n" + a.Email + "\n")
	}
	if e.Organizer != nil {
		b.WriteString(e.Organizer.DisplayName + "\n" + e.Organizer.Email)
	}
	text := strings.ToLower(b.String())
	return !slices.ContainsFunc(f.words, func(w string) bool { return !strings.Contains(text, w) })
}

// horizon closes a window that has no end: with the last instance, or after
// some years when the series is endless.
func (s *Service) horizon(w span, e eventRow) span {
	switch {
	case !w.to.IsZero():
	case !e.ends.IsZero():
		w.to = e.ends
	default:
		w.to = later(later(s.world.Clock.Now(), w.from), e.starts).AddDate(s.config.ExpandYears, 0, 0)
	}
	return w
}

// singles lists single events and instances in the order of their starts.
func (s *Service) singles(ctx context.Context, tx *database.Tx, c calendarRow, cur cursor, f eventFilter, size int) ([]eventRow, *cursor, error) {
	after := unix(cur.Start)
	if cur.ID == "" {
		after = time.Time{}
	}
	found, err := s.plain(ctx, tx, c, cur, f, size+1)
	if err != nil {
		return nil, nil, err
	}
	masters, err := seriesIn(ctx, tx, c.id, f.window)
	if err != nil {
		return nil, nil, err
	}
	own, err := differing(ctx, tx, c.id, "")
	if err != nil {
		return nil, nil, err
	}
	follows := func(e eventRow) bool {
		return cur.ID == "" || e.starts.After(after) || e.starts.Equal(after) && e.id > cur.ID
	}
	known := map[string]bool{}
	for _, e := range own {
		known[e.id] = true
		if (!e.cancelled || f.deleted) && e.in(f.window) && f.about(e) && follows(e) {
			found = append(found, e)
		}
	}
	for _, m := range masters {
		// Expanding is work without a statement that would notice the deadline.
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		if !f.about(m) {
			continue
		}
		w := s.horizon(f.window, m)
		// Nothing that begins before the page is expanded again.
		if from := after.Add(m.length() - 25*time.Hour); cur.ID != "" && from.After(w.from) {
			w.from = from
		}
		for _, e := range m.expand(w, c.zone(), known, size+30) {
			if follows(e) {
				found = append(found, e)
			}
		}
	}
	slices.SortFunc(found, byStart)
	if len(found) <= size {
		return found, nil, nil
	}
	last := found[size-1]
	cur.Start, cur.ID = last.starts.Unix(), last.id
	return found[:size], &cur, nil
}

func byStart(a, b eventRow) int {
	if n := a.starts.Compare(b.starts); n != 0 {
		return n
	}
	return strings.Compare(a.id, b.id)
}

// plain are the events that do not repeat, in the order of their starts.
func (s *Service) plain(ctx context.Context, tx *database.Tx, c calendarRow, cur cursor, f eventFilter, most int) (found []eventRow, err error) {
	start, id := unix(cur.Start), cur.ID
	for asked := rowsFor(most); ; asked = batch {
		rows, err := eventsByStart(ctx, tx, c.id, start, id, f.deleted, f.window, asked)
		if err != nil {
			return nil, err
		}
		for _, e := range rows {
			if f.about(e) {
				if found = append(found, e); len(found) == most {
					return found, nil
				}
			}
			start, id = e.starts, e.id
		}
		if len(rows) < asked {
			return found, nil
		}
	}
}

// changedInstances lists what changed since a sync as single instances. A
// series that takes more than a page goes on where it stopped.
func (s *Service) changedInstances(ctx context.Context, tx *database.Tx, c calendarRow, cur cursor, f eventFilter, size int) (found []eventRow, next *cursor, err error) {
	own, err := differing(ctx, tx, c.id, "")
	if err != nil {
		return nil, nil, err
	}
	known := map[string]bool{}
	for _, e := range own {
		known[e.id] = true
	}
	for {
		rows, err := eventsAfter(ctx, tx, c.id, cur.After, true, span{}, batch)
		if err != nil {
			return nil, nil, err
		}
		for _, e := range rows {
			for _, one := range s.unfold(e, c, cur, f, known, size+1) {
				if len(found) == size {
					return found, &cur, nil
				}
				found = append(found, one)
				cur.Start = one.starts.Unix() + 1
			}
			cur.After, cur.Start = e.seq, 0
		}
		if len(rows) < batch {
			return found, nil, nil
		}
	}
}

// unfold is a changed row as instances, from where the page before stopped.
func (s *Service) unfold(e eventRow, c calendarRow, cur cursor, f eventFilter, known map[string]bool, most int) []eventRow {
	if !f.about(e) {
		return nil
	}
	if !e.recurring {
		if e.cancelled || e.in(f.window) {
			return []eventRow{e}
		}
		return nil
	}
	w := s.horizon(f.window, e)
	if from := unix(cur.Start); cur.Start != 0 && from.Add(e.length()-time.Second).After(w.from) {
		w.from = from.Add(e.length() - time.Second)
	}
	all := e.expand(w, c.zone(), known, most+1)
	return slices.DeleteFunc(all, func(one eventRow) bool { return cur.Start != 0 && one.starts.Unix() < cur.Start })
}

// eventsAnswer dresses a page.
func (s *Service) eventsAnswer(ctx context.Context, p person, l listing, cur cursor, next *cursor, rows []eventRow, v view) (*eventsJSON, error) {
	c := v.calendar
	out := &eventsJSON{
		Kind: "calendar#events", ETag: `"p` + padded(c.eventsSeq) + string(v.role[:1]) + `"`, Summary: c.doc.Summary, Description: c.doc.Description,
		Updated: stamp(c.updated), TimeZone: v.zone.String(), AccessRole: v.role, DefaultReminders: []reminderJSON{}, Items: []*eventJSON{},
	}
	entry, err := entryByID(ctx, s.world.DB, p.id, c.id)
	if missing, err := none(err); err != nil {
		return nil, err
	} else if !missing && entry.doc.DefaultReminders != nil {
		out.DefaultReminders = entry.doc.DefaultReminders
	}
	for _, e := range rows {
		out.Items = append(out.Items, s.eventToWire(e, v))
		if e.updated.After(c.updated) {
			c.updated = e.updated
			out.Updated = stamp(c.updated)
		}
	}
	if next != nil {
		out.NextPageToken = s.pageToken(l, *next)
	} else {
		out.NextSyncToken = s.syncToken(l, cur)
	}
	return out, nil
}

// ListInstances is a page of a series' instances.
func (s *Service) ListInstances(ctx context.Context, p person, calendar, id string, l listing, f eventFilter, look view) (*eventsJSON, error) {
	c, role, err := s.open(ctx, p, calendar, RoleFreeBusy)
	if err != nil {
		return nil, err
	}
	l.bind = "instances " + c.id + " " + id + " " + p.address
	cur, err := s.begin(l)
	if err != nil {
		return nil, err
	}
	var found []eventRow
	err = s.world.DB.Read(ctx, func(tx *database.Tx) error {
		found, err = s.instances(ctx, tx, c, id, f)
		return err
	})
	if err != nil {
		return nil, err
	}
	from := min(int(cur.After), len(found))
	rest := found[from:]
	out, err := s.eventsAnswer(ctx, p, l, cur, nil, rest[:min(len(rest), l.size)], look.of(c, role))
	if err != nil {
		return nil, err
	}
	out.NextSyncToken = ""
	if len(rest) > l.size {
		out.NextPageToken = s.pageToken(l, cursor{After: int64(from + l.size)})
	}
	return out, nil
}

// maxInstances bounds how many instances of one series are told.
const maxInstances = 10000

func (s *Service) instances(ctx context.Context, tx *database.Tx, c calendarRow, id string, f eventFilter) ([]eventRow, error) {
	m, err := eventByID(ctx, tx, c.id, id)
	if err != nil {
		return nil, err
	}
	own, err := differing(ctx, tx, c.id, id)
	if err != nil {
		return nil, err
	}
	var found []eventRow
	known := map[string]bool{}
	for _, e := range own {
		known[e.id] = true
		if (!e.cancelled || f.deleted) && e.in(f.window) {
			found = append(found, e)
		}
	}
	switch {
	case m.recurring && !m.cancelled:
		found = append(found, m.expand(s.horizon(f.window, m), c.zone(), known, maxInstances)...)
	case !m.recurring && (!m.cancelled || f.deleted) && m.in(f.window):
		found = append(found, m)
	}
	slices.SortFunc(found, byStart)
	return found, nil
}
