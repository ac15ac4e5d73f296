package acl_test

import (
	"errors"
	"testing"

	"stoa.dev/stoa/internal/service/calendar/acl"
	"stoa.dev/stoa/internal/service/calendar/permission"
	"stoa.dev/stoa/internal/service/calendar/refusal"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		id, scope, value string
		role             permission.Role
		field            string
	}{
		"a user":                 {scope: "user", value: "Ada@example.com", role: "reader"},
		"everybody":              {scope: "default", role: "freeBusyReader"},
		"a domain":               {scope: "domain", value: "example.com", role: "reader"},
		"its own id":             {id: "user:ada@example.com", scope: "user", value: "ada@example.com", role: "owner"},
		"no scope":               {role: "reader", field: "scope.type"},
		"no role":                {scope: "default", field: "role"},
		"a role that is none":    {scope: "default", role: "king", field: "role"},
		"a user without address": {scope: "user", value: "ada", role: "reader", field: "scope.value"},
		"a domain with an at":    {scope: "domain", value: "a@b", role: "reader", field: "scope.value"},
		"a scope that is none":   {scope: "planet", value: "a@b", role: "reader", field: "scope.type"},
		"another id":             {id: "default", scope: "user", value: "a@b", role: "reader", field: "scope"},
	} {
		doc := acl.RuleJSON{ID: row.id, Role: row.role}
		if row.scope != "" {
			doc.Scope = &acl.ScopeJSON{Type: permission.ScopeType(row.scope), Value: row.value}
		}
		_, err := acl.Check(doc)
		var refused *refusal.Error
		if field := ""; errors.As(err, &refused) {
			if field = refused.Field; field != row.field {
				t.Errorf("%s: refused for %q, want %q", name, field, row.field)
			}
		} else if err != nil || row.field != "" {
			t.Errorf("%s: got %v, want a refusal for %q", name, err, row.field)
		}
	}
	if r, err := acl.CheckUpdate("user:Ada@Example.com", acl.RuleJSON{Role: "writer"}); err != nil ||
		r.ID() != "user:ada@example.com" || acl.ToWire(r).ID != r.ID() {
		t.Errorf("an update: %+v, %v", r, err)
	}
	if _, err := acl.CheckUpdate("planet:x", acl.RuleJSON{Role: "writer"}); err == nil {
		t.Error("a rule that cannot be is updated")
	}
}
