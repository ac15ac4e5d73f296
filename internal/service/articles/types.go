package articles

import (
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/service/articles/groups"
	"stoa.dev/stoa/internal/service/articles/profiles"
	"stoa.dev/stoa/internal/service/articles/tagging"
)

// User is a user with what the service counts about one.
type User struct {
	identity.User
	// Items counts items on the public site that are not private.
	Items, Followees, Followers int64
	Profile                     profiles.Profile

	// json is the user as it is sent; see encodeUser.
	json []byte
}

// author is who wrote, liked or put something. User is set by setAuthors.
type author struct {
	UserID int64
	User   *User
}

func (a *author) pointer() *author { return a }

// Item is an article.
type Item struct {
	author
	// Number orders items; ID is what clients see.
	Number int64
	ID     string
	// TeamID is 0 on the public site, GroupNumber 0 outside of groups.
	TeamID, GroupNumber       int64
	Title, Body, Rendered     string
	Private, Coediting, Slide bool
	Comments, Likes           int64
	Reactions, Stocks, Views  int64
	CreatedAt, UpdatedAt      time.Time
	Tags                      []Tagging
	Group                     *groups.Group
}

// Tagging is a tag on an item, with the versions the item is about.
type Tagging = tagging.Tagging

// Tag is a tag of one site.
type Tag = tagging.Tag

// Comment is a comment on an item.
type Comment struct {
	author
	Number               int64
	ID                   string
	Item                 int64
	Body, Rendered       string
	CreatedAt, UpdatedAt time.Time
}

// Like is a user who likes an item.
type Like struct {
	author
	CreatedAt time.Time
}

// Reaction is an emoji on an item, or on a comment of it.
type Reaction struct {
	author
	Item int64
	// Comment is 0 for a reaction to the item itself.
	Comment   int64
	Name      string
	CreatedAt time.Time
}
