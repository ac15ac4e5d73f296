package permission

import "strings"

// ScopeType is who a rule is about.
type ScopeType string

// The types of scopes.
const (
	ScopeDefault ScopeType = "default"
	ScopeUser    ScopeType = "user"
	ScopeGroup   ScopeType = "group"
	ScopeDomain  ScopeType = "domain"
)

// ParseRuleID splits "user:ada@example.com".
func ParseRuleID(id string) (ScopeType, string) {
	t, value, _ := strings.Cut(id, ":")
	return ScopeType(t), strings.ToLower(value)
}

// RuleID is what the rule of a scope is named.
func RuleID(t ScopeType, value string) string {
	if t == ScopeDefault {
		return string(t)
	}
	return string(t) + ":" + value
}
