//go:build online

package packages_test

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/packages"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

// wellKnown are packages that every registry of the ecosystem has.
func wellKnown() map[string][]string {
	return map[string][]string{
		"GO": {
			"github.com/google/uuid", "github.com/pkg/errors", "github.com/spf13/cobra", "github.com/spf13/pflag",
			"github.com/google/go-cmp", "github.com/stretchr/testify",
			"golang.org/x/text", "golang.org/x/sync", "golang.org/x/time", "golang.org/x/mod", "gopkg.in/yaml.v3",
			"github.com/BurntSushi/toml", "github.com/fatih/color",
			"github.com/gorilla/mux", "github.com/davecgh/go-spew", "github.com/pmezard/go-difflib",
			"github.com/mattn/go-isatty", "github.com/rs/xid", "go.uber.org/atomic", "go.uber.org/goleak",
			"github.com/dustin/go-humanize",
		},
		"NPM": {
			"left-pad", "is-odd", "isexe", "ms", "once", "wrappy", "inherits", "has-flag", "color-name",
			"escape-string-regexp", "path-key", "which", "ini", "rimraf", "mkdirp",
			"@types/ms", "@babel/helper-string-parser", "semver", "glob", "minimist", "yallist",
		},
		"CARGO": {
			"itoa", "cfg-if", "lazy_static", "bitflags", "ryu", "memchr", "either", "fnv", "autocfg", "scopeguard",
			"smallvec", "once_cell", "byteorder", "base64", "hex",
			"semver", "log", "unicode-ident", "quote", "percent-encoding", "static_assertions",
		},
		"MAVEN": {
			"junit:junit", "org.hamcrest:hamcrest-core", "org.slf4j:slf4j-api", "com.google.guava:guava",
			"commons-io:commons-io", "commons-codec:commons-codec", "org.apache.commons:commons-lang3",
			"com.google.code.gson:gson", "com.fasterxml.jackson.core:jackson-core", "org.mockito:mockito-core",
			"org.ow2.asm:asm", "com.google.code.findbugs:jsr305", "javax.inject:javax.inject",
			"commons-logging:commons-logging", "org.apache.httpcomponents:httpcore", "org.yaml:snakeyaml",
			"joda-time:joda-time", "org.assertj:assertj-core", "ch.qos.logback:logback-classic",
			"io.netty:netty-common",
		},
		"PYPI": {
			"six", "requests", "idna", "certifi", "urllib3", "attrs", "pytz", "wheel", "toml", "click", "packaging",
			"colorama", "iniconfig", "pluggy", "sampleproject",
			"typing-extensions", "zipp", "filelock", "markupsafe", "jinja2", "python-dateutil",
		},
		"NUGET": {
			"newtonsoft.json", "serilog", "dapper", "automapper", "nunit", "xunit", "moq", "polly", "nlog", "log4net",
			"mediatr", "fluentvalidation", "castle.core", "bogus",
			"humanizer.core", "csvhelper", "restsharp", "hangfire.core", "mongodb.bson", "npgsql",
		},
		"RUBYGEMS": {
			"rake", "rack", "rails", "nokogiri", "json", "minitest", "rspec", "thor", "i18n", "tzinfo", "sinatra",
			"puma", "bundler", "activesupport", "mime-types",
			"addressable", "builder", "erubi", "concurrent-ruby", "racc",
		},
	}
}

// TestOnline fetches well-known packages from the machine's own registries and
// checks what must hold of any package. It is not part of the ordinary tests:
// make test-online. Ecosystems that the machine does not reach are reported and
// skipped.
func TestOnline(t *testing.T) {
	h := identitytest.SQLite(t, func(w *world.World, identity *identity.Identity) module.Module {
		c := packages.DefaultConfig()
		c.PullTimeout, c.Discover, c.FetchesPerHour = time.Minute, packages.DiscoverTrue, 1_000_000
		return packages.New(w, identity, c, os.Getenv).Module()
	})
	sources, err := run(t, h, "packages sources")
	if err != nil {
		t.Fatal(err)
	}
	reached := map[string]bool{}
	for _, l := range sources["sources"].([]any) {
		line := l.(map[string]any)
		t.Logf("%v", line)
		reached[line["system"].(string)] = reached[line["system"].(string)] || line["answers"] == true
	}
	for system, names := range wellKnown() {
		t.Run(system, func(t *testing.T) {
			if !reached[system] {
				t.Skipf("no registry of %s answers from here", system)
			}
			for _, name := range names {
				t.Run(name, func(t *testing.T) { checkOnline(t, h, system, name) })
			}
		})
	}
	t.Run("graphs", func(t *testing.T) { checkGraphs(t, h, reached) })
	t.Run("dump", func(t *testing.T) { checkDump(t, h) })
}

// checkGraphs resolves one version of each ecosystem that has graphs.
func checkGraphs(t *testing.T, h *identitytest.Server, reached map[string]bool) {
	t.Helper()
	for system, row := range map[string][3]string{
		"NPM": {"rimraf", "3.0.2", "glob"}, "PYPI": {"jinja2", "3.1.2", "markupsafe"},
		"MAVEN": {"junit:junit", "4.13.2", "org.hamcrest:hamcrest-core"}, "CARGO": {"quote", "1.0.0", "proc-macro2"},
	} {
		if !reached[system] {
			continue
		}
		w := h.Call("GET",
			"/v3/systems/"+system+"/packages/"+url.PathEscape(row[0])+"/versions/"+row[1]+":dependencies", "")
		if w.Code != 200 || !strings.Contains(w.Body.String(), `"name":"`+row[2]+`"`) ||
			!strings.Contains(w.Body.String(), `"error":""`) {
			t.Errorf("%s %s: %d %.600s", system, row[0], w.Code, w.Body)
		}
	}
}

// checkDump looks at everything that was fetched: digests have the length of
// their kind, and completed versions have artifacts and requirements.
func checkDump(t *testing.T, h *identitytest.Server) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "dump.jsonl")
	if _, err := run(t, h, "packages export", file); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	hashes, complete := 0, 0
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		var p catalog.Package
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			t.Fatal(err)
		}
		for _, v := range p.Versions {
			for _, a := range v.Artifacts {
				for _, one := range a.Hashes {
					hashes++
					if len(one.Digest) != one.Type.Size() {
						t.Errorf("%s: %s of %d bytes", v.Key, one.Type, len(one.Digest))
					}
				}
			}
			if v.Complete && v.Requires == nil {
				t.Errorf("%s is complete without requirements", v.Key)
			}
			if v.Complete {
				complete++
			}
		}
	}
	t.Logf("%d complete versions, %d digests", complete, hashes)
}

func checkOnline(t *testing.T, h *identitytest.Server, system, name string) {
	t.Helper()
	at := "/v3alpha/systems/" + system + "/packages/" + url.PathEscape(name)
	w := h.Call("GET", at, "")
	var p struct {
		Versions []struct {
			VersionKey  struct{ Version string }
			PublishedAt string
			IsDefault   bool
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != 200 || len(p.Versions) == 0 {
		t.Fatalf("%d %.300s %v", w.Code, w.Body, err)
	}
	def := ""
	for _, v := range p.Versions {
		if v.IsDefault {
			if def != "" {
				t.Errorf("two default versions: %s and %s", def, v.VersionKey.Version)
			}
			def = v.VersionKey.Version
		}
		if v.PublishedAt != "" {
			if _, err := time.Parse(time.RFC3339Nano, v.PublishedAt); err != nil {
				t.Errorf("%s: %v", v.VersionKey.Version, err)
			}
		}
	}
	if def == "" {
		t.Fatal("no default version")
	}
	w = h.Call("GET", at+"/versions/"+url.PathEscape(def), "")
	var v struct {
		Licenses        []string
		Links           []struct{ Label, URL string }
		Registries      []string
		RelatedProjects []struct{ ProjectKey struct{ ID string } }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil || w.Code != 200 {
		t.Fatalf("%d %.300s %v", w.Code, w.Body, err)
	}
	if len(v.Licenses) == 0 {
		t.Errorf("%s: license unknown", def)
	}
	if len(v.Links) == 0 && system != "GO" {
		t.Errorf("%s: no links", def)
	}
	if (len(v.Registries) == 0) != (system == "GO") {
		t.Errorf("%s: registries %v", def, v.Registries)
	}
	t.Logf("%s: %d versions, default %s, licenses %v, projects %v", name, len(p.Versions), def, v.Licenses,
		v.RelatedProjects)
	if system == "NPM" || system == "MAVEN" {
		w = h.Call("GET", at+"/versions/"+url.PathEscape(def)+":requirements", "")
		if w.Code != 200 || !strings.Contains(w.Body.String(), `"dependencies"`) {
			t.Errorf("requirements: %d %.200s", w.Code, w.Body)
		}
	}
}
