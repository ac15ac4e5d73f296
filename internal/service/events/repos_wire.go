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

type userJSON struct {
	Login             string `json:"login"`
	ID                int64  `json:"id"`
	AvatarURL         string `json:"avatar_url"`
	AvatarServiceID   string `json:"avatar_service_id"`
	URL               string `json:"url"`
	HTMLURL           string `json:"html_url"`
	ReposURL          string `json:"repos_url"`
	EventsURL         string `json:"events_url"`
	ReceivedEventsURL string `json:"received_events_url"`
	Type              string `json:"type"`
	SiteAdmin         bool   `json:"site_admin"`
	UserViewType      string `json:"user_view_type"`
}

func userToWire(id int64, name, kind, base string) userJSON {
	url := base + "/users/" + name
	return userJSON{
		Login: name, ID: id, AvatarURL: avatar(base, id), URL: url, HTMLURL: base + "/" + name,
		ReposURL: url + "/repos", EventsURL: url + "/events{/privacy}", ReceivedEventsURL: url + "/received_events",
		Type: kind, UserViewType: "public",
	}
}

type repoJSON struct {
	ID            int64    `json:"id"`
	Name          string   `json:"name"`
	FullName      string   `json:"full_name"`
	Private       bool     `json:"private"`
	Owner         userJSON `json:"owner"`
	HTMLURL       string   `json:"html_url"`
	Description   *string  `json:"description"`
	Fork          bool     `json:"fork"`
	URL           string   `json:"url"`
	EventsURL     string   `json:"events_url"`
	CloneURL      string   `json:"clone_url"`
	DefaultBranch string   `json:"default_branch"`
	Visibility    string   `json:"visibility"`
	CreatedAt     string   `json:"created_at"`
	UpdatedAt     string   `json:"updated_at"`
	PushedAt      *string  `json:"pushed_at"`
	Stars         int64    `json:"stargazers_count"`
	Watchers      int64    `json:"watchers_count"`
	Forks         int64    `json:"forks_count"`
	// Public is in events only.
	Public bool `json:"public,omitempty"`
}

func repoToWire(r forge.Repository, base string) repoJSON {
	kind, visibility := "User", "public"
	if r.Owner.Kind == forge.OwnerOrg {
		kind = "Organization"
	}
	if r.Private {
		visibility = "private"
	}
	url := base + "/repos/" + r.FullName()
	out := repoJSON{
		ID: r.ID, Name: r.Name, FullName: r.FullName(), Private: r.Private,
		Owner:   userToWire(r.Owner.ID, r.Owner.Name, kind, base),
		HTMLURL: base + "/" + r.FullName(), Fork: r.ParentID != 0,
		URL: url, EventsURL: url + "/events", CloneURL: forge.CloneURL(base, r),
		DefaultBranch: r.DefaultBranch, Visibility: visibility,
		CreatedAt: stamp(r.CreatedAt), UpdatedAt: stamp(r.UpdatedAt),
	}
	if r.Description != "" {
		out.Description = &r.Description
	}
	if !r.PushedAt.IsZero() {
		pushed := stamp(r.PushedAt)
		out.PushedAt = &pushed
	}
	return out
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
