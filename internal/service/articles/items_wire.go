package articles

import (
	"net/url"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/wire"
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
	return NewItem{Title: r.Title, Body: r.Body, Tags: r.Tags, Private: r.Private, Coediting: r.Coediting, Slide: r.Slide, Group: r.GroupURLName}
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

func writeGroup(b *wire.Builder, g *Group) {
	if g == nil {
		b.Null()
		return
	}
	b.Object()
	b.Key("created_at").Text(stamp(g.CreatedAt))
	b.Key("description").Text(g.Description)
	b.Key("name").Text(g.Name)
	b.Key("private").Bool(g.Private)
	b.Key("updated_at").Text(stamp(g.UpdatedAt))
	b.Key("url_name").Text(g.URLName)
	b.End()
}

func writeTags(b *wire.Builder, tags []Tagging) {
	b.Array()
	for _, t := range tags {
		b.Object()
		b.Key("name").Text(t.Name)
		b.Key("versions").Array()
		for _, v := range t.Versions {
			b.Text(v)
		}
		b.End().End()
	}
	b.End()
}

// shape writes an item, up to the number of its page views. The author's name
// is part of the address.
func (s *Service) shape(p Place, i Item, author *portrait, group *Group) *document {
	b := wire.NewBuilder(wire.CompactJSON, make([]byte, 0, len(i.Rendered)+len(i.Body)+1024))
	b.Object()
	b.Key("rendered_body").Text(i.Rendered)
	b.Key("body").Text(i.Body)
	b.Key("coediting").Bool(i.Coediting)
	b.Key("comments_count").Int(i.Comments)
	b.Key("created_at").Text(stamp(i.CreatedAt))
	writeGroup(b.Key("group"), group)
	b.Key("id").Text(i.ID)
	b.Key("likes_count").Int(i.Likes)
	b.Key("private").Bool(i.Private)
	b.Key("reactions_count").Int(i.Reactions)
	b.Key("stocks_count").Int(i.Stocks)
	writeTags(b.Key("tags"), i.Tags)
	b.Key("title").Text(i.Title)
	b.Key("updated_at").Text(stamp(i.UpdatedAt))
	b.Key("url").Text(s.itemURL(p, author.name, i))
	b.Key("organization_url_name").Null()
	b.Key("slide").Bool(i.Slide)
	if b.Key("team_membership"); p.Team == nil {
		b.Null()
	} else {
		b.Object().Key("name").Text(author.title).End()
	}
	return &document{
		number: i.Number, id: i.ID, teamID: i.TeamID, userID: i.UserID, group: i.GroupNumber, private: i.Private, views: i.Views,
		text: b.Key("page_views_count").Bytes(),
	}
}

// appendDocument writes the whole item.
func appendDocument(out []byte, d *document, views int64, user []byte) []byte {
	out = strconv.AppendInt(append(out, d.text...), d.views+views, 10)
	return append(append(append(out, `,"user":`...), user...), '}')
}

// itemURL is where people read the item.
func (s *Service) itemURL(p Place, user string, i Item) string {
	shelf := "/items/"
	if i.Private {
		shelf = "/private/"
	}
	return s.base(p) + pagesPrefix + "/" + user + shelf + i.ID
}

// base is the address of an edition.
func (s *Service) base(p Place) string {
	if p.Team == nil {
		return s.world.URL()
	}
	u, err := url.Parse(s.world.URL())
	if err != nil {
		return s.world.URL()
	}
	host := p.Team.Name + "." + s.config.Host
	if port := u.Port(); port != "" {
		host += ":" + port
	}
	u.Host = host
	return strings.TrimSuffix(u.String(), "/")
}
