package articles

import "stoa.dev/stoa/internal/platform/module"

// The four scopes in the contract's own spelling; the dialect knows others.
const (
	ScopeRead      = "read_svc"
	ScopeReadTeam  = "read_svc_team"
	ScopeWrite     = "write_svc"
	ScopeWriteTeam = "write_svc_team"
)

func scopes() []module.Scope {
	return []module.Scope{
		{Name: ScopeRead, Words: "read your public data"},
		{Name: ScopeReadTeam, Words: "read the data of your teams"},
		{Name: ScopeWrite, Words: "write public data in your name"},
		{Name: ScopeWriteTeam, Words: "write data of your teams in your name"},
	}
}
