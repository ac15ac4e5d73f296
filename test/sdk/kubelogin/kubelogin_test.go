package kubelogin_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/test/sdk/world"
)

// TestFlows gets a token for a cluster by the code flow and by the device flow, and again
// from the refresh token.
func TestFlows(t *testing.T) {
	program := world.GoProgram(t, "github.com/int128/kubelogin")
	s := world.Serve(t, world.Options{Env: []string{"STOA_DEVICE_INTERVAL=1s"}})
	var made struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	if err := json.Unmarshal([]byte(s.Command(t, "client", "add", "cluster", "--type", "device", "--redirect",
		"http://localhost", "--scope", "openid", "--scope", "email", "--scope", "groups", "--json")), &made); err != nil {
		t.Fatal(err)
	}
	args := func(more ...string) []string {
		return append([]string{
			"get-token", "--oidc-issuer-url", s.URL, "--oidc-client-id", made.ID, "--oidc-client-secret", made.Secret,
			"--oidc-extra-scope", "email,groups", "--authentication-timeout-sec", "60",
		}, more...)
	}
	t.Run("code flow, proof key and refresh", func(t *testing.T) {
		cache := t.TempDir()
		flow := args("--grant-type", "authcode", "--oidc-use-pkce", "--listen-address", "127.0.0.1:0", "--browser-command",
			browser(t), "--token-cache-dir", cache)
		first := s.Run(t, nil, program, flow...)
		holds(t, first, s.Env["STOA_USER"], made.ID)
		holds(t, s.Run(t, nil, program, append(flow, "--force-refresh")...), s.Env["STOA_USER"], made.ID)
	})
	t.Run("device flow", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "said")
		out, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		run := exec.Command(program, args("--grant-type", "device-code", "--skip-open-browser", "--token-cache-dir",
			t.TempDir())...)
		run.Stdout, run.Stderr = out, out
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		s.Command(t, "grant", "approve", code(t, file), "--user", s.Env["STOA_USER"])
		err = run.Wait()
		said, _ := os.ReadFile(file)
		if err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		holds(t, string(said), s.Env["STOA_USER"], made.ID)
	})
}

var userCode = regexp.MustCompile(`browser: ([A-Z0-9]+-[A-Z0-9]+)`)

// code waits until the program has printed the code for the user.
func code(t *testing.T, file string) string {
	t.Helper()
	for range 300 {
		if text, err := os.ReadFile(file); err == nil {
			if found := userCode.FindSubmatch(text); found != nil {
				return string(found[1])
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("the program prints no code")
	return ""
}

// holds checks the token that kubectl would send.
func holds(t *testing.T, said, user, client string) {
	t.Helper()
	var credential struct {
		Kind   string
		Status struct{ Token string }
	}
	if err := json.Unmarshal([]byte(said[strings.Index(said, "{"):]), &credential); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	parts := strings.Split(credential.Status.Token, ".")
	if len(parts) != 3 || credential.Kind != "ExecCredential" {
		t.Fatalf("credential: %+v", credential)
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	var claims struct {
		Aud  string
		Name string `json:"email"`
	}
	if err == nil {
		err = json.Unmarshal(text, &claims)
	}
	if err != nil || claims.Aud != client || !strings.HasPrefix(claims.Name, user) {
		t.Errorf("claims: %s, %v", text, err)
	}
}

// browser is a program that takes an address and allows what it asks for.
func browser(t *testing.T) string {
	t.Helper()
	script, err := filepath.Abs("open.mjs")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "browser")
	if err := os.WriteFile(file, fmt.Appendf(nil, "#!/bin/sh\nexec node %s \"$1\"\n", script), 0o700); err != nil {
		t.Fatal(err)
	}
	return file
}
