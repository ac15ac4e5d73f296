package acl

import (
	"stoa.dev/stoa/internal/service/calendar/listing"
	"stoa.dev/stoa/internal/service/calendar/permission"
)

// RuleJSON is AclRule of the contract.
type RuleJSON struct {
	Kind  string          `json:"kind,omitempty"`
	ETag  string          `json:"etag,omitempty"`
	ID    string          `json:"id,omitempty"`
	Scope *ScopeJSON      `json:"scope,omitempty"`
	Role  permission.Role `json:"role,omitempty"`
}

// ScopeJSON is who a rule is about.
type ScopeJSON struct {
	Type  permission.ScopeType `json:"type"`
	Value string               `json:"value,omitempty"`
}

// Tag is the entity tag.
func (r *RuleJSON) Tag() string { return r.ETag }

// ToWire is a rule as it is sent.
func ToWire(r Rule) *RuleJSON {
	return &RuleJSON{
		Kind: "calendar#aclRule", ETag: r.Tag(), ID: r.ID(),
		Scope: &ScopeJSON{Type: r.Scope, Value: r.Value}, Role: r.Role,
	}
}

// Tag is the entity tag of a rule.
func (r Rule) Tag() string { return listing.ETag(r.Updated, r.Seq) }
