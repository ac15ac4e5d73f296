package events

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/events/discussions"
	"stoa.dev/stoa/internal/service/events/objects"
	"stoa.dev/stoa/internal/service/events/releases"
)

type eventJSON struct {
	ID        string          `json:"id"`
	Type      Type            `json:"type"`
	Actor     actorJSON       `json:"actor"`
	Repo      eventRepoJSON   `json:"repo"`
	Payload   json.RawMessage `json:"payload"`
	Public    bool            `json:"public"`
	CreatedAt string          `json:"created_at"`
	Org       *actorJSON      `json:"org,omitempty"`
}

type actorJSON struct {
	ID              int64  `json:"id"`
	Login           string `json:"login"`
	DisplayLogin    string `json:"display_login,omitempty"`
	AvatarServiceID string `json:"avatar_service_id"`
	URL             string `json:"url"`
	AvatarURL       string `json:"avatar_url"`
}

type eventRepoJSON struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
	URL  string `json:"url"`
}

// encode is an event as the contract prints it, in the dialect's spelling.
func (s *Service) encode(e Event, p presentation) ([]byte, error) {
	payload, err := s.payload(e, p)
	if err != nil {
		return nil, fmt.Errorf("payload of event %d: %w", e.ID, err)
	}
	base := p.base
	out := eventJSON{
		ID: strconv.FormatInt(e.ID, 10), Type: e.Type, Payload: payload, Public: e.Public,
		CreatedAt: objects.Stamp(e.CreatedAt),
		Actor: actorJSON{
			ID: e.Actor.ID, Login: e.Actor.Name, DisplayLogin: e.Actor.Name,
			URL: base + "/users/" + e.Actor.Name, AvatarURL: objects.Avatar(base, "User", e.Actor.ID),
		},
		Repo: eventRepoJSON{ID: e.RepoID, Name: e.RepoName, URL: base + "/repos/" + e.RepoName},
	}
	if e.OrgID != 0 {
		out.Org = &actorJSON{
			ID: e.OrgID, Login: e.OrgName, URL: base + "/orgs/" + e.OrgName,
			AvatarURL: objects.Avatar(base, "Organization", e.OrgID),
		}
	}
	b, err := wire.EncodeJSON(out)
	if err != nil {
		return nil, err
	}
	return s.members.Out(b), nil
}

type pushJSON struct {
	RepositoryID int64        `json:"repository_id"`
	PushID       int64        `json:"push_id"`
	Size         int64        `json:"size"`
	DistinctSize int64        `json:"distinct_size"`
	Ref          string       `json:"ref"`
	Head         string       `json:"head"`
	Before       string       `json:"before"`
	Commits      []commitJSON `json:"commits"`
}

type commitJSON struct {
	SHA      string     `json:"sha"`
	Author   authorJSON `json:"author"`
	Message  string     `json:"message"`
	Distinct bool       `json:"distinct"`
	URL      string     `json:"url"`
}

type authorJSON struct {
	Email string `json:"email"`
	Name  string `json:"name"`
}

type forkJSON struct {
	Action string       `json:"action"`
	Forkee objects.Repo `json:"forkee"`
}

type memberJSON struct {
	Action string       `json:"action"`
	Member objects.User `json:"member"`
}

// payload turns the facts of our own events into the contract's object.
func (s *Service) payload(e Event, p presentation) (json.RawMessage, error) {
	if !e.Own {
		return editPayload(e.Payload, p.version)
	}
	switch e.Type {
	case TypeIssues, TypeIssueComment, TypePull, TypeReview, TypeReviewComment, TypeCommitComment:
		return discussions.Payload(string(e.Type), e.Payload, discussions.Place{
			Base: p.base, Repo: e.RepoName, RepoID: e.RepoID, Later: p.version != Version2022,
		})
	case TypeRelease:
		return releases.Payload(e.Payload, p.base, e.RepoName)
	case TypePush:
		return pushPayload(e, p.base)
	case TypeFork:
		var facts forkFacts
		if err := json.Unmarshal(e.Payload, &facts); err != nil {
			return nil, err
		}
		out := forkJSON{Action: "forked", Forkee: objects.NewRepo(facts.Fork, p.base)}
		out.Forkee.Public = !facts.Fork.Private
		return wire.EncodeJSON(out)
	case TypeMember:
		var facts memberFacts
		if err := json.Unmarshal(e.Payload, &facts); err != nil {
			return nil, err
		}
		member := objects.NewUser(facts.Member.ID, facts.Member.Name, "User", p.base)
		return wire.EncodeJSON(memberJSON{Action: "added", Member: member})
	case TypeCreate, TypeDelete, TypePublic, TypeWatch:
	}
	return e.Payload, nil
}

func pushPayload(e Event, base string) (json.RawMessage, error) {
	var f pushFacts
	if err := json.Unmarshal(e.Payload, &f); err != nil {
		return nil, err
	}
	out := pushJSON{
		f.RepositoryID, f.PushID, f.Size, f.DistinctSize, f.Ref, f.Head, f.Before,
		make([]commitJSON, 0, len(f.Commits)),
	}
	for _, c := range f.Commits {
		out.Commits = append(out.Commits, commitJSON{
			SHA: c.SHA, Author: authorJSON{c.Author.Email, c.Author.Name}, Message: c.Message, Distinct: c.Distinct,
			URL: base + "/repos/" + e.RepoName + "/commits/" + c.SHA,
		})
	}
	return wire.EncodeJSON(out)
}

// editPayload leaves out what the later version no longer has.
func editPayload(payload json.RawMessage, v Version) (json.RawMessage, error) {
	has := func(name string) bool { return bytes.Contains(payload, []byte(`"`+name+`"`)) }
	if v == Version2022 || !has("assignee") && !has("merge_commit_sha") {
		return payload, nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(payload, &object); err != nil {
		return nil, err
	}
	for _, name := range []string{"issue", "pull_request"} {
		var inner map[string]json.RawMessage
		if json.Unmarshal(object[name], &inner) != nil || inner == nil {
			continue // absent, or nothing to leave out of
		}
		delete(inner, "assignee")
		delete(inner, "merge_commit_sha")
		b, err := json.Marshal(inner)
		if err != nil {
			return nil, err
		}
		object[name] = b
	}
	return json.Marshal(object)
}
