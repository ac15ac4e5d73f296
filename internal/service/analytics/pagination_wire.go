package analytics

import (
	"net/url"
	"strconv"
	"strings"
)

type sortJSON struct {
	Empty    bool `json:"empty"`
	Sorted   bool `json:"sorted"`
	Unsorted bool `json:"unsorted"`
}

type pageableJSON struct {
	PageNumber int      `json:"pageNumber"`
	PageSize   int      `json:"pageSize"`
	Sort       sortJSON `json:"sort"`
	Offset     int      `json:"offset"`
	Paged      bool     `json:"paged"`
	Unpaged    bool     `json:"unpaged"`
}

// pageJSON is one page of a list, with everything a pager wants to know.
type pageJSON[T any] struct {
	Content          []T          `json:"content"`
	Pageable         pageableJSON `json:"pageable"`
	Sort             sortJSON     `json:"sort"`
	First            bool         `json:"first"`
	Last             bool         `json:"last"`
	TotalElements    int          `json:"totalElements"`
	TotalPages       int          `json:"totalPages"`
	Size             int          `json:"size"`
	Number           int          `json:"number"`
	NumberOfElements int          `json:"numberOfElements"`
	Empty            bool         `json:"empty"`
}

const (
	defaultPageSize = 10
	maxPageSize     = 100
	maxPage         = 1 << 20
)

// pager is which page is asked for, and in which order.
type pager struct {
	page, size int
	field      string
	descending bool
}

// readPager reads page, size and sort. The first of fields is the default order.
func readPager(query url.Values, descending bool, fields ...string) (pager, error) {
	p := pager{size: defaultPageSize, field: fields[0], descending: descending}
	for _, n := range []struct {
		name      string
		to        *int
		low, high int
	}{{"page", &p.page, 0, maxPage}, {"size", &p.size, 1, maxPageSize}} {
		text := query.Get(n.name)
		if text == "" {
			continue
		}
		value, err := strconv.Atoi(text)
		if err != nil || value < n.low || value > n.high {
			return p, errInvalidField(n.name, "must be a number from %d to %d", n.low, n.high)
		}
		*n.to = value
	}
	if text := query.Get("sort"); text != "" {
		field, direction, _ := strings.Cut(text, ",")
		known := false
		for _, f := range fields {
			known = known || f == field
		}
		if !known || direction != "" && direction != "ASC" && direction != "DESC" {
			return p, errInvalidField("sort", "must be one of %s with ,ASC or ,DESC", strings.Join(fields, ", "))
		}
		p.field, p.descending = field, direction == "DESC"
	}
	return p, nil
}

// order turns a comparison round when the order is descending.
func (p pager) order(c int) int {
	if p.descending {
		return -c
	}
	return c
}

// newPage cuts one page out of a sorted list.
func newPage[T any](p pager, all []T) pageJSON[T] {
	offset := p.page * p.size
	from := min(offset, len(all))
	content := all[from:min(from+p.size, len(all))]
	if content == nil {
		content = []T{}
	}
	pages := (len(all) + p.size - 1) / p.size
	sorted := sortJSON{Sorted: true}
	return pageJSON[T]{
		Content:  content,
		Pageable: pageableJSON{PageNumber: p.page, PageSize: p.size, Sort: sorted, Offset: offset, Paged: true},
		Sort:     sorted, First: p.page == 0, Last: p.page+1 >= pages, TotalElements: len(all), TotalPages: pages,
		Size: p.size, Number: p.page, NumberOfElements: len(content), Empty: len(content) == 0,
	}
}
