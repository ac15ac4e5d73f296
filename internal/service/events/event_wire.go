package events

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/events/activity"
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
	actor := objects.NewActor(e.Actor, base)
	out := eventJSON{
		ID: strconv.FormatInt(e.ID, 10), Type: e.Type, Payload: payload, Public: e.Public,
		CreatedAt: objects.Stamp(e.CreatedAt),
		Actor: actorJSON{
			ID: actor.ID, Login: actor.Login, DisplayLogin: strings.TrimSuffix(actor.Login, objects.BotSuffix),
			URL: actor.URL, AvatarURL: actor.AvatarURL,
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
	default:
		return activity.Payload(string(e.Type), e.Payload, p.base, e.RepoName)
	}
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
