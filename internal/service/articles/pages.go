package articles

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/url"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/identity"
)

//go:embed templates/*.html
var templates embed.FS

// pagesPrefix is where people read.
const pagesPrefix = "/articles"

// pageSize is how many articles a page lists.
const pageSize = 20

// parsePages reads what is embedded; a mistake there is a programming error and
// found by the first test.
func parsePages() map[string]*template.Template {
	out := map[string]*template.Template{}
	for _, name := range []string{"home", "list", "item"} {
		out[name] = template.Must(template.ParseFS(templates, "templates/parts.html", "templates/"+name+".html"))
	}
	return out
}

// frame is what every page gets.
type frame struct {
	Home, Edition, Crumb string
	Heading              string
	Query, Total         string
	Popular              []linkView
	Items                []itemView
	Nothing              string
	Newer, Older         string
	Item                 itemView
	Comments             []commentView
}

type linkView struct{ Name, URL string }

type itemView struct {
	Title, URL        string
	Author, AuthorURL string
	Stamp, Date       string
	Updated           string
	Private           bool
	Tags              []linkView
	Counts            []string
	Body              template.HTML
}

type commentView struct {
	ID                string
	Author, AuthorURL string
	Stamp, Date       string
	Body              template.HTML
}

// frame begins a page of an edition.
func (s *Service) frame(p Place) frame {
	f := frame{Home: pagesPrefix, Edition: "Articles"}
	if p.Team != nil {
		f.Edition = p.Team.Title
	}
	return f
}

// sheet renders a page.
func (s *Service) sheet(name, title string, listed bool, f frame) (identity.Page, error) {
	var out bytes.Buffer
	if err := s.pages[name].ExecuteTemplate(&out, "page", f); err != nil {
		return identity.Page{}, fmt.Errorf("render page: %w", err)
	}
	// The templates escape whatever is not the renderer's own HTML.
	return identity.Page{Title: title, HTML: template.HTML(out.String()), ExternalImages: true, Indexed: listed}, nil
}

// reader admits somebody to the pages of an edition. Teams are for their
// members; those that take single sign-on only are not read here.
func (s *Service) reader(ctx context.Context, p Place, u *identity.User) (Visit, error) {
	v := Visit{Place: p}
	if u != nil {
		v.Caller = &identity.Caller{UserID: u.ID, UserName: u.Name}
	}
	if p.Team == nil {
		return v, nil
	}
	if p.Team.SSOOnly {
		return v, errForbidden("This team is reached with team access tokens only")
	}
	if u == nil {
		return v, identity.ErrSignIn
	}
	_, err := s.identity.TeamMember(ctx, p.Team.ID, u.ID)
	if errors.Is(err, identity.ErrNotFound) {
		return v, errForbidden("You are not a member of this team")
	}
	if err != nil {
		return v, fmt.Errorf("find member: %w", err)
	}
	return v, nil
}

func day(t time.Time) string { return t.UTC().Format("2 January 2006") }

func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(n, 10) + " " + many
}

func tagURL(name string) string { return pagesPrefix + "/tags/" + url.PathEscape(name) }

func userURL(name string) string { return pagesPrefix + "/" + url.PathEscape(name) }

func tagLinks(tags []Tagging) []linkView {
	out := make([]linkView, len(tags))
	for n, t := range tags {
		out[n] = linkView{t.Name, tagURL(t.Name)}
	}
	return out
}

// itemView shows an item in the names of its author.
func (s *Service) itemView(v Visit, i Item, author *portrait, views int64) itemView {
	name := author.title
	if name == "" {
		name = author.name
	}
	out := itemView{
		Title: i.Title, Author: name, AuthorURL: userURL(author.name), Stamp: stamp(i.CreatedAt), Date: day(i.CreatedAt), Private: i.Private,
		Tags: tagLinks(i.Tags), Body: template.HTML(i.Rendered),
	}
	path, err := url.Parse(s.itemURL(v.Place, author.name, i))
	if err == nil {
		out.URL = path.Path
	}
	if changed := day(i.UpdatedAt); changed != out.Date {
		out.Updated = changed
	}
	if v.Team == nil {
		out.Counts = append(out.Counts, plural(i.Likes, "like", "likes"))
	} else {
		out.Counts = append(out.Counts, plural(i.Reactions, "reaction", "reactions"))
	}
	out.Counts = append(out.Counts, plural(i.Stocks, "stock", "stocks"), plural(i.Comments, "comment", "comments"))
	if v.userID() == i.UserID {
		out.Counts = append(out.Counts, plural(i.Views+views, "view", "views"))
	}
	return out
}

func commentViewOf(c Comment, author *portrait) commentView {
	name := author.title
	if name == "" {
		name = author.name
	}
	return commentView{
		ID: c.ID, Author: name, AuthorURL: userURL(author.name), Stamp: stamp(c.CreatedAt), Date: day(c.CreatedAt), Body: template.HTML(c.Rendered),
	}
}

// fill puts a page of items into a frame.
func (s *Service) fill(ctx context.Context, v Visit, f *frame, numbers []int64, total int64, here url.URL, at int64) error {
	items, err := s.store.headsWithTags(ctx, s.world.DB, numbers)
	if err != nil {
		return err
	}
	byNumber, ids := map[int64]Item{}, []int64{}
	for _, i := range items {
		byNumber[i.Number] = i
		ids = append(ids, i.UserID)
	}
	people, err := s.portraits(ctx, ids)
	if err != nil {
		return err
	}
	for _, number := range numbers {
		if i, ok := byNumber[number]; ok {
			f.Items = append(f.Items, s.itemView(v, i, people[i.UserID], 0))
		}
	}
	f.Total, f.Nothing = plural(total, "article", "articles"), "There is nothing here yet."
	if at > 1 {
		f.Newer = pageURL(here, at-1)
	}
	if at*pageSize < total && at < 100 {
		f.Older = pageURL(here, at+1)
	}
	return nil
}

// pageURL is the address of another page of the same list.
func pageURL(here url.URL, at int64) string {
	q := here.Query()
	q.Set("page", strconv.FormatInt(at, 10))
	return here.EscapedPath() + "?" + q.Encode()
}
