package locations

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/analytics/places"
	"stoa.dev/stoa/internal/service/analytics/ranking"
)

// Config is what the listing methods allow.
type Config struct {
	// Service is the name that limits are counted under.
	Service string
	// RequestsPerSecond is what one token may read, UpdatesPerSecond how many
	// single locations it may update and BulksPerMinute how many lists of them.
	RequestsPerSecond, UpdatesPerSecond, BulksPerMinute int64
	// MaxBulk is how many locations one list may name.
	MaxBulk int
	// Charge counts a request against a limit of its token and its owner.
	Charge func(*route.Request, limit.Window) error
}

// Service is the listing methods.
type Service struct {
	world  *world.World
	config Config
}

// New makes the listing methods.
func New(w *world.World, c Config) *Service { return &Service{world: w, config: c} }

// outcome is what became of one location of a list.
type outcome struct {
	id string
	// err is nil when the location was updated.
	err *Error
}

// item is one location of a list, or why it could not be read.
type item struct {
	change LocationChange
	err    *Error
}

func (s *Service) location(ctx context.Context, owner int64, id string) (Location, error) {
	return ownLocation(ctx, s.world.DB, owner, id)
}

// ownLocation finds one of the owner's locations.
func ownLocation(ctx context.Context, q database.Querier, owner int64, id string) (Location, error) {
	l, err := locationByID(ctx, q, owner, id)
	if errors.Is(err, database.ErrNotFound) {
		return Location{}, errNotFound(id)
	}
	return l, err
}

// listLocations returns one page of the owner's locations, in the order they
// were added, and how many there are.
func (s *Service) listLocations(
	ctx context.Context, owner int64, page, size int,
) (list []Location, total int64, err error) {
	err = s.world.DB.Read(ctx, func(ctx context.Context, tx *database.Tx) error {
		if total, err = countLocations(ctx, tx, owner); err != nil {
			return err
		}
		list, err = listLocations(ctx, tx, owner, size, (page-1)*size)
		return err
	})
	return list, total, err
}

// updateLocation changes one location.
func (s *Service) updateLocation(
	ctx context.Context, owner int64, id string, change LocationChange,
) (Location, error) {
	if sent, ok := change.ID.Get(); ok && sent != id {
		detail := Detail{Code: LocationIDMismatch, Field: "id", Message: "id does not match the address"}
		return Location{}, errBadRequest(detail)
	}
	now := s.now()
	var l Location
	err := s.world.DB.WriteKeyed(ctx, ownerKey(owner), func(ctx context.Context, tx *database.Tx) error {
		var err error
		l, err = changeLocation(ctx, tx, owner, id, change, now)
		return err
	})
	return l, err
}

// updateLocations changes many locations in one pass. What is wrong with one
// does not keep the others from being stored; checkList says what is wrong with
// the list.
func (s *Service) updateLocations(ctx context.Context, owner int64, items []item) ([]outcome, error) {
	now := s.now()
	out := make([]outcome, len(items))
	err := s.world.DB.WriteKeyed(ctx, ownerKey(owner), func(ctx context.Context, tx *database.Tx) error {
		for i, item := range items {
			out[i] = outcome{id: item.change.ID.Value, err: item.err}
			if item.err != nil {
				continue
			}
			_, err := changeLocation(ctx, tx, owner, out[i].id, item.change, now)
			if err != nil && !errors.As(err, &out[i].err) {
				return err
			}
		}
		return nil
	})
	return out, err
}

func (s *Service) checkList(items []item) error {
	switch {
	case len(items) == 0:
		return errBadRequest(Detail{
			Code: LocationsEmpty, Field: "locations", Message: "there is no location to update",
		})
	case len(items) > s.config.MaxBulk:
		return errBadRequest(Detail{
			Code: LocationsTooMany, Field: "locations",
			Message: fmt.Sprintf("one request updates at most %d locations, not %d", s.config.MaxBulk, len(items)),
		})
	}
	var details []Detail
	first := make(map[string]int, len(items))
	for i, item := range items {
		id := item.change.ID.Value
		if id == "" {
			continue
		}
		if _, twice := first[id]; twice {
			details = append(details, Detail{
				Code: LocationsNotUnique, Field: "id", Index: strconv.Itoa(i),
				Message: "the location " + id + " is named more than once",
			})
		}
		first[id] = i
	}
	if details != nil {
		return errBadRequest(details...)
	}
	return nil
}

// changeLocation reads, merges, checks and stores one location, and its place
// with it.
func changeLocation(
	ctx context.Context, tx *database.Tx, owner int64, id string, change LocationChange, now time.Time,
) (Location, error) {
	if id == "" {
		return Location{}, errInvalid(Detail{Code: LocationIDRequired, Field: "id", Message: "id is required"})
	}
	before, err := ownLocation(ctx, tx, owner, id)
	if err != nil {
		return Location{}, err
	}
	if err := change.keeps(&before); err != nil {
		return Location{}, err
	}
	l := change.apply(before)
	if err := checkLocation(&l, now); err != nil {
		return Location{}, err
	}
	if err := updateLocation(ctx, tx, l, now); err != nil {
		return Location{}, err
	}
	return l, syncPlace(ctx, tx, l)
}

// AddLocation makes a location. The contract has no method for it: locations
// come from the operator.
func (s *Service) AddLocation(
	ctx context.Context, owner int64, country string, change LocationChange,
) (Location, error) {
	now := s.now()
	l := change.apply(Location{
		ID: change.ID.Or(s.world.IDs.Hex(32)), CountryCode: strings.ToUpper(country), Status: statusComplete,
	})
	if err := checkLocation(&l, now); err != nil {
		return Location{}, err
	}
	err := s.world.DB.WriteKeyed(ctx, ownerKey(owner), func(ctx context.Context, tx *database.Tx) error {
		seq, err := nextLocationSeq(ctx, tx, owner)
		if err != nil {
			return err
		}
		if err := insertLocation(ctx, tx, owner, seq, l, now); err != nil {
			return err
		}
		return syncPlace(ctx, tx, l)
	})
	return l, err
}

// syncPlace lets a location with coordinates rank, under its own id.
func syncPlace(ctx context.Context, tx *database.Tx, l Location) error {
	if l.Coordinates == nil {
		return places.Delete(ctx, tx, l.ID)
	}
	return places.UpsertListed(ctx, tx, ranking.Place{
		ID: l.ID, CID: places.CID(l.ID), Name: l.LocationName, Categories: l.Categories,
		Address: l.Address + ", " + l.City, Country: l.CountryCode, Lat: l.Coordinates.Lat, Lng: l.Coordinates.Lng,
	})
}

func (s *Service) now() time.Time { return s.world.Clock.Now().UTC().Truncate(time.Millisecond) }

func ownerKey(owner int64) string { return "analytics/locations/" + strconv.FormatInt(owner, 10) }
