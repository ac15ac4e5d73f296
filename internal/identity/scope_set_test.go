package identity_test

import (
	"testing"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/module"
)

func TestExpand(t *testing.T) {
	t.Parallel()
	build := func(mode string) *fixture {
		d, err := dialect.Load(mode)
		must(t, err)
		return onSQLite(t, func(o *identity.Options) { o.Dialect = d })
	}
	neutral, sdk := build(dialect.Neutral), build(dialect.SDK)
	brand, err := dialect.Load(dialect.SDK)
	must(t, err)
	labels, read, base := brand.Says(dialect.ScopeLabels), brand.Says(dialect.ScopeReadSvc), brand.Says(dialect.ScopeBase)
	for _, row := range []struct {
		name, written         string
		wantNeutral, wantBoth string
	}{
		{"short", "storage.labels", "storage.labels", "storage.labels"},
		{"full", "http://stoa.test/auth/storage.labels", "storage.labels", "storage.labels"},
		{"bare", "read_svc", "read_svc", "read_svc"},
		{"bare written in full", "http://stoa.test/auth/read_svc", "", ""},
		{"foreign base", "http://other.test/auth/storage.labels", "", ""},
		{"brand short", labels, "", "storage.labels"},
		{"brand bare", read, "", "read_svc"},
		{"brand full", base + labels, "", "storage.labels"},
		{"brand on our base", "http://stoa.test/auth/" + labels, "", "storage.labels"},
		{"case matters", "Read_Svc", "", ""},
		{"unknown", "nope", "", ""},
		{"empty", "", "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			for h, want := range map[*fixture]string{neutral: row.wantNeutral, sdk: row.wantBoth} {
				got, err := h.Expand(t.Context(), row.written)
				if got.Name != want || (err == nil) != (want != "") {
					t.Errorf("Expand(%q) = %q, %v, want %q", row.written, got.Name, err, want)
				}
			}
		})
	}
	for name, want := range map[string]string{
		"storage.labels": "http://stoa.test/auth/storage.labels", "read_svc": "read_svc", "other": "other",
	} {
		if got := neutral.Full(t.Context(), name); got != want {
			t.Errorf("Full(%q) = %q, want %q", name, got, want)
		}
	}
	if got, want := sdk.Full(t.Context(), "read_svc"), read; got != want {
		t.Errorf("Full in brand words = %q, want %q", got, want)
	}
}

func TestAllScopes(t *testing.T) {
	t.Parallel()
	h := onSQLite(t)
	if got := h.AllScopes("labels"); len(got) != 2 || got[0].Description != "manage labels" {
		t.Errorf("AllScopes(labels) = %+v, want both as declared", got)
	}
	if got := h.AllScopes("apikeys"); len(got) != 0 {
		t.Errorf("AllScopes(apikeys) = %+v, want none", got)
	}
	all := h.AllScopes(identity.AllServices)
	if len(all) != 5 || all[0].Name != "read_svc" {
		t.Errorf("AllScopes(*) = %+v, want five sorted by name", all)
	}
	h.Register(module.Module{Name: "labels", Scopes: []identity.Scope{{Name: "other"}}})
	if _, err := h.Expand(t.Context(), "storage.labels"); err == nil {
		t.Error("a scope that is no longer declared was accepted")
	}
}
