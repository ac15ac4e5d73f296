package search

import (
	"context"
	"encoding/hex"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/page"
)

// Index is the text index of all items. It is safe for concurrent use.
type Index struct {
	findUser func(ctx context.Context, name string) (id int64, err error)
	postings postingCache
}

// New makes an Index. findUser gives the id of a user, 0 for an unknown name.
func New(findUser func(ctx context.Context, name string) (id int64, err error)) *Index {
	return &Index{findUser: findUser}
}

// Item is what is indexed.
type Item struct {
	Number, TeamID, UserID, GroupNumber int64
	Title, Body                         string
	Tags                                []string
	Private, Coediting, Slide           bool
}

// Put makes an item findable as it is now, or not at all if it is private.
func (x *Index) Put(ctx context.Context, tx *database.Tx, i Item) error {
	if i.Private {
		return x.Delete(ctx, tx, i.Number)
	}
	e := entryOf(i)
	tx.OnCommit(func() { x.postings.update(i.Number, e) })
	return engineOf(tx.Engine()).put(ctx, tx, i.Number, e)
}

// Delete makes an item unfindable.
func (x *Index) Delete(ctx context.Context, tx *database.Tx, number int64) error {
	tx.OnCommit(func() { x.postings.update(number, entry{}) })
	return engineOf(tx.Engine()).delete(ctx, tx, number)
}

// Database is where a search reads.
type Database interface {
	database.Querier
	Engine() database.Engine
}

// Filter is what a search leaves out, and the page of the rest that it lists.
type Filter struct {
	TeamID int64
	// Hidden are the numbers of groups whose items are left out. If they are more
	// than MaxHidden, Visible is the condition of an item in their place.
	Hidden  []int64
	Visible Condition
	Page    page.Numbers
}

// MaxHidden is how many groups a search leaves out by number: the text index takes
// no more than some hundred terms.
const MaxHidden = 50

// Find lists the numbers of the items that a query finds, and counts them all.
func (x *Index) Find(ctx context.Context, db Database, q Query, f Filter) ([]int64, int64, error) {
	if err := x.complete(ctx, &q, f); err != nil {
		return nil, 0, err
	}
	if db.Engine() == database.SQLite && q.onlyWords() {
		list, total, ok, err := x.findPostings(ctx, db, q, f)
		if ok || err != nil {
			return list, total, err
		}
	}
	return find(ctx, db, q, f)
}

// complete keeps a query in its site and away from hidden groups, and finds the
// users that it names.
func (x *Index) complete(ctx context.Context, q *Query, f Filter) error {
	if len(q.groups) == 0 {
		q.groups = []group{{}}
	}
	for n := range q.groups {
		g := &q.groups[n]
		if len(f.Hidden) > MaxHidden {
			g.rows = append(g.rows, f.Visible)
		} else {
			for _, number := range f.Hidden {
				g.addFacet(groupFacet(number), true)
			}
		}
		positive := false
		for m := range g.words {
			t := &g.words[m]
			if t.user != "" {
				id, err := x.findUser(ctx, t.user)
				if err != nil {
					return err
				}
				t.words = []string{userFacet(id)}
			}
			t.words = prefixed(f.TeamID, t.field == fieldFacet, t.words)
			positive = positive || !t.not
		}
		if !positive {
			// What is negated needs something to be taken from.
			g.words = append(g.words, term{field: fieldFacet, words: prefixed(f.TeamID, true, []string{itemFacet})})
			g.everything = len(g.words) == 1
		}
	}
	return nil
}

// entry is what the index knows of an item.
type entry struct{ title, body, code, facets []string }

// prefixed gives words the prefix of their site, so that no site reads
// through the words of another: "0wgo" is go on the public site. Facets, which are
// what an item is rather than says, have a letter of their own.
func prefixed(teamID int64, facet bool, words []string) []string {
	prefix := strconv.FormatInt(teamID, 10) + "w"
	if facet {
		prefix = strconv.FormatInt(teamID, 10) + "f"
	}
	out := make([]string, len(words))
	for n, w := range words {
		out[n] = prefix + w
	}
	return out
}

func userFacet(userID int64) string  { return "u" + strconv.FormatInt(userID, 10) }
func groupFacet(number int64) string { return "g" + strconv.FormatInt(number, 10) }
func tagFacet(name string) string    { return "t" + hex.EncodeToString([]byte(strings.ToLower(name))) }

const (
	coeditingFacet = "coediting"
	slideFacet     = "slide"
	// itemFacet is on every item, nothingFacet on none.
	itemFacet    = "item"
	nothingFacet = "nothing"
)

func entryOf(i Item) entry {
	prose, code := splitCode(i.Body)
	facets := []string{itemFacet, userFacet(i.UserID)}
	if i.GroupNumber != 0 {
		facets = append(facets, groupFacet(i.GroupNumber))
	}
	if i.Coediting {
		facets = append(facets, coeditingFacet)
	}
	if i.Slide {
		facets = append(facets, slideFacet)
	}
	seen := map[string]bool{}
	for _, name := range i.Tags {
		// A tag foo/bar is found as foo too.
		for ; name != ""; name = parentTag(name) {
			if facet := tagFacet(name); !seen[facet] {
				seen[facet] = true
				facets = append(facets, facet)
			}
		}
	}
	text := func(s string) []string { return prefixed(i.TeamID, false, tokenize(s)) }
	return entry{text(i.Title), text(prose), text(code), prefixed(i.TeamID, true, facets)}
}

func parentTag(name string) string { return name[:max(strings.LastIndexByte(name, '/'), 0)] }
