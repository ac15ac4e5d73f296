package articles

import (
	"net/url"
	"strconv"
	"strings"
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

func appendGroup(out []byte, g *Group) []byte {
	if g == nil {
		return append(out, "null"...)
	}
	out = appendTimeMember(append(out, '{'), "created_at", g.CreatedAt)
	out = appendTextMember(out, "description", g.Description)
	out = appendTextMember(out, "name", g.Name)
	out = appendBoolMember(out, "private", g.Private)
	out = appendTimeMember(out, "updated_at", g.UpdatedAt)
	return append(appendTextMember(out, "url_name", g.URLName), '}')
}

func appendTags(out []byte, tags []Tagging) []byte {
	out = append(out, '[')
	for n, t := range tags {
		if n > 0 {
			out = append(out, ',')
		}
		out = append(appendMember(appendTextMember(append(out, '{'), "name", t.Name), "versions"), '[')
		for m, v := range t.Versions {
			if m > 0 {
				out = append(out, ',')
			}
			out = appendText(out, v)
		}
		out = append(out, ']', '}')
	}
	return append(out, ']')
}

// shape writes an item, up to the number of its page views. The author's name
// is part of the address.
func (s *Service) shape(p Place, i Item, author *portrait, group *Group) *document {
	out := make([]byte, 0, len(i.Rendered)+len(i.Body)+1024)
	out = appendTextMember(append(out, '{'), "rendered_body", i.Rendered)
	out = appendTextMember(out, "body", i.Body)
	out = appendBoolMember(out, "coediting", i.Coediting)
	out = appendIntMember(out, "comments_count", i.Comments)
	out = appendTimeMember(out, "created_at", i.CreatedAt)
	out = appendGroup(appendMember(out, "group"), group)
	out = appendTextMember(out, "id", i.ID)
	out = appendIntMember(out, "likes_count", i.Likes)
	out = appendBoolMember(out, "private", i.Private)
	out = appendIntMember(out, "reactions_count", i.Reactions)
	out = appendIntMember(out, "stocks_count", i.Stocks)
	out = appendTags(appendMember(out, "tags"), i.Tags)
	out = appendTextMember(out, "title", i.Title)
	out = appendTimeMember(out, "updated_at", i.UpdatedAt)
	out = appendTextMember(out, "url", s.itemURL(p, author.name, i))
	out = appendNullMember(out, "organization_url_name")
	out = appendBoolMember(out, "slide", i.Slide)
	out = appendMember(out, "team_membership")
	if p.Team == nil {
		out = append(out, "null"...)
	} else {
		out = append(appendTextMember(append(out, '{'), "name", author.title), '}')
	}
	return &document{
		number: i.Number, id: i.ID, teamID: i.TeamID, userID: i.UserID, group: i.GroupNumber, private: i.Private, views: i.Views,
		text: appendMember(out, "page_views_count"),
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
