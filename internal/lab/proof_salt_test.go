package lab_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/lab"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/sandbox"
)

// pipelineText is a private repository with a job that prints.
const pipelineText = `users:
- {name: mary, tokens: [{variable: MARY_TOKEN}]}
repositories:
- owner: mary
  name: vault
  private: true
  files:
    pipeline.yml: "version: 2\njobs:\n  build:\n    steps:\n      - run: echo kept to ourselves\n"
`

// openWithHostJobs opens a lab whose jobs run without a sandbox.
func openWithHostJobs(t *testing.T, dir string) *lab.Lab {
	t.Helper()
	c := app.DefaultConfig()
	c.Pipelines.Executor = sandbox.ModeHost
	l, err := lab.Open(t.Context(), lab.Options{Dir: dir, Config: c, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		if err := l.Close(); err != nil {
			t.Errorf("close the lab: %v", err)
		}
	})
	return l
}

// outputPath is the signed address of what the private job printed, without the world's own part.
func outputPath(t *testing.T, w *lab.World) string {
	t.Helper()
	if _, err := w.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	status, text := ask(t, w, "/api/v1.1/project/github/mary/vault/1", variables(t, w)["MARY_TOKEN"])
	var job struct {
		Steps []struct {
			Actions []struct {
				OutputURL string `json:"output_url"`
				HasOutput bool   `json:"has_output"`
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &job); err != nil || status != http.StatusOK {
		t.Fatalf("the job in %s: %d %s (%v)", w.Name(), status, text, err)
	}
	for _, step := range job.Steps {
		for _, action := range step.Actions {
			if path, ours := strings.CutPrefix(action.OutputURL, w.URL()); ours && action.HasOutput {
				return path
			}
		}
	}
	t.Fatalf("the job in %s printed nothing: %s", w.Name(), text)
	return ""
}

// ask gets a path as JSON, with a token unless that is empty.
func ask(t *testing.T, w *lab.World, path, token string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", w.URL()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// opensOutput reports whether a world takes a signed address, without a token.
func opensOutput(t *testing.T, w *lab.World, path string) bool {
	t.Helper()
	status, text := ask(t, w, path, "")
	printed := strings.Contains(text, "Job build on 1 node")
	if printed != (status == http.StatusOK) {
		t.Errorf("%s: %d %s", w.Name(), status, text)
	}
	return printed
}

// TestProofsOfOtherWorlds: worlds that begin alike, forks, worlds of a snapshot and imported ones have one root key,
// and none takes what another one signed. Sleep, reset and a restart of the lab keep what the world signed.
func TestProofsOfOtherWorlds(t *testing.T) {
	dir := t.TempDir()
	l := openWithHostJobs(t, dir)
	one := create(t, l, lab.NewWorld{Name: "one", SeedFile: pipelineText})
	path := outputPath(t, one)

	others := map[string]*lab.World{"one that begins alike": create(t, l, lab.NewWorld{SeedFile: pipelineText})}
	var err error
	if others["a fork"], err = one.Fork(t.Context(), "fork", 0); err != nil {
		t.Fatal(err)
	}
	if _, err := one.Save(t.Context(), "saved"); err != nil {
		t.Fatal(err)
	}
	others["one of a snapshot"] = create(t, l, lab.NewWorld{From: "snapshot:saved"})
	file, err := one.Export(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	others["an imported one"], err = l.Import(t.Context(), lab.NewWorld{Name: "imported"}, file)
	if err != nil || file.Close() != nil {
		t.Fatal(err)
	}
	for what, w := range others {
		if opensOutput(t, w, path) {
			t.Errorf("%s takes what another world signed", what)
		}
		if own := outputPath(t, w); !opensOutput(t, w, own) || opensOutput(t, one, own) {
			t.Errorf("%s: what it signs is not its own", what)
		}
	}

	if err := one.Sleep(); err != nil {
		t.Fatal(err)
	}
	if !opensOutput(t, one, path) {
		t.Error("after a sleep the world does not take what it signed")
	}
	if err := one.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	if path = outputPath(t, one); !opensOutput(t, one, path) {
		t.Error("after a reset the world does not take what it signed")
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := openWithHostJobs(t, dir).World("one")
	if err != nil {
		t.Fatal(err)
	}
	if !opensOutput(t, again, path) {
		t.Error("after a restart the world does not take what it signed")
	}
}

// TestForkTakesTokens: what clients of a world hold and its data know works in a fork: credentials, and where a list
// goes on.
func TestForkTakesTokens(t *testing.T) {
	l := open(t, t.TempDir())
	one := create(t, l, lab.NewWorld{Name: "one"})
	addList(t, one, "first")
	addList(t, one, "second")
	var list struct{ NextPageToken string }
	if _, _, text := call(t, one, "GET", listsPath+"?maxResults=1", ""); json.Unmarshal([]byte(text), &list) != nil ||
		list.NextPageToken == "" {
		t.Fatalf("no second page: %s", text)
	}
	fork, err := one.Fork(t.Context(), "fork", 0)
	if err != nil {
		t.Fatal(err)
	}
	status, _, text := call(t, fork, "GET", listsPath+"?maxResults=1&pageToken="+list.NextPageToken, "")
	if status != http.StatusOK {
		t.Errorf("the second page in a fork: %d %s", status, text)
	}
}

// TestProofsOfSeededWorlds: one seed gives one salt, because same birth, seed and clock are the same bytes; another
// seed gives another.
func TestProofsOfSeededWorlds(t *testing.T) {
	l := openWithHostJobs(t, t.TempDir())
	at, seven, eight := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), uint64(7), uint64(8)
	seeded := func(seed *uint64) *lab.World {
		return create(t, l, lab.NewWorld{
			Seed: seed, SeedFile: pipelineText, Clock: lab.ClockChange{Mode: clock.ModeFrozen, Now: &at},
		})
	}
	one, same, other := seeded(&seven), seeded(&seven), seeded(&eight)
	path := outputPath(t, one)
	if got := outputPath(t, same); got != path {
		t.Errorf("the same seed: %s, want %s", got, path)
	}
	if got := outputPath(t, other); got == path || opensOutput(t, other, path) || !opensOutput(t, one, path) {
		t.Errorf("another seed: %s takes %s", got, path)
	}
}
