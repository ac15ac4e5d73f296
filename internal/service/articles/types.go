package articles

import (
	"time"

	"stoa.dev/stoa/internal/platform/module"
)

// The four scopes in the contract's own spelling; the dialect knows others.
const (
	ScopeRead      = "read_svc"
	ScopeReadTeam  = "read_svc_team"
	ScopeWrite     = "write_svc"
	ScopeWriteTeam = "write_svc_team"
)

func scopes() []module.Scope {
	return []module.Scope{
		{Name: ScopeRead, Words: "read your public data"},
		{Name: ScopeReadTeam, Words: "read the data of your teams"},
		{Name: ScopeWrite, Words: "write public data in your name"},
		{Name: ScopeWriteTeam, Words: "write data of your teams in your name"},
	}
}

// Item is an article.
type Item struct {
	// Number orders items; ID is what clients see.
	Number int64
	ID     string
	// TeamID is 0 on the public site.
	TeamID, UserID            int64
	GroupNumber               int64
	Title, Body, Rendered     string
	Private, Coediting, Slide bool
	Comments, Likes           int64
	Reactions, Stocks, Views  int64
	CreatedAt, UpdatedAt      time.Time
	Tags                      []Tagging
}

// Tagging is a tag on an item, with the versions the item is about.
type Tagging struct {
	Name     string   `json:"name"`
	Versions []string `json:"versions"`
}

// Tag is a tag of one edition.
type Tag struct {
	Number           int64
	Name             string
	Items, Followers int64
}

// Comment is a comment on an item.
type Comment struct {
	Number               int64
	ID                   string
	Item                 int64
	UserID               int64
	Body, Rendered       string
	CreatedAt, UpdatedAt time.Time
}

// Template is a beginning for items of a team, with variables.
type Template struct {
	Number, TeamID, GroupNumber int64
	Name, Title, Body           string
	Tags                        []Tagging
	Coedit                      bool
	CreatedAt, UpdatedAt        time.Time
}

// Group is a part of a team.
type Group struct {
	Number, TeamID             int64
	URLName, Name, Description string
	Private                    bool
	CreatedAt, UpdatedAt       time.Time
}
