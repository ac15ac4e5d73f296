package generate_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/test/sdk/world"
)

// TestTerminalClient asks with the official client for terminals, which sends
// long instructions and many tools, in a home folder of its own.
func TestTerminalClient(t *testing.T) {
	env := world.Start(t)
	script, err := filepath.Abs("npm/node_modules/@google/gemini-cli/bundle/gemini.js")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(script); err != nil {
		t.Skip("run npm ci in npm first; make sdk does")
	}
	home := t.TempDir()
	work := filepath.Join(home, "work")
	settings := `{"security":{"auth":{"selectedType":"gemini-api-key"}},"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false},"general":{"disableAutoUpdate":true}}`
	for _, dir := range []string{work, filepath.Join(home, ".gemini")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(home, ".gemini", "settings.json"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", script, "--skip-trust", "-m", model, "--output-format", "json", "-p",
		"the porch is painted")
	cmd.Dir = work
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "NO_COLOR=1",
		"GOOGLE_GEMINI_BASE_URL=" + env["STOA_URL"], "GEMINI_API_KEY=" + env["STOA_MODEL_KEY"],
	}
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, complaints.String())
	}
	var answer struct {
		Response string `json:"response"`
		Stats    struct {
			Models map[string]struct {
				API    struct{ TotalErrors int } `json:"api"`
				Tokens struct{ Total int }       `json:"tokens"`
			} `json:"models"`
		} `json:"stats"`
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	tokens, failures := 0, 0
	for _, m := range answer.Stats.Models { // by modelVersion, which is not the id
		tokens, failures = tokens+m.Tokens.Total, failures+m.API.TotalErrors
	}
	repeats := strings.Contains(answer.Response, "the porch is painted") || pulled()
	if !repeats || answer.Response == "" || failures != 0 || tokens == 0 {
		t.Errorf("answer %.300q, %d tokens, %d failures", answer.Response, tokens, failures)
	}
}
