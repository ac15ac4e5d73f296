package web

import (
	"context"
	"html/template"
	"time"

	"stoa.dev/stoa/internal/platform/page"
)

// Source is what the pages of a site show to one reader.
type Source interface {
	Site() Site
	// Search lists the newest items, with popular tags, or what a query finds.
	Search(ctx context.Context, query string, p page.Numbers) (List, error)
	// Tag lists the items with a tag; the tag is given as it is spelt.
	Tag(ctx context.Context, name string, p page.Numbers) (tag string, followers int64, list List, err error)
	User(ctx context.Context, name string, p page.Numbers) (user User, followers int64, list List, err error)
	// Item is an item of the user with its comments, the oldest first.
	Item(ctx context.Context, user, id string, private bool) (Item, []Comment, error)
}

// Site is the public site or a team.
type Site struct {
	Title  string
	Public bool
}

// List is a page of items.
type List struct {
	Items []Item
	Total int64
	// Popular are tags to choose from.
	Popular []string
}

// User is who wrote something.
type User struct{ Name, DisplayName string }

// Label is how a user is called.
func (u User) Label() string {
	if u.DisplayName == "" {
		return u.Name
	}
	return u.DisplayName
}

// Item is an article.
type Item struct {
	Title, Path          string
	Author               User
	CreatedAt, UpdatedAt time.Time
	Private              bool
	Tags                 []string
	// HTML is the rendered body; lists have none.
	HTML template.HTML
	// Likes are those of the public site, Reactions those of a team.
	Likes, Reactions, Stocks, Comments int64
	// Views are shown to the author only.
	Views int64
	Own   bool
}

// Comment is a comment on an item.
type Comment struct {
	ID        string
	Author    User
	CreatedAt time.Time
	HTML      template.HTML
}
