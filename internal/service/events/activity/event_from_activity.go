package activity

import "stoa.dev/stoa/internal/forge"

// The types that the forge gives rise to.
const (
	TypeCreate = "CreateEvent"
	TypeDelete = "DeleteEvent"
	TypeFork   = "ForkEvent"
	TypeMember = "MemberEvent"
	TypePublic = "PublicEvent"
	TypePush   = "PushEvent"
	TypeWatch  = "WatchEvent"
)

// The facts of our own events: payloads without what depends on where the
// server can be reached, which is not known before it runs.
type (
	pushFacts struct {
		RepositoryID int64          `json:"repository_id"`
		PushID       int64          `json:"push_id"`
		Size         int64          `json:"size"`
		DistinctSize int64          `json:"distinct_size"`
		Ref          string         `json:"ref"`
		Head         string         `json:"head"`
		Before       string         `json:"before"`
		Commits      []forge.Commit `json:"commits"`
	}
	refFacts struct {
		Ref          *string `json:"ref"`
		RefType      string  `json:"ref_type"`
		FullRef      *string `json:"full_ref"`
		MasterBranch string  `json:"master_branch,omitempty"`
		Description  *string `json:"description,omitempty"`
		PusherType   string  `json:"pusher_type"`
	}
	forkFacts struct {
		Fork forge.Repository `json:"fork"`
	}
	memberFacts struct {
		Member forge.Actor `json:"member"`
	}
	actionFacts struct {
		Action string `json:"action"`
	}
	noFacts struct{}
)

// Describe returns the type and the facts of an activity's event; no type means
// no event.
func Describe(a forge.Activity) (kind string, facts any) {
	r := a.Repository
	switch a.Kind {
	case forge.RepositoryCreated:
		return TypeCreate, refFacts{
			RefType: "repository", MasterBranch: r.DefaultBranch, Description: &r.Description, PusherType: "user",
		}
	case forge.RefCreated:
		f := refOf(a.Push)
		f.MasterBranch, f.Description = r.DefaultBranch, &r.Description
		return TypeCreate, f
	case forge.RefDeleted:
		return TypeDelete, refOf(a.Push)
	case forge.Pushed:
		p := a.Push
		return TypePush, pushFacts{r.ID, p.ID, p.Size, p.DistinctSize, p.Ref, p.After, p.Before, p.Commits}
	case forge.Forked:
		return TypeFork, forkFacts{*a.Fork}
	case forge.Starred:
		return TypeWatch, actionFacts{"started"}
	case forge.MemberAdded:
		return TypeMember, memberFacts{a.Member}
	case forge.MadePublic:
		return TypePublic, noFacts{}
	case forge.MadePrivate, forge.RepositoryRenamed, forge.RepositoryDeleted:
	}
	return "", nil
}

func refOf(p *forge.Push) refFacts {
	short, full := forge.ShortRef(p.Ref), p.Ref
	return refFacts{Ref: &short, RefType: forge.RefType(p.Ref), FullRef: &full, PusherType: "user"}
}
