package events

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/service/events/activity"
	"stoa.dev/stoa/internal/service/events/discussions"
	"stoa.dev/stoa/internal/service/events/hooks"
	"stoa.dev/stoa/internal/service/events/payload"
	"stoa.dev/stoa/internal/service/events/releases"
)

// observe turns an activity of the forge into an event, in the transaction of
// the activity.
func (s *Service) observe(ctx context.Context, tx *database.Tx, a forge.Activity) error {
	word, facts := activity.Describe(a)
	kind := Type(word)
	switch {
	case a.Kind == forge.MadePrivate:
		tx.OnCommit(s.changes.incrementAll)
		return hideEvents(ctx, tx, a.Repository.ID)
	case a.Kind == forge.RepositoryDeleted:
		tx.OnCommit(s.changes.incrementAll)
		if err := discussions.DeleteAll(ctx, tx, a.Repository.ID); err != nil {
			return err
		}
		if err := s.hooks.DeleteAll(ctx, tx, a.Repository.ID); err != nil {
			return err
		}
		return releases.DeleteAll(ctx, tx, a.Repository.ID)
	case kind == "":
		return nil
	}
	payload, err := json.Marshal(facts)
	if err != nil {
		return fmt.Errorf("payload of %s: %w", kind, err)
	}
	_, err = s.record(ctx, tx, eventOf(a.Repository, kind, a.Actor, payload, true, a.At))
	return err
}

// eventOf is an event about a repository.
func eventOf(r forge.Repository, kind Type, actor forge.Actor, payload []byte, own bool, at time.Time) Event {
	e := Event{
		Type: kind, Actor: actor, RepoID: r.ID, RepoName: r.FullName(), NetworkID: r.NetworkID,
		Public: !r.Private, Payload: payload, Own: own, CreatedAt: at, repository: r,
	}
	if r.Owner.Kind == forge.OwnerOrg {
		e.OrgID, e.OrgName = r.Owner.ID, r.Owner.Name
	}
	return e
}

// record writes an event. Feeds show it from the moment its transaction is
// durable.
func (s *Service) record(ctx context.Context, tx *database.Tx, e Event) (Event, error) {
	var err error
	if e.ID, err = insertEvent(ctx, tx, e); err != nil {
		return e, err
	}
	if err := s.hooks.Tell(ctx, tx, s.occurrence(e)); err != nil {
		return e, err
	}
	tx.OnCommit(func() {
		s.changes.increment(e)
		journal.From(ctx).AddCause("event", strconv.FormatInt(e.ID, 10))
	})
	return e, nil
}

// occurrence is an event as hooks are told it.
func (s *Service) occurrence(e Event) hooks.Occurrence {
	return hooks.Occurrence{
		Type: string(e.Type), Repository: e.repository, Actor: e.Actor,
		Payload: func(base string) (json.RawMessage, error) {
			return s.payload(e, presentation{version: Version2022, base: base})
		},
	}
}

// Add records an event of an integration, whose payload must fit its type.
func (s *Service) Add(
	ctx context.Context, r forge.Repository, kind Type, actor forge.Actor, payload json.RawMessage,
) (Event, error) {
	return s.AddMany(ctx, r, kind, actor, payload, 1)
}

// AddMany records the same event several times, all or none, and returns the
// last.
func (s *Service) AddMany(
	ctx context.Context, r forge.Repository, kind Type, actor forge.Actor, payload json.RawMessage, count int,
) (Event, error) {
	if err := checkPayload(kind, payload); err != nil {
		return Event{}, err
	}
	var e Event
	err := s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		now, err := s.forge.Hold(ctx, tx, r.ID)
		if err != nil {
			return fromForge(err)
		}
		e = eventOf(now, kind, actor, payload, false, s.now())
		for range count {
			if e, err = s.record(ctx, tx, e); err != nil {
				return err
			}
		}
		return nil
	})
	return e, err
}

func (s *Service) now() time.Time { return s.world.Clock.Now().UTC().Truncate(time.Microsecond) }

// checkPayload checks that a payload has what its type demands.
func checkPayload(kind Type, raw json.RawMessage) error {
	err := payload.Check(string(kind), raw)
	var v *payload.Violation
	switch {
	case !errors.As(err, &v):
		return err
	case v.Message == "":
		return errInvalidField(v.Field, "type %s is not an event type", clip(string(kind)))
	}
	return errInvalidField(v.Field, "%s", v.Message)
}
