package articles

import (
	"context"
	"fmt"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/service/articles/tagging"
)

func (t *Template) check() error {
	if err := checkTitle("name", t.Name); err != nil {
		return err
	}
	if err := checkTitle("title", t.Title); err != nil {
		return err
	}
	if t.Body == "" {
		return errInvalid("body is missing")
	}
	if len(t.Body) > maxTemplate {
		return errInvalid("body must have at most %d bytes", maxTemplate)
	}
	if err := tagging.CheckAll(t.Tags, false); err != nil {
		return err
	}
	for n := range t.Tags {
		t.Tags[n].Versions = orEmpty(t.Tags[n].Versions)
	}
	return nil
}

// CreateTemplate keeps a beginning for the team's items.
func (s Scope) CreateTemplate(ctx context.Context, t Template, groupURLName string) (
	Template, error,
) {
	if err := t.check(); err != nil {
		return Template{}, err
	}
	t.TeamID, t.CreatedAt = s.TeamID(), s.now()
	t.UpdatedAt = t.CreatedAt
	err := s.world.DB.WriteKeyed(ctx, userKey(s.userID()), func(ctx context.Context, tx *database.Tx) (err error) {
		if err := s.setGroup(ctx, tx, &t.GroupNumber, &groupURLName); err != nil {
			return err
		}
		t.Number, err = insertTemplate(ctx, tx, t)
		return err
	})
	if err != nil {
		return t, orNoGroup(err)
	}
	return s.completeTemplate(ctx, t)
}

// UpdateTemplate changes a template of the team.
func (s Scope) UpdateTemplate(ctx context.Context, id string, c templatePatch) (
	t Template, err error,
) {
	now := s.now()
	err = s.world.DB.WriteKeyed(ctx, "articles/template/"+id, func(ctx context.Context, tx *database.Tx) (err error) {
		if t, err = s.visibleTemplate(ctx, tx, id); err != nil {
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
		if err := s.setGroup(ctx, tx, &t.GroupNumber, c.GroupURLName); err != nil {
			return err
		}
		t.UpdatedAt = now
		return updateTemplate(ctx, tx, t)
	})
	if err != nil {
		return t, orNoGroup(err)
	}
	return s.completeTemplate(ctx, t)
}

// Template finds a template that the caller may see.
func (s Scope) Template(ctx context.Context, id string) (Template, error) {
	t, err := s.visibleTemplate(ctx, s.world.DB, id)
	if err != nil {
		return t, err
	}
	return s.completeTemplate(ctx, t)
}

func (s Scope) completeTemplate(ctx context.Context, t Template) (Template, error) {
	list := []Template{t}
	err := s.completeTemplates(ctx, list)
	return list[0], err
}

// completeTemplates sets the groups of templates and expands them.
func (s Scope) completeTemplates(ctx context.Context, list []Template) error {
	numbers := make([]int64, len(list))
	for n, t := range list {
		numbers[n] = t.GroupNumber
	}
	groups, err := s.groups.ByNumber(ctx, numbers)
	for n := range list {
		list[n].Group = groups[list[n].GroupNumber]
		list[n].expand(s.now(), s.Caller.UserName)
	}
	return err
}

// Templates lists the templates of the team that the caller may see.
func (s Scope) Templates(ctx context.Context, p page.Numbers) ([]Template, int64, error) {
	v, err := s.groups.Visibility(ctx, s.viewer())
	if err != nil {
		return nil, 0, err
	}
	list, total, err := listTemplates(ctx, s.world.DB, v, p, s.rows)
	if err != nil {
		return nil, 0, err
	}
	return list, total, s.completeTemplates(ctx, list)
}

// DeleteTemplate deletes a template of the team.
func (s Scope) DeleteTemplate(ctx context.Context, id string) error {
	return s.world.DB.WriteKeyed(ctx, userKey(s.userID()), func(ctx context.Context, tx *database.Tx) error {
		t, err := s.visibleTemplate(ctx, tx, id)
		if err != nil {
			return err
		}
		return deleteTemplate(ctx, tx, t.Number)
	})
}

// ExpandTemplate expands a template that is not kept.
func (s *Service) ExpandTemplate(title, body string, tags []Tagging, me string) (Template, error) {
	t := Template{Name: "x", Title: title, Body: body, Tags: tags}
	err := t.check()
	t.expand(s.now(), me)
	return t, err
}

func (t *Template) expand(now time.Time, me string) {
	t.ExpandedTitle, t.ExpandedBody = expand(t.Title, now, me), expand(t.Body, now, me)
	t.ExpandedTags = make([]Tagging, len(t.Tags))
	for n, tag := range t.Tags {
		t.ExpandedTags[n] = Tagging{Name: expand(tag.Name, now, me), Versions: orEmpty(tag.Versions)}
	}
}

// expand puts values in the place of variables. An unknown one stays as it is.
func expand(text string, now time.Time, me string) string {
	if !strings.Contains(text, "%{") {
		return text
	}
	return strings.NewReplacer(
		"%{me}", me, "%{Year}", now.Format("2006"), "%{year}", now.Format("06"), "%{month}", now.Format("01"),
		"%{day}", now.Format("02"), "%{hour}", now.Format("15"), "%{min}", now.Format("04"), "%{sec}", now.Format("05"),
		"%{wday}", fmt.Sprint(int(now.Weekday())),
	).Replace(text)
}
