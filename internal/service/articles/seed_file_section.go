package articles

import (
	"context"

	"stoa.dev/stoa/internal/platform/seed"
	"stoa.dev/stoa/internal/service/articles/seedfile"
)

// seeds is the section of articles. A written file leaves out groups with what is in
// them, templates, reactions, stocks and who follows whom.
func (s *Service) seeds() []seed.Section {
	return []seed.Section{seed.NewSection("articles", "Articles", s.seedArticle, s.writeArticles)}
}

func (s *Service) seedScope(ctx context.Context, user, team string) (Scope, error) {
	scope, err := s.demoScope(ctx, user)
	if err != nil {
		return scope, seed.At(err, "author")
	}
	if team == "" {
		return scope, nil
	}
	t, err := s.identity.TeamByName(ctx, team)
	if err == nil {
		_, err = s.identity.TeamMember(ctx, t.ID, scope.userID())
	}
	scope.Team = &t
	return scope, seed.At(err, "team")
}

func (s *Service) seedArticle(ctx context.Context, _ *seed.Run, a seedfile.Article) error {
	scope, err := s.seedScope(ctx, a.Author, a.Team)
	if err != nil {
		return err
	}
	tags := []Tagging{}
	for _, t := range a.Tags {
		tags = append(tags, Tagging(t))
	}
	item, err := scope.CreateItem(ctx, itemRequest{
		Title: &a.Title, Body: &a.Body, Tags: &tags, Private: &a.Private, Slide: &a.Slide,
	})
	if err != nil {
		return err
	}
	for i, name := range a.Likes {
		reader, err := s.seedScope(ctx, name, a.Team)
		if err == nil {
			err = reader.like(ctx, item.ID)
		}
		if err != nil {
			return seed.At(err, "likes", i)
		}
	}
	for i, c := range a.Comments {
		reader, err := s.seedScope(ctx, c.Author, a.Team)
		if err == nil {
			_, err = reader.CreateComment(ctx, item.ID, c.Body)
		}
		if err != nil {
			return seed.At(err, "comments", i)
		}
	}
	return nil
}
