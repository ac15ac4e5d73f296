package page

import (
	"errors"
	"net/url"
	"strconv"
)

// Window are the limits of limit-and-offset paging. The zero value of a field
// means the default in its comment.
type Window struct {
	// LimitName and OffsetName are the query parameters ("limit", "offset").
	LimitName, OffsetName string
	// DefaultLimit is used when the caller names none (30).
	DefaultLimit int
	// MaxLimit is the largest page (100).
	MaxLimit int
	// MaxOffset is the largest offset (no bound but that of int32).
	MaxOffset int
	// Clamp pulls values that are out of bounds back in instead of refusing
	// them. Text that is no number is refused all the same.
	Clamp bool
}

// Offsets is one page: Limit rows after the first Offset.
type Offsets struct {
	Limit, Offset int
}

// ReadOffsets reads the page that q asks for. The error is a *ParamError.
func (w Window) ReadOffsets(q url.Values) (Offsets, error) {
	limit, err := readInt(q, orText(w.LimitName, "limit"), int64(orInt(w.DefaultLimit, 30)),
		1, int64(orInt(w.MaxLimit, 100)), w.Clamp)
	if err != nil {
		return Offsets{}, err
	}
	offset, err := readInt(q, orText(w.OffsetName, "offset"), 0,
		0, int64(orInt(w.MaxOffset, 1<<31-1)), w.Clamp)
	if err != nil {
		return Offsets{}, err
	}
	return Offsets{Limit: int(limit), Offset: int(offset)}, nil
}

func orText(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func orInt(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}

// isRange tells a number that is too big for 64 bits from text that is no
// number; ParseInt has saturated the former, so it can be clamped.
func isRange(err error) bool { return errors.Is(err, strconv.ErrRange) }
