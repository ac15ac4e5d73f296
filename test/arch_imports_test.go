package test_test

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// heights is the order of the platform packages, lowest first. A platform package imports
// only what stands before it in this list.
func heights() []string {
	return []string{
		"clock", "ids", "durable", "fuzztest", "smallbuild", "memo", "flight", "outbound", "telemetry", "wire", "journal",
		"conduct",
		"dialect", "seal", "authority", "database", "readcache", "audit", "ownership", "limit", "budget", "page", "jobs",
		"blob", "route", "describe", "fault", "oauth", "deliver", "draw", "sandbox", "registry", "spelling", "seed",
		"resource", "module", "faultrule", "world", "apifamily",
	}
}

func importRules() []rule {
	const service = "package tasks\n\nimport _ \"stoa.dev/stoa/internal/service/labels\"\n"
	return []rule{
		{
			name: "cmd imports app and nothing else of ours", check: cmdImportsApp,
			why: "main reads arguments and hands over; what it would need from below belongs in app",
			bad: map[string]string{"cmd/stoa/main.go": "package main\n\nimport _ \"stoa.dev/stoa/internal/identity\"\n"},
		},
		{
			name: "no package imports app", check: appIsImportedByNone,
			why: "app knows every service; a package that imports it knows them too",
			bad: map[string]string{
				"internal/identity/users.go": "package identity\n\nimport _ \"stoa.dev/stoa/internal/app\"\n",
			},
		},
		{
			name: "a service imports no other service", check: serviceImports,
			why: "two services that need the same rule get it from identity, forge or platform; two that inform each other " +
				"use a job",
			bad: map[string]string{"internal/service/tasks/service.go": service},
		},
		{
			name:  "console imports no service",
			check: importsOnly("internal/console", "internal/identity", "internal/forge", "internal/platform", "docs", "web"),
			why:   "what the console shows of a service comes through module descriptions and HTTP",
			bad: map[string]string{
				"internal/console/pages.go": "package console\n\nimport _ \"stoa.dev/stoa/internal/service/tasks\"\n",
			},
		},
		{
			name: "identity imports platform only", check: importsOnly("internal/identity", "internal/platform"),
			why: "identity states facts; it does not know who asks",
			bad: map[string]string{
				"internal/identity/users.go": "package identity\n\nimport _ \"stoa.dev/stoa/internal/forge\"\n",
			},
		},
		{
			name:  "forge imports identity and platform only",
			check: importsOnly("internal/forge", "internal/identity", "internal/platform"),
			why:   "forge stands beside identity, below the services that report on it and build from it",
			bad: map[string]string{
				"internal/forge/run_and_record_push.go": "package forge\n\nimport _ \"stoa.dev/stoa/internal/service/events\"\n",
			},
		},
		{
			name: "platform imports downward", check: platformImports,
			why: "heights() is the order; a new package gets its place there, an upward import gets turned around",
			bad: map[string]string{
				"internal/platform/wire/json.go": "package wire\n\nimport _ \"stoa.dev/stoa/internal/platform/route\"\n",
			},
		},
		{
			name: "test helpers stay in tests", check: helpersInTests,
			why: "a package whose name ends in test links the testing package into the binary",
			bad: map[string]string{
				"internal/identity/users.go": "package identity\n\nimport _ " +
					"\"stoa.dev/stoa/internal/platform/database/databasetest\"\n",
			},
		},
		{
			name: "YAML is read where its size is bounded", check: readsYAML,
			why: "the reader takes the square of what it reads: it is for the operator's own files, and for recipes, which " +
				"bound lines and marks first",
			bad: map[string]string{
				"internal/service/packages/manifest/lock.go": "package manifest\n\nimport _ \"github.com/goccy/go-yaml\"\n",
			},
		},
		{
			name: "product does not import test", check: productImportsTest,
			why: "test looks at the product from outside",
			bad: map[string]string{
				"internal/identity/users.go": "package identity\n\nimport _ \"stoa.dev/stoa/test/conformance\"\n",
			},
		},
		{
			name: "the engine is a module of its own", check: engineImports,
			why: "engine/ knows nothing of the server; generate asks its program, and a binary that links engine/llama is " +
				"not static",
			bad: map[string]string{"engine/client.go": "package engine\n\nimport _ \"stoa.dev/stoa/internal/platform/clock\"\n"},
		},
		{
			name: "only the table of contents names services in app", check: appNamesServices,
			why: "app treats all modules alike; a service named elsewhere is the first special case",
			bad: map[string]string{"internal/app/app.go": "package app\n\nimport _ \"stoa.dev/stoa/internal/service/tasks\"\n"},
		},
	}
}

// offence is the one form of an import complaint.
func offence(s *source, imported string) string {
	return fmt.Sprintf("%s imports %s", s.Path, imported)
}

func cmdImportsApp(h *repository) []string {
	var bad []string
	for _, s := range h.sources {
		if !under(s.Dir, "cmd") {
			continue
		}
		for _, dir := range s.ours() {
			if !under(dir, "internal/app") {
				bad = append(bad, offence(s, dir))
			}
		}
	}
	return bad
}

func appIsImportedByNone(h *repository) []string {
	var bad []string
	for _, s := range h.sources {
		if under(s.Dir, "cmd") || under(s.Dir, "test") || under(s.Dir, "internal/app") || under(s.Dir, "internal/lab") {
			continue
		}
		for _, dir := range s.ours() {
			if under(dir, "internal/app") {
				bad = append(bad, offence(s, dir))
			}
		}
	}
	return bad
}

// serviceImports looks at tests too: a test that needs a second service
// belongs under test.
func serviceImports(h *repository) []string {
	var bad []string
	for _, s := range h.sources {
		own := serviceOf(s.Dir)
		if own == "" {
			continue
		}
		for _, dir := range s.ours() {
			allowed := serviceOf(dir) == own || under(dir, "internal/identity") || under(dir, "internal/forge") ||
				under(dir, "internal/platform") || under(dir, "proto") || under(dir, "engine")
			if !allowed {
				bad = append(bad, offence(s, dir))
			}
		}
	}
	return bad
}

// importsOnly binds a layer to the folders it may use beside itself.
func importsOnly(base string, allowed ...string) func(*repository) []string {
	return func(h *repository) []string {
		var bad []string
		for _, s := range h.sources {
			if !under(s.Dir, base) {
				continue
			}
			for _, dir := range s.ours() {
				fine := under(dir, base) || slices.ContainsFunc(allowed, func(a string) bool { return under(dir, a) })
				if !fine {
					bad = append(bad, offence(s, dir))
				}
			}
		}
		return bad
	}
}

// platformPackage returns the platform package a folder belongs to and its height, -1
// when heights does not know it.
func platformPackage(dir string) (string, int) {
	rest, ok := strings.CutPrefix(dir, "internal/platform/")
	if !ok {
		return "", -1
	}
	name, _, _ := strings.Cut(rest, "/")
	return name, slices.Index(heights(), name)
}

func platformImports(h *repository) []string {
	var bad []string
	for _, s := range h.product() {
		own, height := platformPackage(s.Dir)
		if own == "" || helper(s.Dir) {
			continue
		}
		if height < 0 {
			bad = append(bad, s.Path+" is in a platform package that heights() does not list")
			continue
		}
		for _, dir := range s.ours() {
			name, below := platformPackage(dir)
			if name != own && (below < 0 || below > height) {
				bad = append(bad, offence(s, dir))
			}
		}
	}
	return bad
}

// helper tells packages of test helpers: databasetest below database and the
// like.
func helper(dir string) bool { return path.Base(dir) == path.Base(path.Dir(dir))+"test" }

func helpersInTests(h *repository) []string {
	var bad []string
	for _, s := range h.product() {
		if helper(s.Dir) || under(s.Dir, "test") {
			continue
		}
		for _, dir := range s.ours() {
			if helper(dir) {
				bad = append(bad, offence(s, dir))
			}
		}
	}
	return bad
}

func readsYAML(h *repository) []string {
	operators := []string{
		"internal/app/settings", "internal/platform/seed", "internal/service/generate",
		"internal/service/pipelines/recipe", "internal/service/pipelines/kubernetes", "packaging", "test",
	}
	var bad []string
	for _, s := range h.sources {
		if slices.ContainsFunc(operators, func(dir string) bool { return under(s.Dir, dir) }) {
			continue
		}
		for _, p := range s.imports() {
			if strings.Contains(p, "/go-yaml") || strings.Contains(p, "/yaml") {
				bad = append(bad, offence(s, p))
			}
		}
	}
	return bad
}

func productImportsTest(h *repository) []string {
	var bad []string
	for _, s := range h.sources {
		if under(s.Dir, "test") {
			continue
		}
		for _, dir := range s.ours() {
			if under(dir, "test") {
				bad = append(bad, offence(s, dir))
			}
		}
	}
	return bad
}

// engineImports looks both ways: at what engine/ imports, and at who imports it.
func engineImports(h *repository) []string {
	var bad []string
	for _, s := range h.sources {
		inside, asks := under(s.Dir, "engine"), under(s.Dir, "internal/service/generate")
		for _, dir := range s.ours() {
			switch known := under(dir, "engine"); {
			case inside != known && (inside || !asks && !under(s.Dir, "test")):
				bad = append(bad, offence(s, dir))
			case asks && under(dir, "engine/llama"):
				bad = append(bad, offence(s, dir))
			}
		}
	}
	return bad
}

func appNamesServices(h *repository) []string {
	var bad []string
	for _, s := range h.product() {
		if s.Dir != "internal/app" || s.Name == "services.go" || s.Name == "config.go" {
			continue
		}
		for _, dir := range s.ours() {
			if serviceOf(dir) != "" {
				bad = append(bad, offence(s, dir))
			}
		}
	}
	return bad
}
