package analytics

import (
	"net/http"
	"strconv"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

const (
	usualLocations = 20
	mostLocations  = 100
	// lastPage keeps page times size a number.
	lastPage = 1 << 30
)

func (s *Service) handleGetLocation(w http.ResponseWriter, r *route.Request) error {
	l, err := s.GetLocation(r.Context(), identity.From(r).UserID, r.PathValue("locationId"))
	if err != nil {
		return err
	}

	return writeLocal(w, r, l)
}

func (s *Service) handleListLocations(w http.ResponseWriter, r *route.Request) error {
	page, err := locationNumber(r, "page", 1, lastPage)
	if err != nil {
		return err
	}
	size, err := locationNumber(r, "size", usualLocations, mostLocations)
	if err != nil {
		return err
	}

	list, total, err := s.ListLocations(r.Context(), identity.From(r).UserID, page, size)
	if err != nil {
		return err
	}

	if list == nil {
		list = []Location{}
	}
	pages := (total + int64(size) - 1) / int64(size)
	return writeLocal(w, r, locationPageJSON{Page: page, TotalElements: total, TotalPages: pages, Content: list})
}

func (s *Service) handleUpdateLocation(w http.ResponseWriter, r *route.Request) error {
	var change LocationChange
	if err := wire.ReadJSON(r.Request, &change); err != nil {
		return err
	}

	l, err := s.UpdateLocation(r.Context(), identity.From(r).UserID, r.PathValue("locationId"), change)
	if err != nil {
		return err
	}

	return writeLocal(w, r, l)
}

func (s *Service) handleUpdateLocations(w http.ResponseWriter, r *route.Request) error {
	// One list at a time for a token: the next one is told to wait.
	release, _, err := s.world.Limits.Gate(r.Context(), Name+".bulk", tokenKey(r), 1)
	if err != nil {
		return err
	}
	defer release()
	items, err := readItems(r.Request)
	if err != nil {
		return err
	}

	outcomes, err := s.UpdateLocations(r.Context(), identity.From(r).UserID, items)
	if err != nil {
		return err
	}

	return writeLocal(w, r, outcomesToWire(outcomes))
}

// locationNumber reads a number from 1 to most from the query.
func locationNumber(r *route.Request, name string, usual, most int) (int, error) {
	text := r.Query().Get(name)
	if text == "" {
		return usual, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return 0, errListing(ListingInvalid, Detail{Code: PageInvalid, Field: name, Message: name + " must be a number from 1 to " + strconv.Itoa(most)})
	}
	return n, nil
}
