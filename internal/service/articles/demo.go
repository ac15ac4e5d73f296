package articles

import (
	"context"
	"embed"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/service/articles/groups"
	"stoa.dev/stoa/internal/service/articles/templates"
)

//go:embed demo/*.md
var demoFiles embed.FS

// demo gives both users something to read: articles with likes and comments on the
// public site, and a group, a template and an article in the team.
func (s *Service) demo(ctx context.Context, d *module.Demo) error {
	user, err := s.demoScope(ctx, d.User)
	if err != nil {
		return err
	}
	guest, err := s.demoScope(ctx, d.Guest)
	if err != nil {
		return err
	}
	var last Item
	for _, a := range []struct {
		scope Scope
		file  string
		tags  []string
	}{
		{guest, "steps", []string{"Maintenance", "Stone"}},
		{user, "search", []string{"Search", "Japanese"}},
		{user, "welcome", []string{"Stoa", "Markdown"}},
	} {
		if last, err = a.scope.demoItem(ctx, a.file, a.tags, nil); err != nil {
			return err
		}
	}
	if err := guest.like(ctx, last.ID); err != nil {
		return err
	}
	if err := guest.stock(ctx, last.ID); err != nil {
		return err
	}
	if _, err := guest.CreateComment(ctx, last.ID, "The note blocks are **lovely**. :tada:"); err != nil {
		return err
	}
	if err := guest.followUser(ctx, d.User); err != nil {
		return err
	}
	d.Env["STOA_ARTICLE"] = last.ID
	return s.demoTeam(ctx, d, user, guest)
}

func (s *Service) demoTeam(ctx context.Context, d *module.Demo, user, guest Scope) error {
	team, err := s.identity.TeamByName(ctx, d.Team)
	if err != nil {
		return err
	}
	user.Team, guest.Team = &team, &team
	group := groups.Group{URLName: "stewards", Name: "Stewards", Description: "They look after the building"}
	if _, err := s.groups.Create(ctx, user.viewer(), group); err != nil {
		return err
	}
	if _, err := s.groups.ChangeMembers(ctx, user.viewer(), group.URLName, []string{d.Guest}, true); err != nil {
		return err
	}
	i, err := user.demoItem(ctx, "team", []string{"Plans"}, &group.URLName)
	if err != nil {
		return err
	}
	if _, err := guest.CreateReaction(ctx, target{item: i.ID}, "rocket"); err != nil {
		return err
	}
	_, err = s.templates.Create(ctx, user.templateCaller(), templates.Template{
		Name: "Weekly notes", Title: "Notes of %{Year}-%{month}-%{day}",
		Body: "## What was done\n\n## What comes next\n\nWritten by %{me}\n",
		Tags: []Tagging{{Name: "Notes"}},
	}, group.URLName)
	return err
}

func (s *Service) demoScope(ctx context.Context, name string) (Scope, error) {
	u, err := s.identity.UserByName(ctx, name)
	return Scope{Service: s, Caller: &identity.Caller{UserID: u.ID, UserName: u.Name}}, err
}

// demoItem writes the article of a file, whose first line is the title.
func (s Scope) demoItem(ctx context.Context, file string, tags []string, group *string) (Item, error) {
	text, err := demoFiles.ReadFile("demo/" + file + ".md")
	if err != nil {
		return Item{}, err
	}
	title, body, _ := strings.Cut(string(text), "\n\n")
	title = strings.TrimPrefix(title, "# ")
	var list []Tagging
	for _, t := range tags {
		list = append(list, Tagging{Name: t})
	}
	return s.CreateItem(ctx, itemRequest{Title: &title, Body: &body, Tags: &list, GroupURLName: group})
}
