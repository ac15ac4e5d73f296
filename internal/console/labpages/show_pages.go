package labpages

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"

	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/route"
)

// body is what the templates get; each uses its part.
type body struct {
	Form string
	Own  string
	// Others says that the page is about other worlds as well.
	Others  bool
	Problem string
	Done    string

	Worlds    []world
	Snapshots []snapshot
	Clock     clockState
	Moved     *moved
	Faults    []fault
	Catalog   []catalogued
	JobKinds  []jobs.Registration
	Services  []string
	// Kinds are what rules are about besides requests to services.
	Kinds      []string
	Operations []operation
	// Choices are the failures of the chosen service and operation by their service, and All those of all.
	Choices, All []choices
	// Rule is what the form of a new rule holds, by field.
	Rule map[string]string
	// Shown is a world that was asked for with its user.
	Shown    *world
	Inboxes  []inbox
	Clean    bool
	Findings []finding
	Acts     []act
	// ActsOf chooses the acts, and NextActs leads to older ones.
	ActsOf   actFilter
	NextActs string
}

// Show makes the page of the address. The address of an action, which a browser keeps
// after a refusal, leads to the page of its form.
func (p *Pages) Show(v Visit) (Page, error) {
	name, query := cmp.Or(v.Request.PathValue("page"), "worlds"), v.Request.Query()
	if a, ok := actions()[name]; ok {
		return Page{Redirect: pageURL(a.page)}, nil
	}
	return p.show(v, name, body{Done: doneText(query.Get("done")), Moved: p.moves.kept(query.Get("moved"))})
}

// doneText says what has just been done.
func doneText(action string) string {
	return map[string]string{
		"make": "The world is made.", "fork": "The copy is made.", "save": "The world is saved.",
		"delete":    "The world is deleted.",
		"reset":     "The world goes back to the state it was born in. Sign in again.",
		"set-clock": "The clock is set.", "add-fault": "The rule is added.", "delete-fault": "The rule is gone.",
		"clear-faults": "All rules are gone.", "add-inbox": "The inbox is made.",
		"answer-inbox": "The inbox answers as told.",
		"clear-inbox":  "The messages are gone.", "delete-inbox": "The inbox is gone.",
	}[action]
}

func (p *Pages) show(v Visit, name string, b body) (Page, error) {
	_, own := p.o.Control()
	if own == "" {
		return Page{}, route.ErrNoRoute
	}
	b.Form, b.Own, b.Others = v.Form, own, v.seesOthers(own)
	var err error
	title := ""
	switch name {
	case "worlds":
		title, err = "Worlds", p.readWorlds(v, &b)
	case "clock":
		title, err = "Clock", p.ask(v.Request.Context(), "GET", "/worlds/"+own+"/clock", nil, &b.Clock)
	case "faults":
		title, err = "Faults", p.readFaults(v, own, &b)
	case "inbox":
		title, err = "Inbox", p.readInboxes(v, own, &b)
	case "conduct":
		title = "Conduct"
		report := struct {
			Clean    bool      `json:"clean"`
			Findings []finding `json:"findings"`
		}{}
		err = p.ask(v.Request.Context(), "GET", "/worlds/"+own+"/conduct", nil, &report)
		b.Clean, b.Findings = report.Clean, report.Findings
	case "audit":
		title, err = "Lab audit trail", p.readActs(v, &b)
	default:
		return Page{}, route.ErrNoRoute
	}
	if err != nil {
		return Page{}, err
	}
	page, err := p.render(name, title, b)
	if b.Problem != "" {
		page.Status = http.StatusBadRequest
	}
	return page, err
}

func (p *Pages) readWorlds(v Visit, b *body) error {
	if !b.Others {
		// No call about more than the own world: what is not read cannot be shown.
		b.Worlds = make([]world, 1)
		err := p.ask(v.Request.Context(), "GET", "/worlds/"+b.Own, nil, &b.Worlds[0])
		if v.Request.Query().Get("show") == b.Own {
			b.Shown = &b.Worlds[0]
		}
		return err
	}
	var worlds struct {
		Worlds []world `json:"worlds"`
	}
	var snapshots struct {
		Snapshots []snapshot `json:"snapshots"`
	}
	err := errors.Join(p.ask(v.Request.Context(), "GET", "/worlds", nil, &worlds),
		p.ask(v.Request.Context(), "GET", "/snapshots", nil, &snapshots))
	b.Worlds, b.Snapshots = worlds.Worlds, snapshots.Snapshots
	name := v.Request.Query().Get("show")
	for i := range b.Worlds {
		if b.Worlds[i].Name == name && err == nil {
			b.Shown = &b.Worlds[i]
			err = p.ask(v.Request.Context(), "GET", "/worlds/"+name, nil, b.Shown)
		}
	}
	return err
}

func (p *Pages) readFaults(v Visit, own string, b *body) error {
	var list faultList
	var named struct {
		Faults []catalogued `json:"faults"`
	}
	err := errors.Join(p.ask(v.Request.Context(), "GET", "/worlds/"+own+"/faults", nil, &list),
		p.ask(v.Request.Context(), "GET", "/faults/catalog", nil, &named))
	b.Faults, b.Catalog = list.Faults, named.Faults
	if b.Rule == nil {
		b.Rule = map[string]string{"count": "1", "deed": "fault"}
		for _, name := range []string{"service", "operation", "fault"} {
			b.Rule[name] = v.Request.Query().Get(name)
		}
	}
	if p.o.JobKinds != nil {
		b.JobKinds = p.o.JobKinds()
	}
	b.Kinds = []string{"deliveries", "jobs"}
	b.Operations = operationsOf(named.Faults, b.JobKinds)
	_, b.Choices = choicesOf(named.Faults, b.Operations, b.Rule["service"], b.Rule["operation"])
	b.Services, b.All = choicesOf(named.Faults, b.Operations, "", "")
	return err
}

// readActs reads one page of what was done to the lab.
func (p *Pages) readActs(v Visit, b *body) error {
	var list struct {
		Entries       []act  `json:"entries"`
		NextPageToken string `json:"nextPageToken"`
	}
	asked := v.Request.Query()
	b.ActsOf = actFilter{Action: asked.Get("action")}
	query := url.Values{"limit": {"100"}}
	if !b.Others {
		asked.Set("world", b.Own)
	}
	b.ActsOf.World = asked.Get("world")
	for _, name := range []string{"world", "action", "pageToken"} {
		if value := asked.Get(name); value != "" {
			query.Set(name, value)
		}
	}
	if err := p.ask(v.Request.Context(), "GET", "/audit?"+query.Encode(), nil, &list); err != nil {
		return err
	}
	b.Acts = list.Entries
	if list.NextPageToken != "" {
		query.Set("pageToken", list.NextPageToken)
		query.Del("limit")
		b.NextActs = Base + "/audit?" + query.Encode()
	}
	return nil
}

func (p *Pages) readInboxes(v Visit, own string, b *body) error {
	var list struct {
		Inboxes []inbox `json:"inboxes"`
	}
	if err := p.ask(v.Request.Context(), "GET", "/worlds/"+own+"/inboxes", nil, &list); err != nil {
		return err
	}
	for i := range list.Inboxes {
		var messages struct {
			Messages []received `json:"messages"`
		}
		path := "/worlds/" + own + "/inboxes/" + url.PathEscape(list.Inboxes[i].Name) + "/messages"
		if err := p.ask(v.Request.Context(), "GET", path, nil, &messages); err != nil {
			return err
		}
		list.Inboxes[i].Messages = messages.Messages
	}
	b.Inboxes = list.Inboxes
	return nil
}
