package payload

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/wire"
)

// schema is what the payload of a type must have.
type schema struct {
	// members maps required members to the JSON kind they have: an object, a
	// list, text, a whole number; with "?" it may also be null.
	members string
	// actions are the values of action, when it is one of the members.
	actions []string
	// inner lists members that an object member, or each entry of a list, must
	// have.
	inner map[string]string
}

// schemas is the current set of types. Two that were removed from it are still
// accepted, because clients still read them.
func schemas() map[string]schema {
	const (
		comment  = "id:number body:text user:object"
		issue    = "id:number number:number title:text user:object"
		pull     = "id:number number:number url:text head:object base:object"
		wikiPage = "page_name:text title:text action:text sha:text html_url:text"
	)
	type inner = map[string]string
	created := []string{"created"}
	labeled := []string{"opened", "closed", "reopened", "assigned", "unassigned", "labeled", "unlabeled"}
	reviewed := []string{"merged", "edited", "synchronize", "review_requested", "review_request_removed"}
	return map[string]schema{
		"CommitCommentEvent": {
			"action:text comment:object", created,
			inner{"comment": "id:number body:text commit_id:text user:object"},
		},
		"CreateEvent":     {"ref:text? ref_type:text full_ref:text? master_branch:text pusher_type:text", nil, nil},
		"DeleteEvent":     {"ref:text ref_type:text full_ref:text pusher_type:text", nil, nil},
		"DiscussionEvent": {"action:text discussion:object", created, inner{"discussion": issue}},
		"ForkEvent": {
			"action:text forkee:object", []string{"forked"}, inner{"forkee": "id:number full_name:text"},
		},
		"GollumEvent": {"pages:list", nil, inner{"pages": wikiPage}},
		"IssueCommentEvent": {
			"action:text issue:object comment:object", []string{"created", "edited", "deleted"},
			inner{"issue": issue, "comment": comment},
		},
		"IssuesEvent": {"action:text issue:object", append(labeled, "edited"), inner{"issue": issue}},
		"MemberEvent": {
			"action:text member:object", []string{"added", "edited"}, inner{"member": "id:number login:text"},
		},
		"PublicEvent": {"", nil, nil},
		"PullRequestEvent": {
			"action:text number:number pull_request:object", append(labeled, reviewed...), inner{"pull_request": pull},
		},
		"PullRequestReviewEvent": {
			"action:text review:object pull_request:object", []string{"created", "updated", "dismissed"},
			inner{"review": "id:number user:object state:text", "pull_request": pull},
		},
		"PullRequestReviewCommentEvent": {
			"action:text pull_request:object comment:object", created,
			inner{"comment": comment, "pull_request": pull},
		},
		"PullRequestReviewThreadEvent": {
			"action:text pull_request:object thread:object", []string{"resolved", "unresolved"},
			inner{"pull_request": pull},
		},
		"PushEvent": {"push_id:number ref:text head:text before:text", nil, nil},
		"ReleaseEvent": {
			"action:text release:object", []string{"published"},
			inner{"release": "id:number tag_name:text draft:boolean prerelease:boolean"},
		},
		"SponsorshipEvent": {"action:text effective_date:text", created, nil},
		"WatchEvent":       {"action:text", []string{"started"}, nil},
	}
}

// Violation is what a payload lacks. Without a message the type is not one.
type Violation struct{ Field, Message string }

func (v *Violation) Error() string { return v.Message }

func violation(field, format string, args ...any) error {
	return &Violation{Field: field, Message: fmt.Sprintf(format, args...)}
}

// Check checks that a payload has what its type demands.
func Check(kind string, payload json.RawMessage) error {
	s, ok := schemas()[kind]
	if !ok {
		return &Violation{Field: "type"}
	}
	var object map[string]json.RawMessage
	if err := wire.DecodeJSON(payload, &object); err != nil || object == nil {
		return violation("payload", "payload must be a JSON object")
	}
	if err := checkMembers("payload", object, s.members); err != nil {
		return err
	}
	if len(s.actions) > 0 {
		var action string
		if err := json.Unmarshal(object["action"], &action); err != nil || !slices.Contains(s.actions, action) {
			return violation("payload.action", "action must be one of %s", strings.Join(s.actions, ", "))
		}
	}
	for name, members := range s.inner {
		if err := checkInner("payload."+name, object[name], members); err != nil {
			return err
		}
	}
	return nil
}

// checkInner checks an object, or every entry of a list.
func checkInner(path string, raw json.RawMessage, members string) error {
	var entries []map[string]json.RawMessage
	if kindOf(raw) == "list" {
		if err := json.Unmarshal(raw, &entries); err != nil {
			return violation(path, "%s must hold objects", path)
		}
	} else {
		var one map[string]json.RawMessage
		if err := json.Unmarshal(raw, &one); err != nil {
			return violation(path, "%s must be an object", path)
		}
		entries = append(entries, one)
	}
	for _, e := range entries {
		if err := checkMembers(path, e, members); err != nil {
			return err
		}
	}
	return nil
}

func checkMembers(path string, object map[string]json.RawMessage, members string) error {
	for _, m := range strings.Fields(members) {
		name, want, _ := strings.Cut(m, ":")
		want, nullable := strings.CutSuffix(want, "?")
		got := kindOf(object[name])
		if got != want && (got != "null" || !nullable) {
			return violation(path+"."+name, "%s.%s must be of kind %s", path, name, want)
		}
	}
	return nil
}

// kindOf names the JSON kind of a value.
func kindOf(raw json.RawMessage) string {
	text := strings.TrimSpace(string(raw))
	switch {
	case text == "":
		return "missing"
	case text == "null":
		return "null"
	case text == "true" || text == "false":
		return "boolean"
	}
	switch text[0] {
	case '{':
		return "object"
	case '[':
		return "list"
	case '"':
		return "text"
	}
	return "number"
}
