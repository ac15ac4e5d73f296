package locations

import (
	"net/http"
	"strconv"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

const (
	defaultPageSize = 20
	maxPageSize     = 100
	// maxPage keeps page times size a number.
	maxPage = 1 << 30
)

func (s *Service) handleGetLocation(w http.ResponseWriter, r *route.Request) error {
	l, err := s.location(r.Context(), identity.From(r).UserID, r.PathValue("locationId"))
	if err != nil {
		return err
	}

	return writeLocal(w, r, l)
}

func (s *Service) handleListLocations(w http.ResponseWriter, r *route.Request) error {
	page, err := queryNumber(r, "page", 1, maxPage)
	if err != nil {
		return err
	}
	size, err := queryNumber(r, "size", defaultPageSize, maxPageSize)
	if err != nil {
		return err
	}

	list, total, err := s.listLocations(r.Context(), identity.From(r).UserID, page, size)
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
	if err := wire.ReadJSON(r.Request, &change, wire.DisallowUnknown()); err != nil {
		return err
	}

	l, err := s.updateLocation(r.Context(), identity.From(r).UserID, r.PathValue("locationId"), change)
	if err != nil {
		return err
	}

	return writeLocal(w, r, l)
}

func (s *Service) handleUpdateLocations(w http.ResponseWriter, r *route.Request) error {
	// One list at a time for a token: the next one is told to wait.
	token := "token/" + strconv.FormatInt(identity.From(r).TokenID, 10)
	release, _, err := s.world.Limits.Gate(r.Context(), s.config.Service+".bulk", token, 1)
	if err != nil {
		return err
	}
	defer release()
	items, err := readItems(r.Request)
	if err != nil {
		return err
	}

	// A list that is refused as a whole changes nothing and is not counted.
	if err := s.checkList(items); err != nil {
		return err
	}
	if err := s.config.Charge(r, s.bulkWindow()); err != nil {
		return err
	}

	outcomes, err := s.updateLocations(r.Context(), identity.From(r).UserID, items)
	if err != nil {
		return err
	}

	return writeLocal(w, r, outcomesToWire(outcomes))
}

// queryNumber reads a number from 1 to limit from the query.
func queryNumber(r *route.Request, name string, absent, limit int) (int, error) {
	text := r.Query().Get(name)
	if text == "" {
		return absent, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > limit {
		message := name + " must be a number from 1 to " + strconv.Itoa(limit)
		return 0, errInvalid(Detail{Code: PageInvalid, Field: name, Message: message})
	}
	return n, nil
}
