package articles

import "stoa.dev/stoa/internal/identity"

type groupRequest struct {
	URLName     string `json:"url_name"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Private     bool   `json:"private"`
}

type groupPatch struct {
	Name        *string `json:"name"`
	Description *string `json:"description"`
	Private     *bool   `json:"private"`
}

type identitiesRequest struct {
	Identities []string `json:"identities"`
}

type groupMemberJSON struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
}

// groupMemberToWire hides the address from plain members.
func groupMemberToWire(u identity.User, manager bool) groupMemberJSON {
	out := groupMemberJSON{ID: u.Name, Name: u.DisplayName}
	if manager {
		out.Email = u.Email
	}
	return out
}
