package adversary

import "strings"

// largest are the values that ask for the most, by the name of a query parameter: the largest page of any service that
// has the name, and everything that is usually left out. What is above a service's own largest page is lowered by it.
func largest() map[string]string {
	return map[string]string{
		"per_page": "100", "maxResults": "2500", "pageSize": "1000", "size": "100", "limit": "1000", "singleEvents": "true",
		"showDeleted": "true", "showHidden": "true", "showCompleted": "true", "showHiddenInvitations": "true",
		"alwaysIncludeEmail": "true", "start": "0", "end": "2000000000",
	}
}

// Lists reports whether the operation takes the size of a page. Where no parameter is described the path tells.
func (o Operation) Lists() bool {
	if len(o.Query) == 0 {
		return strings.HasSuffix(o.Pattern, "s")
	}
	for _, name := range o.Query {
		switch name {
		case "per_page", "maxResults", "pageSize", "size", "page", "limit":
			return true
		}
	}
	return false
}

// LargestPage asks a reading operation for as much as it takes.
func (o Operation) LargestPage() Attack {
	if len(o.Query) == 0 {
		return Attack{Operation: o, Kind: "largest page", Query: "per_page=100&limit=100"}
	}
	var query []string
	for _, name := range o.Query {
		if value, ok := largest()[name]; ok {
			query = append(query, name+"="+value)
		}
	}
	return Attack{Operation: o, Kind: "largest page", Query: strings.Join(query, "&")}
}

// Fill is one of the largest rows that a caller can store, and how often it is stored. The body is a number's: rows
// that are the same may be stored once.
type Fill struct {
	Service, Method, Path string
	Count                 int
	Body                  func(n int) string
}
