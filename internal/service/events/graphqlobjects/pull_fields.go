package graphqlobjects

import (
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/service/events/discussions"
	"stoa.dev/stoa/internal/service/events/graphql"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// pullCommit is a commit that a pull request brings.
type pullCommit struct{ commit *commit }

// compare looks up what a pull request brings, once.
func (i *issue) compare(c *graphql.Call) (forge.Comparison, error) {
	if i.compared == nil {
		if err := c.Spend(2 * gitSteps); err != nil {
			return forge.Comparison{}, err
		}
		s, err := i.repo.subject(c)
		if err != nil {
			return forge.Comparison{}, err
		}
		found, err := i.repo.request.graph.Discussions.Compare(c.Context, s, i.Issue)
		if err != nil {
			return found, err
		}
		i.compared = &found
	}
	return *i.compared, nil
}

// changes looks up the files that a pull request changes, once.
func (i *issue) changes(c *graphql.Call) ([]forge.FileChange, error) {
	if i.files != nil {
		return i.files, nil
	}
	compared, err := i.compare(c)
	if err != nil {
		return nil, err
	}
	if err := c.Spend(gitSteps); err != nil {
		return nil, err
	}
	s, err := i.repo.subject(c)
	if err != nil {
		return nil, err
	}
	i.files, err = i.repo.request.graph.Discussions.FilesOf(c.Context, s, i.Issue, compared)
	return i.files, err
}

func pullFields() map[string]graphql.Resolver {
	out := sharedFields()
	out["state"] = ofIssue(func(i *issue) any {
		if i.Pull.MergedAt != nil {
			return "MERGED"
		}
		return strings.ToUpper(string(i.State))
	})
	out["merged"] = ofIssue(func(i *issue) any { return i.Pull.MergedAt != nil })
	out["isDraft"] = ofIssue(func(i *issue) any { return i.Pull.Draft })
	out["mergedAt"] = ofIssue(func(i *issue) any { return i.Pull.MergedAt })
	out["mergedBy"] = ofIssue(func(i *issue) any { return i.repo.request.optionalActor(i.Pull.MergedBy) })
	out["mergeCommit"] = ofIssue(func(i *issue) any {
		if i.Pull.MergeSHA == "" {
			return nil
		}
		return &commit{sha: i.Pull.MergeSHA, repo: i.repo}
	})
	addBranchFields(out)
	addDifferenceFields(out)
	addMergeFields(out)
	addReviewFields(out)
	return out
}

// addBranchFields adds the two branches, which are in one repository.
func addBranchFields(out map[string]graphql.Resolver) {
	out["baseRefName"] = ofIssue(func(i *issue) any { return i.Pull.BaseRef })
	out["baseRefOid"] = ofIssue(func(i *issue) any { return i.Pull.BaseSHA })
	out["headRefName"] = ofIssue(func(i *issue) any { return i.Pull.HeadRef })
	out["headRefOid"] = ofIssue(func(i *issue) any { return i.Pull.HeadSHA })
	out["baseRepository"] = ofIssue(func(i *issue) any { return i.repo })
	out["headRepository"] = ofIssue(func(i *issue) any { return i.repo })
	out["headRepositoryOwner"] = ofIssue(func(i *issue) any { return i.repo.request.owner(i.repo.Owner) })
	out["baseRef"] = graphql.Of(func(c *graphql.Call, i *issue) (any, error) {
		return i.repo.ref(c, "refs/heads/"+i.Pull.BaseRef)
	})
	out["headRef"] = graphql.Of(func(c *graphql.Call, i *issue) (any, error) {
		return i.repo.ref(c, "refs/heads/"+i.Pull.HeadRef)
	})
}

// addDifferenceFields adds what takes a look at the content.
func addDifferenceFields(out map[string]graphql.Resolver) {
	sum := func(value func(f forge.FileChange) int64) graphql.Resolver {
		return graphql.Of(func(c *graphql.Call, i *issue) (any, error) {
			files, err := i.changes(c)
			var total int64
			for _, f := range files {
				total += value(f)
			}
			return total, err
		})
	}
	out["additions"] = sum(func(f forge.FileChange) int64 { return f.Additions })
	out["deletions"] = sum(func(f forge.FileChange) int64 { return f.Deletions })
	out["changedFiles"] = sum(func(forge.FileChange) int64 { return 1 })
	out["files"] = graphql.Of(func(c *graphql.Call, i *issue) (any, error) {
		files, err := i.changes(c)
		if err != nil {
			return nil, err
		}
		all := make([]any, 0, len(files))
		for _, f := range files {
			all = append(all, f)
		}
		return c.PageOf(all)
	})
	out["commits"] = graphql.Of(func(c *graphql.Call, i *issue) (any, error) {
		compared, err := i.compare(c)
		if err != nil {
			return nil, err
		}
		return c.Page(func(size int, offset int64) ([]any, int64, error) {
			if size == 0 || offset >= compared.Ahead {
				return nil, compared.Ahead, nil
			}
			if size == 1 && offset == compared.Ahead-1 { // the last, which is asked for the most
				return []any{pullCommit{&commit{sha: i.Pull.HeadSHA, repo: i.repo}}}, compared.Ahead, nil
			}
			if err := c.Spend(gitSteps); err != nil {
				return nil, 0, err
			}
			list, err := i.repo.request.graph.Access.Forge.Between(c.Context, i.repo.Repository, compared.MergeBase.SHA,
				compared.Head.SHA, forge.LogQuery{Limit: size, Offset: offset})
			nodes := []any{}
			for _, one := range list {
				nodes = append(nodes, pullCommit{&commit{sha: one.SHA, loaded: &one, repo: i.repo}})
			}
			return nodes, compared.Ahead, refusal.FromForge(err)
		})
	})
}

func pullCommitFields() map[string]graphql.Resolver {
	return map[string]graphql.Resolver{
		"commit": graphql.Of(func(_ *graphql.Call, p pullCommit) (any, error) { return p.commit, nil }),
	}
}

func fileFields() map[string]graphql.Resolver {
	of := func(value func(f forge.FileChange) any) graphql.Resolver {
		return graphql.Of(func(_ *graphql.Call, f forge.FileChange) (any, error) { return value(f), nil })
	}
	return map[string]graphql.Resolver{
		"path":      of(func(f forge.FileChange) any { return f.Path }),
		"additions": of(func(f forge.FileChange) any { return f.Additions }),
		"deletions": of(func(f forge.FileChange) any { return f.Deletions }),
		"changeType": of(func(f forge.FileChange) any {
			if f.Status == "removed" {
				return "DELETED"
			}
			return strings.ToUpper(f.Status)
		}),
	}
}

// addMergeFields adds whether and how a pull request merges.
func addMergeFields(out map[string]graphql.Resolver) {
	merges := func(yes, no, unknown string) graphql.Resolver {
		return graphql.Of(func(c *graphql.Call, i *issue) (any, error) {
			if i.State != discussions.Open {
				return unknown, nil
			}
			if err := c.Spend(gitSteps); err != nil {
				return nil, err
			}
			s, err := i.repo.subject(c)
			if err != nil {
				return nil, err
			}
			ok, err := i.repo.request.graph.Discussions.Mergeable(c.Context, s, i.Issue)
			switch {
			case !ok:
				return no, err
			case i.Pull.Draft && yes == "CLEAN":
				return "DRAFT", err
			}
			return yes, err
		})
	}
	out["mergeable"] = merges("MERGEABLE", "CONFLICTING", "UNKNOWN")
	out["mergeStateStatus"] = merges("CLEAN", "DIRTY", "UNKNOWN")
	text := func(headline bool) graphql.Resolver {
		return graphql.Of(func(c *graphql.Call, i *issue) (any, error) {
			s, err := i.repo.subject(c)
			title, message := discussions.MergeText(s, i.Issue, strings.EqualFold(c.Text("mergeType"), "SQUASH"))
			if headline {
				return title, err
			}
			return message, err
		})
	}
	out["viewerMergeHeadlineText"], out["viewerMergeBodyText"] = text(true), text(false)
}
