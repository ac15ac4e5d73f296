package kms_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/service/kms"
)

type listed struct{ id, state string }

// command runs an operator command of a process.
func (h *testServer) command(
	t *testing.T, s *kms.Service, path string, values map[string][]string,
) (map[string]any, error) {
	t.Helper()
	for _, c := range s.Module().Commands {
		if c.Path != path {
			continue
		}
		if err := c.Check(values); err != nil {
			return nil, err
		}
		result, err := c.Run(t.Context(), &module.Input{Values: values, Progress: func(module.Progress) {}})
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(result)
		if err != nil {
			t.Fatal(err)
		}
		var out map[string]any
		if err := json.Unmarshal(text, &out); err != nil {
			t.Fatal(err)
		}
		return out, nil
	}
	t.Fatalf("there is no command %s", path)
	return nil, nil
}

func (h *testServer) keys(t *testing.T) []listed {
	t.Helper()
	out, err := h.command(t, h.service, "kms keys", nil)
	if err != nil {
		t.Fatal(err)
	}
	var list []listed
	for _, item := range out["keys"].([]any) {
		k := item.(map[string]any)
		list = append(list, listed{k["id"].(string), k["state"].(string)})
	}
	return list
}

func failure(err error) module.Failure {
	var e *module.CommandError
	if errors.As(err, &e) {
		return e.Failure
	}
	return ""
}

func TestDestroy(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, h *testServer) {
		destroy := func(id string) error {
			_, err := h.command(t, h.service, "kms destroy", map[string][]string{"id": {id}})
			return err
		}
		m := encrypt(t, h.service, "gone")
		other := h.process(t, h.config)
		decrypt(t, other, m)
		if err := destroy(m.KeyID); failure(err) != module.Conflict {
			t.Errorf("the current key: %v, want a conflict", err)
		}
		if err := destroy("local-unknown"); failure(err) != module.NotFound {
			t.Errorf("an unknown key: %v, want not found", err)
		}
		rotate(t, h.service)
		if h.World.DB.Engine() == database.Postgres {
			if err := destroy(m.KeyID); failure(err) != module.Conflict ||
				!strings.Contains(err.Error(), "try again in") {
				t.Errorf("just replaced, with other processes about: %v, want a conflict", err)
			}
			h.Clock.Advance(10 * time.Minute)
		}
		if err := destroy(m.KeyID); err != nil {
			t.Fatalf("destroy: %v", err)
		}
		if err := destroy(m.KeyID); failure(err) != module.Conflict {
			t.Errorf("twice: %v, want a conflict", err)
		}
		if got := h.keys(t); len(got) != 2 || got[0].state != "current" || got[1] != (listed{m.KeyID, "destroyed"}) {
			t.Errorf("keys = %v", got)
		}
		second := status(t, h.service).KeyID
		rotate(t, h.service)
		h.Clock.Advance(10 * time.Minute)
		rotate(t, h.service)
		if err := destroy(second); err != nil {
			t.Errorf("a key that was replaced ten minutes ago by one that was replaced just now: %v", err)
		}
		h.Clock.Advance(10 * time.Second)
		status(t, other)
		for name, s := range map[string]*kms.Service{
			"here": h.service, "other": other, "restarted": h.process(t, h.config),
		} {
			if got, err := s.Decrypt(t.Context(), m); code(err) != kms.CodeUnusable ||
				!strings.Contains(err.Error(), "destroyed") {
				t.Errorf("%s: %q, %v; want unusable", name, got, err)
			}
		}
	})
}

// TestDestroyAsksTwice pins what the command line relies on.
func TestDestroyAsksTwice(t *testing.T) {
	t.Parallel()
	here(t, nil, func(t *testing.T, h *testServer) {
		for _, c := range h.service.Module().Commands {
			if c.Path == "kms destroy" && c.Confirm != "id" {
				t.Errorf("destroy confirms %q, want id", c.Confirm)
			}
		}
	})
}

// TestSecretsAreNotLogged looks for what was encrypted in errors and the log.
func TestSecretsAreNotLogged(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, h *testServer) {
		const secret = "a very recognizable plaintext"
		m := encrypt(t, h.service, secret)
		m.Ciphertext[30] ^= 1
		_, err := h.service.Decrypt(t.Context(), m)
		_, long := h.service.Encrypt(t.Context(), []byte(strings.Repeat(secret, 100)))
		for _, text := range []string{err.Error(), long.Error(), h.Log.String()} {
			if strings.Contains(text, "recognizable") || strings.Contains(text, string(m.Ciphertext)) {
				t.Errorf("it was written: %s", text)
			}
		}
	})
}

// TestKeysByPages: the list goes on after a key, and one key is shown by itself.
func TestKeysByPages(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, h *testServer) {
		for range 4 {
			rotate(t, h.service)
		}
		// The first key is made at every first start, and would stand between the lines of the start screen.
		if n := strings.Count(h.Log.String(), `level=INFO msg="key published"`) +
			strings.Count(h.Log.String(), `"level":"INFO","msg":"key published"`); n != 4 {
			t.Errorf("%d keys are in the log, want the 4 that replaced one:\n%s", n, h.Log)
		}
		var want, got []string
		for _, k := range h.keys(t) {
			want = append(want, k.id)
		}
		for after := ""; ; {
			out, err := h.command(t, h.service, "kms keys", map[string][]string{"after": {after}, "limit": {"2"}})
			if err != nil {
				t.Fatal(err)
			}
			page := out["keys"].([]any)
			for _, k := range page {
				after = k.(map[string]any)["id"].(string)
				got = append(got, after)
			}
			if len(page) < 2 {
				break
			}
		}
		if len(want) != 5 || !slices.Equal(got, want) {
			t.Errorf("by pages %v, want %v", got, want)
		}
		one, err := h.command(t, h.service, "kms show", map[string][]string{"id": {want[4]}})
		if err != nil || one["id"] != want[4] || one["state"] != "retired" {
			t.Errorf("show: %v, %v", one, err)
		}
		for path, values := range map[string]map[string][]string{
			"kms keys": {"after": {"local-unknown"}}, "kms show": {"id": {"local-unknown"}},
		} {
			if _, err := h.command(t, h.service, path, values); failure(err) != module.NotFound {
				t.Errorf("%s of an unknown key: %v, want not found", path, err)
			}
		}
	})
}
