package articles

import "stoa.dev/stoa/internal/service/articles/templates"

type templateRequest struct {
	Name         string    `json:"name"`
	Title        string    `json:"title"`
	Body         string    `json:"body"`
	Tags         []Tagging `json:"tags"`
	Coedit       bool      `json:"coedit"`
	GroupURLName string    `json:"group_url_name"`
}

// templatePatch holds the members to change; nil leaves one as it is.
type templatePatch struct {
	Name         *string    `json:"name"`
	Title        *string    `json:"title"`
	Body         *string    `json:"body"`
	Tags         *[]Tagging `json:"tags"`
	Coedit       *bool      `json:"coedit"`
	GroupURLName *string    `json:"group_url_name"`
}

type expandRequest struct {
	Title string    `json:"title"`
	Body  string    `json:"body"`
	Tags  []Tagging `json:"tags"`
}

type expandedJSON struct {
	ExpandedBody  string    `json:"expanded_body"`
	ExpandedTags  []Tagging `json:"expanded_tags"`
	ExpandedTitle string    `json:"expanded_title"`
}

func expandedToWire(t templates.Template) expandedJSON {
	return expandedJSON{t.ExpandedBody, t.ExpandedTags, t.ExpandedTitle}
}

type templateJSON struct {
	Body          string     `json:"body"`
	Coedit        bool       `json:"coedit"`
	ExpandedBody  string     `json:"expanded_body"`
	ExpandedTags  []Tagging  `json:"expanded_tags"`
	ExpandedTitle string     `json:"expanded_title"`
	Group         *groupJSON `json:"group"`
	ID            int64      `json:"id"`
	Name          string     `json:"name"`
	Tags          []Tagging  `json:"tags"`
	Title         string     `json:"title"`
}

func templateToWire(t templates.Template) templateJSON {
	out := templateJSON{
		Body: t.Body, Coedit: t.Coedit, ExpandedBody: t.ExpandedBody, ExpandedTags: t.ExpandedTags,
		ExpandedTitle: t.ExpandedTitle, ID: t.Number, Name: t.Name, Tags: orEmpty(t.Tags), Title: t.Title,
	}
	if t.Group != nil {
		group := groupToWire(*t.Group)
		out.Group = &group
	}
	return out
}

// orEmpty keeps null off the wire.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
