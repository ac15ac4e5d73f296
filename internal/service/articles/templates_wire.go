package articles

import "time"

type templateRequest struct {
	Name         string    `json:"name"`
	Title        string    `json:"title"`
	Body         string    `json:"body"`
	Tags         []Tagging `json:"tags"`
	Coedit       bool      `json:"coedit"`
	GroupURLName string    `json:"group_url_name"`
}

// templatePatch names what changes.
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

func expandedToWire(t Template, now time.Time, me string) expandedJSON {
	return expandedJSON{ExpandedBody: expand(t.Body, now, me), ExpandedTags: expandTags(t.Tags, now, me), ExpandedTitle: expand(t.Title, now, me)}
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

// templateToWire expands the variables for the person who reads.
func templateToWire(t Template, group *Group, now time.Time, me string) templateJSON {
	tags := t.Tags
	if tags == nil {
		tags = []Tagging{}
	}
	return templateJSON{
		Body: t.Body, Coedit: t.Coedit, ExpandedBody: expand(t.Body, now, me), ExpandedTags: expandTags(tags, now, me), ExpandedTitle: expand(t.Title, now, me),
		Group: groupToWire(group), ID: t.Number, Name: t.Name, Tags: tags, Title: t.Title,
	}
}
