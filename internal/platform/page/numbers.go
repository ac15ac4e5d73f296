package page

import (
	"net/url"
	"strconv"
)

// Bounds are the limits of page-numbered paging. The zero value of a field
// means the default in its comment.
type Bounds struct {
	// PageName and SizeName are the query parameters ("page", "per_page").
	PageName, SizeName string
	// DefaultSize is used when the caller names none (30).
	DefaultSize int
	// MaxSize is the largest page (100).
	MaxSize int
	// MaxPage is the largest page number (no bound but that of int32).
	MaxPage int
	// Clamp pulls values that are out of bounds back in instead of refusing
	// them. Text that is no number is refused all the same.
	Clamp bool
}

// Numbers is one page: the Page-th (from 1) of Size rows.
type Numbers struct {
	Page, Size int
}

// Offset is how many rows precede the page.
func (n Numbers) Offset() int64 { return int64(n.Page-1) * int64(n.Size) }

// Last is the number of the last page of total rows; an empty list has one
// empty page.
func (n Numbers) Last(total int64) int64 {
	if total <= 0 {
		return 1
	}
	return (total + int64(n.Size) - 1) / int64(n.Size)
}

// ParamError says which paging parameter is out of bounds.
type ParamError struct {
	// Name and Value are the parameter as it was sent.
	Name, Value string
	// Min and Max are the accepted bounds.
	Min, Max int64
}

// Error names the parameter and what it may be.
func (e *ParamError) Error() string {
	return e.Name + " must be an integer from " + strconv.FormatInt(e.Min, 10) +
		" to " + strconv.FormatInt(e.Max, 10)
}

// ReadNumbers reads the page that q asks for. The error is a *ParamError.
func (b Bounds) ReadNumbers(q url.Values) (Numbers, error) {
	b = b.filled()
	p, err := readInt(q, b.PageName, 1, 1, int64(b.MaxPage), b.Clamp)
	if err != nil {
		return Numbers{}, err
	}
	size, err := readInt(q, b.SizeName, int64(b.DefaultSize), 1, int64(b.MaxSize), b.Clamp)
	if err != nil {
		return Numbers{}, err
	}
	return Numbers{Page: int(p), Size: int(size)}, nil
}

func (b Bounds) filled() Bounds {
	b.PageName = orText(b.PageName, "page")
	b.SizeName = orText(b.SizeName, "per_page")
	b.DefaultSize = orInt(b.DefaultSize, 30)
	b.MaxSize = orInt(b.MaxSize, 100)
	b.MaxPage = orInt(b.MaxPage, 1<<31-1)
	return b
}

// readInt reads one decimal parameter. Only digits and a minus sign count as a
// number: "+5", "5.0" and "5 " are refused, as no contract prints them so.
func readInt(q url.Values, name string, missing, low, high int64, clamp bool) (int64, error) {
	text := q.Get(name)
	if text == "" {
		return missing, nil
	}
	refused := &ParamError{Name: name, Value: text, Min: low, Max: high}
	if text[0] == '+' {
		return 0, refused
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil && !isRange(err) {
		return 0, refused
	}
	if n >= low && n <= high {
		return n, nil
	}
	if !clamp {
		return 0, refused
	}
	return min(max(n, low), high), nil
}
