package snapshots_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/service/snapshots"
)

// load runs snapshots import over one file with the given text.
func (c *client) load(text string, flags ...string) (string, error) {
	c.t.Helper()
	path := filepath.Join(c.t.TempDir(), "points")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
	in := &module.Input{
		Values: map[string][]string{"file": {path}, "user": {"ada"}, "format": {"auto"}}, Progress: func(module.Progress) {},
	}
	for i := 0; i < len(flags); i += 2 {
		in.Values[flags[i]] = []string{flags[i+1]}
	}
	out, err := c.Module.Commands[0].Run(c.t.Context(), in)
	return strings.ReplaceAll(fmt.Sprintf("%+v", out), path, "FILE"), err
}

// A month of history is loaded, twice to the same effect.
func TestImport(t *testing.T) {
	t.Parallel()
	identitytest.Run(t, build(snapshots.DefaultConfig()), func(t *testing.T, h *identitytest.Server) {
		c := newClient(t, h, "ada")
		day := c.Clock.Now().Unix()/86400*86400 - 30*86400
		table := "metric,timestamp,value,type,interval,unit,host,tags\n"
		metrics := "# TYPE up gauge\n# UNIT mem_bytes bytes\n"
		for i := range int64(3) {
			table += fmt.Sprintf("web.hits,%d,%d,count,60,request,a,\"env:prod;zone:x\"\n", day+i*60, 600)
			metrics += fmt.Sprintf("mem_bytes{host=\"a\"} %d %d\n", 1024*(i+1), day+i*60)
		}
		for range 2 {
			out, err := c.load(table)
			if err != nil || !strings.Contains(out, "Points:3 Dropped:0") {
				t.Fatalf("CSV: %s, %v", out, err)
			}
			if out, err = c.load(metrics + "# EOF\n"); err != nil || !strings.Contains(out, "Points:3 Dropped:0") {
				t.Fatalf("OpenMetrics: %s, %v", out, err)
			}
			if got := c.pointsOf("sum:web.hits{env:prod,zone:x,host:a}.as_rate()", day, day+900); got !=
				"env:prod,zone:x,host:a=10 10 10" {
				t.Errorf("CSV gave %q", got)
			}
			if got := c.pointsOf("avg:mem_bytes{host:a}", day, day+900); got != "host:a=1024 2048 3072" {
				t.Errorf("OpenMetrics gave %q", got)
			}
		}
		out, err := c.load(fmt.Sprintf("timestamp,metric,value\n%d,old,1\n%d,old,2\n", day-90*86400, day))
		if err != nil || !strings.Contains(out, "Points:1 Dropped:1") {
			t.Errorf("older than the retention: %s, %v", out, err)
		}
	})
}

func TestImportRefusals(t *testing.T) {
	t.Parallel()
	c := newClient(t, identitytest.SQLite(t, build(snapshots.DefaultConfig())), "ada")
	for text, want := range map[string]string{
		"metric,value,host\nm,1,a\n":                  "line 1: there is no column timestamp",
		"metric,timestamp,value\nm,5,1\nm,x,1\n":      `line 3: the time "x"`,
		"metric,timestamp,value\nm,5,NaN\n":           "line 2",
		"metric,timestamp,value\n1m,5,1\n":            "is not the name of a metric",
		"metric,timestamp,value\nstoa.x,5,1\n":        "recorded by the server itself",
		"metric,timestamp,value,type\nm,5,1,apples\n": "the type",
		"metric,timestamp,value\nm,5\n":               "wrong number of fields",
		"metric,timestamp,value,value\nm,5,1,2\n":     `two columns "value"`,
		"metric,timestamp,value,\nm,5,1,2\n":          "column 4 has no name",
		"metric,timestamp,value,interval\nm,5,1,-1\n": "line 2",
		"up 1\n":             "has no time",
		"up{host=\"a} 1 5\n": "line 1: ",
	} {
		if _, err := c.load(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := c.load("up 1 5\n", "user", "unknown"); err == nil {
		t.Error("an unknown user is accepted")
	}
	if _, err := c.load("", "file", "/does/not/exist"); err == nil {
		t.Error("a file that is not there is accepted")
	}
}
