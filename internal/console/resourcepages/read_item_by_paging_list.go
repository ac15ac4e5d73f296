package resourcepages

import (
	"net/http"
	"net/url"
	"strconv"
)

// maxLookedThrough is how many pages of a list are looked through for one thing.
const maxLookedThrough = 50

// findInList finds a thing that has no call of its own. When there is none any more, the answer says so
// and what to do, with status 404.
func (p *Pages) findInList(v Visit, at place, values url.Values) (answer, any, error) {
	query, paging := p.listQuery(at, values), at.resource.Paging
	for range maxLookedThrough {
		a, err := p.do(v, at.module, at.resource.List, input{values: values, query: query})
		if err != nil || a.failed() {
			return a, nil, err
		}
		items := itemsOf(at.resource, a)
		for _, item := range items {
			if key, ok := keyOf(at.resource, item); ok && sameKey(key, values) {
				a.Value = item
				return a, item, nil
			}
		}
		last := ""
		if n := len(items); paging.After != "" && n > 0 && n >= paging.Per {
			key, _ := keyOf(at.resource, items[n-1])
			last = key.Get(at.resource.Key[len(at.resource.Key)-1].Parameter)
		}
		if last == "" {
			a.Status, a.Value, a.Text = http.StatusNotFound, nil, goneText(at)
			return a, nil, nil
		}
		query.Set(paging.After, last)
	}
	return answer{Status: http.StatusNotFound, Header: http.Header{}, Text: "The entry was not found in the first " +
		strconv.Itoa(maxLookedThrough*paging.Per) + " of “" + at.resource.Title + "”. Filter the list to find it."}, nil, nil
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
