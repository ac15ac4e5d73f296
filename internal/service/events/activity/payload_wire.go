package activity

import (
	"encoding/json"

	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/events/objects"
)

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

// Payload is the contract's object for the facts of an event; repo is OWNER/NAME.
func Payload(kind string, raw json.RawMessage, base, repo string) (json.RawMessage, error) {
	switch kind {
	case TypePush:
		return pushPayload(raw, base, repo)
	case TypeFork:
		var facts forkFacts
		if err := json.Unmarshal(raw, &facts); err != nil {
			return nil, err
		}
		out := forkJSON{Action: "forked", Forkee: objects.NewRepo(facts.Fork, base)}
		out.Forkee.Public = !facts.Fork.Private
		return wire.EncodeJSON(out)
	case TypeMember:
		var facts memberFacts
		if err := json.Unmarshal(raw, &facts); err != nil {
			return nil, err
		}
		member := objects.NewUser(facts.Member.ID, facts.Member.Name, "User", base)
		return wire.EncodeJSON(memberJSON{Action: "added", Member: member})
	case TypeCreate, TypeDelete, TypePublic, TypeWatch:
	}
	return raw, nil
}

func pushPayload(raw json.RawMessage, base, repo string) (json.RawMessage, error) {
	var f pushFacts
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, err
	}
	out := pushJSON{
		f.RepositoryID, f.PushID, f.Size, f.DistinctSize, f.Ref, f.Head, f.Before,
		make([]commitJSON, 0, len(f.Commits)),
	}
	for _, c := range f.Commits {
		out.Commits = append(out.Commits, commitJSON{
			SHA: c.SHA, Author: authorJSON{c.Author.Email, c.Author.Name}, Message: c.Message, Distinct: c.Distinct,
			URL: base + "/repos/" + repo + "/commits/" + c.SHA,
		})
	}
	return wire.EncodeJSON(out)
}
