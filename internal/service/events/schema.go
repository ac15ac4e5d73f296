package events

import (
	"encoding/json"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/wire"
)

// shape is what the payload of a type must hold.
type shape struct {
	// members maps required members to the JSON kind they have: an object, a
	// list, text, a whole number; "?" allows null besides.
	members string
	// actions are the values of action, when it is one of the members.
	actions []string
	// inner lists members that an object member, or each entry of a list, must
	// hold.
	inner map[string]string
}

// shapes is the current set of types. Two that were removed from it are still
// accepted, because clients still read them.
func shapes() map[Type]shape {
	created := []string{"created"}
	labeled := []string{"opened", "closed", "reopened", "assigned", "unassigned", "labeled", "unlabeled"}
	pull := map[string]string{"pull_request": "id:number number:number url:text head:object base:object"}
	return map[Type]shape{
		"CommitCommentEvent": {"action:text comment:object", created, map[string]string{"comment": "id:number body:text commit_id:text user:object"}},
		"CreateEvent":        {"ref:text? ref_type:text full_ref:text? master_branch:text pusher_type:text", nil, nil},
		"DeleteEvent":        {"ref:text ref_type:text full_ref:text pusher_type:text", nil, nil},
		"DiscussionEvent":    {"action:text discussion:object", created, map[string]string{"discussion": "id:number number:number title:text user:object"}},
		"ForkEvent":          {"action:text forkee:object", []string{"forked"}, map[string]string{"forkee": "id:number full_name:text"}},
		"GollumEvent":        {"pages:list", nil, map[string]string{"pages": "page_name:text title:text action:text sha:text html_url:text"}},
		"IssueCommentEvent": {
			"action:text issue:object comment:object",
			[]string{"created", "edited", "deleted"},
			map[string]string{"issue": "id:number number:number title:text user:object", "comment": "id:number body:text user:object"},
		},
		"IssuesEvent":      {"action:text issue:object", append(labeled, "edited"), map[string]string{"issue": "id:number number:number title:text user:object"}},
		"MemberEvent":      {"action:text member:object", []string{"added", "edited"}, map[string]string{"member": "id:number login:text"}},
		"PublicEvent":      {"", nil, nil},
		"PullRequestEvent": {"action:text number:number pull_request:object", append(labeled, "merged", "edited", "synchronize", "review_requested", "review_request_removed"), pull},
		"PullRequestReviewEvent": {
			"action:text review:object pull_request:object",
			[]string{"created", "updated", "dismissed"},
			map[string]string{"review": "id:number user:object state:text", "pull_request": pull["pull_request"]},
		},
		"PullRequestReviewCommentEvent": {
			"action:text pull_request:object comment:object", created,
			map[string]string{"comment": "id:number body:text user:object", "pull_request": pull["pull_request"]},
		},
		"PullRequestReviewThreadEvent": {"action:text pull_request:object thread:object", []string{"resolved", "unresolved"}, pull},
		"PushEvent":                    {"push_id:number ref:text head:text before:text", nil, nil},
		"ReleaseEvent":                 {"action:text release:object", []string{"published"}, map[string]string{"release": "id:number tag_name:text draft:boolean prerelease:boolean"}},
		"SponsorshipEvent":             {"action:text effective_date:text", created, nil},
		"WatchEvent":                   {"action:text", []string{"started"}, nil},
	}
}

// checkPayload tells what is wrong with a payload.
func checkPayload(kind Type, payload json.RawMessage) error {
	s, ok := shapes()[kind]
	if !ok {
		return errInvalid("type", "type "+clip(string(kind))+" is not an event type")
	}
	var object map[string]json.RawMessage
	if err := wire.DecodeJSON(payload, &object); err != nil || object == nil {
		return errInvalid("payload", "payload must be a JSON object")
	}
	if err := checkMembers("payload", object, s.members); err != nil {
		return err
	}
	if len(s.actions) > 0 {
		var action string
		if err := json.Unmarshal(object["action"], &action); err != nil || !slices.Contains(s.actions, action) {
			return errInvalid("payload.action", "action must be one of "+strings.Join(s.actions, ", "))
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
			return errInvalid(path, path+" must hold objects")
		}
	} else {
		var one map[string]json.RawMessage
		if err := json.Unmarshal(raw, &one); err != nil {
			return errInvalid(path, path+" must be an object")
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
			return errInvalid(path+"."+name, path+"."+name+" must be of kind "+want)
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
