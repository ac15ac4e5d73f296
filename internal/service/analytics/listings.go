package analytics

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/analytics/ranking"
)

// Outcome is what became of one location of a list.
type Outcome struct {
	ID string
	// Err is nil when the location was updated.
	Err *ListingError
}

// Item is one location of a list, or why it could not be read.
type Item struct {
	Change LocationChange
	Err    *ListingError
}

// GetLocation finds one of the person's locations.
func (s *Service) GetLocation(ctx context.Context, owner int64, id string) (Location, error) {
	return s.location(ctx, s.world.DB, owner, id)
}

func (s *Service) location(ctx context.Context, q database.Querier, owner int64, id string) (Location, error) {
	l, err := s.store.location(ctx, q, owner, id)
	if errors.Is(err, database.ErrNotFound) {
		return Location{}, errLocation(id)
	}
	return l, err
}

// ListLocations returns one page of the person's locations, in the order they
// were added, and how many there are.
func (s *Service) ListLocations(ctx context.Context, owner int64, page, size int) (list []Location, total int64, err error) {
	err = s.world.DB.Read(ctx, func(ctx context.Context, tx *database.Tx) error {
		if total, err = s.store.countLocations(ctx, tx, owner); err != nil {
			return err
		}
		list, err = s.store.locations(ctx, tx, owner, size, (page-1)*size)
		return err
	})
	return list, total, err
}

// UpdateLocation changes one location.
func (s *Service) UpdateLocation(ctx context.Context, owner int64, id string, change LocationChange) (Location, error) {
	if sent, ok := change.ID.Get(); ok && sent != id {
		return Location{}, errListing(ListingBadRequest, Detail{Code: LocationIDMismatch, Field: "id", Message: "id does not match the address"})
	}
	now := s.now()
	var l Location
	err := s.world.DB.WriteKeyed(ctx, listingsKey(owner), func(ctx context.Context, tx *database.Tx) error {
		var err error
		l, err = s.change(ctx, tx, owner, id, change, now)
		return err
	})
	return l, err
}

// UpdateLocations changes many locations in one pass. What is wrong with one
// does not keep the others from being stored; what is wrong with the list does.
func (s *Service) UpdateLocations(ctx context.Context, owner int64, items []Item) ([]Outcome, error) {
	if err := s.checkList(items); err != nil {
		return nil, err
	}
	now := s.now()
	out := make([]Outcome, len(items))
	err := s.world.DB.WriteKeyed(ctx, listingsKey(owner), func(ctx context.Context, tx *database.Tx) error {
		for i, item := range items {
			out[i] = Outcome{ID: item.Change.ID.Value, Err: item.Err}
			if item.Err != nil {
				continue
			}
			_, err := s.change(ctx, tx, owner, out[i].ID, item.Change, now)
			if err != nil && !errors.As(err, &out[i].Err) {
				return err
			}
		}
		return nil
	})
	return out, err
}

func (s *Service) checkList(items []Item) error {
	switch {
	case len(items) == 0:
		return errListing(ListingBadRequest, Detail{Code: LocationsEmpty, Field: "locations", Message: "there is no location to update"})
	case len(items) > s.config.MaxBulk:
		return errListing(ListingBadRequest, Detail{
			Code: LocationsTooMany, Field: "locations",
			Message: fmt.Sprintf("one request updates at most %d locations, not %d", s.config.MaxBulk, len(items)),
		})
	}
	var details []Detail
	first := make(map[string]int, len(items))
	for i, item := range items {
		id := item.Change.ID.Value
		if id == "" {
			continue
		}
		if _, twice := first[id]; twice {
			details = append(details, Detail{Code: LocationsNotUnique, Field: "id", Index: strconv.Itoa(i), Message: "the location " + id + " is named more than once"})
		}
		first[id] = i
	}
	if details != nil {
		return errListing(ListingBadRequest, details...)
	}
	return nil
}

// change reads, merges, checks and stores one location, and its place with it.
func (s *Service) change(ctx context.Context, tx *database.Tx, owner int64, id string, change LocationChange, now time.Time) (Location, error) {
	if id == "" {
		return Location{}, errListing(ListingInvalid, Detail{Code: LocationIDRequired, Field: "id", Message: "id is required"})
	}
	before, err := s.location(ctx, tx, owner, id)
	if err != nil {
		return Location{}, err
	}
	l := change.apply(before)
	if err := checkLocation(&l, now); err != nil {
		return Location{}, err
	}
	if err := s.store.updateLocation(ctx, tx, l, now); err != nil {
		return Location{}, err
	}
	return l, s.syncPlace(ctx, tx, l)
}

// AddLocation makes a location. The contract has no method for it: locations
// come from the operator.
func (s *Service) AddLocation(ctx context.Context, owner int64, country string, change LocationChange) (Location, error) {
	now := s.now()
	l := change.apply(Location{ID: change.ID.Or(s.world.IDs.Hex(32)), CountryCode: strings.ToUpper(country), Status: statusComplete})
	if err := checkLocation(&l, now); err != nil {
		return Location{}, err
	}
	err := s.world.DB.WriteKeyed(ctx, listingsKey(owner), func(ctx context.Context, tx *database.Tx) error {
		seq, err := s.store.nextLocation(ctx, tx, owner)
		if err != nil {
			return err
		}
		if err := s.store.insertLocation(ctx, tx, owner, seq, l, now); err != nil {
			return err
		}
		return s.syncPlace(ctx, tx, l)
	})
	return l, err
}

// syncPlace lets a location with coordinates rank, under its own id.
func (s *Service) syncPlace(ctx context.Context, tx *database.Tx, l Location) error {
	if l.Coordinates == nil {
		return s.store.deletePlace(ctx, tx, l.ID)
	}
	return s.store.putListed(ctx, tx, ranking.Place{
		ID: l.ID, CID: cidOf(l.ID), Name: l.LocationName, Address: l.Address + ", " + l.City, Country: l.CountryCode,
		Categories: l.Categories, Lat: l.Coordinates.Lat, Lng: l.Coordinates.Lng,
	})
}

func listingsKey(owner int64) string { return "analytics/listings/" + strconv.FormatInt(owner, 10) }
