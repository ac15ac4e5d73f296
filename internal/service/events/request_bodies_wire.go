package events

import (
	"encoding/json"
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

type createRepoRequest struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Private     bool   `json:"private"`
}

type updateRepoRequest struct {
	Name        *string `json:"name"`
	Description *string `json:"description"`
	Private     *bool   `json:"private"`
}

type forkRepoRequest struct {
	Organization string `json:"organization"`
	Name         string `json:"name"`
}

type addEventRequest struct {
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload"`
}

type collaboratorRequest struct {
	Permission string `json:"permission"`
}

// fromWire accepts both words for each permission.
func (q collaboratorRequest) fromWire() (forge.Permission, error) {
	switch q.Permission {
	case "pull", "read", "triage":
		return forge.Read, nil
	case "push", "write", "maintain":
		return forge.Write, nil
	case "admin":
		return forge.Admin, nil
	}
	return forge.None, errInvalidField("permission", "permission must be one of pull, push, admin")
}

// writeJSON answers in the dialect's spelling.
func (s *Service) writeJSON(w http.ResponseWriter, r *route.Request, status int, v any) error {
	b, err := wire.EncodeJSON(v)
	if err != nil {
		return err
	}
	return wire.WriteBytes(w, r.Request, status, "", s.members.Out(b))
}

// permissionWord is how the header of accepted permissions writes a scope.
func permissionWord(scope string) string { return strings.Replace(scope, ":", "=", 1) }
