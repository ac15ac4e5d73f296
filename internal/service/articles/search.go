package articles

import (
	"context"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
)

// textIndex is an engine's way to find items by words: SQLite's FTS5 or
// PostgreSQL's full text. Both are given words that were cut here, so both find
// the same.
type textIndex interface {
	// put indexes an item, in place of what was known of it.
	put(ctx context.Context, tx *database.Tx, number int64, e entry) error
	drop(ctx context.Context, tx *database.Tx, number int64) error
	// expression writes alternatives of terms in the engine's own language.
	expression(groups []group) string
	// key is the column with the item's number; match the condition that an
	// expression holds, with ? for the expression.
	key() string
	match() string
}

// entry is what the index knows of an item.
type entry struct{ title, body, code, facets []string }

// Every word carries its edition, so that no edition wades through the words of
// another: "0wgo" is go on the public site. Facets, which are what an item is
// rather than says, have a letter of their own.
func placed(teamID int64, kind byte, list []string) []string {
	prefix := strconv.FormatInt(teamID, 10) + string(kind)
	out := make([]string, len(list))
	for n, w := range list {
		out[n] = prefix + w
	}
	return out
}

func userFacet(userID int64) string  { return "u" + strconv.FormatInt(userID, 10) }
func groupFacet(number int64) string { return "g" + strconv.FormatInt(number, 10) }
func tagFacet(folded string) string  { return "t" + hex.EncodeToString([]byte(folded)) }

const (
	coeditingFacet = "coediting"
	slideFacet     = "slide"
	// itemFacet is on every item, nothingFacet on none.
	itemFacet    = "item"
	nothingFacet = "nothing"
)

// indexItem makes the item findable as it is now. Private items are not found.
func (s *Service) indexItem(ctx context.Context, tx *database.Tx, i Item, tags []Tagging) error {
	index := s.store.index(tx.Engine())
	if i.Private {
		return s.unindexItem(ctx, tx, i.Number)
	}
	e := entryOf(i, tags)
	s.sieve.note(tx, i.Number, e)
	return index.put(ctx, tx, i.Number, e)
}

// unindexItem makes an item unfindable.
func (s *Service) unindexItem(ctx context.Context, tx *database.Tx, number int64) error {
	s.sieve.note(tx, number, entry{})
	return s.store.index(tx.Engine()).drop(ctx, tx, number)
}

func entryOf(i Item, tags []Tagging) entry {
	prose, code := parts(i.Body)
	text := func(list []string) []string { return placed(i.TeamID, 'w', list) }
	e := entry{title: text(words(i.Title)), body: text(words(prose)), code: text(words(code)), facets: []string{itemFacet, userFacet(i.UserID)}}
	if i.GroupNumber != 0 {
		e.facets = append(e.facets, groupFacet(i.GroupNumber))
	}
	if i.Coediting {
		e.facets = append(e.facets, coeditingFacet)
	}
	if i.Slide {
		e.facets = append(e.facets, slideFacet)
	}
	seen := map[string]bool{}
	for _, t := range tags {
		// A tag foo/bar is found as foo too.
		for name := fold(t.Name); name != ""; name = parentTag(name) {
			if !seen[name] {
				seen[name] = true
				e.facets = append(e.facets, tagFacet(name))
			}
		}
	}
	e.facets = placed(i.TeamID, 'f', e.facets)
	return e
}

func parentTag(name string) string {
	at := strings.LastIndexByte(name, '/')
	return name[:max(at, 0)]
}

// Search lists the items that a query finds, by number.
func (s *Service) Search(ctx context.Context, v Visit, text string, c cut) ([]int64, int64, error) {
	q, err := parseQuery(text)
	if err != nil {
		return nil, 0, err
	}
	sight, err := s.sight(ctx, v)
	if err != nil {
		return nil, 0, err
	}
	if len(q.groups) == 0 && q.order == "" && sight.all {
		return s.shown(ctx, v.teamID(), c)
	}
	if !sight.all {
		hidden, err := s.store.hiddenGroups(ctx, s.world.DB, v.teamID(), sight.viewer, maxHidden+1)
		if err != nil {
			return nil, 0, err
		}
		q.hide(hidden, sight.viewer)
	}
	if err := s.placeQuery(ctx, &q, v.teamID()); err != nil {
		return nil, 0, err
	}
	if list, total, ok, err := s.sift(ctx, q, c); ok || err != nil {
		return list, total, err
	}
	return s.store.search(ctx, s.world.DB, q, c, s.totals())
}

// maxHidden is how many groups a query leaves out by name. The text index takes
// no more than some hundred terms, so beyond it the rows are asked.
const maxHidden = 50

// hide leaves the items of groups out that the viewer may not see.
func (q *query) hide(groups []int64, viewer int64) {
	if len(q.groups) == 0 {
		q.groups = []group{{}}
	}
	for n := range q.groups {
		if len(groups) > maxHidden {
			q.groups[n].where(unhidden, false, viewer)
			continue
		}
		for _, number := range groups {
			q.groups[n].is(groupFacet(number), true)
		}
	}
}

// placeQuery keeps a query in its edition and finds the people it names.
func (s *Service) placeQuery(ctx context.Context, q *query, teamID int64) error {
	q.teamID = teamID
	if len(q.groups) == 0 {
		q.groups = []group{{}}
	}
	for n := range q.groups {
		g := &q.groups[n]
		positive := false
		for m := range g.words {
			t := &g.words[m]
			if err := s.findUser(ctx, t); err != nil {
				return err
			}
			kind := byte('w')
			if t.field == fieldFacet {
				kind = 'f'
			}
			t.words = placed(teamID, kind, t.words)
			positive = positive || !t.not
		}
		if !positive {
			// What is turned around needs something to be taken from.
			g.words = append(g.words, term{field: fieldFacet, words: placed(teamID, 'f', []string{itemFacet})})
			g.whole = len(g.words) == 1
		}
	}
	return nil
}

// findUser puts a facet in the place of a name.
func (s *Service) findUser(ctx context.Context, t *term) error {
	if t.user == "" {
		return nil
	}
	u, err := s.identity.UserByName(ctx, t.user)
	switch {
	case err == nil:
		t.words = []string{userFacet(u.ID)}
	case errors.Is(err, identity.ErrNotFound):
		t.words = []string{nothingFacet}
	default:
		return err
	}
	return nil
}
