package undocumented

import (
	"encoding/json"
	"io/fs"
	"maps"
	"net/url"
	"slices"
	"sync"

	"stoa.dev/stoa/docs"
	"stoa.dev/stoa/internal/platform/telemetry"
)

// commonParams are parameters that services read in places that the descriptions do
// not follow, or that the contracts say are taken and change nothing.
func commonParams() []string {
	return []string{
		"page", "per_page", "limit", "offset", "fields", "prettyPrint", "alt", "quotaUser", "callback", "format",
	}
}

// DocumentedParams are the query parameters that the description of each service names.
type DocumentedParams struct {
	services func() map[string]map[string]bool
}

// New reads the descriptions when they are first needed.
func New() *DocumentedParams { return &DocumentedParams{services: sync.OnceValue(load)} }

// description is what is needed of an OpenAPI description.
type description struct {
	Paths map[string]map[string]json.RawMessage `json:"paths"`
}

type operation struct {
	Parameters []struct {
		In   string `json:"in"`
		Name string `json:"name"`
	} `json:"parameters"`
}

func load() map[string]map[string]bool {
	all := map[string]map[string]bool{}
	files, err := fs.ReadDir(docs.Files(), "openapi")
	if err != nil {
		return all // they are part of the program
	}
	for _, file := range files {
		text, err := fs.ReadFile(docs.Files(), "openapi/"+file.Name())
		var d description
		if err != nil || json.Unmarshal(text, &d) != nil {
			continue
		}
		service := file.Name()[:len(file.Name())-len(".json")]
		all[service] = names(d)
	}
	return all
}

func names(d description) map[string]bool {
	known := map[string]bool{}
	for _, name := range commonParams() {
		known[name] = true
	}
	for _, methods := range d.Paths {
		for _, text := range methods {
			var o operation
			if json.Unmarshal(text, &o) != nil {
				continue // a list of parameters that all methods have
			}
			for _, p := range o.Parameters {
				if p.In == "query" {
					known[p.Name] = true
				}
			}
		}
	}
	return known
}

// Undocumented are the parameters of a query that no operation of the service knows, each
// with a question mark before it, sorted.
func (k *DocumentedParams) Undocumented(service, query string) []string {
	if query == "" {
		return nil
	}
	known, ok := k.services()[service]
	values, err := url.ParseQuery(query)
	if !ok || err != nil {
		return nil
	}
	var found []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		// Credentials are read before an operation is found.
		if !known[name] && !telemetry.SecretName(name) {
			found = append(found, "?"+name)
		}
	}
	return found
}
