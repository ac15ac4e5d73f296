package resourcepages

import (
	"maps"
	"net/http"
	"net/url"
	"strconv"
)

// maxLookedThrough is how many pages of a list are looked through for one thing.
const maxLookedThrough = 50

// findInList finds a thing that has no call of its own: on the page of its list that it was seen on, or on whichever
// of the first. When there is none any more, the answer says so and what to do, with status 404.
func (p *Pages) findInList(v Visit, at place, values url.Values) (answer, any, error) {
	if values.Get(pageParameter) != "" {
		// The page may have become another one since, or be one of another list.
		if a, item, _, err := p.findOnPage(v, at, values, values); err != nil || item != nil {
			return a, item, err
		}
	}
	here := url.Values{}
	maps.Copy(here, values)
	here.Del(pageParameter)
	for range maxLookedThrough {
		a, item, next, err := p.findOnPage(v, at, values, here)
		if err != nil || item != nil || a.failed() {
			return a, item, err
		}
		if next == "" {
			a.Status, a.Value, a.Text = http.StatusNotFound, nil, goneText(at)
			return a, nil, nil
		}
		here.Set(pageParameter, next)
	}
	return answer{Status: http.StatusNotFound, Header: http.Header{}, Text: "The entry was not found in the first " +
		strconv.Itoa(maxLookedThrough*at.resource.Paging.Per) + " of “" + at.resource.Title +
		"”. Filter the list to find it."}, nil, nil
}

// findOnPage looks for a thing on one page of its list; next is the page after it.
func (p *Pages) findOnPage(v Visit, at place, values, here url.Values) (a answer, item any, next string, err error) {
	a, err = p.do(v, at.module, at.resource.List, input{values: here, query: p.listQuery(at, here)})
	if err != nil || a.failed() {
		return a, nil, "", err
	}
	items := itemsOf(at.resource, a)
	for _, item := range items {
		if key, ok := keyOf(at.resource, item); ok && sameKey(key, values) {
			a.Value = item
			return a, item, "", nil
		}
	}
	return a, nil, at.nextPage(a, items, here.Get(pageParameter)), nil
}

func goneText(at place) string {
	text := "There is no such entry in “" + at.resource.Title + "”: it was deleted, or the address is wrong. "
	if at.resource.Gone != "" {
		text += at.resource.Gone + " "
	}
	return text + "The list shows what there is."
}

func sameKey(key, values url.Values) bool {
	for name := range key {
		if key.Get(name) != values.Get(name) {
			return false
		}
	}
	return true
}
