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
}

// updateProjectRequest carries the id in the body. Tools are read and ignored,
// as the reference says.
type updateProjectRequest struct {
	ProjectID   wire.Optional[int64]  `json:"project_id"`
	ProjectName wire.Optional[string] `json:"project_name"`
	Tools       json.RawMessage       `json:"tools"`
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
