package hooks

import (
	"context"
	"encoding/json"
	"net/http"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/events/objects"
	"stoa.dev/stoa/internal/service/events/operation"
	"stoa.dev/stoa/internal/service/events/refusal"
)

type result = operation.Result

type hookRequest struct {
	Name         string    `json:"name"`
	Active       *bool     `json:"active"`
	Events       *[]string `json:"events"`
	AddEvents    []string  `json:"add_events"`
	RemoveEvents []string  `json:"remove_events"`
	Config       *struct {
		URL         *string         `json:"url"`
		ContentType *string         `json:"content_type"`
		Secret      *string         `json:"secret"`
		InsecureSSL json.RawMessage `json:"insecure_ssl"`
	} `json:"config"`
}

// onto changes a hook to what the request says.
func (in hookRequest) onto(h *Hook) error {
	if in.Name != "" && in.Name != "web" {
		return refusal.Invalid("name", "name must be web")
	}
	if in.Active != nil {
		h.Active = *in.Active
	}
	if in.Events != nil {
		h.Events = *in.Events
	}
	h.Events = append(without(h.Events, append(in.RemoveEvents, in.AddEvents...)), in.AddEvents...)
	c := in.Config
	if c == nil {
		return nil
	}
	if c.URL != nil {
		h.Address = *c.URL
	}
	if c.Secret != nil {
		h.Secret = *c.Secret
	}
	if text := string(c.InsecureSSL); text != "" && text != "0" && text != `"0"` {
		return refusal.Invalid("insecure_ssl", "certificates of receivers are always verified")
	}
	if c.ContentType != nil {
		if *c.ContentType != "json" && *c.ContentType != "form" {
			return refusal.Invalid("content_type", "content_type must be json or form")
		}
		h.Form = *c.ContentType == "form"
	}
	return nil
}

func without(list, gone []string) []string {
	out := []string{}
	for _, word := range list {
		keep := true
		for _, g := range gone {
			keep = keep && g != word
		}
		if keep {
			out = append(out, word)
		}
	}
	return out
}

// Routes are the operations, the same for repositories and organizations.
func (k *Hooks) Routes() []route.Route {
	read, change := k.host.Read, k.host.Change
	const repo, org = "/repos/{owner}/{repo}/hooks", "/orgs/{org}/hooks"
	return []route.Route{
		read(repo, "list_hooks", k.handleHooks), read(org, "list_org_hooks", k.handleHooks),
		change("POST", repo, "create_hook", k.handleCreateHook),
		change("POST", org, "create_org_hook", k.handleCreateHook),
		read(repo+"/{id}", "get_hook", k.handleHook), read(org+"/{id}", "get_org_hook", k.handleHook),
		change("PATCH", repo+"/{id}", "update_hook", k.handleUpdateHook),
		change("PATCH", org+"/{id}", "update_org_hook", k.handleUpdateHook),
		change("DELETE", repo+"/{id}", "delete_hook", k.handleDeleteHook),
		change("DELETE", org+"/{id}", "delete_org_hook", k.handleDeleteHook),
		change("POST", repo+"/{id}/pings", "ping_hook", k.handlePingHook),
		change("POST", org+"/{id}/pings", "ping_org_hook", k.handlePingHook),
		read(repo+"/{id}/deliveries", "list_hook_deliveries", k.handleDeliveries),
		read(org+"/{id}/deliveries", "list_org_hook_deliveries", k.handleDeliveries),
		read(repo+"/{id}/deliveries/{delivery}", "get_hook_delivery", k.handleDelivery),
		read(org+"/{id}/deliveries/{delivery}", "get_org_hook_delivery", k.handleDelivery),
		change("POST", repo+"/{id}/deliveries/{delivery}/attempts", "redeliver_hook", k.handleRedeliver),
		change("POST", org+"/{id}/deliveries/{delivery}/attempts", "redeliver_org_hook", k.handleRedeliver),
	}
}

// place is whose hooks a request is about.
type place struct {
	owner owner
	repo  *forge.Repository
	actor forge.Actor
	base  string
	// list is the address of the hooks.
	list string
}

// place finds whose hooks a request is about. They are for those who administer: others
// may see the repository and not that there are hooks.
func (k *Hooks) place(r *route.Request) (place, error) {
	caller := identity.From(r)
	if caller == nil {
		return place{}, refusal.NotFound()
	}
	if r.PathValue("org") != "" {
		org, err := k.host.Organization(r)
		if err == nil && !caller.HasScope(forge.ScopeAdministration) {
			err = refusal.MissingScope(forge.ScopeAdministration)
		}
		base := k.host.Base(r)
		return place{ofOrganization(org.ID), nil, forge.ActorOf(caller), base, base + "/orgs/" + org.Name + "/hooks"}, err
	}
	s, err := k.host.Changing(r, forge.Read, forge.ScopeAdministration)
	if err == nil && s.May < forge.Admin {
		err = refusal.NotFound()
	}
	return place{ofRepository(s.Repo), &s.Repo, s.Actor, s.Base, s.URL() + "/hooks"}, err
}

// hook is the one of the path.
func (k *Hooks) hook(r *route.Request) (p place, h Hook, err error) {
	if p, err = k.place(r); err != nil {
		return p, h, err
	}
	id, err := operation.Number(r, "id")
	if err != nil {
		return p, h, err
	}
	h, err = k.hookByID(r.Context(), k.host.DB, p.owner, id)
	return p, h, found(err)
}

func (k *Hooks) handleHooks(r *route.Request) (result, error) {
	p, err := k.place(r)
	if err != nil {
		return result{}, err
	}
	list, err := k.hooksOf(r.Context(), k.host.DB, p.owner)
	out := []hookJSON{}
	for _, h := range list {
		out = append(out, hookToWire(h, p.list))
	}
	return operation.ListOf(cut(out, k.host.Page(r)), int64(len(out))), err
}

// cut is the part of a whole list that a page shows.
func cut[T any](list []T, at operation.Page) []T {
	from := min(at.Offset, int64(len(list)))
	return list[from:min(from+int64(at.Size), int64(len(list)))]
}

// handleCreateHook adds a hook, which is pinged.
func (k *Hooks) handleCreateHook(r *route.Request) (result, error) {
	var in hookRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return result{}, err
	}
	p, err := k.place(r)
	if err != nil {
		return result{}, err
	}
	h := Hook{Owner: p.owner, Active: true, Events: []string{"push"}, Form: true, CreatedBy: p.actor.ID}
	if err := in.onto(&h); err != nil {
		return result{}, err
	}
	if h, err = k.create(r.Context(), h, p.ping); err != nil {
		return result{}, err
	}
	out := hookToWire(h, p.list)
	return operation.Created(out, out.URL), nil
}

// ping is the message that only says that a hook works.
func (p place) ping(h Hook) ([]byte, error) {
	out := pingJSON{
		Zen: "What is offered is used.", HookID: h.ID, Hook: hookToWire(h, p.list), Sender: objects.NewActor(p.actor, p.base),
	}
	if p.repo != nil {
		repo := objects.NewRepo(*p.repo, p.base)
		out.Repository = &repo
	}
	return wire.EncodeJSON(out)
}

func (k *Hooks) handleHook(r *route.Request) (result, error) {
	p, h, err := k.hook(r)
	if err != nil {
		return result{}, err
	}
	return operation.OK(hookToWire(h, p.list)), nil
}

func (k *Hooks) handleUpdateHook(r *route.Request) (result, error) {
	var in hookRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return result{}, err
	}
	p, h, err := k.hook(r)
	if err != nil {
		return result{}, err
	}
	if h, err = k.edit(r.Context(), p.owner, h.ID, p.actor.ID, in.onto); err != nil {
		return result{}, err
	}
	return operation.OK(hookToWire(h, p.list)), nil
}

func (k *Hooks) handleDeleteHook(r *route.Request) (result, error) {
	p, h, err := k.hook(r)
	if err != nil {
		return result{}, err
	}
	return operation.Empty(), k.remove(r.Context(), p.owner, h.ID)
}

func (k *Hooks) handlePingHook(r *route.Request) (result, error) {
	p, h, err := k.hook(r)
	if err != nil {
		return result{}, err
	}
	return operation.Empty(), k.sendPing(r.Context(), p.owner, h.ID, p.ping)
}

// deliveriesToWire shows deliveries of a hook with what the engine knows of their messages.
func (k *Hooks) deliveriesToWire(ctx context.Context, p place, h Hook, list []delivery) ([]deliveryJSON, error) {
	messages := make([]string, len(list))
	for n, d := range list {
		messages[n] = d.Message
	}
	sent, err := k.world.Deliver.ByID(ctx, messages)
	out := make([]deliveryJSON, len(list))
	for n, d := range list {
		out[n] = deliveryToWire(d, sent[d.Message], hookToWire(h, p.list).DeliveriesURL)
	}
	return out, err
}

// handleDeliveries lists what was sent, the newest first.
func (k *Hooks) handleDeliveries(r *route.Request) (result, error) {
	p, h, err := k.hook(r)
	if err != nil {
		return result{}, err
	}
	list, total, err := listDeliveries(r.Context(), k.host.DB, h.ID, k.host.Page(r))
	if err != nil {
		return result{}, err
	}
	out, err := k.deliveriesToWire(r.Context(), p, h, list)
	return operation.ListOf(out, total), err
}

func (k *Hooks) handleDelivery(r *route.Request) (result, error) {
	p, h, err := k.hook(r)
	if err != nil {
		return result{}, err
	}
	id, err := operation.Number(r, "delivery")
	if err != nil {
		return result{}, err
	}
	d, err := deliveryByID(r.Context(), k.host.DB, h.ID, id)
	if err != nil {
		return result{}, found(err)
	}
	out, err := k.deliveriesToWire(r.Context(), p, h, []delivery{d})
	if err != nil {
		return result{}, err
	}
	return operation.OK(out[0]), nil
}

// handleRedeliver sends a delivery once more.
func (k *Hooks) handleRedeliver(r *route.Request) (result, error) {
	p, h, err := k.hook(r)
	if err != nil {
		return result{}, err
	}
	id, err := operation.Number(r, "delivery")
	if err != nil {
		return result{}, err
	}
	return result{Status: http.StatusAccepted, Body: struct{}{}}, k.redeliver(r.Context(), p.owner, h.ID, id)
}
