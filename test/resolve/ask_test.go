package resolve_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

// errNoAnswer is that of a graph which was not answered.
var errNoAnswer = errors.New("no graph")

// ask is the graph's versions as "name version", without the root.
func ask(h *identitytest.Server, s catalog.System, name, version string) ([]string, error) {
	path := "/v3/systems/" + string(s) + "/packages/" + url.PathEscape(name) + "/versions/" + url.PathEscape(version) +
		":dependencies"
	w := h.Call("GET", path, "")
	for range 20 {
		if w.Code != 503 {
			break
		}
		w = h.Call("GET", path, "") // it goes on while callers are sent away
	}
	var g struct {
		Nodes []struct {
			VersionKey catalog.VersionKey `json:"versionKey"`
			Relation   string             `json:"relation"`
			Errors     []string           `json:"errors"`
		} `json:"nodes"`
		Error string `json:"error"`
	}
	if w.Code != 200 || json.Unmarshal(w.Body.Bytes(), &g) != nil {
		return nil, fmt.Errorf("%w: %d %.300s", errNoAnswer, w.Code, w.Body)
	}
	var list []string
	problem := g.Error
	for _, n := range g.Nodes {
		if n.Relation != "SELF" {
			list = append(list, n.VersionKey.Name+" "+n.VersionKey.Version)
		}
		for _, e := range n.Errors {
			problem += fmt.Sprintf("; %s: %s", n.VersionKey.Name, e)
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	if problem != "" {
		return list, fmt.Errorf("%.400s", problem)
	}
	return list, nil
}

// without is what the first list has and the second has not.
func without(a, b []string) []string {
	var list []string
	for _, x := range a {
		if !slices.Contains(b, x) {
			list = append(list, x)
		}
	}
	return list
}
