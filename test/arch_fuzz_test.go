package test_test

import (
	"fmt"
	"strconv"
	"strings"
)

// fuzzRules check that what reads outside bytes has a fuzz target. They see the
// formats that are read with a library, and the routes; a parser written by hand
// is for the review to see.
func fuzzRules() []rule {
	return []rule{
		{
			name: "readers of outside formats are fuzzed", check: fuzzedFormats,
			why: "others write archives, packed bodies, XML, CSV and media types",
			bad: map[string]string{"internal/identity/x.go": "package identity\n\nimport _ \"archive/zip\"\n"},
		},
		{
			name: "the routes of services are fuzzed", check: fuzzedRoutes,
			why: "every service answers outside bytes in its own words; see routetest.FuzzRoutes",
			bad: map[string]string{"internal/service/labels/routes.go": "package labels\n"},
		},
	}
}

// outsideFormats are imports of packages that read what others wrote.
func outsideFormats() []string {
	return []string{
		"archive/", "compress/", "encoding/csv", "encoding/xml", "mime", "github.com/goccy/go-yaml",
		"github.com/klauspost/compress/",
	}
}

// readsNothing are packages with such an import that read nothing of others.
func readsNothing() map[string]string {
	return map[string]string{
		"internal/app/settings":   "the operator's own file",
		"internal/console/manual": "the media types of its own files",
		"internal/platform/draw":  "packs pictures",

		"internal/forge/git/gittest":          "packs objects for tests",
		"internal/service/events/encodedpage": "packs pages",
	}
}

func fuzzedFormats(h *repository) []string {
	var bad []string
	fuzzed := fuzzTargets(h)
	for _, s := range h.product() {
		if !under(s.Dir, "internal") && !under(s.Dir, "engine") || fuzzed[s.Dir] != "" || readsNothing()[s.Dir] != "" {
			continue
		}
		for _, i := range s.AST.Imports {
			name, err := strconv.Unquote(i.Path.Value)
			if err == nil && isOutside(name) {
				bad = append(bad, fmt.Sprintf("%s reads %s and %s has no fuzz target", s.Path, name, s.Dir))
			}
		}
	}
	return bad
}

func isOutside(name string) bool {
	for _, format := range outsideFormats() {
		if name == format || strings.HasSuffix(format, "/") && strings.HasPrefix(name, format) ||
			name == format+"/multipart" {
			return true
		}
	}
	return false
}

func fuzzedRoutes(h *repository) []string {
	var bad []string
	fuzzed := fuzzTargets(h)
	for _, s := range h.product() {
		// An inner package's routes are in the table of its service.
		dir := "internal/service/" + serviceOf(s.Dir)
		if s.Name == "routes.go" && serviceOf(s.Dir) != "" && !strings.Contains(fuzzed[dir], " FuzzRoutes ") {
			bad = append(bad, dir+" has routes and no target FuzzRoutes")
		}
	}
	return bad
}

// fuzzTargets are the names of the targets by folder.
func fuzzTargets(h *repository) map[string]string {
	found := map[string]string{}
	for _, s := range h.sources {
		if !s.Test {
			continue
		}
		for _, line := range strings.Split(s.Text, "\n") {
			if name, ok := strings.CutPrefix(line, "func Fuzz"); ok {
				name, _, _ = strings.Cut(name, "(")
				found[s.Dir] += " Fuzz" + name + " "
			}
		}
	}
	return found
}
