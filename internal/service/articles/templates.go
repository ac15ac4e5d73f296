package articles

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/database"
)

// check holds the rules of templates.
func (t *Template) check() error {
	for _, member := range [][2]string{{"name", t.Name}, {"title", t.Title}} {
		if text := member[1]; strings.TrimSpace(text) == "" || utf8.RuneCountInString(text) > maxTitle {
			return errBad(member[0] + " must have 1 to 255 characters")
		}
	}
	if t.Body == "" {
		return errBad("body is missing")
	}
	if len(t.Body) > maxTemplate {
		return errBad("body must have at most 262144 bytes")
	}
	if err := checkTags(t.Tags, false); err != nil {
		return err
	}
	for n := range t.Tags {
		t.Tags[n].Versions = versions(t.Tags[n])
	}
	return nil
}

// CreateTemplate keeps a beginning for the team's items.
func (s *Service) CreateTemplate(ctx context.Context, v Visit, t Template, group string) (Template, error) {
	if err := t.check(); err != nil {
		return Template{}, err
	}
	t.TeamID, t.CreatedAt = v.teamID(), s.now()
	t.UpdatedAt = t.CreatedAt
	err := s.world.DB.WriteKeyed(ctx, userKey(v.userID()), func(ctx context.Context, tx *database.Tx) (err error) {
		if t.GroupNumber, err = s.templateGroup(ctx, tx, v, group); err != nil {
			return err
		}
		t.Number, err = s.store.insertTemplate(ctx, tx, t)
		return err
	})
	return t, groupGone(err)
}

// templateGroup finds the group of a template; no name is no group.
func (s *Service) templateGroup(ctx context.Context, tx *database.Tx, v Visit, urlName string) (int64, error) {
	var i Item
	err := s.putInGroup(ctx, tx, v, &i, &urlName)
	return i.GroupNumber, err
}

// TemplateChange holds the members to change; nil leaves one as it is.
type TemplateChange struct {
	Name, Title, Body *string
	Tags              *[]Tagging
	Coedit            *bool
	Group             *string
}

// UpdateTemplate changes a template of the team.
func (s *Service) UpdateTemplate(ctx context.Context, v Visit, number int64, c TemplateChange) (Template, error) {
	var t Template
	now := s.now()
	err := s.world.DB.WriteKeyed(ctx, fmt.Sprintf("articles/template/%d", number), func(ctx context.Context, tx *database.Tx) (err error) {
		if t, err = s.seeTemplate(ctx, tx, v, number); err != nil {
			return err
		}
		set(&t.Name, c.Name)
		set(&t.Title, c.Title)
		set(&t.Body, c.Body)
		set(&t.Tags, c.Tags)
		set(&t.Coedit, c.Coedit)
		if err := t.check(); err != nil {
			return err
		}
		if c.Group != nil {
			if t.GroupNumber, err = s.templateGroup(ctx, tx, v, *c.Group); err != nil {
				return err
			}
		}
		t.UpdatedAt = now
		return s.store.updateTemplate(ctx, tx, t)
	})
	return t, groupGone(err)
}

// seeTemplate finds a template that the visitor may see.
func (s *Service) seeTemplate(ctx context.Context, q database.Querier, v Visit, number int64) (Template, error) {
	t, err := s.store.template(ctx, q, v.teamID(), number)
	if err != nil {
		return t, err
	}
	return t, s.groupSeen(ctx, q, v, t.GroupNumber)
}

// Templates lists the templates of the team that the visitor may see.
func (s *Service) Templates(ctx context.Context, v Visit, c cut, take taker) ([]Template, int64, error) {
	t, err := s.sight(ctx, v)
	if err != nil {
		return nil, 0, err
	}
	return s.store.templates(ctx, s.world.DB, t, c, take)
}

// DeleteTemplate deletes a template of the team.
func (s *Service) DeleteTemplate(ctx context.Context, v Visit, number int64) error {
	return s.world.DB.WriteKeyed(ctx, userKey(v.userID()), func(ctx context.Context, tx *database.Tx) error {
		if _, err := s.seeTemplate(ctx, tx, v, number); err != nil {
			return err
		}
		gone, err := s.store.deleteTemplate(ctx, tx, v.teamID(), number)
		if err == nil && gone == 0 {
			return errNotFound()
		}
		return err
	})
}

// expand puts values in the place of variables. What is no variable stays.
func expand(text string, now time.Time, me string) string {
	if !strings.Contains(text, "%{") {
		return text
	}
	pairs := []string{"%{me}", me}
	for name, value := range map[string]string{
		"Year": now.Format("2006"), "year": now.Format("06"), "month": now.Format("01"), "day": now.Format("02"),
		"hour": now.Format("15"), "min": now.Format("04"), "sec": now.Format("05"), "wday": fmt.Sprint(int(now.Weekday())),
	} {
		pairs = append(pairs, "%{"+name+"}", value)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

func expandTags(tags []Tagging, now time.Time, me string) []Tagging {
	out := make([]Tagging, len(tags))
	for n, t := range tags {
		out[n] = Tagging{Name: expand(t.Name, now, me), Versions: versions(t)}
	}
	return out
}
