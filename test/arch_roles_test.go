package test_test

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strings"
)

func roleRules() []rule {
	return []rule{
		{
			name: "net/http only at the edge", check: fileRole("net/http", mayHTTP),
			why: "the brain of a service must be callable without a request; see mayHTTP for who stands at the edge",
			bad: map[string]string{"internal/service/tasks/service.go": "package tasks\n\nimport _ \"net/http\"\n"},
		},
		{
			name: "database/sql only in database and stores", check: fileRole("database/sql", maySQL),
			why: "stores take a database.Querier, so that one SQL text and one set of typed errors serve both engines",
			bad: map[string]string{"internal/service/tasks/http.go": "package tasks\n\nimport _ \"database/sql\"\n"},
		},
		{
			name: "drivers only in database", check: driversInDatabase,
			why: "no third-party type leaves its adapter",
			bad: map[string]string{"internal/service/tasks/store.go": "package tasks\n\nimport _ \"github.com/jackc/pgx/v5\"\n"},
		},
		{
			name: "environment and flags only in app", check: environmentInApp,
			why: "configuration is read once, in app, and handed down by value",
			bad: map[string]string{
				"internal/platform/blob/files.go": "package blob\n\nimport \"os\"\n\nfunc dir() string { return " +
					"os.Getenv(\"HOME\") }\n",
			},
		},
		{
			name: "time only from clock", check: timeFromClock,
			why: "a world runs on its own clock; wall-clock reads break virtual time",
			bad: map[string]string{
				"internal/identity/tokens.go": "package identity\n\nimport \"time\"\n\nfunc now() time.Time { return " +
					"time.Now() }\n",
			},
		},
		{
			name: "randomness only from ids", check: randomFromIDs,
			why: "same seed, calls and clock give the same bytes",
			bad: map[string]string{"internal/identity/tokens.go": "package identity\n\nimport _ \"crypto/rand\"\n"},
		},
		{
			name: "context carries request facts only", check: contextValues,
			why: "dependencies are constructor parameters; only route and telemetry put request id and caller in a context, " +
				"and database marks a transaction",
			bad: map[string]string{
				"internal/identity/tokens.go": "package identity\n\nimport \"context\"\n\nfunc f(c context.Context) " +
					"context.Context { return context.WithValue(c, 1, 2) }\n",
			},
		},
		{
			name: "client addresses only from clientaddr", check: addressesFromRoute,
			why: "a limit that counts whole IPv6 addresses is none: count by clientaddr.Network, ask Loopback, show " +
				"Address in sessions only",
			bad: map[string]string{
				"internal/service/tasks/http.go": "package tasks\n\nimport \"net/http\"\n\nfunc from(r *http.Request) string { " +
					"return r.RemoteAddr }\n",
			},
		},
		{
			name: "ranges only through wire", check: contentThroughWire,
			why: "a request can ask for thousands of pieces, each of which is a question to the store; ranges.Serve " +
				"bounds them",
			bad: map[string]string{
				"internal/service/tasks/http.go": "package tasks\n\nimport \"net/http\"\n\nfunc f(w http.ResponseWriter, r " +
					"*http.Request) { http.ServeFile(w, r, \"a\") }\n",
			},
		},
		{
			name: "tests neither sleep nor spin", check: testsSleep,
			why: "a sleeping test is slow when it passes and wrong when the machine is busy, and one that spins takes a " +
				"processor from the others; inject the clock, wait on a channel, or look every millisecond",
			bad: map[string]string{
				"internal/identity/tokens_test.go": "package identity\n\nimport \"time\"\n\nfunc f() { time.Sleep(1) }\n",
				"internal/lab/lab_test.go":         "package lab\n\nimport \"runtime\"\n\nfunc f() { runtime.Gosched() }\n",
			},
		},
	}
}

// outside reports whether a folder tests the product, or drives it in the tests of
// others, instead of being part of it.
func outside(dir string) bool {
	return under(dir, "test") || under(dir, "examples") || under(dir, "kit")
}

// mayHTTP names who stands at the edge. Beyond route, wire and deliver:
// fault, oauth and apifamily are envelopes and parameters
// that several services share, telemetry and module carry a handler, registry
// fetches, app and lab listen, identity's oidc asks the provider users sign in at.
func mayHTTP(s *source) bool {
	if name, height := platformPackage(s.Dir); height >= 0 {
		return slices.Contains([]string{
			"route", "wire", "page", "deliver", "outbound", "telemetry", "module", "registry", "fault", "oauth",
			"faultrule", "apifamily",
		}, name)
	}
	if under(s.Dir, "internal/app") || under(s.Dir, "internal/console") || under(s.Dir, "internal/lab") {
		return true
	}
	inService := serviceOf(s.Dir) != "" || under(s.Dir, "internal/forge") || under(s.Dir, "internal/identity/oidc")
	return inService &&
		(s.Name == "routes.go" || strings.HasSuffix(s.Name, "http.go") || strings.HasSuffix(s.Name, "wire.go"))
}

func maySQL(s *source) bool {
	return under(s.Dir, "internal/platform/database") || strings.HasSuffix(s.Name, "store.go")
}

// fileRole forbids a package and what lies below it outside allowed files.
func fileRole(pkg string, allowed func(*source) bool) func(*repository) []string {
	return func(h *repository) []string {
		var bad []string
		for _, s := range h.product() {
			if outside(s.Dir) || helper(s.Dir) || allowed(s) {
				continue
			}
			for _, p := range s.imports() {
				if under(p, pkg) {
					bad = append(bad, offence(s, p))
				}
			}
		}
		return bad
	}
}

func driversInDatabase(h *repository) []string {
	var bad []string
	for _, s := range h.product() {
		if under(s.Dir, "internal/platform/database") || outside(s.Dir) {
			continue
		}
		for _, p := range s.imports() {
			if strings.HasPrefix(p, "github.com/jackc/pgx") || strings.HasPrefix(p, "modernc.org/sqlite") {
				bad = append(bad, offence(s, p))
			}
		}
	}
	return bad
}

// calls turns uses of a package's functions into complaints.
func calls(s *source, importPath string, names ...string) []string {
	var bad []string
	for _, n := range s.uses(importPath, names...) {
		bad = append(bad, fmt.Sprintf("%s uses %s.(%s)", s.at(n), path.Base(importPath), strings.Join(names, "|")))
	}
	return bad
}

func environmentInApp(h *repository) []string {
	var bad []string
	for _, s := range h.product() {
		// cmd passes the environment on as a value; only app reads names in it.
		if outside(s.Dir) || helper(s.Dir) || under(s.Dir, "internal/app") || under(s.Dir, "cmd") {
			continue
		}
		bad = append(bad, calls(s, "os", "Getenv", "LookupEnv", "Environ", "ExpandEnv")...)
		for _, p := range s.imports() {
			if p == "flag" || strings.HasPrefix(p, "github.com/spf13/") {
				bad = append(bad, offence(s, p))
			}
		}
	}
	return bad
}

// addressesFromRoute finds who reads where a request came from by itself.
func addressesFromRoute(h *repository) []string {
	var bad []string
	for _, s := range h.product() {
		at := s.Dir + "/" + s.Name
		if outside(s.Dir) || helper(s.Dir) ||
			at == "internal/platform/route/clientaddr/clientaddr.go" || at == "internal/app/listen/trusted_proxies.go" {
			continue
		}
		ast.Inspect(s.AST, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if n.Sel.Name == "RemoteAddr" {
					bad = append(bad, s.at(n)+" reads RemoteAddr")
				}
			case *ast.BasicLit:
				if text := strings.ToLower(n.Value); strings.Contains(text, "x-forwarded-for") ||
					strings.Contains(text, "x-real-ip") {
					bad = append(bad, s.at(n)+" reads a header that any client can write")
				}
			}
			return true
		})
		if at != "internal/console/signin.go" {
			bad = append(bad, calls(s, "stoa.dev/stoa/internal/platform/route/clientaddr", "Address")...)
		}
	}
	return bad
}

// contentThroughWire finds who answers ranges by itself.
func contentThroughWire(h *repository) []string {
	var bad []string
	for _, s := range h.product() {
		if outside(s.Dir) || helper(s.Dir) || s.Dir == "internal/platform/wire/ranges" {
			continue
		}
		bad = append(bad, calls(s, "net/http", "ServeContent", "ServeFile", "ServeFileFS", "FileServer", "FileServerFS")...)
	}
	return bad
}

func timeFromClock(h *repository) []string {
	var bad []string
	for _, s := range h.product() {
		if outside(s.Dir) || helper(s.Dir) || s.Dir == "internal/platform/clock" {
			continue
		}
		bad = append(bad,
			calls(s, "time", "Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker")...)
	}
	return bad
}

func randomFromIDs(h *repository) []string {
	var bad []string
	for _, s := range h.product() {
		if outside(s.Dir) || s.Dir == "internal/platform/ids" {
			continue
		}
		for _, p := range s.imports() {
			if p == "crypto/rand" || under(p, "math/rand") {
				bad = append(bad, offence(s, p))
			}
		}
	}
	return bad
}

func contextValues(h *repository) []string {
	var bad []string
	for _, s := range h.product() {
		name, _ := platformPackage(s.Dir)
		if outside(s.Dir) || name == "route" || name == "telemetry" || name == "database" || carriesCaller(s.Path) {
			continue
		}
		bad = append(bad, calls(s, "context", "WithValue")...)
	}
	return bad
}

// carriesCaller names the files that put the caller of a request, whose share a
// fetch takes, in the context of work that many callers wait for, or who acts in the
// context of what is recorded.
func carriesCaller(p string) bool {
	return under(path.Dir(p), "internal/platform/audit") ||
		p == "internal/platform/registry/task_context_and_memory.go" ||
		p == "internal/service/packages/fetch_caller_and_limits_http.go"
}

func testsSleep(h *repository) []string {
	var bad []string
	for _, s := range h.sources {
		if s.Test && !outside(s.Dir) {
			bad = append(bad, calls(s, "time", "Sleep")...)
			bad = append(bad, calls(s, "runtime", "Gosched")...)
		}
	}
	return bad
}
