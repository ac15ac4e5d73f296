package articles

import (
	"context"
	"errors"
	"net/http"

	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/articles/cache"
	"stoa.dev/stoa/internal/service/articles/rowmemory"
)

const (
	// itemsAtOnce is how many items are read at once when their length is not known.
	itemsAtOnce = 10
	// maxUnsent is how many bytes wait to be sent while more items are read.
	maxUnsent = 4 << 20
)

func handleItemsOf(s *Service, param string,
	list func(Scope, context.Context, string, page.Numbers) ([]int64, int64, error),
) route.Handler {
	return respondItems(s, func(scope Scope, r *route.Request, p page.Numbers) ([]int64, int64, error) {
		return list(scope, r.Context(), r.PathValue(param), p)
	})
}

// respondItems responds with a page of items, which are named by their numbers. They
// are read, encoded and sent some at a time: a page of the longest has half a
// gigabyte.
func respondItems(s *Service, list func(Scope, *route.Request, page.Numbers) ([]int64, int64, error)) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		scope, numbers, err := listPageOf(s, w, r, list)
		if err != nil {
			return err
		}
		defer scope.close()
		return scope.writeItems(w, r, numbers)
	}
}

func (s Scope) writeItems(w http.ResponseWriter, r *route.Request, numbers []int64) error {
	items, step := make([]*cache.Item, len(numbers)), itemsAtOnce
	if s.cache.Fill(numbers, items) == 0 {
		step = len(items)
	}
	out, comma, begun := []byte{'['}, false, false
	for len(numbers) > 0 {
		n := min(step, len(numbers))
		more, err := s.appendPart(r, numbers[:n], items[:n], out, comma)
		if errors.Is(err, wire.ErrTooLarge) && n > 1 {
			step = n / 2 // more than one caller may hold at once
			continue
		}
		if err != nil {
			return err // which cuts the connection when the answer has begun
		}
		comma = comma || len(more) > len(out)
		out, numbers, items = more, numbers[n:], items[n:]
		if len(out) <= maxUnsent || len(numbers) == 0 {
			continue
		}
		if !begun {
			w.Header().Set("Content-Type", wire.CompactJSON.MediaType())
			w.WriteHeader(http.StatusOK)
			begun = true
		}
		if _, err := w.Write(out); err != nil {
			return err
		}
		out = out[:0]
	}
	out = append(out, ']')
	if !begun {
		return wire.WriteBytes(w, r.Request, http.StatusOK, "", out)
	}
	_, err := w.Write(out)
	return err
}

// appendPart writes some items of a page. Their rows take memory only here: what was
// sent is gone, and what waits to be is bounded.
func (s Scope) appendPart(r *route.Request, numbers []int64, items []*cache.Item, out []byte, comma bool) (
	[]byte, error,
) {
	memory := rowmemory.New(s.world.Memory, r)
	defer memory.Release()
	found, err := s.completeItems(r.Context(), s.Site, numbers, items, memory)
	if err != nil {
		return nil, err
	}
	return s.appendItems(r.Context(), out, comma, found, memory)
}
