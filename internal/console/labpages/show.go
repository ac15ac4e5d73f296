package labpages

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/route"
)

// body is what the templates get; each uses its part.
type body struct {
	Form    string
	Own     string
	Problem string
	Done    string

	Worlds    []world
	Snapshots []snapshot
	Clock     clockState
	Moved     *moved
	Faults    []fault
	Catalog   []catalogued
	Services  []string
	Inboxes   []inbox
	Clean     bool
	Findings  []finding
}

// Show makes the page of the address.
func (p *Pages) Show(v Visit) (Page, error) {
	return p.show(v, cmp.Or(v.Request.PathValue("page"), "worlds"), body{Done: doneText(v.Request.Query().Get("done"))})
}

// doneText says what has just been done.
func doneText(action string) string {
	return map[string]string{
		"make": "The world is made.", "fork": "The copy is made.", "save": "The world is saved.",
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
	b.Form, b.Own = v.Form, own
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
	var worlds struct {
		Worlds []world `json:"worlds"`
	}
	var snapshots struct {
		Snapshots []snapshot `json:"snapshots"`
	}
	err := errors.Join(p.ask(v.Request.Context(), "GET", "/worlds", nil, &worlds),
		p.ask(v.Request.Context(), "GET", "/snapshots", nil, &snapshots))
	b.Worlds, b.Snapshots = worlds.Worlds, snapshots.Snapshots
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
	seen := map[string]bool{}
	for _, f := range named.Faults {
		if !seen[f.Service] && f.Service != "" {
			seen[f.Service] = true
			b.Services = append(b.Services, f.Service)
		}
	}
	return err
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

// Do does what a form of the pages asks for. What changes a world changes the own one.
func (p *Pages) Do(v Visit) (Page, error) {
	_, own := p.o.Control()
	if own == "" {
		return Page{}, route.ErrNoRoute
	}
	action, ok := actions()[v.Request.PathValue("action")]
	if !ok {
		return Page{}, route.ErrNoRoute
	}
	b, err := action.do(p, v, "/worlds/"+own)
	var refused *refusal
	switch {
	case errors.As(err, &refused):
		return p.show(v, action.page, body{Problem: sentence(refused.Error())})
	case err != nil:
		return Page{}, err
	case b != nil:
		return p.show(v, action.page, *b)
	}
	to := Base
	if action.page != "worlds" {
		to += "/" + action.page
	}
	return Page{Redirect: to + "?done=" + v.Request.PathValue("action")}, nil
}

func sentence(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// action is what a form does: the page it stands on, and the call. A body means that
// the page is shown at once.
type action struct {
	page string
	do   func(p *Pages, v Visit, own string) (*body, error)
}

func actions() map[string]action {
	name := func(v Visit) any { return given("name", v.Values.Get("name")) }
	return map[string]action{
		"make": {"worlds", simple("POST", func(string, Visit) string { return "/worlds" }, func(v Visit) any {
			return given("name", v.Values.Get("name"), "from", v.Values.Get("from"), "expires", v.Values.Get("expires"))
		})},
		"fork":      {"worlds", simple("POST", below("/fork"), name)},
		"save":      {"worlds", simple("POST", below("/snapshots"), name)},
		"reset":     {"worlds", doReset},
		"set-clock": {"clock", doSetClock}, "advance": {"clock", doAdvance},
		"settle":       {"clock", doSettle},
		"add-fault":    {"faults", doAddFault},
		"delete-fault": {"faults", simple("DELETE", belowNamed("/faults/"), nil)},
		"clear-faults": {"faults", simple("DELETE", below("/faults"), nil)},
		"add-inbox": {"inbox", simple("POST", below("/inboxes"), func(v Visit) any {
			return given("name", v.Values.Get("name"))
		})},
		"answer-inbox": {"inbox", doAnswerInbox},
		"clear-inbox": {"inbox", simple("DELETE", func(own string, v Visit) string {
			return own + "/inboxes/" + url.PathEscape(v.Values.Get("name")) + "/messages"
		}, nil)},
		"delete-inbox": {"inbox", simple("DELETE", belowNamed("/inboxes/"), nil)},
	}
}

func below(path string) func(string, Visit) string {
	return func(own string, _ Visit) string { return own + path }
}

func belowNamed(path string) func(string, Visit) string {
	return func(own string, v Visit) string { return own + path + url.PathEscape(v.Values.Get("name")) }
}

func simple(
	method string, path func(own string, v Visit) string, members func(Visit) any,
) func(*Pages, Visit, string) (*body, error) {
	return func(p *Pages, v Visit, own string) (*body, error) {
		var send any
		if members != nil {
			send = members(v)
		}
		return nil, p.ask(v.Request.Context(), method, path(own, v), send, nil)
	}
}

// given is an object of the pairs that have a value.
func given(pairs ...string) map[string]any {
	out := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if value := strings.TrimSpace(pairs[i+1]); value != "" {
			out[pairs[i]] = value
		}
	}
	return out
}

// doReset needs a tick: what the world holds is lost.
func doReset(p *Pages, v Visit, own string) (*body, error) {
	if v.Values.Get("sure") == "" {
		return nil, &refusal{Message: "tick the box to reset the world"}
	}
	return nil, p.ask(v.Request.Context(), "POST", own+"/reset", map[string]any{}, nil)
}

func doSetClock(p *Pages, v Visit, own string) (*body, error) {
	send := given("mode", v.Values.Get("mode"))
	if text := v.Values.Get("now"); text != "" {
		at, err := time.Parse("2006-01-02T15:04:05", text)
		if err != nil {
			if at, err = time.Parse("2006-01-02T15:04", text); err != nil {
				return nil, &refusal{Message: "choose a date and a time"}
			}
		}
		send["now"] = at.UTC()
	}
	if text := v.Values.Get("rate"); text != "" && v.Values.Get("mode") == "running" {
		rate, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, &refusal{Message: "the rate is a number, such as 60"}
		}
		send["rate"] = rate
	}
	return nil, p.ask(v.Request.Context(), "PATCH", own+"/clock", send, nil)
}

func doAdvance(p *Pages, v Visit, own string) (*body, error) {
	m := &moved{}
	by := cmp.Or(strings.TrimSpace(v.Values.Get("by")), v.Values.Get("step"))
	if by == "" {
		return nil, &refusal{Message: "say by how much, such as 90m or 7d"}
	}
	err := p.ask(v.Request.Context(), "POST", own+"/clock/advance", map[string]any{"by": by}, m)
	return &body{Moved: m}, err
}

func doSettle(p *Pages, v Visit, own string) (*body, error) {
	m := &moved{}
	return &body{Moved: m}, p.ask(v.Request.Context(), "POST", own+"/clock/settle", map[string]any{}, m)
}

// doAddFault reads the rule: what it matches, when, and what happens.
func doAddFault(p *Pages, v Visit, own string) (*body, error) {
	get := func(name string) string { return strings.TrimSpace(v.Values.Get(name)) }
	match := given("service", get("service"), "operation", get("operation"), "method", get("method"), "path", get("path"),
		"caller", get("caller"))
	deed := map[string]any{}
	switch get("deed") {
	case "fault":
		deed["fault"] = get("fault")
	case "status":
		status, err := strconv.Atoi(get("value"))
		if err != nil {
			return nil, &refusal{Message: "the status is a number, such as 503"}
		}
		deed["status"] = status
	case "delay":
		deed["delay"] = get("value")
	case "cut":
		bytes, err := strconv.Atoi(cmp.Or(get("value"), "0"))
		if err != nil {
			return nil, &refusal{Message: "after how many bytes is a number"}
		}
		deed["cut"] = map[string]any{"afterBytes": bytes}
	case "reset":
		deed["reset"] = true
	}
	send := map[string]any{"match": match, "deed": deed}
	if when := get("when"); when != "" {
		n, err := strconv.Atoi(cmp.Or(get("count"), "1"))
		if err != nil {
			return nil, &refusal{Message: "which request is a number"}
		}
		send["when"] = map[string]any{when: n}
	}
	return nil, p.ask(v.Request.Context(), "POST", own+"/faults", send, nil)
}

func doAnswerInbox(p *Pages, v Visit, own string) (*body, error) {
	answer := map[string]any{}
	for _, name := range []string{"status", "times"} {
		if text := strings.TrimSpace(v.Values.Get(name)); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil {
				return nil, &refusal{Message: name + " is a number"}
			}
			answer[name] = n
		}
	}
	path := own + "/inboxes/" + url.PathEscape(v.Values.Get("name"))
	return nil, p.ask(v.Request.Context(), "PATCH", path, map[string]any{"answer": answer}, nil)
}
