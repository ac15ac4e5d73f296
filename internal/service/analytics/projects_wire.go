package analytics

import (
	"encoding/json"
	"strings"

	"golang.org/x/net/idna"

	"stoa.dev/stoa/internal/platform/wire"
)

type projectJSON struct {
	ProjectID     int64      `json:"project_id"`
	ProjectName   string     `json:"project_name"`
	URL           string     `json:"url"`
	DomainUnicode string     `json:"domain_unicode"`
	Tools         []struct{} `json:"tools"`
	OwnerID       int64      `json:"owner_id"`
	Permission    []string   `json:"permission"`
}

type projectsJSON struct {
	Projects []projectJSON `json:"projects"`
}

type createProjectRequest struct {
	ProjectName wire.Optional[string] `json:"project_name"`
	URL         wire.Optional[string] `json:"url"`
	projectUnread
}

// updateProjectRequest carries the id in the body.
type updateProjectRequest struct {
	ProjectID   wire.Optional[int64]  `json:"project_id"`
	ProjectName wire.Optional[string] `json:"project_name"`
	// URL may be sent back, and cannot change.
	URL wire.Optional[string] `json:"url"`
	projectUnread
}

// projectUnread are members that a client sends back as it got them. They change
// nothing, as the reference says of tools; any other member is a mistake.
type projectUnread struct {
	Tools         json.RawMessage `json:"tools"`
	DomainUnicode json.RawMessage `json:"domain_unicode"`
	OwnerID       json.RawMessage `json:"owner_id"`
	Permission    json.RawMessage `json:"permission"`
	// The outer members of these names are read, where there are any.
	SentURL json.RawMessage `json:"url"`
	SentID  json.RawMessage `json:"project_id"`
}

type resultJSON struct {
	Result bool `json:"result"`
}

func (p Project) toWire() projectJSON {
	name := p.URL
	if strings.Contains(name, "xn--") {
		// What was taken to ASCII comes back from it; if not, ASCII is still right.
		if text, err := idna.Lookup.ToUnicode(p.URL); err == nil {
			name = text
		}
	}
	return projectJSON{
		ProjectID: p.ID, ProjectName: p.Name, URL: p.URL, DomainUnicode: name, Tools: []struct{}{},
		OwnerID: p.OwnerID, Permission: []string{"OWNER"},
	}
}
