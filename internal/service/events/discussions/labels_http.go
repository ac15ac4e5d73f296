package discussions

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/events/operation"
	"stoa.dev/stoa/internal/service/events/refusal"
)

type labelRequest struct {
	Name        string  `json:"name"`
	NewName     *string `json:"new_name"`
	Color       *string `json:"color"`
	Description *string `json:"description"`
}

// onto is a label with what the request says.
func (in labelRequest) onto(l Label) Label {
	if in.Color != nil {
		l.Color = strings.TrimPrefix(*in.Color, "#")
	}
	if in.Description != nil {
		l.Description = *in.Description
	}
	return l
}

// labelName is a label in a request: its name, or an object that has it.
type labelName string

// UnmarshalJSON reads both forms.
func (l *labelName) UnmarshalJSON(b []byte) error {
	var object struct {
		Name string `json:"name"`
	}
	if len(b) > 0 && b[0] == '{' {
		err := json.Unmarshal(b, &object)
		*l = labelName(object.Name)
		return err
	}
	return json.Unmarshal(b, (*string)(l))
}

// labelsRequest is an object with labels, or the list alone.
type labelsRequest struct {
	Labels []labelName `json:"labels"`
}

// UnmarshalJSON reads both forms.
func (l *labelsRequest) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '[' {
		return json.Unmarshal(b, &l.Labels)
	}
	type object labelsRequest
	return json.Unmarshal(b, (*object)(l))
}

func (d *Discussions) handleLabels(r *route.Request) (result, error) {
	s, err := d.readingIssues(r)
	if err != nil {
		return result{}, err
	}
	all, err := labelsOf(r.Context(), d.host.DB, s.Repo.ID)
	if err != nil {
		return result{}, err
	}
	at := d.host.Page(r)
	from := min(at.Offset, int64(len(all)))
	list := all[from:min(from+int64(at.Size), int64(len(all)))]
	return operation.ListOf(viewOf(s).labels(list), int64(len(all))), nil
}

func (d *Discussions) handleCreateLabel(r *route.Request) (result, error) {
	var in labelRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return result{}, err
	}
	s, err := d.host.Changing(r, forge.Write, ScopeIssuesWrite)
	if err != nil {
		return result{}, err
	}
	l, err := d.createLabel(r.Context(), s, in.onto(Label{Name: in.Name, Color: defaultColor}))
	if err != nil {
		return result{}, err
	}
	out := viewOf(s).label(l)
	return operation.Created(out, out.URL), nil
}

func (d *Discussions) handleLabel(r *route.Request) (result, error) {
	s, err := d.readingIssues(r)
	if err != nil {
		return result{}, err
	}
	l, err := findLabel(r.Context(), d.host.DB, s.Repo.ID, r.PathValue("name"))
	return operation.OK(viewOf(s).label(l)), err
}

// handleUpdateLabel changes the color and the description of a label. Its name stays:
// issues have labels by name.
func (d *Discussions) handleUpdateLabel(r *route.Request) (result, error) {
	var in labelRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return result{}, err
	}
	if in.NewName != nil && !strings.EqualFold(*in.NewName, r.PathValue("name")) {
		return result{}, refusal.Invalid("new_name", "the name of a label cannot be changed")
	}
	s, err := d.host.Changing(r, forge.Write, ScopeIssuesWrite)
	if err != nil {
		return result{}, err
	}
	var l Label
	err = d.write(r.Context(), &s, func(ctx context.Context, tx *database.Tx) error {
		if l, err = findLabel(ctx, tx, s.Repo.ID, r.PathValue("name")); err != nil {
			return err
		}
		if l = in.onto(l); checkLabel(l) != nil {
			return checkLabel(l)
		}
		return updateLabel(ctx, tx, l)
	})
	return operation.OK(viewOf(s).label(l)), err
}

// handleDeleteLabel takes a label away, also from issues.
func (d *Discussions) handleDeleteLabel(r *route.Request) (result, error) {
	s, err := d.host.Changing(r, forge.Write, ScopeIssuesWrite)
	if err != nil {
		return result{}, err
	}
	err = d.write(r.Context(), &s, func(ctx context.Context, tx *database.Tx) error {
		l, err := findLabel(ctx, tx, s.Repo.ID, r.PathValue("name"))
		if err != nil {
			return err
		}
		if err := unlabel(ctx, tx, s.Repo.ID, l.Name); err != nil {
			return err
		}
		return deleteLabel(ctx, tx, l.ID)
	})
	return operation.Empty(), err
}

func (d *Discussions) handleIssueLabels(r *route.Request) (result, error) {
	s, number, err := d.readingNumber(r)
	if err != nil {
		return result{}, err
	}
	issue, err := d.issue(r.Context(), s, number)
	if err != nil {
		return result{}, err
	}
	out, err := d.issueToWire(r, s, issue)
	return operation.ListOf(out.Labels, int64(len(out.Labels))), err
}

// handleAddLabels adds labels to those that an issue has.
func (d *Discussions) handleAddLabels(r *route.Request) (result, error) {
	var in labelsRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return result{}, err
	}
	return d.relabel(r, func(have []string) ([]string, error) {
		for _, l := range in.Labels {
			have = append(have, string(l))
		}
		return have, nil
	})
}

func (d *Discussions) handleRemoveLabel(r *route.Request) (result, error) {
	return d.relabel(r, func(have []string) ([]string, error) {
		kept := slices.DeleteFunc(slices.Clone(have), func(n string) bool {
			return strings.EqualFold(n, r.PathValue("name"))
		})
		if len(kept) == len(have) {
			return nil, refusal.NotFound()
		}
		return kept, nil
	})
}

// relabel gives an issue other labels and answers with them.
func (d *Discussions) relabel(r *route.Request, choose func([]string) ([]string, error)) (result, error) {
	s, number, err := d.changingNumber(r, forge.Write, ScopeIssuesWrite)
	if err != nil {
		return result{}, err
	}
	issue, err := d.edit(r.Context(), s, number, change{relabel: choose})
	if err != nil {
		return result{}, err
	}
	out, err := d.issueToWire(r, s, issue)
	return operation.OK(out.Labels), err
}
