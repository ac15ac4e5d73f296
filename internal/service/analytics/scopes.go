package analytics

import "stoa.dev/stoa/internal/platform/module"

// ScopeUserID is what every grant has at least.
const ScopeUserID = "user.id"

// scopes are those that the contract and its public documentation name.
func scopes() []module.Scope {
	return []module.Scope{
		{Name: ScopeUserID, Description: "see who you are, and work with your projects, listings and campaigns"},
		{Name: "siteaudit.info", Description: "see your site audits"},
	}
}
