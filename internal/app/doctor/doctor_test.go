package doctor_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/admin"
	"stoa.dev/stoa/internal/app/doctor"
	"stoa.dev/stoa/internal/platform/database"
)

func config(t *testing.T) app.Config {
	t.Helper()
	c := app.DefaultConfig()
	c.Data = t.TempDir()
	c.Listen.HTTP = "127.0.0.1:0"
	return c
}

func TestExamine(t *testing.T) {
	c := config(t)
	findings := doctor.Examine(t.Context(), c, "the defaults", admin.Status{}, nil)
	text, err := json.Marshal(findings)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		if f.Result == doctor.Bad {
			t.Errorf("a healthy machine is reported bad: %s", text)
		}
	}
	c.Data = "/dev/null/x"
	findings = doctor.Examine(t.Context(), c, "the defaults", admin.Status{}, nil)
	if findings[1].Result != doctor.Bad || findings[1].Advice == "" {
		t.Errorf("an impossible folder gave %+v", findings[1])
	}
	t.Run("a folder that may not be read", func(t *testing.T) {
		unread := &fs.PathError{Op: "stat", Path: "/root/lab.env", Err: fs.ErrPermission}
		findings := doctor.Examine(t.Context(), config(t), "the defaults", admin.Status{}, unread)
		for _, f := range findings {
			if bad := f.Result == doctor.Bad; bad != (f.Check == "data folder") || bad && f.Advice == "" {
				t.Errorf("got %+v, want the folder to be bad, with an advice, and nothing else", f)
			}
		}
	})
	t.Run("a file that a server uses", func(t *testing.T) {
		c := config(t)
		c.Database.URL = "sqlite:" + filepath.Join(t.TempDir(), "elsewhere.db")
		db, err := database.Open(t.Context(), database.Options{URL: c.Database.URL, NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		for _, f := range doctor.Examine(t.Context(), c, "the defaults", admin.Status{}, nil) {
			if f.Result == doctor.Bad {
				t.Errorf("got %+v, want nothing bad", f)
			}
		}
	})
}

// The running server says what it has: its addresses, settings and sandbox.
func TestExamineRunningServer(t *testing.T) {
	c := config(t)
	c.Packages.Offline = true
	a, err := app.New(t.Context(), app.Options{Config: c})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	if err := a.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	// The settings of the doctor's own command say nothing about the server.
	other := config(t)
	other.Data, other.Packages.Offline = c.Data, false
	got := map[string]doctor.Finding{}
	for _, f := range doctor.Examine(t.Context(), other, "the defaults", admin.Status{}, nil) {
		got[f.Check] = f
	}
	for check, want := range map[string]string{
		"listen address": a.URL(), "outbound": "packages.offline is set", "configuration": "the defaults: valid",
		"running server": "pid", "database": "our own server", "sandbox": "program", "clock": "T", "memory": "M",
	} {
		if f := got[check]; !strings.Contains(f.Detail, want) || f.Result == doctor.Bad {
			t.Errorf("%s: %+v, want %q", check, f, want)
		}
	}
}

// TestExamineDamagedFile: a file with damaged pages is bad, a whole one good.
func TestExamineDamagedFile(t *testing.T) {
	c := config(t)
	a, err := app.New(t.Context(), app.Options{Config: c})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	verdict := func() doctor.Result {
		for _, f := range doctor.Examine(t.Context(), c, "the defaults", admin.Status{}, nil) {
			if f.Check == "database" {
				return f.Result
			}
		}
		return "none"
	}
	if got := verdict(); got != doctor.Good {
		t.Errorf("a whole file is %s", got)
	}
	path := filepath.Join(c.Data, database.FileName)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	for at := 2 * page; at+page <= len(content); at += 7 * page {
		copy(content[at:], strings.Repeat("damage", page/6))
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := verdict(); got != doctor.Bad {
		t.Errorf("a damaged file is %s, want bad", got)
	}
}

// TestExamineConfigurationNamesItOnce: the row has the name already.
func TestExamineConfigurationNamesItOnce(t *testing.T) {
	c := config(t)
	c.Log.Level = "x"
	f := doctor.Examine(t.Context(), c, "the defaults", admin.Status{}, nil)[0]
	if f.Check != "configuration" || f.Result != doctor.Bad || !strings.HasPrefix(f.Detail, "the defaults: log.level") {
		t.Errorf("%+v, want the setting right after its place", f)
	}
}
