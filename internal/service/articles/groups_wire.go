package articles

import (
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/service/articles/groups"
)

type groupRequest struct {
	URLName     string `json:"url_name"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Private     bool   `json:"private"`
}

// groupPatch holds the members to change; nil leaves one as it is.
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

func groupMemberToWire(u identity.User) groupMemberJSON {
	return groupMemberJSON{ID: u.Name, Name: u.DisplayName, Email: u.Email}
}

type groupJSON struct {
	CreatedAt   string `json:"created_at"`
	Description string `json:"description"`
	Name        string `json:"name"`
	Private     bool   `json:"private"`
	UpdatedAt   string `json:"updated_at"`
	URLName     string `json:"url_name"`
}

func groupToWire(g groups.Group) groupJSON {
	return groupJSON{
		CreatedAt: formatTime(g.CreatedAt), Description: g.Description, Name: g.Name, Private: g.Private,
		UpdatedAt: formatTime(g.UpdatedAt), URLName: g.URLName,
	}
}
