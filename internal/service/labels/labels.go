package labels

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// Label is a label as its owner defined it.
type Label struct {
	ID          string
	OwnerID     int64
	Type        Type
	State       State
	Definition  Definition
	CreatedAt   time.Time
	ChangedAt   time.Time
	PublishedAt time.Time
	PublishedBy int64
}

// Type is who a label is for.
type Type string

// Shared labels are their owner's; Admin ones are made by administrators and, once
// published, for all users.
const (
	Shared Type = "SHARED"
	Admin  Type = "ADMIN"
)

// State is where a label stands in its life.
type State string

// The states of the contract's API family that a label can be in.
const (
	Draft     State = "UNPUBLISHED_DRAFT"
	Published State = "PUBLISHED"
	Disabled  State = "DISABLED"
)

// Viewer is who asks. Admin callers asked for administrators' access and have it.
type Viewer struct {
	UserID int64
	Admin  bool
}

// mayEdit reports whether the viewer may change the label.
func (v Viewer) mayEdit(l Label) bool { return v.Admin || v.UserID == l.OwnerID }

// CreateLabel makes a draft. Its definition is held against the limits.
func (s *Service) CreateLabel(ctx context.Context, v Viewer, kind Type, d Definition) (Label, error) {
	if kind == Admin && !v.Admin {
		return Label{}, errDenied("only administrators, with useAdminAccess, make labels of type ADMIN")
	}
	d, err := s.complete(d)
	if err != nil {
		return Label{}, err
	}
	now := s.now()
	l := Label{ID: s.newID(), OwnerID: v.UserID, Type: kind, State: Draft, Definition: d, CreatedAt: now, ChangedAt: now}
	err = s.world.DB.WriteKeyed(ctx, ownerKey(v.UserID), func(ctx context.Context, tx *database.Tx) error {
		n, err := countLabels(ctx, tx, v.UserID)
		if err != nil {
			return err
		}
		if n >= s.config.MaxLabels {
			return errQuota("you have as many labels as you may")
		}
		return insertLabel(ctx, tx, l)
	})
	return l, err
}

// FindLabel finds a label that the viewer may see.
func (s *Service) FindLabel(ctx context.Context, v Viewer, id string) (Label, error) {
	return visibleLabel(ctx, s.world.DB, v, id)
}

// ListLabels lists labels that the viewer may see after an id, up to limit or as many as a page holds, and after which
// id there are more.
func (s *Service) ListLabels(
	ctx context.Context, v Viewer, publishedOnly bool, after string, limit int,
) (list []Label, next string, err error) {
	err = s.world.DB.Read(ctx, func(ctx context.Context, tx *database.Tx) error {
		list, next, err = listLabels(ctx, tx, v, publishedOnly, after, limit)
		return err
	})
	return list, next, err
}

// PublishLabel makes a draft usable.
func (s *Service) PublishLabel(ctx context.Context, v Viewer, id string) (Label, error) {
	return s.change(ctx, v, id, func(l *Label) error {
		switch l.State {
		case Disabled:
			return errState("the label is disabled; enable it")
		case Published:
			return errState("the label is published, and what it says does not change")
		case Draft:
		}
		l.State, l.PublishedAt, l.PublishedBy = Published, s.now(), v.UserID
		return nil
	})
}

// DisableLabel takes a published label out of use.
func (s *Service) DisableLabel(ctx context.Context, v Viewer, id string) (Label, error) {
	return s.change(ctx, v, id, func(l *Label) error {
		if l.State != Published {
			return errState("only a published label can be disabled")
		}
		l.State = Disabled
		return nil
	})
}

// EnableLabel brings a disabled label back.
func (s *Service) EnableLabel(ctx context.Context, v Viewer, id string) (Label, error) {
	return s.change(ctx, v, id, func(l *Label) error {
		if l.State != Disabled {
			return errState("only a disabled label can be enabled")
		}
		l.State = Published
		return nil
	})
}

// DeleteLabel removes a draft or a disabled label.
func (s *Service) DeleteLabel(ctx context.Context, v Viewer, id string) error {
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		l, err := editableLabel(ctx, tx, v, id)
		if err != nil {
			return err
		}
		if l.State == Published {
			return errState("disable the label before you delete it")
		}
		return deleteLabel(ctx, tx, id)
	})
}

// change applies a change to a label that the viewer may edit.
func (s *Service) change(ctx context.Context, v Viewer, id string, apply func(*Label) error) (Label, error) {
	var l Label
	err := s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		var err error
		if l, err = editableLabel(ctx, tx, v, id); err != nil {
			return err
		}
		if err := apply(&l); err != nil {
			return err
		}
		l.ChangedAt = s.now()
		return updateLabel(ctx, tx, l)
	})
	return l, err
}

// editableLabel finds a label that the viewer may change.
func editableLabel(ctx context.Context, tx *database.Tx, v Viewer, id string) (Label, error) {
	l, err := visibleLabel(ctx, tx, v, id)
	if err == nil && !v.mayEdit(l) {
		return Label{}, errDenied("only the label's owner changes it")
	}
	return l, err
}

func (s *Service) now() time.Time { return s.world.Clock.Now().UTC().Truncate(time.Millisecond) }

// newID has the shape of ids of the API family.
func (s *Service) newID() string {
	return s.world.IDs.Text("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", 36)
}
