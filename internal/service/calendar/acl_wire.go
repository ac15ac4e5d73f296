package calendar

// aclJSON is Acl of the contract.
type aclJSON struct {
	Kind          string      `json:"kind"`
	ETag          string      `json:"etag"`
	NextPageToken string      `json:"nextPageToken,omitempty"`
	NextSyncToken string      `json:"nextSyncToken,omitempty"`
	Items         []*ruleJSON `json:"items"`
}

func (a *aclJSON) Tag() string { return a.ETag }

// ruleJSON is AclRule of the contract.
type ruleJSON struct {
	Kind  string     `json:"kind,omitempty"`
	ETag  string     `json:"etag,omitempty"`
	ID    string     `json:"id,omitempty"`
	Scope *scopeJSON `json:"scope,omitempty"`
	Role  Role       `json:"role,omitempty"`
}

type scopeJSON struct {
	Type  ScopeType `json:"type"`
	Value string    `json:"value,omitempty"`
}

func (r *ruleJSON) Tag() string { return r.ETag }

func ruleToWire(r ruleRow) *ruleJSON {
	return &ruleJSON{
		Kind: "calendar#aclRule", ETag: etag(r.updated, r.seq), ID: ruleID(r.scope, r.value),
		Scope: &scopeJSON{Type: r.scope, Value: r.value}, Role: r.role,
	}
}

func ruleID(t ScopeType, value string) string {
	if t == ScopeDefault {
		return string(t)
	}
	return string(t) + ":" + value
}
