package web

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/url"
	"strconv"
	"sync"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/platform/route"
)

//go:embed templates/*.html
var templates embed.FS

// Show puts a page inside the console's frame; see identity.Identity.ShowPage.
type Show func(identity.PageFunc) (route.Handler, error)

// Open admits a reader, nil without a sign-in, to the site that the request's
// host names. release gives back the memory of what the source returned.
type Open func(r *route.Request, u *identity.User) (s Source, release func(), err error)

// Counts say how often the item was liked, stocked and so on.
func (v view) Counts(i Item) []string {
	out := []string{plural(i.Reactions, "reaction", "reactions")}
	if v.Site.Public {
		out[0] = plural(i.Likes, "like", "likes")
	}
	out = append(out, plural(i.Stocks, "bookmark", "bookmarks"), plural(i.Comments, "comment", "comments"))
	if i.Own {
		out = append(out, plural(i.Views, "view", "views"))
	}
	return out
}

// Pages are the pages of all sites.
type Pages struct {
	show      Show
	open      Open
	templates map[string]*template.Template
}

// New makes the pages.
func New(show Show, open Open) *Pages {
	return &Pages{show: show, open: open, templates: parsedTemplates()}
}

// parsedTemplates are immutable and the same in all worlds of a process.
var parsedTemplates = sync.OnceValue(parseTemplates)

// parseTemplates parses what is embedded; a mistake there is a programming error and
// found by the first test.
func parseTemplates() map[string]*template.Template {
	all := map[string]*template.Template{}
	functions := template.FuncMap{
		"day": day, "home": func() string { return Prefix },
		"stamp":   func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"tagURL":  func(name string) string { return Prefix + "/tags/" + url.PathEscape(name) },
		"userURL": func(u User) string { return Prefix + "/" + url.PathEscape(u.Name) },
	}
	for _, name := range []string{"home", "list", "item"} {
		all[name] = template.Must(template.New(name).Funcs(functions).
			ParseFS(templates, "templates/parts.html", "templates/"+name+".html"))
	}
	return all
}

// view is what a template gets.
type view struct {
	Site           Site
	Heading, Crumb string
	Query          string
	List           List
	Total, Empty   string
	Newer, Older   string
	Item           Item
	Comments       []Comment
}

func (v *view) setList(list List, here url.URL, n page.Numbers) {
	v.List, v.Total, v.Empty = list, plural(list.Total, "article", "articles"), "There is nothing here yet."
	if n.Page > 1 {
		v.Newer = pageURL(here, n.Page-1)
	}
	if int64(n.Page)*pageSize < list.Total && n.Page < maxPage {
		v.Older = pageURL(here, n.Page+1)
	}
}

// pageURL is the address of another page of the same list.
func pageURL(here url.URL, n int) string {
	q := here.Query()
	q.Set("page", strconv.Itoa(n))
	return here.EscapedPath() + "?" + q.Encode()
}

// render renders a page; search engines may list it if listed is true.
func (p *Pages) render(name, title string, listed bool, v view) (identity.Page, error) {
	var out bytes.Buffer
	if err := p.templates[name].ExecuteTemplate(&out, "page", v); err != nil {
		return identity.Page{}, fmt.Errorf("render page: %w", err)
	}
	// The templates escape whatever is not the renderer's own HTML.
	return identity.Page{Title: title, HTML: template.HTML(out.String()), ExternalImages: true, Indexed: listed}, nil
}

func day(t time.Time) string { return t.UTC().Format("2 January 2006") }

func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(n, 10) + " " + many
}
