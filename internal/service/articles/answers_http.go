package articles

import (
	"errors"
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

// visit finds the edition and the caller of a request that gate let in. Whoever
// reads the public site with a token that may not read is a stranger: a private
// item is data of its author.
func (s *Service) visit(r *route.Request) (Visit, error) {
	place, err := s.place(r)
	v := Visit{Place: place, Caller: identity.From(r)}
	if v.Caller != nil && place.Team == nil && !writes(r) && !v.Caller.HasScope(ScopeRead) {
		v.Caller = nil
	}
	return v, err
}

// list reads the page that is asked for, fetches it and answers with it and
// the two paging headers. All rows are shown at once, so that what they need is
// looked up once.
func list[T any](s *Service, w http.ResponseWriter, r *route.Request, fetch func(v Visit, c cut) ([]T, int64, error), show func(v Visit, rows []T) (any, error)) error {
	v, err := s.visit(r)
	if err != nil {
		return err
	}
	n, err := bounds().ReadNumbers(r.Query())
	if err != nil {
		return err
	}
	rows, total, err := fetch(v, cut{limit: int64(n.Size), offset: n.Offset()})
	if err != nil {
		return err
	}
	out, err := show(v, rows)
	if err != nil {
		return err
	}
	here, err := url.Parse(s.base(v.Place) + r.URL.RequestURI())
	if err != nil {
		return err
	}
	w.Header().Set("Link", bounds().Link(here, n, total))
	w.Header().Set("Total-Count", strconv.FormatInt(total, 10))
	return write(w, r, http.StatusOK, out)
}

// each shows rows one by one, for lists that need nothing looked up.
func each[T any](show func(v Visit, one T) any) func(Visit, []T) (any, error) {
	return func(v Visit, rows []T) (any, error) {
		out := make([]any, len(rows))
		for n, row := range rows {
			out[n] = show(v, row)
		}
		return out, nil
	}
}

// write answers with a value, or with text that is encoded already.
func write(w http.ResponseWriter, r *route.Request, status int, v any) error {
	switch v := v.(type) {
	case encoded:
		return wire.WriteBytes(w, r.Request, status, "", v)
	case pieces:
		return v.write(w, r, status)
	}
	return wire.WriteJSON(w, r.Request, status, v)
}

// pieces is an array that is read, encoded and sent some rows at a time: a page of
// the longest items has half a gigabyte.
type pieces struct {
	numbers []int64
	step    int
	// encode writes an array of some of the rows.
	encode func(numbers []int64) (encoded, error)
}

// pieceBytes is what is sent at once. Whatever is shorter is sent whole.
const pieceBytes = 4 << 20

func (p pieces) write(w http.ResponseWriter, r *route.Request, status int) error {
	step := p.step
	if len(p.numbers) <= step {
		text, err := p.encode(p.numbers)
		if err == nil {
			return wire.WriteBytes(w, r.Request, status, "", text)
		}
		if !errors.Is(err, wire.ErrTooLarge) || len(p.numbers) < 2 {
			return err
		}
		step = len(p.numbers) / 2
	}
	out, comma, begun := encoded{'['}, false, false
	for rest := p.numbers; len(rest) > 0; {
		part := rest[:min(step, len(rest))]
		list, err := p.encode(part)
		if errors.Is(err, wire.ErrTooLarge) && len(part) > 1 {
			step = len(part) / 2 // more than one caller may hold at once
			continue
		}
		if err != nil {
			return err // which cuts the connection when the answer has begun
		}
		rest = rest[len(part):]
		if rows := list[1 : len(list)-1]; len(rows) > 0 {
			if comma {
				out = append(out, ',')
			}
			out, comma = append(out, rows...), true
		}
		if len(out) <= pieceBytes {
			continue
		}
		if !begun {
			w.Header().Set("Content-Type", wire.CompactJSON.MediaType())
			w.WriteHeader(status)
			begun = true
		}
		if _, err := w.Write(out); err != nil {
			return err
		}
		out = out[:0]
	}
	out = append(out, ']')
	if !begun {
		return wire.WriteBytes(w, r.Request, status, "", out)
	}
	_, err := w.Write(out)
	return err
}

// rowWeight is the memory that a byte of a row stands for: the row, and what is
// encoded of it.
const rowWeight = 2

// rows takes memory of the process for the rows of one answer.
func (s *Service) rows(r *route.Request) (take taker, release func(), err error) {
	grant, err := s.world.Memory.Take(r.Context(), r.Owner(), 0)
	if err != nil {
		return nil, nil, err
	}
	take = func(bytes int) error {
		err := grant.Grow(rowWeight * int64(bytes))
		if errors.Is(err, wire.ErrTooLarge) {
			return &longError{err}
		}
		return err
	}
	return take, grant.Release, nil
}

// longError means that rows are longer than all the memory that one caller may
// hold, which is no fault of the request.
type longError struct{ cause error }

func (e *longError) Error() string { return "the answer: " + e.cause.Error() }
func (e *longError) Unwrap() error { return e.cause }

// one finds a thing and answers with it as a list would show it.
func one[T any](s *Service, w http.ResponseWriter, r *route.Request, find func(v Visit) (T, error), show func(v Visit, rows []T) (any, error)) error {
	v, err := s.visit(r)
	if err != nil {
		return err
	}
	found, err := find(v)
	if err != nil {
		return err
	}
	return answer(w, r, http.StatusOK, v, found, show)
}

// put reads a body into in, does what it asks for and answers with what came of
// it.
func put[T any](s *Service, w http.ResponseWriter, r *route.Request, status int, in any, do func(v Visit) (T, error), show func(v Visit, rows []T) (any, error)) error {
	if err := body(r, in); err != nil {
		return err
	}
	v, err := s.visit(r)
	if err != nil {
		return err
	}
	made, err := do(v)
	if err != nil {
		return err
	}
	return answer(w, r, status, v, made, show)
}

// answer shows one thing of a list.
func answer[T any](w http.ResponseWriter, r *route.Request, status int, v Visit, thing T, show func(v Visit, rows []T) (any, error)) error {
	out, err := show(v, []T{thing})
	if err != nil {
		return err
	}
	switch list := out.(type) {
	case encoded:
		return write(w, r, status, list[1:len(list)-1])
	case []any:
		return write(w, r, status, list[0])
	}
	return write(w, r, status, out)
}

// act does something that there is nothing to say about.
func (s *Service) act(w http.ResponseWriter, r *route.Request, do func(v Visit) error) error {
	v, err := s.visit(r)
	if err != nil {
		return err
	}
	if err := do(v); err != nil {
		return err
	}
	wire.NoContent(w, http.StatusNoContent)
	return nil
}

// body reads a JSON body.
func body(r *route.Request, to any) error {
	return wire.ReadJSON(r.Request, to, wire.RequireMediaType("application/json"))
}
