package events

import (
	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/service/events/discussions"
)

// The permissions of tokens, in addition to those of the forge.
const (
	ScopeEventsRead    = "events:read"
	ScopeEventsWrite   = "events:write"
	ScopeOrgEventsRead = "organization_events:read"
)

// scopes are the permissions of tokens, in the words that users are asked with.
func scopes() []module.Scope {
	return []module.Scope{
		{Name: forge.ScopeMetadataRead, Description: "see your private repositories"},
		{Name: forge.ScopeContentsRead, Description: "read the content of your private repositories"},
		{Name: forge.ScopeContentsWrite, Description: "push to your repositories"},
		{Name: forge.ScopeAdministration, Description: "make, change and delete your repositories"},
		{Name: forge.ScopeStarring, Description: "star repositories for you"},
		{Name: discussions.ScopeIssuesRead, Description: "read the issues of your private repositories"},
		{Name: discussions.ScopeIssuesWrite, Description: "open, change and comment on issues for you"},
		{Name: discussions.ScopePullsRead, Description: "read the pull requests of your private repositories"},
		{Name: discussions.ScopePullsWrite, Description: "open, change and review pull requests for you"},
		{Name: ScopeEventsRead, Description: "see your private activity"},
		{Name: ScopeEventsWrite, Description: "report activity in your repositories"},
		{Name: ScopeOrgEventsRead, Description: "see the activity in your organizations"},
	}
}
