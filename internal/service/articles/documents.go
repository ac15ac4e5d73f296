package articles

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
)

// keeps reports whether this process may keep what it read: it must be the only
// one that changes the database.
func (s *Service) keeps() bool { return s.world.DB.Engine() == database.SQLite }

// document finds an item that the visitor may see, ready to be sent.
func (s *Service) document(ctx context.Context, v Visit, id string, take taker) (*document, error) {
	d, generation := s.shelf.item(id)
	if d == nil {
		i, err := s.store.item(ctx, s.world.DB, v.teamID(), id)
		if err != nil {
			return nil, err
		}
		if i.bytes() > lightRow {
			if err := take(i.bytes()); err != nil {
				return nil, err
			}
		}
		tags, err := s.store.taggings(ctx, s.world.DB, i.Number)
		if err != nil {
			return nil, err
		}
		i.Tags = tags
		list, err := s.shapes(ctx, v.Place, []Item{i})
		if err != nil {
			return nil, err
		}
		if d = list[0]; s.keeps() {
			s.shelf.keep(generation, d)
		}
	}
	if d.teamID != v.teamID() || (d.private && d.userID != v.userID()) {
		return nil, errNotFound()
	}
	return d, s.groupSeen(ctx, s.world.DB, v, d.group)
}

// documents finds several items of one edition, in the order of their numbers
// in the list. Those that are gone are left out.
func (s *Service) documents(ctx context.Context, p Place, numbers []int64, take taker) ([]*document, error) {
	out := make([]*document, len(numbers))
	missing, generation := s.shelf.fill(numbers, out)
	if missing == 0 {
		return out, nil
	}
	wanted := make([]int64, 0, missing)
	for n, d := range out {
		if d == nil {
			wanted = append(wanted, numbers[n])
		}
	}
	items, err := s.store.items(ctx, s.world.DB, wanted, take)
	if err != nil {
		return nil, err
	}
	made, err := s.shapes(ctx, p, items)
	if err != nil {
		return nil, err
	}
	if s.keeps() {
		s.shelf.keep(generation, made...)
	}
	byNumber := make(map[int64]*document, len(made))
	for _, d := range made {
		byNumber[d.number] = d
	}
	found := out[:0]
	for n, d := range out {
		if d == nil {
			d = byNumber[numbers[n]]
		}
		if d != nil {
			found = append(found, d)
		}
	}
	return found, nil
}

// shapes encodes items. Authors and groups are looked up once for all.
func (s *Service) shapes(ctx context.Context, p Place, items []Item) ([]*document, error) {
	var authors, groups []int64
	for _, i := range items {
		authors = append(authors, i.UserID)
		if i.GroupNumber != 0 {
			groups = append(groups, i.GroupNumber)
		}
	}
	people, err := s.portraits(ctx, authors)
	if err != nil {
		return nil, err
	}
	found, err := s.groups(ctx, groups)
	if err != nil {
		return nil, err
	}
	out := make([]*document, len(items))
	for n, i := range items {
		out[n] = s.shape(p, i, people[i.UserID], found[i.GroupNumber])
	}
	return out, nil
}

// groups finds several groups at once, by number.
func (s *Service) groups(ctx context.Context, numbers []int64) (map[int64]*Group, error) {
	out := map[int64]*Group{}
	if len(numbers) == 0 {
		return out, nil
	}
	list, err := s.store.groupsByNumber(ctx, s.world.DB, numbers)
	for n := range list {
		out[list[n].Number] = &list[n]
	}
	return out, err
}

// lightList is how many bytes of items are sent without being weighed, and
// lightRow how many of one item are read so.
const (
	lightList = 256 << 10
	lightRow  = 64 << 10
)

// encodeList writes an array of items, with their authors and the page views that
// are not written yet.
func (s *Service) encodeList(ctx context.Context, docs []*document, take taker) (encoded, error) {
	numbers, size := make([]int64, len(docs)), 16
	for n, d := range docs {
		numbers[n] = d.number
		size += len(d.text) + 600
	}
	if size > lightList {
		if err := take(size / rowWeight); err != nil {
			return nil, err
		}
	}
	users, err := portraitsOf(ctx, s, docs, func(d *document) int64 { return d.userID })
	if err != nil {
		return nil, err
	}
	views := s.views.of(numbers...)
	out := append(make(encoded, 0, size), '[')
	for n, d := range docs {
		out = appendDocument(separate(out), d, views[n], users[d.userID].text)
	}
	return append(out, ']'), nil
}

// shown lists what an edition shows, the newest first. The total is remembered
// where nobody else can change it.
func (s *Service) shown(ctx context.Context, teamID int64, c cut) ([]int64, int64, error) {
	total, known, generation := s.shelf.total(teamID)
	if !known {
		var err error
		if total, err = s.store.countShown(ctx, s.world.DB, teamID); err != nil {
			return nil, 0, err
		}
		if s.keeps() {
			s.shelf.keepTotal(generation, teamID, total)
		}
	}
	list, err := s.store.shownItems(ctx, s.world.DB, teamID, c)
	return list, total, err
}
