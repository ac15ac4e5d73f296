package packages_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/service/packages"
)

// TestImportsAtOnce: all of one file end well, whichever of them notes how far
// it has come, and nothing is lost or doubled.
func TestImportsAtOnce(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *identitytest.House, _ *packages.Service) {
		lines := []string{`{"format":"stoa packages","version":1,"packages":60}`}
		for i := range 60 {
			p := flawed("1.0.0", "2.0.0", "3.0.0")
			p.Key.Name = fmt.Sprintf("p%d", i)
			for j := range p.Versions {
				p.Versions[j].Key.Name = p.Key.Name
			}
			text, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, string(text))
		}
		file := filepath.Join(t.TempDir(), "dump.jsonl")
		write(t, file, strings.Join(lines, "\n")+"\n")
		var wait sync.WaitGroup
		for range 3 {
			wait.Go(func() {
				if got, err := run(t, h, "packages import", file); err != nil {
					t.Errorf("import %v, %v", got, err)
				}
			})
		}
		wait.Wait()
		for i := range 60 {
			w := h.Call("GET", fmt.Sprintf("/v3/systems/pypi/packages/p%d", i), "")
			if n := strings.Count(w.Body.String(), `"isDefault"`); w.Code != 200 || n != 3 {
				t.Fatalf("p%d: status %d, %d versions: %s", i, w.Code, n, w.Body)
			}
		}
	})
}
