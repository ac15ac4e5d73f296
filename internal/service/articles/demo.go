package articles

import (
	"context"
	"embed"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/module"
)

//go:embed demo/*.md
var demoFiles embed.FS

// demo gives both people something to read: articles with likes and comments on
// the public site, and a group, a template and an article in the team.
func (s *Service) demo(ctx context.Context, d *module.Demo) error {
	user, err := s.demoVisit(ctx, d.User)
	if err != nil {
		return err
	}
	guest, err := s.demoVisit(ctx, d.Guest)
	if err != nil {
		return err
	}
	var last Item
	for _, a := range []struct {
		who  Visit
		file string
		tags []string
	}{
		{guest, "steps", []string{"Maintenance", "Stone"}}, {user, "search", []string{"Search", "Japanese"}}, {user, "welcome", []string{"Stoa", "Markdown"}},
	} {
		if last, err = s.demoItem(ctx, a.who, a.file, a.tags, nil); err != nil {
			return err
		}
	}
	if err := s.MarkItem(ctx, guest, last.ID, likeMark(), true); err != nil {
		return err
	}
	if err := s.MarkItem(ctx, guest, last.ID, stockMark(), true); err != nil {
		return err
	}
	if _, err := s.CreateComment(ctx, guest, last.ID, "The note blocks are **lovely**. :tada:"); err != nil {
		return err
	}
	if err := s.FollowUser(ctx, guest, d.User, true); err != nil {
		return err
	}
	d.Env["STOA_ARTICLE"] = last.ID
	return s.demoTeam(ctx, d, user, guest)
}

func (s *Service) demoTeam(ctx context.Context, d *module.Demo, user, guest Visit) error {
	team, err := s.identity.TeamByName(ctx, d.Team)
	if err != nil {
		return err
	}
	user.Team, guest.Team = &team, &team
	group := Group{URLName: "stewards", Name: "Stewards", Description: "Whoever looks after the house"}
	if _, err := s.CreateGroup(ctx, user, group); err != nil {
		return err
	}
	if _, err := s.ChangeMembers(ctx, user, group.URLName, []string{d.Guest}, true); err != nil {
		return err
	}
	i, err := s.demoItem(ctx, user, "team", []string{"Plans"}, &group.URLName)
	if err != nil {
		return err
	}
	if _, err := s.React(ctx, guest, target{item: i.ID}, "rocket"); err != nil {
		return err
	}
	_, err = s.CreateTemplate(ctx, user, Template{
		Name: "Weekly notes", Title: "Notes of %{Year}-%{month}-%{day}", Body: "## What was done\n\n## What comes next\n\nWritten by %{me}\n",
		Tags: []Tagging{{Name: "Notes"}},
	}, group.URLName)
	return err
}

func (s *Service) demoVisit(ctx context.Context, name string) (Visit, error) {
	u, err := s.identity.UserByName(ctx, name)
	return Visit{Caller: &identity.Caller{UserID: u.ID, UserName: u.Name}}, err
}

// demoItem writes the article of a file, whose first line is the title.
func (s *Service) demoItem(ctx context.Context, v Visit, file string, tags []string, group *string) (Item, error) {
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
	return s.CreateItem(ctx, v, NewItem{Title: &title, Body: &body, Tags: &list, Group: group})
}
