package graphqlobjects

import (
	"slices"
	"strconv"

	"stoa.dev/stoa/internal/service/events/discussions"
	"stoa.dev/stoa/internal/service/events/graphql"
	"stoa.dev/stoa/internal/service/events/objects"
)

type review struct {
	discussions.Review
	repo *repository
}

// maxJudged is how many reviews the latest are found among; a pull request has no more.
const maxJudged = 1000

// latest are the last reviews of each reviewer, the newest last. A remark does not replace a
// judgement.
func (i *issue) latest(c *graphql.Call) ([]discussions.Review, error) {
	if i.judged != nil {
		return i.judged, nil
	}
	if err := c.Spend(2 * storeSteps); err != nil {
		return nil, err
	}
	all, _, err := i.repo.request.graph.Discussions.ReviewsOf(c.Context, i.Issue, maxJudged, 0)
	if err != nil {
		return nil, err
	}
	last := []discussions.Review{}
	for _, v := range all {
		at := slices.IndexFunc(last, func(o discussions.Review) bool { return o.Author == v.Author })
		switch {
		case at < 0:
			last = append(last, v)
		case v.State != "COMMENTED" || last[at].State == "COMMENTED":
			last = append(slices.Delete(last, at, at+1), v)
		}
	}
	i.judged = last
	return last, nil
}

// addReviewFields adds what reviewers say.
func addReviewFields(out map[string]graphql.Resolver) {
	out["reviews"] = graphql.Of(func(c *graphql.Call, i *issue) (any, error) {
		return c.Page(func(size int, offset int64) ([]any, int64, error) {
			if err := c.Spend(2 * storeSteps); err != nil {
				return nil, 0, err
			}
			list, total, err := i.repo.request.graph.Discussions.ReviewsOf(c.Context, i.Issue, size, offset)
			return reviews(list, i.repo), total, err
		})
	})
	out["latestReviews"] = graphql.Of(func(c *graphql.Call, i *issue) (any, error) {
		last, err := i.latest(c)
		if err != nil {
			return nil, err
		}
		return c.PageOf(reviews(last, i.repo))
	})
	out["reviewDecision"] = graphql.Of(func(c *graphql.Call, i *issue) (any, error) {
		last, err := i.latest(c)
		if err != nil {
			return nil, err
		}
		for _, word := range []string{"CHANGES_REQUESTED", "APPROVED"} {
			if slices.ContainsFunc(last, func(v discussions.Review) bool { return v.State == word }) {
				return word, nil
			}
		}
		return nil, nil
	})
}

func reviews(list []discussions.Review, p *repository) []any {
	out := []any{}
	for _, v := range list {
		out = append(out, &review{v, p})
	}
	return out
}

func reviewFields() map[string]graphql.Resolver {
	of := func(value func(v *review) any) graphql.Resolver {
		return graphql.Of(func(_ *graphql.Call, v *review) (any, error) { return value(v), nil })
	}
	path := func(v *review) string {
		return "/" + v.repo.FullName() + "/pull/" + strconv.FormatInt(v.Number, 10) +
			"#pullrequestreview-" + strconv.FormatInt(v.ID, 10)
	}
	return map[string]graphql.Resolver{
		"id":                of(func(v *review) any { return objects.NodeID("PullRequestReview", v.ID) }),
		"databaseId":        of(func(v *review) any { return v.ID }),
		"author":            of(func(v *review) any { return v.repo.request.actor(v.Author) }),
		"authorAssociation": of(func(v *review) any { return v.Association }),
		"body":              of(func(v *review) any { return v.Body }),
		"state":             of(func(v *review) any { return v.State }),
		"submittedAt":       of(func(v *review) any { return v.SubmittedAt }),
		"commit":            of(func(v *review) any { return &commit{sha: v.CommitID, repo: v.repo} }),
		"url":               of(func(v *review) any { return objects.Pages(v.repo.request.base) + path(v) }),
		"resourcePath":      of(func(v *review) any { return path(v) }),
	}
}
