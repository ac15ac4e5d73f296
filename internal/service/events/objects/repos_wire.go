package objects

import (
	"time"

	"stoa.dev/stoa/internal/forge"
)

// Permissions are what the caller may do with a repository.
type Permissions struct {
	Admin    bool `json:"admin"`
	Maintain bool `json:"maintain"`
	Push     bool `json:"push"`
	Triage   bool `json:"triage"`
	Pull     bool `json:"pull"`
}

// NewPermissions are those that a permission includes.
func NewPermissions(p forge.Permission) Permissions {
	return Permissions{
		Admin: p >= forge.Admin, Maintain: p >= forge.Admin, Push: p >= forge.Write, Triage: p >= forge.Write,
		Pull: p >= forge.Read,
	}
}

// Repo is a repository in lists and payloads.
type Repo struct {
	ID          int64   `json:"id"`
	NodeID      string  `json:"node_id"`
	Name        string  `json:"name"`
	FullName    string  `json:"full_name"`
	Private     bool    `json:"private"`
	Owner       User    `json:"owner"`
	HTMLURL     string  `json:"html_url"`
	Description *string `json:"description"`
	Fork        bool    `json:"fork"`
	URL         string  `json:"url"`
	RepoLinks
	GitURL                   string       `json:"git_url"`
	SSHURL                   string       `json:"ssh_url"`
	CloneURL                 string       `json:"clone_url"`
	SVNURL                   string       `json:"svn_url"`
	Homepage                 *string      `json:"homepage"`
	Language                 *string      `json:"language"`
	HasIssues                bool         `json:"has_issues"`
	HasProjects              bool         `json:"has_projects"`
	HasDownloads             bool         `json:"has_downloads"`
	HasWiki                  bool         `json:"has_wiki"`
	HasPages                 bool         `json:"has_pages"`
	HasDiscussions           bool         `json:"has_discussions"`
	MirrorURL                *string      `json:"mirror_url"`
	Archived                 bool         `json:"archived"`
	Disabled                 bool         `json:"disabled"`
	License                  *struct{}    `json:"license"`
	AllowForking             bool         `json:"allow_forking"`
	IsTemplate               bool         `json:"is_template"`
	WebCommitSignoffRequired bool         `json:"web_commit_signoff_required"`
	Topics                   []string     `json:"topics"`
	Visibility               string       `json:"visibility"`
	DefaultBranch            string       `json:"default_branch"`
	CreatedAt                string       `json:"created_at"`
	UpdatedAt                string       `json:"updated_at"`
	PushedAt                 *string      `json:"pushed_at"`
	Stars                    int64        `json:"stargazers_count"`
	WatchersCount            int64        `json:"watchers_count"`
	ForksCount               int64        `json:"forks_count"`
	OpenIssuesCount          int64        `json:"open_issues_count"`
	Forks                    int64        `json:"forks"`
	OpenIssues               int64        `json:"open_issues"`
	Watchers                 int64        `json:"watchers"`
	Permissions              *Permissions `json:"permissions,omitempty"`
	// Public is in events only.
	Public bool `json:"public,omitempty"`
}

// FullRepo is a repository alone.
type FullRepo struct {
	Repo
	// Size is in KiB.
	Size             int64 `json:"size"`
	NetworkCount     int64 `json:"network_count"`
	SubscribersCount int64 `json:"subscribers_count"`
	Organization     *User `json:"organization,omitempty"`
	Parent           *Repo `json:"parent,omitempty"`
	Source           *Repo `json:"source,omitempty"`
}

// NewRepo is the object of a repository, without what is counted.
func NewRepo(r forge.Repository, base string) Repo {
	visibility := "public"
	if r.Private {
		visibility = "private"
	}
	url, clone := base+"/repos/"+r.FullName(), forge.CloneURL(Pages(base), r)
	out := Repo{
		ID: r.ID, NodeID: NodeID("Repository", r.ID), Name: r.Name, FullName: r.FullName(), Private: r.Private,
		Owner:   NewOwner(r.Owner, base),
		HTMLURL: Pages(base) + "/" + r.FullName(), Description: OrNull(r.Description), Fork: r.ParentID != 0, URL: url,
		RepoLinks: repoLinks(url),
		GitURL:    clone, SSHURL: clone, CloneURL: clone, SVNURL: clone,
		HasIssues: true, AllowForking: true, Topics: []string{}, Visibility: visibility, DefaultBranch: r.DefaultBranch,
		CreatedAt: Stamp(r.CreatedAt), UpdatedAt: Stamp(r.UpdatedAt),
	}
	if !r.PushedAt.IsZero() {
		pushed := Stamp(r.PushedAt)
		out.PushedAt = &pushed
	}
	return out
}

// SetNumbers fills in what is counted, under all the names that it has.
func (j *Repo) SetNumbers(n forge.Numbers, openIssues int64) {
	j.OpenIssuesCount, j.OpenIssues = openIssues, openIssues
	j.Stars, j.WatchersCount, j.Watchers = n.Stars, n.Stars, n.Stars
	j.ForksCount, j.Forks = n.Forks, n.Forks
}

// timeForm is ISO 8601 in UTC with seconds.
const timeForm = "2006-01-02T15:04:05Z"

// Stamp is a time as answers write it.
func Stamp(t time.Time) string { return t.UTC().Format(timeForm) }
