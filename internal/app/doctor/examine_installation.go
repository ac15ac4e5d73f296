package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/admin"
	"stoa.dev/stoa/internal/app/memlimit"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/module"
)

// Result says how a finding went.
type Result string

// The results. Warn limits what some services can do; Bad keeps the server
// from starting.
const (
	Good Result = "good"
	Warn Result = "warn"
	Bad  Result = "bad"
)

// Finding is one thing the doctor looked at, with the step that mends it.
type Finding struct {
	Check  string `json:"check"`
	Result Result `json:"result"`
	Detail string `json:"detail"`
	Advice string `json:"advice"`
}

// Examine looks at everything the server needs from the machine.
func Examine(ctx context.Context, c app.Config) []Finding {
	c.Packages.Reachable = c.Reachable()
	findings := []Finding{
		examineConfig(c), examineFolder(c), examineOwner(ctx, c), examineSync(c), examineMemory(), examineAddress(ctx, c),
	}
	findings = append(findings, Finding{"outbound", Good, strings.TrimPrefix(c.Outbound(), "Outbound: "), ""})
	if c.Database.URL != "" {
		findings = append(findings, examineDatabase(ctx, c))
	} else if _, err := os.Stat(filepath.Join(c.Data, database.FileName)); err == nil {
		findings = append(findings, examineFile(ctx, c))
	}
	for _, program := range []struct{ name, use string }{
		{"git", "repositories over HTTP"}, {"bwrap", "sandboxed pipeline jobs"},
	} {
		findings = append(findings, examineProgram(program.name, program.use))
	}
	return findings
}

func examineConfig(c app.Config) Finding {
	if err := c.Validate(); err != nil {
		return Finding{"configuration", Bad, err.Error(), "correct the named settings"}
	}
	return Finding{"configuration", Good, "valid", ""}
}

func examineFolder(c app.Config) Finding {
	const check = "data folder"
	info, err := os.Stat(c.Data)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Finding{check, Warn, admin.NoFolder(c.Data).Message, admin.NoFolder(c.Data).Next}
	case err != nil:
		return Finding{check, Bad, err.Error(), "choose a folder you may write to with --data"}
	case !info.IsDir():
		return Finding{check, Bad, c.Data + " is a file", "name a folder with --data"}
	case info.Mode().Perm()&0o077 != 0:
		return Finding{check, Warn, "others may look into " + c.Data, "chmod 700 " + c.Data}
	}
	return Finding{check, Good, c.Data, ""}
}

// nearest is the folder itself or the closest one above it that exists.
func nearest(dir string) string {
	for {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

func examineOwner(ctx context.Context, c app.Config) Finding {
	const check = "running server"
	client, status, err := admin.Dial(ctx, c.Data)
	if errors.Is(err, admin.ErrNoServer) {
		return Finding{check, Good, "none", ""}
	}
	if err != nil {
		return Finding{check, Warn, err.Error(), "look for a process that no longer answers"}
	}
	client.Close()
	return Finding{check, Good, fmt.Sprintf("pid %d at %s", status.PID, status.URL), ""}
}

// slowSync is what a disk without a write cache takes; far above it every
// write waits noticeably.
const slowSync = 50 * time.Millisecond

func examineSync(c app.Config) Finding {
	const check, rounds = "disk flush", 5
	f, err := os.CreateTemp(nearest(c.Data), ".doctor-")
	if err != nil {
		return Finding{check, Bad, err.Error(), "choose a folder you may write to with --data"}
	}
	defer func() { _ = os.Remove(f.Name()) }() // only a probe
	defer func() { _ = f.Close() }()

	real := clock.Real()
	start := real.Now()
	for range rounds {
		if _, err := f.WriteString("x"); err != nil {
			return Finding{check, Bad, err.Error(), "free some space"}
		}
		if err := f.Sync(); err != nil {
			return Finding{check, Bad, err.Error(),
				"this file system cannot keep data safe; choose another with --data"}
		}
	}
	took := real.Now().Sub(start) / rounds
	if took > slowSync {
		return Finding{check, Warn, took.String() + " each",
			"writes will be slow; prefer a disk with a protected write cache"}
	}
	return Finding{check, Good, took.Round(time.Microsecond).String() + " each", ""}
}

// minMemory is what a server with every service needs under load.
const minMemory = 512 << 20

func examineMemory() Finding {
	const check = "memory"
	limit := memlimit.Find()
	pool := budget.MemoryOptions(limit.Bytes)
	if limit.Bytes == 0 {
		return Finding{check, Warn, "the limit is not known",
			"set GOMEMLIMIT to what the server may use, as in GOMEMLIMIT=2GiB"}
	}
	detail := fmt.Sprintf("%d MiB, bounded by %s; requests share %d MiB, one caller at most %d MiB",
		limit.Bytes>>20, limit.Source, pool.Total>>20, pool.PerOwner>>20)
	if limit.Bytes < minMemory {
		return Finding{check, Warn, detail, "give the server at least 512 MiB"}
	}
	return Finding{check, Good, detail, ""}
}

func examineAddress(ctx context.Context, c app.Config) Finding {
	const check = "listen address"
	client, status, err := admin.Dial(ctx, c.Data)
	if err == nil {
		client.Close()
		return Finding{check, Good, "our own server has " + status.URL, ""}
	}
	if err := c.Listen.Free(ctx); err != nil {
		advice := "stop the other program or choose another address with --listen"
		var failure *module.CommandError
		if errors.As(err, &failure) {
			return Finding{check, Bad, failure.Message, advice}
		}
		return Finding{check, Bad, err.Error(), advice}
	}
	return Finding{check, Good, c.Listen.HTTP + " is free", ""}
}

func examineDatabase(ctx context.Context, c app.Config) Finding {
	const check = "database"
	db, err := database.Open(ctx, database.Options{URL: c.Database.URL})
	if err == nil {
		err = errors.Join(db.Ping(ctx), db.Close())
	}
	if errors.Is(err, database.ErrBusy) {
		// A SQLite file belongs to the server that runs on it.
		return Finding{check, Good, "in use by a server", ""}
	}
	if err != nil {
		return Finding{check, Bad, err.Error(), "check the URL and that PostgreSQL 15 or newer runs there"}
	}
	return Finding{check, Good, "answers", ""}
}

// examineFile reads every page of the SQLite file, unless a server has it open.
func examineFile(ctx context.Context, c app.Config) Finding {
	const check, advice = "database", "restore stoa.db from a backup, or choose another folder with --data"
	client, _, err := admin.Dial(ctx, c.Data)
	if err == nil {
		client.Close()
		return Finding{check, Good, "in use by a server", ""}
	}
	db, err := database.Open(ctx, database.Options{Dir: c.Data})
	if errors.Is(err, database.ErrBusy) {
		return Finding{check, Good, "in use by a server", ""}
	}
	var verdict string
	if err == nil {
		err = db.QueryRow(ctx, "PRAGMA quick_check(1)").Scan(&verdict)
		err = errors.Join(err, db.Close())
	}
	switch {
	case err != nil:
		return Finding{check, Bad, err.Error(), advice}
	case verdict != "ok":
		return Finding{check, Bad, database.FileName + " is damaged: " + verdict, advice}
	}
	return Finding{check, Good, database.FileName + " is whole", ""}
}

func examineProgram(name, use string) Finding {
	path, err := exec.LookPath(name)
	if err != nil {
		return Finding{"program " + name, Warn, "not installed; needed for " + use, installAdvice()}
	}
	return Finding{"program " + name, Good, filepath.Clean(path), ""}
}

// installAdvice is a line to paste where we know the package names.
func installAdvice() string {
	if _, err := exec.LookPath("apt"); err == nil {
		return "apt install git bubblewrap"
	}
	return "install it from your system's packages"
}
