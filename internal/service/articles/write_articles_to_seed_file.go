package articles

import (
	"context"
	"slices"

	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/service/articles/seedfile"
)

// maxSeedItems bounds how many articles a written file has, and what each has of one
// kind.
const maxSeedItems = 10_000

func (s *Service) writeArticles(ctx context.Context) ([]seedfile.Article, error) {
	teams, err := s.identity.Teams(ctx, "", 0)
	if err != nil {
		return nil, err
	}
	out, err := s.writeSite(ctx, 0, "")
	for _, t := range teams {
		if err != nil {
			return nil, err
		}
		var more []seedfile.Article
		more, err = s.writeSite(ctx, t.ID, t.Name)
		out = append(out, more...)
	}
	return out, err
}

// writeSite writes the articles of a team, or of the public site, the oldest first.
func (s *Service) writeSite(ctx context.Context, teamID int64, team string) ([]seedfile.Article, error) {
	numbers, err := allSiteItems(ctx, s.world.DB, teamID, maxSeedItems)
	if err != nil {
		return nil, err
	}
	var out []seedfile.Article
	for _, number := range numbers {
		items, err := itemsByNumber(ctx, s.world.DB, []int64{number}, nil)
		if err != nil {
			return nil, err
		}
		if len(items) == 0 || items[0].GroupNumber != 0 {
			continue
		}
		a, err := s.writeItem(ctx, items[0])
		if err != nil {
			return nil, err
		}
		a.Team = team
		out = append(out, a)
	}
	return out, nil
}

func (s *Service) writeItem(ctx context.Context, i Item) (seedfile.Article, error) {
	name := func(id int64) (string, error) {
		u, err := s.identity.User(ctx, id)
		return u.Name, err
	}
	a := seedfile.Article{Title: i.Title, Body: i.Body, Private: i.Private, Slide: i.Slide}
	for _, t := range i.Tags {
		a.Tags = append(a.Tags, seedfile.Tag(t))
	}
	var err error
	if a.Author, err = name(i.UserID); err != nil {
		return a, err
	}
	likes, _, err := listLikes(ctx, s.world.DB, i.Number, page.Numbers{Page: 1, Size: maxSeedItems})
	if err != nil {
		return a, err
	}
	for _, l := range slices.Backward(likes) {
		who, err := name(l.UserID)
		if err != nil {
			return a, err
		}
		a.Likes = append(a.Likes, who)
	}
	comments, _, err := listComments(ctx, s.world.DB, i.Number, page.Numbers{Page: 1, Size: maxSeedItems}, nil)
	if err != nil {
		return a, err
	}
	slices.SortFunc(comments, func(a, b Comment) int { return int(a.Number - b.Number) })
	for _, c := range comments {
		who, err := name(c.UserID)
		if err != nil {
			return a, err
		}
		a.Comments = append(a.Comments, seedfile.Comment{Author: who, Body: c.Body})
	}
	return a, nil
}
