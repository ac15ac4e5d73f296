package articles

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/articles/markdown"
)

// The bounds of what people write. The body of an item is bounded by the request;
// comments and templates are shorter, because lists hold a hundred of them at once.
const (
	maxComment     = 64 << 10
	maxTemplate    = 256 << 10
	maxTitle       = 255
	maxDescription = 4096
	maxTags        = 5
	maxTagName     = 100
	maxVersions    = 20
	maxVersion     = 64
)

// Visit is who asks, and in which edition. The caller is nil for strangers.
type Visit struct {
	Place
	Caller *identity.Caller
}

// teamID is 0 on the public site.
func (v Visit) teamID() int64 {
	if v.Team == nil {
		return 0
	}
	return v.Team.ID
}

// userID is 0 for strangers.
func (v Visit) userID() int64 {
	if v.Caller == nil {
		return 0
	}
	return v.Caller.UserID
}

// owner is who answers for the work of a write. Strangers write nothing.
func (v Visit) owner() budget.Owner {
	if v.Caller == nil {
		return budget.Address("")
	}
	return budget.Caller(v.Caller.LimitKey())
}

// NewItem is what an author writes. In a change, nil leaves a member as it is.
type NewItem struct {
	Title, Body               *string
	Tags                      *[]Tagging
	Private, Coediting, Slide *bool
	// Group is the url_name of a group of the team; empty means all of it.
	Group *string

	// rendered is the HTML of Body; see render.
	rendered string
}

// render makes the HTML of the body, before and not while the store waits.
func (n *NewItem) render(ctx context.Context, v Visit, m *markdown.Renderer) (err error) {
	if n.Body == nil {
		return nil
	}
	text := *n.Body
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	n.Body = &text
	n.rendered, err = m.Render(ctx, v.owner(), text)
	return err
}

// CreateItem publishes an item in the caller's name.
func (s *Service) CreateItem(ctx context.Context, v Visit, n NewItem) (Item, error) {
	i := Item{ID: s.world.IDs.Hex(20), TeamID: v.teamID(), UserID: v.userID(), CreatedAt: s.now()}
	if n.Tags == nil {
		n.Tags = &[]Tagging{}
	}
	if err := n.render(ctx, v, s.markdown); err != nil {
		return Item{}, err
	}
	if err := i.apply(v, n, i.CreatedAt); err != nil {
		return Item{}, err
	}
	err := s.world.DB.WriteKeyed(ctx, userKey(v.userID()), func(ctx context.Context, tx *database.Tx) (err error) {
		if err := s.putInGroup(ctx, tx, v, &i, n.Group); err != nil {
			return err
		}
		if i.Number, err = s.store.insertItem(ctx, tx, i); err != nil {
			return err
		}
		var tags []int64
		if i.Tags, tags, err = s.tagItem(ctx, tx, i, *n.Tags, nil); err != nil {
			return err
		}
		if err := s.indexItem(ctx, tx, i, i.Tags); err != nil {
			return err
		}
		return s.recount(ctx, tx, i, weight{}, weigh(i, tags))
	})
	return i, groupGone(err)
}

// putInGroup finds the group that an item is written in. Only whoever sees a
// group may write in it.
func (s *Service) putInGroup(ctx context.Context, tx *database.Tx, v Visit, i *Item, urlName *string) (err error) {
	if urlName == nil || v.Team == nil {
		return nil
	}
	if i.GroupNumber = 0; *urlName == "" {
		return nil
	}
	g, err := s.seeGroup(ctx, tx, v, *urlName)
	var refused *Error
	if errors.As(err, &refused) {
		return errNoGroup()
	}
	i.GroupNumber = g.Number
	return err
}

func errNoGroup() *Error { return errBad("group_url_name names no group of the team") }

// groupGone answers a writer whose group was deleted meanwhile.
func groupGone(err error) error {
	if errors.Is(err, database.ErrForeignKey) {
		return errNoGroup()
	}
	return err
}

// apply checks a change and makes it.
func (i *Item) apply(v Visit, n NewItem, now time.Time) error {
	set(&i.Title, n.Title)
	if n.Body != nil {
		i.Body, i.Rendered = *n.Body, n.rendered
	}
	set(&i.Slide, n.Slide)
	wasPublic := i.Number != 0 && !i.Private
	// Private items are a matter of the public site, coediting one of teams.
	if v.Team == nil {
		set(&i.Private, n.Private)
	} else {
		set(&i.Coediting, n.Coediting)
	}
	if wasPublic && i.Private {
		return errForbidden("What was public cannot become private")
	}
	if strings.TrimSpace(i.Title) == "" || utf8.RuneCountInString(i.Title) > maxTitle {
		return errBad("title must have 1 to 255 characters")
	}
	if strings.TrimSpace(i.Body) == "" {
		return errBad("body is missing")
	}
	i.UpdatedAt = now
	if n.Tags == nil {
		return nil
	}
	return checkTags(*n.Tags, v.Team == nil)
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// checkTags holds the rules of tags; public items need one at least.
func checkTags(tags []Tagging, public bool) error {
	if len(tags) > maxTags || (public && len(tags) == 0) {
		return errBad("tags must hold 1 to 5 tags")
	}
	seen := map[string]bool{}
	for _, t := range tags {
		if err := checkTag(t); err != nil {
			return err
		}
		if seen[fold(t.Name)] {
			return errBad("tags must not hold a tag twice")
		}
		seen[fold(t.Name)] = true
	}
	return nil
}

func checkTag(t Tagging) error {
	if t.Name == "" || utf8.RuneCountInString(t.Name) > maxTagName || strings.ContainsFunc(t.Name, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return errBad("the name of a tag must have 1 to 100 characters and no space")
	}
	if len(t.Versions) > maxVersions || slices.ContainsFunc(t.Versions, func(v string) bool { return len(v) > maxVersion }) {
		return errBad("versions must hold at most 20 versions of at most 64 bytes")
	}
	return nil
}

// fold is how a tag is found whatever its case.
func fold(name string) string { return strings.ToLower(name) }

// tagItem makes the item's tags those that are named, in the place of old, and
// returns them as they are spelt. Tags that stay keep the time they were given.
func (s *Service) tagItem(ctx context.Context, tx *database.Tx, i Item, tags []Tagging, old []int64) (out []Tagging, keep []int64, err error) {
	made := make([]Tag, len(tags))
	for _, n := range foldedOrder(tags) {
		if made[n], err = s.makeTag(ctx, tx, i.TeamID, tags[n].Name); err != nil {
			return nil, nil, err
		}
	}
	keep, out = make([]int64, len(tags)), make([]Tagging, len(tags))
	for n, tag := range made {
		keep[n], out[n] = tag.Number, Tagging{Name: tag.Name, Versions: versions(tags[n])}
		if err := s.store.putTagging(ctx, tx, i.Number, tag.Number, n, out[n].Versions); err != nil {
			return nil, nil, err
		}
	}
	for _, number := range old {
		if !slices.Contains(keep, number) {
			if err := s.store.deleteTagging(ctx, tx, i.Number, number); err != nil {
				return nil, nil, err
			}
		}
	}
	return out, keep, nil
}

// makeTag finds a tag or makes it. Tags are never renamed or deleted, so what
// was found once is remembered.
func (s *Service) makeTag(ctx context.Context, tx *database.Tx, teamID int64, name string) (Tag, error) {
	key := tagKey{teamID, fold(name)}
	if t, ok := s.tags.find(key); ok {
		return t, nil
	}
	t, err := s.store.makeTag(ctx, tx, teamID, name, key.folded)
	if err == nil {
		tx.OnCommit(func() { s.tags.keep(key, t) })
	}
	return t, err
}

// foldedOrder is the order in which tags are made: the same for everybody, so
// that two writers never wait for each other in a circle.
func foldedOrder(tags []Tagging) []int {
	order := make([]int, len(tags))
	for n := range order {
		order[n] = n
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(fold(tags[a].Name), fold(tags[b].Name)) })
	return order
}

// versions is never null on the wire.
func versions(t Tagging) []string {
	if t.Versions == nil {
		return []string{}
	}
	return t.Versions
}

// weight is what an item adds to the counts: nothing while it is private.
type weight struct {
	items int64
	tags  []int64
}

func weigh(i Item, tags []int64) weight {
	if i.Private {
		return weight{}
	}
	return weight{1, tags}
}

// recount enters in the counts of tags and of the author that an item weighs
// something else now. Tags come in the order of their numbers and the author
// last, so that two writers never wait for each other in a circle.
func (s *Service) recount(ctx context.Context, tx *database.Tx, i Item, before, after weight) error {
	c := change{items: []int64{i.Number}, teamID: i.TeamID, shown: after.items - before.items}
	if i.TeamID == 0 {
		c.author = i.UserID
	}
	s.shelf.forget(tx, c)
	by := map[int64]int64{}
	for _, tag := range after.tags {
		by[tag]++
	}
	for _, tag := range before.tags {
		by[tag]--
	}
	for _, tag := range slices.Sorted(maps.Keys(by)) {
		if by[tag] == 0 {
			continue
		}
		if err := s.store.count(ctx, tx, countTagItems, by[tag], tag); err != nil {
			return err
		}
	}
	if c.author == 0 || c.shown == 0 {
		return nil
	}
	return s.store.count(ctx, tx, countUserItems, c.shown, c.author)
}

// see finds an item that the visitor may see, without its texts. A private item
// is its author's.
func (s *Service) see(ctx context.Context, q database.Querier, v Visit, id string) (Item, error) {
	i, err := s.store.itemHead(ctx, q, v.teamID(), id)
	if err != nil {
		return i, err
	}
	return i, s.seen(ctx, q, v, i)
}

func (s *Service) seen(ctx context.Context, q database.Querier, v Visit, i Item) error {
	if i.Private && i.UserID != v.userID() {
		return errNotFound()
	}
	return s.groupSeen(ctx, q, v, i.GroupNumber)
}

// seeWhole is see with the texts.
func (s *Service) seeWhole(ctx context.Context, q database.Querier, v Visit, id string) (Item, error) {
	i, err := s.store.item(ctx, q, v.teamID(), id)
	if err != nil {
		return i, err
	}
	return i, s.seen(ctx, q, v, i)
}

// ItemsOf lists the items of a person that the visitor may find, by number.
func (s *Service) ItemsOf(ctx context.Context, v Visit, userID int64, c cut) ([]int64, int64, error) {
	t, err := s.sight(ctx, v)
	if err != nil {
		return nil, 0, err
	}
	return s.store.itemsOf(ctx, s.world.DB, t, userID, c)
}

// UpdateItem changes an item of the caller's, or one the team edits together.
func (s *Service) UpdateItem(ctx context.Context, v Visit, id string, n NewItem) (Item, error) {
	var i Item
	if err := n.render(ctx, v, s.markdown); err != nil {
		return Item{}, err
	}
	now := s.now()
	err := s.world.DB.WriteKeyed(ctx, itemKey(id), func(ctx context.Context, tx *database.Tx) (err error) {
		if i, err = s.seeWhole(ctx, tx, v, id); err != nil {
			return err
		}
		if i.UserID != v.userID() && !i.Coediting {
			return errForbidden("Only the author may change this item")
		}
		old, err := s.store.tagNumbers(ctx, tx, i.Number)
		if err != nil {
			return err
		}
		before := weigh(i, old)
		if err := i.apply(v, n, now); err != nil {
			return err
		}
		if err := s.putInGroup(ctx, tx, v, &i, n.Group); err != nil {
			return err
		}
		if err := s.store.updateItem(ctx, tx, i); err != nil {
			return err
		}
		tags := old
		if n.Tags == nil {
			i.Tags, err = s.store.taggings(ctx, tx, i.Number)
		} else {
			i.Tags, tags, err = s.tagItem(ctx, tx, i, *n.Tags, old)
		}
		if err != nil {
			return err
		}
		if err := s.indexItem(ctx, tx, i, i.Tags); err != nil {
			return err
		}
		return s.recount(ctx, tx, i, before, weigh(i, tags))
	})
	return i, groupGone(err)
}

// DeleteItem deletes an item of the caller's with all that hangs on it.
func (s *Service) DeleteItem(ctx context.Context, v Visit, id string) error {
	return s.world.DB.WriteKeyed(ctx, itemKey(id), func(ctx context.Context, tx *database.Tx) error {
		i, err := s.see(ctx, tx, v, id)
		if err != nil {
			return err
		}
		if i.UserID != v.userID() {
			return errForbidden("Only the author may delete this item")
		}
		tags, err := s.store.tagNumbers(ctx, tx, i.Number)
		if err != nil {
			return err
		}
		if err := s.unindexItem(ctx, tx, i.Number); err != nil {
			return err
		}
		if err := s.store.deleteItem(ctx, tx, i.Number); err != nil {
			return err
		}
		return s.recount(ctx, tx, i, weigh(i, tags), weight{})
	})
}

// itemKey is what writers of one item wait for.
func itemKey(id string) string { return "articles/item/" + id }
