package articles

import (
	"net/url"
	"strings"
	"time"
)

type itemRequest struct {
	Title        *string    `json:"title"`
	Body         *string    `json:"body"`
	Tags         *[]Tagging `json:"tags"`
	Private      *bool      `json:"private"`
	Coediting    *bool      `json:"coediting"`
	Slide        *bool      `json:"slide"`
	GroupURLName *string    `json:"group_url_name"`
}

func (r itemRequest) toItem() NewItem {
	n := NewItem{Title: r.Title, Body: r.Body, Tags: r.Tags, Private: r.Private, Coediting: r.Coediting, Slide: r.Slide}
	set(&n.Group, r.GroupURLName)
	return n
}

type itemJSON struct {
	RenderedBody        string         `json:"rendered_body"`
	Body                string         `json:"body"`
	Coediting           bool           `json:"coediting"`
	CommentsCount       int64          `json:"comments_count"`
	CreatedAt           string         `json:"created_at"`
	Group               *groupJSON     `json:"group"`
	ID                  string         `json:"id"`
	LikesCount          int64          `json:"likes_count"`
	Private             bool           `json:"private"`
	ReactionsCount      int64          `json:"reactions_count"`
	StocksCount         int64          `json:"stocks_count"`
	Tags                []Tagging      `json:"tags"`
	Title               string         `json:"title"`
	UpdatedAt           string         `json:"updated_at"`
	URL                 string         `json:"url"`
	User                map[string]any `json:"user"`
	PageViewsCount      int64          `json:"page_views_count"`
	TeamMembership      *membership    `json:"team_membership"`
	OrganizationURLName *string        `json:"organization_url_name"`
	Slide               bool           `json:"slide"`
}

// membership is the author's name in the team.
type membership struct {
	Name string `json:"name"`
}

type groupJSON struct {
	CreatedAt   string `json:"created_at"`
	Description string `json:"description"`
	Name        string `json:"name"`
	Private     bool   `json:"private"`
	UpdatedAt   string `json:"updated_at"`
	URLName     string `json:"url_name"`
}

func groupToWire(g *Group) *groupJSON {
	if g == nil {
		return nil
	}
	return &groupJSON{
		CreatedAt: stamp(g.CreatedAt), Description: g.Description, Name: g.Name, Private: g.Private, UpdatedAt: stamp(g.UpdatedAt), URLName: g.URLName,
	}
}

// stamp is a time as the contract writes it.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func (s *Service) itemToWire(look *looker, v Visit, i Item) (any, error) {
	user, err := look.user(i.UserID)
	if err != nil {
		return nil, err
	}
	group, err := look.group(i.GroupNumber)
	if err != nil {
		return nil, err
	}
	tags, err := s.store.taggings(look.ctx, s.world.DB, i.Number)
	if err != nil {
		return nil, err
	}
	out := itemJSON{
		RenderedBody: i.Rendered, Body: i.Body, Coediting: i.Coediting, CommentsCount: i.Comments, CreatedAt: stamp(i.CreatedAt), Group: groupToWire(group),
		ID: i.ID, LikesCount: i.Likes, Private: i.Private, ReactionsCount: i.Reactions, StocksCount: i.Stocks, Tags: tags, Title: i.Title,
		UpdatedAt: stamp(i.UpdatedAt), URL: s.itemURL(v.Place, user.Name, i), User: s.userToWire(user), Slide: i.Slide,
	}
	if v.Team != nil {
		out.TeamMembership = &membership{Name: user.DisplayName}
	}
	return out, nil
}

// itemURL is where people read the item.
func (s *Service) itemURL(p Place, user string, i Item) string {
	shelf := "/items/"
	if i.Private {
		shelf = "/private/"
	}
	return s.base(p) + "/" + user + shelf + i.ID
}

// base is the address of an edition.
func (s *Service) base(p Place) string {
	u, err := url.Parse(s.world.URL())
	if err != nil || p.Team == nil {
		return s.world.URL()
	}
	host := p.Team.Name + "." + s.config.Host
	if port := u.Port(); port != "" {
		host += ":" + port
	}
	u.Host = host
	return strings.TrimSuffix(u.String(), "/")
}
