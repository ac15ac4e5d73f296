package generate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/sandbox"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/generate/api"
)

// CodeConfig bounds the programs that models write.
type CodeConfig struct {
	// Sandbox is how they are confined. Without one nothing is run.
	Sandbox sandbox.Config `yaml:"sandbox"`
	// Timeout, Memory and Output bound one program; Concurrent how many run.
	Timeout    time.Duration `yaml:"timeout"`
	Memory     int64         `yaml:"memory"`     // Memory bounds the memory of a program, in bytes.
	Output     int64         `yaml:"output"`     // Output bounds what a program prints, in bytes.
	Concurrent int           `yaml:"concurrent"` // Concurrent is how many programs run at once.
}

func defaultCode() CodeConfig {
	return CodeConfig{
		Sandbox: sandbox.DefaultConfig(), Timeout: 30 * time.Second,
		Memory: 512 << 20, Output: 256 << 10, Concurrent: 4,
	}
}

func (c CodeConfig) validate() error {
	if c.Sandbox.Mode != sandbox.ModeSandbox {
		return errors.New("generate.code_execution.sandbox: programs of models are never run outside a sandbox")
	}
	if c.Timeout <= 0 || c.Memory < 16<<20 || c.Output <= 0 || c.Concurrent < 1 {
		return errors.New(
			"generate.code_execution: timeout, output and concurrent must be above 0, memory 16 MiB or more")
	}
	if err := c.Sandbox.Validate(); err != nil {
		return fmt.Errorf("generate.code_execution.sandbox: %w", err)
	}
	return nil
}

// codeRunner runs the programs of models: Python, without network, each in a folder
// of its own that is gone afterwards.
type codeRunner struct {
	config CodeConfig
	box    *sandbox.Sandbox
	dir    string
	name   func() string
	turns  *budget.Pool

	mu sync.Mutex
	// root is below which programs run, known once the sandbox was found.
	root string
}

// newCodeRunner keeps programs below dir; name gives unused names.
func newCodeRunner(c CodeConfig, dir string, name func() string) *codeRunner {
	// Time limits of programs are real ones, whatever the world's clock says.
	box := sandbox.New(c.Sandbox, clock.Real())
	return &codeRunner{config: c, box: box, dir: dir, name: name, turns: budget.New(budget.Options{
		Name: "generate.code", Total: int64(c.Concurrent), PerOwner: int64(max(1, c.Concurrent/2)), Wait: answerTime,
	})}
}

// ready finds the sandbox at its first use. One that is missing is looked for
// again next time. The root is made each time: other servers remove it while it is
// empty.
func (c *codeRunner) ready(ctx context.Context) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.root == "" {
		if err := c.box.Check(ctx); err != nil {
			return "", fmt.Errorf("%s: %w", api.NoSandbox, err)
		}
	}
	root, err := c.box.WorkRoot(c.dir)
	if err != nil {
		return "", fmt.Errorf("%s: %w", api.NoSandbox, err)
	}
	c.root = root
	return root, nil
}

// programs counts them for the metrics.
func (c *codeRunner) programs() world.Programs {
	return world.Programs{Counts: c.box.Runs.Read(), Waiting: c.turns.Waiting()}
}

// close removes the folder of programs.
func (c *codeRunner) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.root != "" {
		_ = os.Remove(c.root) // what is in use stays
	}
}

// run runs a program to its end. What goes wrong is the result, not an error:
// the model is told, and so is its reader.
func (c *codeRunner) run(ctx context.Context, owner budget.Owner, code string) *api.CodeExecutionResult {
	root, err := c.ready(ctx)
	if err != nil {
		return &api.CodeExecutionResult{Outcome: "OUTCOME_FAILED", Output: err.Error()}
	}
	turn, err := c.turns.Take(ctx, owner, 1)
	if err != nil {
		return &api.CodeExecutionResult{Outcome: "OUTCOME_DEADLINE_EXCEEDED"}
	}
	defer turn.Release()
	dir := filepath.Join(root, c.name())
	if err := os.Mkdir(dir, 0o700); err != nil {
		return &api.CodeExecutionResult{Outcome: "OUTCOME_FAILED", Output: "there is no place to run code in"}
	}
	defer func() { _ = sandbox.Remove(dir) }() // the next start sweeps what stays
	var said bytes.Buffer
	exit, err := c.box.Run(ctx, sandbox.Spec{
		// -I leaves out everything but the language: no environment, no user site.
		Args: []string{"python3", "-I", "-"}, Dir: dir, Stdin: strings.NewReader(code), Stdout: &said, Stderr: &said,
		Memory: c.config.Memory, Disk: 64 << 20, Temporary: 64 << 20, Output: c.config.Output,
		CPU: 1, Processes: 64, Timeout: c.config.Timeout,
	})
	return outcome(exit, err, strings.ToValidUTF8(said.String(), "\uFFFD"))
}

// outcome says how a program ended in the words of the API.
func outcome(exit sandbox.Exit, err error, said string) *api.CodeExecutionResult {
	failed := func(why string) *api.CodeExecutionResult {
		if said != "" && !strings.HasSuffix(said, "\n") {
			said += "\n"
		}
		return &api.CodeExecutionResult{Outcome: "OUTCOME_FAILED", Output: said + why}
	}
	switch {
	case err != nil:
		return failed("the program could not be run")
	case exit.TimedOut || exit.Silent:
		return &api.CodeExecutionResult{Outcome: "OUTCOME_DEADLINE_EXCEEDED", Output: said}
	case exit.OutOfMemory:
		return failed("the program used too much memory")
	case exit.OutOfDisk:
		return failed("the program wrote too much")
	case exit.TooMuchOutput:
		return failed("the program printed too much")
	case exit.Code == 127:
		return failed("there is no python3 on this server")
	case exit.Code != 0:
		return failed("")
	}
	return &api.CodeExecutionResult{Outcome: "OUTCOME_OK", Output: said}
}
