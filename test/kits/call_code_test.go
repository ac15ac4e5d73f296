package kits_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// writeCall prints a call that has everything that needs care, in one language.
const writeCall = `
const fs = require('node:fs'), vm = require('node:vm');
const context = vm.createContext({});
vm.runInContext(fs.readFileSync(process.argv[2], 'utf8'), context);
process.stdout.write(context.callCode(process.argv[3], {
  method: 'PATCH', url: '$STOA_URL/a/b%20c?key=$STOA_API_KEY&x=1',
  headers: [['Authorization', 'Bearer $STOA_TOKEN'], ['Content-Type', 'application/json']],
  body: '{"a":"it\'s \\"quoted\\", $5 ` + "`x`" + ` \\\\","b":"$STOA_TOKEN"}',
}));
`

// TestCallCode executes the programs that the reference writes for a call, and wants the same request
// of all of them.
func TestCallCode(t *testing.T) {
	t.Parallel()
	var heard string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // a part of it would be the wrong request
		heard = r.Method + " " + r.RequestURI + " " + r.Header.Get("Authorization") + " " + r.Header.Get("Content-Type") +
			" " + string(body)
		w.WriteHeader(http.StatusTeapot) // refusals are printed, too
		_, _ = io.WriteString(w, "heard")
	}))
	defer server.Close()
	const want = "PATCH /a/b%20c?key=k&x=1 Bearer s3cret application/json " +
		`{"a":"it's \"quoted\", $5 ` + "`x`" + ` \\","b":"s3cret"}`
	dir := t.TempDir()
	writer := filepath.Join(dir, "write.cjs")
	put(t, writer, writeCall)
	script := filepath.Join(root(t), "internal", "console", "manual", "assets", "call_code.js")
	env := []string{"STOA_URL=" + server.URL, "STOA_API_KEY=k", "STOA_TOKEN=s3cret"}
	for _, row := range []struct {
		language, file string
		command        []string
		status         bool
	}{
		{"curl", "call.sh", []string{"sh", "call.sh"}, false},
		{"Go", "main.go", []string{"go", "run", "main.go"}, true},
		{"JavaScript", "call.mjs", []string{"node", "call.mjs"}, true},
		{"Python", "call.py", []string{"python3", "call.py"}, true},
	} {
		heard = ""
		put(t, filepath.Join(dir, row.file), run(t, dir, nil, "node", writer, script, row.language))
		printed := run(t, dir, env, row.command...)
		if heard != want {
			t.Errorf("%s sends\n%s, want\n%s", row.language, heard, want)
		}
		if !strings.Contains(printed, "heard") || row.status && !strings.Contains(printed, "418") {
			t.Errorf("%s prints %q", row.language, printed)
		}
	}
}

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// feed gives a program a text to read.
func feed(t *testing.T, key, text string, command ...string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), command[0], command[1:]...)
	c.Stdin = strings.NewReader(text)
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", key, err, out)
	}
}
