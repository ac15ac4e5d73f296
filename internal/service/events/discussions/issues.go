package discussions

import (
	"context"
	"slices"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/events/operation"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// change is what a request wants an issue to become; nil members stay.
type change struct {
	title, body *string
	state       *State
	reason      *string
	labels      *[]string
	// relabel chooses the labels from those that the issue has.
	relabel   func(have []string) ([]string, error)
	assignees *[]string
	base      *string
	// at are the commits of a pull request now.
	at *Pull
}

func (c change) check() error {
	if c.title != nil {
		if *c.title == "" {
			return refusal.Invalid("title", "title must not be empty")
		}
		if err := checkText("title", *c.title, maxTitle); err != nil {
			return err
		}
	}
	if c.body != nil {
		if err := checkText("body", *c.body, maxText); err != nil {
			return err
		}
	}
	if c.state != nil && *c.state != Open && *c.state != Closed {
		return refusal.Invalid("state", "state must be open or closed")
	}
	if c.reason != nil && !slices.Contains([]string{"", "completed", "not_planned", "reopened"}, *c.reason) {
		return refusal.Invalid("state_reason", "state_reason must be completed, not_planned or reopened")
	}
	return nil
}

// create opens an issue, or a pull request when pull is given.
func (d *Discussions) create(ctx context.Context, s operation.Subject, c change, pull *Pull) (Issue, error) {
	if err := d.checkChange(s, c); err != nil {
		return Issue{}, err
	}
	now := d.host.Now()
	issue := Issue{
		RepoID: s.Repo.ID, Title: *c.title, State: Open, Author: s.Actor,
		Association: associationOf(s.Repo, s.Actor, s.May), CreatedAt: now, UpdatedAt: now, Pull: pull,
	}
	if c.body != nil {
		issue.Body = *c.body
	}
	assignees, err := d.assigneesOf(ctx, s, c)
	if err != nil {
		return issue, err
	}
	issue.Assignees = assignees
	err = d.write(ctx, &s, func(ctx context.Context, tx *database.Tx) error {
		return d.insert(ctx, tx, s, &issue, c)
	})
	return issue, err
}

// checkChange refuses what the caller may not set.
func (d *Discussions) checkChange(s operation.Subject, c change) error {
	if err := c.check(); err != nil {
		return err
	}
	sets := c.labels != nil && len(*c.labels) > 0 || c.assignees != nil && len(*c.assignees) > 0
	if sets && s.May < forge.Write {
		return refusal.Forbidden("Must have write rights to Repository to set labels and assignees.")
	}
	return nil
}

func (d *Discussions) assigneesOf(ctx context.Context, s operation.Subject, c change) ([]forge.Actor, error) {
	if c.assignees == nil {
		return []forge.Actor{}, nil
	}
	return d.assignees(ctx, s.Repo, *c.assignees)
}

func (d *Discussions) insert(
	ctx context.Context, tx *database.Tx, s operation.Subject, issue *Issue, c change,
) error {
	if have, err := count(ctx, tx, `SELECT COUNT(*) FROM events_issues WHERE repo_id = $1`, s.Repo.ID); err != nil {
		return err
	} else if have >= maxIssues {
		return refusal.Invalid("title", "a repository may have at most %d issues and pull requests", maxIssues)
	}
	if err := onlyPull(ctx, tx, Issue{}, *issue); err != nil {
		return err
	}
	issue.Labels = []string{}
	if c.labels != nil {
		var err error
		if issue.Labels, err = labelNames(ctx, tx, s.Repo.ID, *c.labels); err != nil {
			return err
		}
	}
	if err := insertIssue(ctx, tx, issue); err != nil {
		return err
	}
	return d.tellIssue(ctx, tx, s, facts{Action: "opened", Issue: issue})
}

// onlyPull refuses a second open pull request of two branches: one that is new, is opened again or gets another base.
func onlyPull(ctx context.Context, tx *database.Tx, before, after Issue) error {
	p := after.Pull
	if p == nil || after.State != Open ||
		before.State == Open && before.Pull != nil && before.Pull.BaseRef == p.BaseRef {
		return nil
	}
	same, err := openPull(ctx, tx, after.RepoID, p.BaseRef, p.HeadRef)
	if err == nil && same > 0 {
		err = refusal.Invalid("head", "A pull request already exists for %s.", p.HeadRef)
	}
	return err
}

// issue finds an issue or a pull request.
func (d *Discussions) issue(ctx context.Context, s operation.Subject, number int64) (Issue, error) {
	issue, err := issueByNumber(ctx, d.host.DB, s.Repo.ID, number)
	return issue, found(err)
}

// edit changes an issue or a pull request; each thing that changes is an event.
func (d *Discussions) edit(ctx context.Context, s operation.Subject, number int64, c change) (Issue, error) {
	if err := d.checkChange(s, c); err != nil {
		return Issue{}, err
	}
	assignees, err := d.assigneesOf(ctx, s, c)
	if err != nil {
		return Issue{}, err
	}
	var issue Issue
	err = d.write(ctx, &s, func(ctx context.Context, tx *database.Tx) error {
		before, err := issueByNumber(ctx, tx, s.Repo.ID, number)
		if err != nil {
			return found(err)
		}
		if err := mayEdit(s, before.Author); err != nil {
			return err
		}
		if issue, err = d.changed(ctx, tx, s, before, c); err != nil {
			return err
		}
		if err := onlyPull(ctx, tx, before, issue); err != nil {
			return err
		}
		if c.assignees != nil {
			issue.Assignees = assignees
		}
		if err := updateIssue(ctx, tx, issue); err != nil {
			return err
		}
		return d.tellChanges(ctx, tx, s, before, issue)
	})
	return issue, err
}

// changed is an issue with the new values.
func (d *Discussions) changed(
	ctx context.Context, tx *database.Tx, s operation.Subject, issue Issue, c change,
) (Issue, error) {
	issue.UpdatedAt = d.host.Now()
	if c.title != nil {
		issue.Title = *c.title
	}
	if c.body != nil {
		issue.Body = *c.body
	}
	if c.relabel != nil {
		names, err := c.relabel(slices.Clone(issue.Labels))
		if err != nil {
			return issue, err
		}
		c.labels = &names
	}
	if c.labels != nil {
		var err error
		if issue.Labels, err = labelNames(ctx, tx, s.Repo.ID, *c.labels); err != nil {
			return issue, err
		}
	}
	if issue.Pull != nil {
		pull := *issue.Pull // the issue before keeps its own
		issue.Pull = &pull
		if c.base != nil {
			pull.BaseRef = *c.base
		}
		if c.at != nil {
			pull.BaseSHA, pull.HeadSHA = c.at.BaseSHA, c.at.HeadSHA
		}
	}
	if c.state == nil || *c.state == issue.State {
		return issue, nil
	}
	if issue.Pull != nil && issue.Pull.MergedAt != nil {
		return issue, refusal.Invalid("state", "state cannot be changed. The pull request was merged.")
	}
	issue.setState(*c.state, c.reason, s.Actor, d.host.Now())
	return issue, nil
}

// tellChanges records what became of an issue.
func (d *Discussions) tellChanges(
	ctx context.Context, tx *database.Tx, s operation.Subject, before, after Issue,
) error {
	all, err := labelsOf(ctx, tx, s.Repo.ID)
	if err != nil {
		return err
	}
	var list []facts
	if before.State != after.State {
		list = append(list, facts{Action: map[State]string{Open: "reopened", Closed: "closed"}[after.State]})
	}
	marks := func(from, to Issue, labeled, assigned string) {
		for _, l := range chosen(all, from.Labels) {
			if !hasName(to.Labels, l.Name) {
				list = append(list, facts{Action: labeled, Label: &l})
			}
		}
		for _, a := range from.Assignees {
			if !slices.Contains(to.Assignees, a) {
				list = append(list, facts{Action: assigned, Assignee: &a})
			}
		}
	}
	marks(after, before, "labeled", "assigned")
	marks(before, after, "unlabeled", "unassigned")
	for _, f := range list {
		f.Issue = &after
		if err := d.tellIssue(ctx, tx, s, f); err != nil {
			return err
		}
	}
	return nil
}

// assignees finds the users who shall work on an issue: those who may write to it.
func (d *Discussions) assignees(ctx context.Context, r forge.Repository, names []string) ([]forge.Actor, error) {
	if len(names) > maxAssignees {
		return nil, refusal.Invalid("assignees", "an issue may have at most %d assignees", maxAssignees)
	}
	out := []forge.Actor{}
	for _, name := range names {
		user, err := d.host.Forge.UserActor(ctx, name)
		if err == nil {
			var may forge.Permission
			may, err = d.host.Forge.PermissionOf(ctx, user.ID, r)
			if err == nil && may < forge.Write {
				err = refusal.NotFound()
			}
		}
		if err != nil {
			return nil, refusal.Invalid("assignees", "assignees must be users who may write to the repository")
		}
		if !slices.Contains(out, user) {
			out = append(out, user)
		}
	}
	return out, nil
}

// mayEdit refuses those who neither wrote something nor may write to the repository.
func mayEdit(s operation.Subject, author forge.Actor) error {
	if s.May >= forge.Write || author.ID != 0 && author.ID == s.Actor.ID {
		return nil
	}
	return refusal.Forbidden("Must have write rights to Repository, or be the author.")
}
