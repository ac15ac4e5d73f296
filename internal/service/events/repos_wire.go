package events

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

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

type permissionsJSON struct {
	Admin    bool `json:"admin"`
	Maintain bool `json:"maintain"`
	Push     bool `json:"push"`
	Triage   bool `json:"triage"`
	Pull     bool `json:"pull"`
}

func permissionsToWire(p forge.Permission) permissionsJSON {
	return permissionsJSON{
		Admin: p >= forge.Admin, Maintain: p >= forge.Admin, Push: p >= forge.Write, Triage: p >= forge.Write,
		Pull: p >= forge.Read,
	}
}

// repoJSON is a repository in lists and payloads.
type repoJSON struct {
	ID          int64    `json:"id"`
	NodeID      string   `json:"node_id"`
	Name        string   `json:"name"`
	FullName    string   `json:"full_name"`
	Private     bool     `json:"private"`
	Owner       userJSON `json:"owner"`
	HTMLURL     string   `json:"html_url"`
	Description *string  `json:"description"`
	Fork        bool     `json:"fork"`
	URL         string   `json:"url"`
	repoLinksJSON
	GitURL                   string           `json:"git_url"`
	SSHURL                   string           `json:"ssh_url"`
	CloneURL                 string           `json:"clone_url"`
	SVNURL                   string           `json:"svn_url"`
	Homepage                 *string          `json:"homepage"`
	Language                 *string          `json:"language"`
	HasIssues                bool             `json:"has_issues"`
	HasProjects              bool             `json:"has_projects"`
	HasDownloads             bool             `json:"has_downloads"`
	HasWiki                  bool             `json:"has_wiki"`
	HasPages                 bool             `json:"has_pages"`
	HasDiscussions           bool             `json:"has_discussions"`
	MirrorURL                *string          `json:"mirror_url"`
	Archived                 bool             `json:"archived"`
	Disabled                 bool             `json:"disabled"`
	License                  *struct{}        `json:"license"`
	AllowForking             bool             `json:"allow_forking"`
	IsTemplate               bool             `json:"is_template"`
	WebCommitSignoffRequired bool             `json:"web_commit_signoff_required"`
	Topics                   []string         `json:"topics"`
	Visibility               string           `json:"visibility"`
	DefaultBranch            string           `json:"default_branch"`
	CreatedAt                string           `json:"created_at"`
	UpdatedAt                string           `json:"updated_at"`
	PushedAt                 *string          `json:"pushed_at"`
	Stars                    int64            `json:"stargazers_count"`
	WatchersCount            int64            `json:"watchers_count"`
	ForksCount               int64            `json:"forks_count"`
	OpenIssuesCount          int64            `json:"open_issues_count"`
	Forks                    int64            `json:"forks"`
	OpenIssues               int64            `json:"open_issues"`
	Watchers                 int64            `json:"watchers"`
	Permissions              *permissionsJSON `json:"permissions,omitempty"`
	// Public is in events only.
	Public bool `json:"public,omitempty"`
}

// fullRepoJSON is a repository alone.
type fullRepoJSON struct {
	repoJSON
	// Size is in KiB.
	Size             int64     `json:"size"`
	NetworkCount     int64     `json:"network_count"`
	SubscribersCount int64     `json:"subscribers_count"`
	Organization     *userJSON `json:"organization,omitempty"`
	Parent           *repoJSON `json:"parent,omitempty"`
	Source           *repoJSON `json:"source,omitempty"`
}

func repoToWire(r forge.Repository, base string) repoJSON {
	visibility := "public"
	if r.Private {
		visibility = "private"
	}
	url, clone := base+"/repos/"+r.FullName(), forge.CloneURL(pages(base), r)
	out := repoJSON{
		ID: r.ID, NodeID: nodeID("Repository", r.ID), Name: r.Name, FullName: r.FullName(), Private: r.Private,
		Owner:   ownerToWire(r.Owner, base),
		HTMLURL: pages(base) + "/" + r.FullName(), Description: orNull(r.Description), Fork: r.ParentID != 0, URL: url,
		repoLinksJSON: repoLinks(url),
		GitURL:        clone, SSHURL: clone, CloneURL: clone, SVNURL: clone,
		AllowForking: true, Topics: []string{}, Visibility: visibility, DefaultBranch: r.DefaultBranch,
		CreatedAt: stamp(r.CreatedAt), UpdatedAt: stamp(r.UpdatedAt),
	}
	if !r.PushedAt.IsZero() {
		pushed := stamp(r.PushedAt)
		out.PushedAt = &pushed
	}
	return out
}

// setNumbers fills in what is counted, under all the names that it has.
func (j *repoJSON) setNumbers(n forge.Numbers) {
	j.Stars, j.WatchersCount, j.Watchers = n.Stars, n.Stars, n.Stars
	j.ForksCount, j.Forks = n.Forks, n.Forks
}

func stamp(t time.Time) string { return t.UTC().Format(timeForm) }

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
