package machine

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"

	"stoa.dev/stoa/internal/app/memlimit"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/sandbox"
)

// Settings are those that are judged.
type Settings struct {
	// Outbound says what is asked outside.
	Outbound string
	// Sandbox is that of pipelines; nil where their jobs run elsewhere.
	Sandbox *sandbox.Config
}

// CommandPath is what a running server is asked by.
const CommandPath = "doctor"

// Examined is the answer of a running server.
type Examined struct {
	Findings []Finding `json:"findings"`
}

// Command lets a running server look at what it has itself. The program's own command of
// the same name asks for it.
func Command(s Settings) module.Command {
	return module.Command{
		Path: CommandPath, Short: "look at what this server gets from its machine",
		Run: func(ctx context.Context, _ *module.Input) (any, error) {
			return Examined{Examine(ctx, s)}, nil
		},
	}
}

// Examine looks at what this process has.
func Examine(ctx context.Context, s Settings) []Finding {
	return []Finding{
		examineMemory(), {"outbound", Good, s.Outbound, ""},
		examineProgram("git", "repositories over HTTP"), examineSandbox(ctx, s.Sandbox),
	}
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

// examineSandbox starts a program in the sandbox of pipelines.
func examineSandbox(ctx context.Context, c *sandbox.Config) Finding {
	const check = "sandbox"
	if c == nil {
		return Finding{check, Good, "not used: jobs of pipelines run in a cluster", ""}
	}
	if err := sandbox.New(*c, clock.Real()).Check(ctx); err != nil {
		return Finding{check, Warn, "no program can be started for pipelines: " + err.Error(), installAdvice()}
	}
	if c.Mode == sandbox.ModeHost {
		return Finding{check, Good, "a program was started without one (pipelines.executor: host)", ""}
	}
	return Finding{check, Good, "a program was started in it", ""}
}
