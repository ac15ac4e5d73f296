package page

import (
	"net/url"
	"strconv"
)

// Bounds are the limits of page-numbered paging.
type Bounds struct {
	// PageName and SizeName are the query parameters.
	PageName, SizeName string
	// DefaultSize is used when the caller names none.
	DefaultSize int
	// MaxSize is the largest page, MaxPage the largest page number.
	MaxSize, MaxPage int
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
	// Name is the parameter's, Max the largest value it may have.
	Name string
	Max  int
}

// Error names the parameter and what it may be.
func (e *ParamError) Error() string {
	return e.Name + " must be an integer from 1 to " + strconv.Itoa(e.Max)
}

// ReadNumbers reads the page that q asks for. The error is a *ParamError.
func (b Bounds) ReadNumbers(q url.Values) (Numbers, error) {
	p, err := readInt(q, b.PageName, 1, b.MaxPage)
	if err != nil {
		return Numbers{}, err
	}
	size, err := readInt(q, b.SizeName, b.DefaultSize, b.MaxSize)
	if err != nil {
		return Numbers{}, err
	}
	return Numbers{Page: p, Size: size}, nil
}

// readInt reads one decimal parameter from 1 to limit. Only digits count as a
// number: "+5", "5.0" and "5 " are refused, as no contract prints them so.
func readInt(q url.Values, name string, missing, limit int) (int, error) {
	text := q.Get(name)
	if text == "" {
		return missing, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || text[0] == '+' || n < 1 || n > limit {
		return 0, &ParamError{Name: name, Max: limit}
	}
	return n, nil
}
