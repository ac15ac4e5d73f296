package commands

import (
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/identity/removal"
	"stoa.dev/stoa/internal/platform/module"
)

// commands are built on what identity and grants offer every caller.
type commands struct {
	identity *identity.Identity
	grants   *grants.Grants
	removal  *removal.Remover
}

// All lists the operator's commands about users, applications and credentials.
func All(i *identity.Identity, g *grants.Grants, r *removal.Remover) []module.Command {
	c := commands{identity: i, grants: g, removal: r}
	return []module.Command{
		c.userAdd(), c.userList(),
		c.orgAdd(), c.orgMemberAdd(),
		c.teamAdd(), c.clientAdd(),
		c.tokenIssue(), c.keyIssue(),
		c.userDisable("user disable", "refuse everything of a user from the next request on", true),
		c.userDisable("user enable", "let a disabled user in again", false),
		c.userPassword(), c.orgMemberRemove(), c.orgApprove(),
		c.tokenList(), c.keyList(), c.credentialShow("token", tokenKinds()), c.credentialShow("key", keyKinds()),
		c.revoke("token", func(k identity.Kind) bool { return !identity.IsKey(k) }),
		c.revoke("key", identity.IsKey),
		c.grantList(),
		c.grantDecide("grant approve", "allow the device that shows a user code", true),
		c.grantDecide("grant deny", "refuse the device that shows a user code", false),
		c.orgForbid(),
		c.clientList(), c.clientShow(), c.clientSet(), c.clientSecret(), c.clientRemove(),
		c.orgList(), c.orgShow(), c.orgSet(),
		c.teamList(), c.teamShow(), c.teamSet(), c.teamMemberAdd(), c.teamMemberRemove(),
		c.userShow(), c.userSet(), c.userImport(), c.userLink(), c.userUnlink(),
		c.userRemove(), c.orgRemove(), c.teamRemove(),
	}
}

// created is what every command that makes something by name answers.
type created struct {
	Name string `json:"name"`
	ID   int64  `json:"id"`
}

// formatTime leaves out what never happens.
func formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339)
}
