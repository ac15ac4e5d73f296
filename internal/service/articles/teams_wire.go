package articles

import "stoa.dev/stoa/internal/identity"

type teamJSON struct {
	Active bool   `json:"active"`
	ID     string `json:"id"`
	Name   string `json:"name"`
}

type memberJSON struct {
	Description    string `json:"description"`
	Email          string `json:"email"`
	ID             string `json:"id"`
	LastAccessedAt string `json:"last_accessed_at"`
	Name           string `json:"name"`
}

// memberToWire hides the address and the last visit from plain members.
func memberToWire(m identity.TeamMembership, manager bool) memberJSON {
	out := memberJSON{ID: m.User.Name, Name: m.User.DisplayName}
	if manager {
		out.Email = m.User.Email
		if !m.LastAccess.IsZero() {
			out.LastAccessedAt = stamp(m.LastAccess)
		}
	}
	return out
}
