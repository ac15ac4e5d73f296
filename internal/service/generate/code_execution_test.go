package generate_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/sandbox"
	"stoa.dev/stoa/internal/service/generate"
)

// programs asks a server to run Python.
func programs(t *testing.T, change func(*generate.Config)) func(code string) map[string]any {
	t.Helper()
	config := generate.DefaultConfig()
	if change != nil {
		change(&config)
	}
	h := identitytest.SQLite(t, build(config))
	t.Cleanup(func() {
		if err := h.Module.Close(); err != nil {
			t.Error(err)
		}
	})
	c := newClient(t, h, "ada")
	return func(code string) map[string]any {
		t.Helper()
		text, err := json.Marshal("run\n```python\n" + code + "```")
		if err != nil {
			t.Fatal(err)
		}
		return c.want(200, "POST", script+"generateContent", `{"contents":[{"parts":[{"text":`+string(text)+`}]}],"tools":[{"codeExecution":{}}]}`)
	}
}

// TestCodeRuns runs programs in the true sandbox. A machine without one is
// skipped, except in CI, which must have it.
func TestCodeRuns(t *testing.T) {
	t.Parallel()
	_, python := exec.LookPath("/usr/bin/python3")
	if err := sandbox.New(sandbox.DefaultConfig(), clock.Real()).Check(t.Context()); err != nil || python != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("CI has a sandbox and python3: %v %v", err, python)
		}
		t.Skipf("no sandbox or no python3 here: %v %v", err, python)
	}
	run := programs(t, func(c *generate.Config) { c.Code.Timeout = 3 * time.Second; c.Code.Output = 10_000 })
	for name, row := range map[string]struct{ code, outcome, output string }{
		"prints":        {"print(sum(range(101)))\n", "OUTCOME_OK", "5050\n"},
		"fails":         {"print('before')\n1/0\n", "OUTCOME_FAILED", "ZeroDivisionError"},
		"ends badly":    {"import sys\nsys.exit(3)\n", "OUTCOME_FAILED", ""},
		"never ends":    {"print('on', flush=True)\nwhile True: pass\n", "OUTCOME_DEADLINE_EXCEEDED", "on"},
		"talks much":    {"while True: print('x' * 1000)\n", "OUTCOME_FAILED", "printed too much"},
		"no network":    {"import socket\nsocket.create_connection(('127.0.0.1', 80), 1)\n", "OUTCOME_FAILED", "Error"},
		"no host files": {"print(open('/etc/shadow').read())\n", "OUTCOME_FAILED", "Error"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := run(row.code)
			if got := dig(answer, "candidates", 0, "content", "parts", 0, "executableCode", "code"); got != row.code {
				t.Errorf("code = %q, want %q", got, row.code)
			}
			result, _ := dig(answer, "candidates", 0, "content", "parts", 1, "codeExecutionResult").(map[string]any)
			output, _ := result["output"].(string)
			if result["outcome"] != row.outcome || !strings.Contains(output, row.output) {
				t.Errorf("result = %v, want %s with %q", result, row.outcome, row.output)
			}
			if said, _ := dig(answer, "candidates", 0, "content", "parts", 2, "text").(string); row.outcome == "OUTCOME_OK" &&
				!strings.Contains(said, row.output) {
				t.Errorf("the answer says %q, want the output in it", said)
			}
			if row.outcome == "OUTCOME_OK" && dig(answer, "usageMetadata", "toolUsePromptTokenCount") == 0.0 {
				t.Errorf("usage: %v, want tokens of tool use", answer["usageMetadata"])
			}
		})
	}
}

// TestCodeWithoutSandbox runs nothing and says why.
func TestCodeWithoutSandbox(t *testing.T) {
	t.Parallel()
	run := programs(t, func(c *generate.Config) { c.Code.Sandbox.Program = "/nowhere/bwrap" })
	result, _ := dig(run("print(1)\n"), "candidates", 0, "content", "parts", 1, "codeExecutionResult").(map[string]any)
	if output, _ := result["output"].(string); result["outcome"] != "OUTCOME_FAILED" ||
		!strings.Contains(output, "code execution is off") {
		t.Errorf("result = %v, want a failure that says that code execution is off", result)
	}
}
