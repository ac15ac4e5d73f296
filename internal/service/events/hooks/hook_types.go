package hooks

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/service/events/refusal"
)

const (
	maxHooks   = 20 // of one repository or organization
	maxSecret  = 200
	maxAddress = 2000
	// maxMessage is the most that the delivery engine takes.
	maxMessage = 250 << 10
	// patience is how long a message is tried.
	patience = 10 * time.Minute
	// keep is how long deliveries are listed.
	keep = 30 * 24 * time.Hour
	// every is the subscription to all types.
	every = "*"
	ping  = "ping"
)

// words are the types of events as subscriptions write them.
func words() map[string]string {
	return map[string]string{
		"CommitCommentEvent": "commit_comment", "CreateEvent": "create", "DeleteEvent": "delete",
		"DiscussionEvent": "discussion", "ForkEvent": "fork", "GollumEvent": "gollum",
		"IssueCommentEvent": "issue_comment", "IssuesEvent": "issues", "MemberEvent": "member", "PublicEvent": "public",
		"PullRequestEvent": "pull_request", "PullRequestReviewEvent": "pull_request_review",
		"PullRequestReviewCommentEvent": "pull_request_review_comment",
		"PullRequestReviewThreadEvent":  "pull_request_review_thread", "PushEvent": "push", "ReleaseEvent": "release",
		"SponsorshipEvent": "sponsorship", "WatchEvent": "watch",
	}
}

// Hook is a subscription. Address and Secret are sealed at rest.
type Hook struct {
	ID        int64
	Owner     owner
	Active    bool
	Events    []string
	Form      bool // the body is a form with the payload, not JSON
	Address   string
	Secret    string
	CreatedBy int64
	CreatedAt time.Time
	UpdatedAt time.Time
}

// owner is whose events a hook tells: a repository or an organization.
type owner struct {
	Kind string
	ID   int64
}

// repository is the kind of an owner that is one.
const repository = "repository"

func ofRepository(r forge.Repository) owner { return owner{repository, r.ID} }

func ofOrganization(id int64) owner { return owner{"organization", id} }

// takes reports whether a hook subscribes to a word.
func (h Hook) takes(word string) bool {
	return h.Active && (slices.Contains(h.Events, every) || slices.Contains(h.Events, word))
}

func (h Hook) check() error {
	known := words()
	for _, word := range h.Events {
		ok := word == every
		for _, w := range known {
			ok = ok || w == word
		}
		if !ok {
			return refusal.Invalid("events", "events must be of %s", strings.Join(sorted(known), ", "))
		}
	}
	switch {
	case len(h.Events) == 0 || len(h.Events) > len(known)+1:
		return refusal.Invalid("events", "events must name what the hook is told")
	case h.Address == "" || len(h.Address) > maxAddress:
		return refusal.Invalid("url", "url must be an address of at most %d bytes", maxAddress)
	case len(h.Secret) > maxSecret || !utf8.ValidString(h.Secret):
		return refusal.Invalid("secret", "secret must be text of at most %d bytes", maxSecret)
	}
	return nil
}

func sorted(m map[string]string) []string {
	var out []string
	for _, w := range m {
		out = append(out, w)
	}
	slices.Sort(out)
	return out
}

// delivery is a message that was enqueued for a hook.
type delivery struct {
	ID, HookID int64
	// GUID is what the receiver is told, Message the engine's name of it. Message is
	// empty when Problem says why nothing was sent.
	GUID, Message string
	Word, Action  string
	RepoID        int64
	Again         bool
	Problem       string
	At            time.Time
}
