package objects

import (
	"encoding/base64"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
)

// User is a user, an organization or an application in lists and as an owner.
type User struct {
	Login             string `json:"login"`
	ID                int64  `json:"id"`
	NodeID            string `json:"node_id"`
	AvatarURL         string `json:"avatar_url"`
	AvatarServiceID   string `json:"avatar_service_id"`
	URL               string `json:"url"`
	HTMLURL           string `json:"html_url"`
	FollowersURL      string `json:"followers_url"`
	FollowingURL      string `json:"following_url"`
	GistsURL          string `json:"gists_url"`
	StarredURL        string `json:"starred_url"`
	SubscriptionsURL  string `json:"subscriptions_url"`
	OrganizationsURL  string `json:"organizations_url"`
	ReposURL          string `json:"repos_url"`
	EventsURL         string `json:"events_url"`
	ReceivedEventsURL string `json:"received_events_url"`
	Type              string `json:"type"`
	SiteAdmin         bool   `json:"site_admin"`
	UserViewType      string `json:"user_view_type"`
}

// NewUser is the object of an account; kind is User, Organization or Bot.
func NewUser(id int64, name, kind, base string) User {
	url, page := base+"/users/"+name, Pages(base)+"/"+name
	if slug, ok := strings.CutSuffix(name, BotSuffix); ok && kind == "Bot" {
		url, page = base+"/users/"+slug+"%5Bbot%5D", Pages(base)+"/apps/"+slug
	}
	return User{
		Login: name, ID: id, NodeID: AccountNodeID(kind, id, name), AvatarURL: Avatar(base, kind, id), URL: url,
		HTMLURL: page, FollowersURL: url + "/followers", FollowingURL: url + "/following{/other_user}",
		GistsURL: url + "/gists{/gist_id}", StarredURL: url + "/starred{/owner}{/repo}",
		SubscriptionsURL: url + "/subscriptions", OrganizationsURL: url + "/orgs", ReposURL: url + "/repos",
		EventsURL: url + "/events{/privacy}", ReceivedEventsURL: url + "/received_events",
		Type: kind, UserViewType: "public",
	}
}

// BotSuffix ends the names of the accounts of applications.
const BotSuffix = "[bot]"

// NewActor is who did something.
func NewActor(a forge.Actor, base string) User {
	kind := "User"
	if strings.HasSuffix(a.Name, BotSuffix) {
		kind = "Bot"
	}
	return NewUser(a.ID, a.Name, kind, base)
}

// NewOwner is whom a repository belongs to.
func NewOwner(o forge.Owner, base string) User {
	kind := "User"
	if o.Kind == forge.OwnerOrg {
		kind = "Organization"
	}
	return NewUser(o.ID, o.Name, kind, base)
}

// NewUsers are users in their order.
func NewUsers(list []identity.User, base string) []User {
	out := make([]User, 0, len(list))
	for _, u := range list {
		out = append(out, NewUser(u.ID, u.Name, "User", base))
	}
	return out
}

// NodeID is the identifier that does not depend on the kind of object.
func NodeID(kind string, id int64) string {
	return base64.RawURLEncoding.EncodeToString([]byte(kind + ":" + strconv.FormatInt(id, 10)))
}

// NamedNodeID is NodeID for an object that has no number but a name, in a repository for instance.
func NamedNodeID(kind string, in int64, name string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(kind + ":" + strconv.FormatInt(in, 10) + ":" + name))
}

// AccountNodeID is the NodeID of an account. Bots are told apart by their names: they have no numbers.
func AccountNodeID(kind string, id int64, name string) string {
	if id == 0 {
		return NamedNodeID(kind, 0, name)
	}
	return NodeID(kind, id)
}

// Avatar is the address of a picture. Users and organizations are numbered apart.
func Avatar(base, kind string, id int64) string {
	folder := "/avatars/u/"
	if kind == "Organization" {
		folder = "/avatars/o/"
	}
	return base + folder + strconv.FormatInt(id, 10)
}

// FullUser is a user alone. Members that nothing here fills are null.
type FullUser struct {
	User
	Name        *string `json:"name"`
	Company     *string `json:"company"`
	Blog        *string `json:"blog"`
	Location    *string `json:"location"`
	Email       *string `json:"email"`
	Hireable    *bool   `json:"hireable"`
	Bio         *string `json:"bio"`
	PublicRepos int64   `json:"public_repos"`
	PublicGists int64   `json:"public_gists"`
	Followers   int64   `json:"followers"`
	Following   int64   `json:"following"`
	CreatedAt   string  `json:"created_at"`
	UpdatedAt   string  `json:"updated_at"`
}

// OwnUser is the caller.
type OwnUser struct {
	FullUser
	PrivateGists      int64 `json:"private_gists"`
	TotalPrivateRepos int64 `json:"total_private_repos"`
	OwnedPrivateRepos int64 `json:"owned_private_repos"`
	DiskUsage         int64 `json:"disk_usage"`
	Collaborators     int64 `json:"collaborators"`
	TwoFactor         bool  `json:"two_factor_authentication"`
}

// OrNull is null for an empty text.
func OrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// Org is an organization in lists.
type Org struct {
	Login            string  `json:"login"`
	ID               int64   `json:"id"`
	NodeID           string  `json:"node_id"`
	URL              string  `json:"url"`
	ReposURL         string  `json:"repos_url"`
	EventsURL        string  `json:"events_url"`
	HooksURL         string  `json:"hooks_url"`
	IssuesURL        string  `json:"issues_url"`
	MembersURL       string  `json:"members_url"`
	PublicMembersURL string  `json:"public_members_url"`
	AvatarURL        string  `json:"avatar_url"`
	Description      *string `json:"description"`
}

// NewOrg is the object of an organization.
func NewOrg(o identity.Org, base string) Org {
	url := base + "/orgs/" + o.Name
	return Org{
		Login: o.Name, ID: o.ID, NodeID: NodeID("Organization", o.ID), URL: url, ReposURL: url + "/repos",
		EventsURL: url + "/events", HooksURL: url + "/hooks", IssuesURL: url + "/issues",
		MembersURL: url + "/members{/member}", PublicMembersURL: url + "/public_members{/member}",
		AvatarURL: Avatar(base, "Organization", o.ID),
	}
}

// FullOrg is an organization alone.
type FullOrg struct {
	Org
	Name                    *string `json:"name"`
	Company                 *string `json:"company"`
	Blog                    *string `json:"blog"`
	Location                *string `json:"location"`
	Email                   *string `json:"email"`
	IsVerified              bool    `json:"is_verified"`
	HasOrganizationProjects bool    `json:"has_organization_projects"`
	HasRepositoryProjects   bool    `json:"has_repository_projects"`
	PublicRepos             int64   `json:"public_repos"`
	PublicGists             int64   `json:"public_gists"`
	Followers               int64   `json:"followers"`
	Following               int64   `json:"following"`
	HTMLURL                 string  `json:"html_url"`
	CreatedAt               string  `json:"created_at"`
	UpdatedAt               string  `json:"updated_at"`
	ArchivedAt              *string `json:"archived_at"`
	Type                    string  `json:"type"`
}
