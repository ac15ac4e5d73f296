package calendar

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
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
	// role is the reader's: nobody finds an event by what it hides from them.
	role Role
	// steps is what the request may still spend on expanding series.
	steps *budget.Steps
	// until is where the page is full already; zero when it is not.
	until time.Time
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
	f.role = role
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
	if f.single {
		turn, err := s.expanding.Take(ctx, p.owner(), 1)
		if err != nil {
			return nil, err
		}
		defer turn.Release()
		f.steps = newSteps(ctx)
	}
	err = s.world.DB.Read(ctx, func(ctx context.Context, tx *database.Tx) error {
		if c, err = calendarByID(ctx, tx, c.id); err != nil {
			return err
		}
		if cur.Sync && (cur.Role != role || cur.Since < c.purgedSeq || f.single && cur.Since < c.rulesSeq) {
			return errFullSync()
		}
		if l.pageToken == "" {
			cur.Seq, cur.Role = c.eventsSeq, role
			if !cur.Sync {
				cur.From, cur.To = f.window.from, f.window.to
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
	if cur.Sync {
		window = span{} // Whoever synchronizes hears of what left the window too.
	}
	for most := rowsFor(size); ; most = batch {
		rows, err := eventsAfter(ctx, tx, c.id, cur.After, deleted, window, most)
		if err != nil {
			return nil, nil, err
		}
		for _, e := range rows {
			if f.about(e) {
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

// farFuture is later than everything.
func farFuture() time.Time { return time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC) }

// about holds the filters that do not concern time.
func (f eventFilter) about(e eventRow) bool {
	switch {
	case !f.updatedMin.IsZero() && e.updated.Before(f.updatedMin),
		f.uid != "" && e.uid != f.uid,
		len(f.types) > 0 && !slices.Contains(f.types, e.doc.EventType):
		return false
	}
	if len(f.words)+len(f.private)+len(f.shared) > 0 && !e.doc.openTo(f.role) {
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

// mentions reports whether all words occur somewhere in an event's texts.
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
	found, err := s.plain(ctx, tx, c, cur, f, size+1)
	if err != nil {
		return nil, nil, err
	}
	masters, err := seriesIn(ctx, tx, c.id, f.window)
	if err != nil {
		return nil, nil, err
	}
	own, known, err := exceptions(ctx, tx, c.id, "", f)
	if err != nil {
		return nil, nil, err
	}
	found = append(found, own...)
	for _, m := range masters {
		// Expanding is work without a statement that would notice the deadline.
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		if f.about(m) {
			instances, err := s.following(m, c, cur, f, known, size)
			if err != nil {
				return nil, nil, err
			}
			found = append(found, instances...)
		}
		// What cannot be on the page is neither kept nor expanded.
		if len(found) > 2*(size+1) {
			if found = nearest(found, cur, size+1); len(found) > size {
				f.until = found[size].starts.Add(time.Second)
			}
		}
	}
	return cut(found, cur, size)
}

// exceptions are the instances in the window that are stored on their own, and the
// ids of all of them.
func exceptions(ctx context.Context, tx *database.Tx, calendar, series string, f eventFilter) (own []eventRow, known map[string]bool, err error) {
	if known, err = differingIDs(ctx, tx, calendar, series); err != nil || len(known) == 0 {
		return nil, known, err
	}
	own, err = differing(ctx, tx, calendar, series, f.window)
	return slices.DeleteFunc(own, func(e eventRow) bool { return e.cancelled && !f.deleted || !f.about(e) }), known, err
}

// following are the instances of a series for the page after the cursor.
// Nothing that begins before it is expanded again.
func (s *Service) following(m eventRow, c calendarRow, cur cursor, f eventFilter, known map[string]bool, size int) ([]eventRow, error) {
	w := s.horizon(f.window, m)
	if cur.ID != "" {
		w.from = later(w.from, m.after(cur.Start))
	}
	if !f.until.IsZero() {
		w.to = earlier(w.to, f.until)
	}
	// One more tells of another page; a few begin at the cursor or before.
	return m.expand(f.steps, w, c.zone(), known, size+5)
}

// cut gives the page after the cursor; next is nil when it is the last one.
func cut(found []eventRow, cur cursor, size int) (rows []eventRow, next *cursor, err error) {
	if found = nearest(found, cur, size+1); len(found) <= size {
		return found, nil, nil
	}
	last := found[size-1]
	cur.Start, cur.ID = last.starts, last.id
	return found[:size], &cur, nil
}

// nearest are the first events after the cursor, in the order of their starts.
func nearest(found []eventRow, cur cursor, most int) []eventRow {
	found = slices.DeleteFunc(found, func(e eventRow) bool { return !cur.precedes(e) })
	slices.SortFunc(found, byStart)
	return slices.Delete(found, min(most, len(found)), len(found))
}

func byStart(a, b eventRow) int {
	if n := a.starts.Compare(b.starts); n != 0 {
		return n
	}
	return strings.Compare(a.id, b.id)
}

// plain are the events that do not repeat, in the order of their starts.
func (s *Service) plain(ctx context.Context, tx *database.Tx, c calendarRow, cur cursor, f eventFilter, most int) (found []eventRow, err error) {
	start, id := cur.Start, cur.ID
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
	known, err := differingIDs(ctx, tx, c.id, "")
	if err != nil {
		return nil, nil, err
	}
	for {
		rows, err := eventsAfter(ctx, tx, c.id, cur.After, true, span{}, batch)
		if err != nil {
			return nil, nil, err
		}
		for _, e := range rows {
			instances, err := s.unfold(e, c, cur, f, known, size+1)
			if err != nil {
				return nil, nil, err
			}
			for _, one := range instances {
				if len(found) == size {
					return found, &cur, nil
				}
				found = append(found, one)
				cur.Start = one.starts
			}
			cur.After, cur.Start = e.seq, time.Time{}
		}
		if len(rows) < batch {
			return found, nil, nil
		}
	}
}

// unfold is a changed row as instances, from where the page before stopped. A
// single event is told wherever it is: it may have left the window.
func (s *Service) unfold(e eventRow, c calendarRow, cur cursor, f eventFilter, known map[string]bool, most int) ([]eventRow, error) {
	switch {
	case !f.about(e):
		return nil, nil
	case !e.recurring:
		return []eventRow{e}, nil
	}
	w := s.horizon(f.window, e)
	if cur.Start.IsZero() {
		return e.expand(f.steps, w, c.zone(), known, most)
	}
	w.from = later(w.from, e.after(cur.Start))
	all, err := e.expand(f.steps, w, c.zone(), known, most+5)
	return slices.DeleteFunc(all, func(one eventRow) bool { return !one.starts.After(cur.Start) }), err
}

// eventsAnswer dresses a page.
func (s *Service) eventsAnswer(ctx context.Context, p person, l listing, cur cursor, next *cursor, rows []eventRow, v view) (*eventsJSON, error) {
	c := v.calendar
	out := &eventsJSON{
		Kind: "calendar#events", ETag: s.eventsTag(p, c, v.role), Summary: c.doc.Summary, Description: c.doc.Description,
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

// eventsTag names all that a list may depend on, the day of endless series
// included.
func (s *Service) eventsTag(p person, c calendarRow, role Role) string {
	day := s.world.Clock.Now().Unix() / (24 * 60 * 60)
	return fmt.Sprintf(`"p%d.%d.%d.%d.%d"`, c.eventsSeq, c.version, p.listSeq, role.rank(), day)
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
	turn, err := s.expanding.Take(ctx, p.owner(), 1)
	if err != nil {
		return nil, err
	}
	defer turn.Release()
	f.steps = newSteps(ctx)
	var rows []eventRow
	var next *cursor
	err = s.world.DB.Read(ctx, func(ctx context.Context, tx *database.Tx) error {
		rows, next, err = s.instances(ctx, tx, c, id, cur, f, l.size)
		return err
	})
	if err != nil {
		return nil, err
	}
	out, err := s.eventsAnswer(ctx, p, l, cur, next, rows, look.of(c, role))
	if err != nil {
		return nil, err
	}
	out.NextSyncToken = "" // Instances of one series cannot be synchronized.
	return out, nil
}

func (s *Service) instances(ctx context.Context, tx *database.Tx, c calendarRow, id string, cur cursor, f eventFilter, size int) ([]eventRow, *cursor, error) {
	m, err := eventByID(ctx, tx, c.id, id)
	if err != nil {
		return nil, nil, err
	}
	found, known, err := exceptions(ctx, tx, c.id, id, f)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case m.recurring && !m.cancelled:
		all, err := s.following(m, c, cur, f, known, size)
		if err != nil {
			return nil, nil, err
		}
		found = append(found, all...)
	case !m.recurring && (!m.cancelled || f.deleted) && m.in(f.window):
		found = append(found, m)
	}
	return cut(found, cur, size)
}
