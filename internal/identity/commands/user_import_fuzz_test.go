package commands_test

import (
	"os"
	"path/filepath"
	"testing"

	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/fuzztest"
)

// FuzzUserImport: whatever a file holds, it is read or refused, and the server goes on.
func FuzzUserImport(f *testing.F) {
	h := newFixture(f, identitytest.SQLite(f, registerServices))
	file := filepath.Join(f.TempDir(), "users.csv")
	fuzztest.Strings(f, "", "name\nada\n", "name,admin\nada,yes\n", "\ufeffname,email\n\"a\nb\",x\n", "name,name\na,b\n",
		"email\nx\n", "name\n\"", "name,display_name\nada\n", "name;email\nada;\n")
	f.Fuzz(func(t *testing.T, text string) {
		h.t = t
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		result, err := h.run("user import", values{"file": {file}})
		if err == nil && (result["added"] == nil || result["skipped"] == nil) {
			t.Fatalf("%q: %v", text, result)
		}
	})
}
