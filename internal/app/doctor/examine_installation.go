package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/admin"
	"stoa.dev/stoa/internal/app/cli/datafolder"
	"stoa.dev/stoa/internal/app/doctor/machine"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/folderlock"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/smallbuild"
)

// The words of findings.
type (
	// Finding is one thing the doctor looked at, with the step that mends it.
	Finding = machine.Finding
	// Result says how a finding went.
	Result = machine.Result
)

// The results. Warn limits what some services can do; Bad keeps the server
// from starting.
const (
	Good = machine.Good
	Warn = machine.Warn
	Bad  = machine.Bad
)

// Examine looks at everything the server needs from the machine. What a running server
// has is asked of it; judged names the settings that are looked at without one. A folder
// may be that of a lab, which runs where it has a process; unread is why that could not
// be seen.
func Examine(ctx context.Context, c app.Config, judged string, lab admin.Status, unread error) []Finding {
	c.Packages.Reachable = c.Reachable()
	if lab.PID != 0 && unread == nil {
		return append([]Finding{
			examineConfig(c, judged, false), examineFolder(c),
			found("running server", Good, fmt.Sprintf("a lab, pid %d", lab.PID), ""), examineSync(c),
			found("listen address", Good, "our own lab has "+lab.URL, ""),
		}, append(machine.Examine(ctx, c.Machine()), machine.ExamineClock())...)
	}
	client, status, err := admin.Dial(ctx, c.Data)
	running := err == nil
	if running {
		defer client.Close()
	}
	folder := examineServerFolder(c, unread)
	findings := []Finding{examineConfig(c, judged, running), folder}
	if folder.Result != Bad { // what lies in it would only fail for the same reason
		findings = append(findings, examineOwner(status, err), examineSync(c))
	}
	if parts := smallbuild.Missing(); len(parts) > 0 {
		findings = append(findings, found("build", Good, "small, without "+strings.Join(parts, ", "), ""))
	}
	if running {
		findings = append(findings, found("listen address", Good, "our own server has "+addresses(status), ""),
			found("database", Good, "in use by our own server", ""))
		return append(append(findings, askServer(ctx, client)...), machine.ExamineClock())
	}
	findings = append(findings, examineAddress(ctx, c))
	if c.Database.URL != "" {
		findings = append(findings, examineDatabase(ctx, c))
	} else if _, err := os.Stat(filepath.Join(c.Data, database.FileName)); err == nil {
		findings = append(findings, examineFile(ctx, c))
	}
	return append(append(findings, machine.Examine(ctx, c.Machine())...), machine.ExamineClock())
}

// askServer has the running server look at what it has itself.
func askServer(ctx context.Context, client *admin.Client) []Finding {
	text, err := client.Run(ctx, machine.CommandPath, nil, nil)
	var answer machine.Examined
	if err == nil {
		err = json.Unmarshal(text, &answer)
	}
	if err != nil {
		return []Finding{found("server's own view", Warn, err.Error(), "restart the server with this version")}
	}
	return answer.Findings
}

func addresses(s admin.Status) string {
	if s.HTTPSURL == "" {
		return s.URL
	}
	return s.URL + " and " + s.HTTPSURL
}

// examineConfig judges the settings of this command. A server that runs may have others.
func examineConfig(c app.Config, judged string, running bool) Finding {
	if err := c.Validate(); err != nil {
		// The row is named as the error begins.
		why := strings.TrimSpace(strings.TrimPrefix(err.Error(), app.ErrConfig.Error()+":"))
		return found("configuration", Bad, judged+": "+why, "correct the named settings")
	}
	if running {
		return found("configuration", Good, judged+": valid; the rows below are of the running server", "")
	}
	return found("configuration", Good, judged+": valid", "")
}

// Rows are the findings as a table of check, result and detail, the advice below what it is about.
func Rows(findings []Finding) [][]string {
	var rows [][]string
	for _, f := range findings {
		rows = append(rows, []string{f.Check, string(f.Result), f.Detail})
		if f.Advice != "" {
			rows = append(rows, []string{"", "", "advice: " + f.Advice})
		}
	}
	return rows
}

const folderCheck = "data folder"

// ForbiddenAdvice is the next step where the system keeps a data folder from this user.
const ForbiddenAdvice = "run it as a user who may read and write there (root, for the packaged service's " +
	"/var/lib/stoa), or name another folder with --data"

// examineServerFolder warns of the folder of a lab, which no server has. unread is why it
// could not be seen whether it is one.
func examineServerFolder(c app.Config, unread error) Finding {
	var refusal *module.CommandError
	var owned *folderlock.OwnedError
	switch {
	case errors.Is(unread, syscall.ENOTDIR): // examineFolder says what is there
	case errors.As(unread, &owned):
		return found(folderCheck, Warn, fmt.Sprintf("a command works in %s (process %d)", owned.Dir, owned.PID),
			"wait until it has ended")
	case errors.As(unread, &refusal):
		return found(folderCheck, Bad, refusal.Message, refusal.Next)
	case unread != nil:
		return found(folderCheck, Bad, unread.Error(), ForbiddenAdvice)
	}
	if errors.As(datafolder.RefuseLab(c.Data), &refusal) {
		return found(folderCheck, Warn, refusal.Message, refusal.Next)
	}
	return examineFolder(c)
}

func examineFolder(c app.Config) Finding {
	const check = folderCheck
	info, err := os.Stat(c.Data)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return found(check, Warn, admin.NoFolder(c.Data).Message, admin.NoFolder(c.Data).Next)
	case err != nil:
		return found(check, Bad, err.Error(), "choose a folder you may write to with --data")
	case !info.IsDir():
		return found(check, Bad, c.Data+" is a file", "name a folder with --data")
	case info.Mode().Perm()&0o077 != 0:
		return found(check, Warn, "others may look into "+c.Data, "chmod 700 "+c.Data)
	}
	return found(check, Good, c.Data, "")
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

func examineOwner(status admin.Status, err error) Finding {
	const check = "running server"
	if errors.Is(err, admin.ErrNoServer) {
		return found(check, Good, "none", "")
	}
	if err != nil {
		return found(check, Warn, err.Error(), "look for a process that no longer answers")
	}
	return found(check, Good, fmt.Sprintf("pid %d, version %s", status.PID, status.Version), "")
}

// slowSync is what a disk without a write cache takes; far above it every
// write waits noticeably.
const slowSync = 50 * time.Millisecond

func examineSync(c app.Config) Finding {
	const check, rounds = "disk flush", 5
	f, err := os.CreateTemp(nearest(c.Data), ".doctor-")
	if err != nil {
		return found(check, Bad, err.Error(), "choose a folder you may write to with --data")
	}
	defer func() { _ = os.Remove(f.Name()) }() // only a probe
	defer func() { _ = f.Close() }()

	real := clock.Real()
	start := real.Now()
	for range rounds {
		if _, err := f.WriteString("x"); err != nil {
			return found(check, Bad, err.Error(), "free some space")
		}
		if err := f.Sync(); err != nil {
			return found(check, Bad, err.Error(),
				"this file system cannot keep data safe; choose another with --data")
		}
	}
	took := real.Now().Sub(start) / rounds
	if took > slowSync {
		return found(check, Warn, took.String()+" each",
			"writes will be slow; prefer a disk with a protected write cache")
	}
	return found(check, Good, took.Round(time.Microsecond).String()+" each", "")
}

func examineAddress(ctx context.Context, c app.Config) Finding {
	const check = "listen address"
	if err := c.Listen.Free(ctx); err != nil {
		advice := "stop the other program or choose another address with --listen"
		var failure *module.CommandError
		if errors.As(err, &failure) {
			return found(check, Bad, failure.Message, advice)
		}
		return found(check, Bad, err.Error(), advice)
	}
	return found(check, Good, c.Listen.HTTP+" is free", "")
}

func examineDatabase(ctx context.Context, c app.Config) Finding {
	const check = "database"
	db, err := database.Open(ctx, database.Options{URL: c.Database.URL})
	if err == nil {
		err = errors.Join(db.Ping(ctx), db.Close())
	}
	if errors.Is(err, database.ErrBusy) {
		// A SQLite file belongs to the server that runs on it.
		return found(check, Good, "in use by a server", "")
	}
	if err != nil {
		return found(check, Bad, err.Error(), "check the URL and that PostgreSQL 15 or newer runs there")
	}
	return found(check, Good, "answers", "")
}

// examineFile reads every page of the SQLite file, unless a process has it open.
func examineFile(ctx context.Context, c app.Config) Finding {
	const check, advice = "database", "restore stoa.db from a backup, or choose another folder with --data"
	db, err := database.Open(ctx, database.Options{Dir: c.Data})
	if errors.Is(err, database.ErrBusy) {
		return found(check, Good, "in use by a server", "")
	}
	var verdict string
	if err == nil {
		err = db.QueryRow(ctx, "PRAGMA quick_check(1)").Scan(&verdict)
		err = errors.Join(err, db.Close())
	}
	switch {
	case err != nil:
		return found(check, Bad, err.Error(), advice)
	case verdict != "ok":
		return found(check, Bad, database.FileName+" is damaged: "+verdict, advice)
	}
	return found(check, Good, database.FileName+" is whole", "")
}

func found(check string, result Result, detail, advice string) Finding {
	return Finding{Check: check, Result: result, Detail: detail, Advice: advice}
}
