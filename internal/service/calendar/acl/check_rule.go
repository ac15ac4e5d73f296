package acl

import (
	"slices"
	"strings"

	"stoa.dev/stoa/internal/service/calendar/permission"
	"stoa.dev/stoa/internal/service/calendar/refusal"
)

// Check checks what a client may say in a rule.
func Check(doc RuleJSON) (Rule, error) {
	if doc.Scope == nil || doc.Scope.Type == "" {
		return Rule{}, refusal.Required("scope.type")
	}
	if err := checkRole(doc.Role); err != nil {
		return Rule{}, err
	}
	r := Rule{Scope: doc.Scope.Type, Value: strings.ToLower(doc.Scope.Value), Role: doc.Role}
	at := strings.Contains(r.Value, "@")
	switch {
	case r.Scope == permission.ScopeDefault:
		r.Value = ""
	case r.Scope == permission.ScopeDomain && (r.Value == "" || at),
		(r.Scope == permission.ScopeUser || r.Scope == permission.ScopeGroup) && !at, len(r.Value) > 254:
		return r, refusal.Invalid("scope.value", "%q does not name a %s", refusal.Clip(r.Value), r.Scope)
	case r.Scope != permission.ScopeUser && r.Scope != permission.ScopeGroup && r.Scope != permission.ScopeDomain:
		return r, refusal.Invalid("scope.type", "%s is not default, user, group or domain",
			refusal.Clip(string(r.Scope)))
	}
	return r, doc.sameAs(r)
}

func checkRole(role permission.Role) error {
	switch {
	case role == "":
		return refusal.Required("role")
	case !slices.Contains(permission.Roles(), role):
		return refusal.Invalid("role", "%s is not a role", refusal.Clip(string(role)))
	}
	return nil
}

// CheckUpdate checks a document for the rule with an id, of which the role is all that
// can change.
func CheckUpdate(id string, doc RuleJSON) (Rule, error) {
	scope, value := permission.ParseRuleID(id)
	if err := checkRole(doc.Role); err != nil {
		return Rule{}, err
	}
	r, err := Check(RuleJSON{Scope: &ScopeJSON{Type: scope, Value: value}, Role: doc.Role})
	if err != nil {
		return r, refusal.NotFound()
	}
	return r, doc.sameAs(r)
}

// sameAs refuses a document that names another rule than a row is.
func (r *RuleJSON) sameAs(row Rule) error {
	id, s := row.ID(), r.Scope
	if r.ID != "" && !strings.EqualFold(r.ID, id) || s != nil && (s.Type != "" && s.Type != row.Scope ||
		s.Value != "" && strings.ToLower(s.Value) != row.Value) {
		return refusal.Invalid("scope", "it and the id are those of %s, or are left out", refusal.Clip(id))
	}
	return nil
}
