package hooks

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/deliver"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/events/objects"
)

type configJSON struct {
	URL         string `json:"url"`
	ContentType string `json:"content_type"`
	InsecureSSL string `json:"insecure_ssl"`
	Secret      string `json:"secret,omitempty"`
}

type hookJSON struct {
	Type          string     `json:"type"`
	ID            int64      `json:"id"`
	Name          string     `json:"name"`
	Active        bool       `json:"active"`
	Events        []string   `json:"events"`
	Config        configJSON `json:"config"`
	UpdatedAt     string     `json:"updated_at"`
	CreatedAt     string     `json:"created_at"`
	URL           string     `json:"url"`
	PingURL       string     `json:"ping_url"`
	DeliveriesURL string     `json:"deliveries_url"`
}

// hookToWire is the object of a hook; list is the address of all hooks beside it.
func hookToWire(h Hook, list string) hookJSON {
	at := list + "/" + strconv.FormatInt(h.ID, 10)
	out := hookJSON{
		Type: strings.ToUpper(h.Owner.Kind[:1]) + h.Owner.Kind[1:], ID: h.ID, Name: "web", Active: h.Active,
		Events: h.Events, Config: configJSON{URL: h.Address, ContentType: "json", InsecureSSL: "0"},
		UpdatedAt: objects.Stamp(h.UpdatedAt), CreatedAt: objects.Stamp(h.CreatedAt), URL: at, PingURL: at + "/pings",
		DeliveriesURL: at + "/deliveries",
	}
	if h.Form {
		out.Config.ContentType = "form"
	}
	if h.Secret != "" {
		out.Config.Secret = "********"
	}
	return out
}

type pingJSON struct {
	Zen        string        `json:"zen"`
	HookID     int64         `json:"hook_id"`
	Hook       hookJSON      `json:"hook"`
	Repository *objects.Repo `json:"repository,omitempty"`
	Sender     objects.User  `json:"sender"`
}

// body is what hooks are sent about an event: the payload of the feed, where it happened
// and who did it. A push is told in the words of hooks besides.
func (k *Hooks) body(ctx context.Context, o Occurrence) (body []byte, action string, err error) {
	base := k.world.URL(ctx)
	payload, err := o.Payload(base)
	if err != nil {
		return nil, "", err
	}
	members := map[string]any{}
	if err := json.Unmarshal(payload, &members); err != nil {
		return nil, "", err
	}
	if o.Type == "PushEvent" {
		addPush(members, base, o)
	}
	members["repository"], members["sender"] = objects.NewRepo(o.Repository, base), objects.NewActor(o.Actor, base)
	if o.Repository.Owner.Kind == forge.OwnerOrg {
		members["organization"] = objects.NewOwner(o.Repository.Owner, base)
	}
	action, _ = members["action"].(string) // not all types have one
	text, err := wire.EncodeJSON(members)
	return k.world.Dialect.Members("I").Out(text), action, err
}

// addPush adds the members that hooks have and feeds have not.
func addPush(members map[string]any, base string, o Occurrence) {
	before, _ := members["before"].(string)
	after, _ := members["head"].(string)
	members["after"] = after
	members["created"], members["deleted"] = before == forge.Zero, after == forge.Zero
	members["pusher"] = map[string]string{"name": o.Actor.Name}
	members["compare"] = base + "/repos/" + o.Repository.FullName() + "/compare/" + before + "..." + after
	members["head_commit"] = nil
	commits, _ := members["commits"].([]any)
	for _, c := range commits {
		if commit, ok := c.(map[string]any); ok {
			commit["id"] = commit["sha"]
			members["head_commit"] = commit
		}
	}
}

type deliveryJSON struct {
	ID           int64   `json:"id"`
	GUID         string  `json:"guid"`
	DeliveredAt  string  `json:"delivered_at"`
	Redelivery   bool    `json:"redelivery"`
	Duration     float64 `json:"duration"`
	Status       string  `json:"status"`
	StatusCode   int     `json:"status_code"`
	Event        string  `json:"event"`
	Action       *string `json:"action"`
	RepositoryID *int64  `json:"repository_id"`
	URL          string  `json:"url,omitempty"`
}

// deliveryToWire is what became of a message; sent is what the engine knows of it.
func deliveryToWire(d delivery, sent deliver.Delivery, list string) deliveryJSON {
	out := deliveryJSON{
		ID: d.ID, GUID: d.GUID, DeliveredAt: objects.Stamp(d.At), Redelivery: d.Again, Event: d.Word,
		Action: objects.OrNull(d.Action), Status: d.Problem, URL: list + "/" + strconv.FormatInt(d.ID, 10),
		Duration: sent.Duration.Seconds(), StatusCode: sent.Status,
	}
	if d.RepoID != 0 {
		out.RepositoryID = &d.RepoID
	}
	switch {
	case out.Status != "":
	case sent.State == deliver.Delivered:
		out.Status = "OK"
	case sent.LastError != "":
		out.Status = sent.LastError
	default:
		out.Status = string(sent.State)
	}
	return out
}
