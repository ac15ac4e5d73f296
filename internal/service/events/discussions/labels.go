package discussions

import (
	"context"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/events/operation"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// defaultColor is that of labels which an issue brought.
const defaultColor = "ededed"

// chosen are the labels of the names; those that are gone are left out.
func chosen(all []Label, names []string) []Label {
	out := []Label{}
	for _, l := range all {
		if hasName(names, l.Name) {
			out = append(out, l)
		}
	}
	return out
}

// hasName compares as labels are compared, without regard to case.
func hasName(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

func checkLabel(l Label) error {
	if strings.TrimSpace(l.Name) == "" {
		return refusal.Invalid("name", "name must not be empty")
	}
	if err := checkText("name", l.Name, maxLabelName); err != nil {
		return err
	}
	if len(l.Color) != 6 || strings.Trim(strings.ToLower(l.Color), "0123456789abcdef") != "" {
		return refusal.Invalid("color", "color must be six hexadecimal digits")
	}
	return checkText("description", l.Description, maxLabelText)
}

// createLabel adds a label to a repository.
func (d *Discussions) createLabel(ctx context.Context, s operation.Subject, l Label) (Label, error) {
	if err := checkLabel(l); err != nil {
		return l, err
	}
	err := d.write(ctx, &s, func(ctx context.Context, tx *database.Tx) error {
		added, err := addLabels(ctx, tx, s.Repo.ID, []Label{l})
		if err == nil && added == 0 {
			err = refusal.Invalid("name", "name already exists")
		}
		return err
	})
	if err != nil {
		return l, err
	}
	return findLabel(ctx, d.host.DB, s.Repo.ID, l.Name)
}

// addLabels adds those that are not there, as far as a repository may have labels.
func addLabels(ctx context.Context, tx *database.Tx, repoID int64, list []Label) (added int, err error) {
	have, err := labelsOf(ctx, tx, repoID)
	if err != nil {
		return 0, err
	}
	for _, l := range list {
		if len(have)+added >= maxLabels {
			return added, refusal.Invalid("labels", "a repository may have at most %d labels", maxLabels)
		}
		one, err := putLabel(ctx, tx, repoID, l)
		if err != nil {
			return added, err
		}
		if one {
			added++
		}
	}
	return added, nil
}

// findLabel finds a label by its name.
func findLabel(ctx context.Context, q database.Querier, repoID int64, name string) (Label, error) {
	all, err := labelsOf(ctx, q, repoID)
	if err != nil {
		return Label{}, err
	}
	if list := chosen(all, []string{name}); len(list) > 0 {
		return list[0], nil
	}
	return Label{}, refusal.NotFound()
}

// unlabelBatch is how many issues are read at a time.
const unlabelBatch = 200

// unlabel takes a label from the issues that have it.
func unlabel(ctx context.Context, tx *database.Tx, repoID int64, name string) error {
	for {
		labeled := query{repoID: repoID, state: "all", labels: []string{name}}
		list, _, err := listIssues(ctx, tx, labeled, unlabelBatch, 0)
		if err != nil {
			return err
		}
		for _, i := range list {
			i.Labels = slices.DeleteFunc(i.Labels, func(have string) bool { return strings.EqualFold(have, name) })
			if err := updateIssue(ctx, tx, i); err != nil {
				return err
			}
		}
		if len(list) < unlabelBatch {
			return nil
		}
	}
}

// labelNames checks the labels that an issue shall have and makes those that are new.
func labelNames(ctx context.Context, tx *database.Tx, repoID int64, names []string) ([]string, error) {
	if len(names) > maxIssueLabels {
		return nil, refusal.Invalid("labels", "an issue may have at most %d labels", maxIssueLabels)
	}
	out := []string{}
	fresh := []Label{}
	for _, name := range names {
		l := Label{Name: name, Color: defaultColor}
		if err := checkLabel(l); err != nil {
			return nil, refusal.Invalid("labels", "%s", err)
		}
		if !hasName(out, name) {
			out, fresh = append(out, name), append(fresh, l)
		}
	}
	if len(fresh) == 0 {
		return out, nil
	}
	_, err := addLabels(ctx, tx, repoID, fresh)
	return out, err
}
