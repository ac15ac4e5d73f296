package articles

import (
	"net/http"
	"net/url"
	"strconv"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// bounds are the contract's: page 1 to 100, per_page 1 to 100 with 20 of them
// unless the caller says otherwise.
func bounds() page.Bounds {
	return page.Bounds{PageName: "page", SizeName: "per_page", DefaultSize: 20, MaxSize: 100, MaxPage: 100}
}

// visit finds the edition and the caller of a request that gate let in.
func (s *Service) visit(r *route.Request) (Visit, error) {
	place, err := s.place(r)
	return Visit{Place: place, Caller: identity.From(r)}, err
}

// list reads the page that is asked for, fetches it and answers with it and
// the two paging headers.
func list[T any](s *Service, w http.ResponseWriter, r *route.Request, fetch func(v Visit, c cut) ([]T, int64, error), show func(v Visit, one T) (any, error)) error {
	v, err := s.visit(r)
	if err != nil {
		return err
	}
	n, err := bounds().ReadNumbers(r.URL.Query())
	if err != nil {
		return err
	}
	rows, total, err := fetch(v, cut{limit: int64(n.Size), offset: n.Offset()})
	if err != nil {
		return err
	}
	out := make([]any, len(rows))
	for i, row := range rows {
		if out[i], err = show(v, row); err != nil {
			return err
		}
	}
	here, err := url.Parse(s.base(v.Place) + r.URL.RequestURI())
	if err != nil {
		return err
	}
	w.Header().Set("Link", bounds().Link(here, n, total))
	w.Header().Set("Total-Count", strconv.FormatInt(total, 10))
	return wire.WriteJSON(w, r.Request, http.StatusOK, out)
}

// answer shows one thing.
func answer[T any](w http.ResponseWriter, r *route.Request, status int, v Visit, one T, err error, show func(v Visit, one T) (any, error)) error {
	if err != nil {
		return err
	}
	out, err := show(v, one)
	if err != nil {
		return err
	}
	return wire.WriteJSON(w, r.Request, status, out)
}

// done answers 204.
func done(w http.ResponseWriter, err error) error {
	if err == nil {
		wire.NoContent(w, http.StatusNoContent)
	}
	return err
}

// body reads a JSON body.
func body(r *route.Request, to any) error {
	return wire.ReadJSON(r.Request, to, wire.RequireMediaType("application/json"))
}
