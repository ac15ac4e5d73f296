package articles

import "stoa.dev/stoa/internal/identity"

type teamJSON struct {
	Active bool   `json:"active"`
	ID     string `json:"id"`
	Name   string `json:"name"`
}

func teamToWire(t identity.Team) teamJSON {
	return teamJSON{Active: t.Active, ID: t.Name, Name: t.Title}
}

type memberJSON struct {
	Description    string `json:"description"`
	Email          string `json:"email"`
	ID             string `json:"id"`
	LastAccessedAt string `json:"last_accessed_at"`
	Name           string `json:"name"`
}

func memberToWire(m identity.TeamMembership) memberJSON {
	out := memberJSON{ID: m.User.Name, Name: m.User.DisplayName, Email: m.User.Email}
	if !m.LastAccess.IsZero() {
		out.LastAccessedAt = formatTime(m.LastAccess)
	}
	return out
}
