// Command packages says what a package version may be used for: its licenses,
// its advisories and what it needs.
package main

import (
	"fmt"
	"net/url"
	"strings"

	"stoa.dev/stoa/examples/go/stoa"
)

func main() {
	name, version := "@stoa/colonnade", "1.2.0"
	at := "/v3/systems/npm/packages/" + url.PathEscape(name) + "/versions/" + version
	var found struct {
		Licenses     []string `json:"licenses"`
		AdvisoryKeys []any    `json:"advisoryKeys"`
	}
	stoa.Must(stoa.Call{Method: "GET", Path: at}.Do(&found))
	fmt.Printf("%s %s: %s, %d advisories\n", name, version, strings.Join(found.Licenses, ", "), len(found.AdvisoryKeys))

	var graph struct {
		Nodes []struct {
			Relation   string                         `json:"relation"`
			VersionKey struct{ Name, Version string } `json:"versionKey"`
		} `json:"nodes"`
	}
	stoa.Must(stoa.Call{Method: "GET", Path: at + ":dependencies"}.Do(&graph))
	for _, n := range graph.Nodes {
		fmt.Printf("  %s %s %s\n", strings.ToLower(n.Relation), n.VersionKey.Name, n.VersionKey.Version)
	}
}
