package labpages

import (
	"cmp"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/route"
)

// Do does what a form of the pages asks for. What changes a world changes the own one, which is not deleted, because
// its page would go with it. Others are made and deleted by who sees them.
func (p *Pages) Do(v Visit) (Page, error) {
	_, own := p.o.Control()
	if own == "" {
		return Page{}, route.ErrNoRoute
	}
	name := v.Request.PathValue("action")
	action, ok := actions()[name]
	if !ok || (name == "make" || name == "delete") && !v.seesOthers(own) {
		return Page{}, route.ErrNoRoute
	}
	m, err := action.do(p, v, "/worlds/"+own)
	var refused *refusal
	switch {
	case errors.As(err, &refused):
		b := body{Problem: sentence(formWords(refused.Error())), Rule: map[string]string{}}
		for name := range v.Values {
			b.Rule[name] = v.Values.Get(name)
		}
		return p.show(v, action.page, b)
	case err != nil:
		return Page{}, err
	}
	to := pageURL(action.page) + "?done=" + name
	if m != nil {
		to += "&moved=" + p.moves.keep(m)
	}
	return Page{Redirect: to}, nil
}

// pageURL is the address of a page by its name.
func pageURL(name string) string {
	if name == "worlds" {
		return Base
	}
	return Base + "/" + name
}

func sentence(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// action is what a form does: the page it stands on, and the call. It may return what
// ran, for the page to show.
type action struct {
	page string
	do   func(p *Pages, v Visit, own string) (*moved, error)
}

func actions() map[string]action {
	name := func(v Visit) any { return given("name", v.Values.Get("name")) }
	return map[string]action{
		"make":      {"worlds", doMake},
		"delete":    {"worlds", doDelete},
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
) func(*Pages, Visit, string) (*moved, error) {
	return func(p *Pages, v Visit, own string) (*moved, error) {
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

// doMake makes a world, whose clock stands where one is set.
func doMake(p *Pages, v Visit, _ string) (*moved, error) {
	send := given("name", v.Values.Get("name"), "from", v.Values.Get("from"), "expires", v.Values.Get("expires"))
	if text := v.Values.Get("clock"); text != "" {
		at, err := timeOf(text)
		if err != nil {
			return nil, err
		}
		send["clock"] = map[string]any{"mode": "frozen", "now": at}
	}
	return nil, p.ask(v.Request.Context(), "POST", "/worlds", send, nil)
}

// doDelete needs a tick: what the world holds is lost.
func doDelete(p *Pages, v Visit, own string) (*moved, error) {
	path := "/worlds/" + url.PathEscape(v.Values.Get("name"))
	switch {
	case v.Values.Get("name") == "":
		return nil, &refusal{Message: "choose a world"}
	case path == own:
		return nil, &refusal{Message: "this page is of the world itself: delete it on the page of another world"}
	case v.Values.Get("sure") == "":
		return nil, &refusal{Message: "tick the box to delete the world"}
	}
	return nil, p.ask(v.Request.Context(), "DELETE", path, nil, nil)
}

// timeOf reads a time as forms send it.
func timeOf(text string) (time.Time, error) {
	at, err := time.Parse("2006-01-02T15:04:05", text)
	if err != nil {
		if at, err = time.Parse("2006-01-02T15:04", text); err != nil {
			return at, &refusal{Message: "choose a date and a time"}
		}
	}
	return at.UTC(), nil
}

// doReset needs a tick: what the world holds is lost.
func doReset(p *Pages, v Visit, own string) (*moved, error) {
	if v.Values.Get("sure") == "" {
		return nil, &refusal{Message: "tick the box to reset the world"}
	}
	return nil, p.ask(v.Request.Context(), "POST", own+"/reset", map[string]any{}, nil)
}

func doSetClock(p *Pages, v Visit, own string) (*moved, error) {
	send := given("mode", v.Values.Get("mode"))
	if text := v.Values.Get("now"); text != "" {
		at, err := timeOf(text)
		if err != nil {
			return nil, err
		}
		send["now"] = at
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

func doAdvance(p *Pages, v Visit, own string) (*moved, error) {
	m := &moved{}
	by := cmp.Or(strings.TrimSpace(v.Values.Get("by")), v.Values.Get("step"))
	if by == "" {
		return nil, &refusal{Message: "say by how much, such as 90m or 7d"}
	}
	if _, err := clock.ParseDuration(by); err != nil {
		return nil, &refusal{Message: "what is typed " + err.Error()}
	}
	err := p.ask(v.Request.Context(), "POST", own+"/clock/advance", map[string]any{"by": by}, m)
	return m, err
}

func doSettle(p *Pages, v Visit, own string) (*moved, error) {
	m := &moved{}
	return m, p.ask(v.Request.Context(), "POST", own+"/clock/settle", map[string]any{}, m)
}

// doAddFault reads the rule: what it matches, when, and what happens.
func doAddFault(p *Pages, v Visit, own string) (*moved, error) {
	get := func(name string) string { return strings.TrimSpace(v.Values.Get(name)) }
	match := given("service", get("service"), "operation", get("operation"), "method", get("method"), "path", get("path"),
		"caller", get("caller"))
	deed, err := deedOf(get("deed"), get("fault"), get("value"))
	if err != nil {
		return nil, err
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

// deedOf reads what a rule does.
func deedOf(kind, failure, value string) (map[string]any, error) {
	number := func(text, what string) (int, error) {
		n, err := strconv.Atoi(text)
		if err != nil {
			return 0, &refusal{Message: what + " is a number in the field Value"}
		}
		return n, nil
	}
	needed := func(text, what string) (map[string]any, error) {
		if text == "" {
			return nil, &refusal{Message: what}
		}
		return map[string]any{kind: text}, nil
	}
	switch kind {
	case "fault":
		return needed(failure, "choose the failure")
	case "delay":
		return needed(value, "write how long in the field Value, such as 2s")
	case "fail":
		return needed(value, "write the error in the field Value, such as no power")
	case "status":
		n, err := number(value, "the status, such as 503,")
		return map[string]any{kind: n}, err
	case "duplicate":
		n, err := number(cmp.Or(value, "2"), "how many copies come")
		return map[string]any{kind: n}, err
	case "cut":
		n, err := number(cmp.Or(value, "0"), "after how many bytes")
		return map[string]any{kind: map[string]any{"afterBytes": n}}, err
	case "drip":
		n, err := number(cmp.Or(value, "100"), "how many bytes come a second")
		return map[string]any{kind: map[string]any{"bytesPerSecond": n}}, err
	case "reset", "drop":
		return map[string]any{kind: true}, nil
	}
	return nil, &refusal{Message: "choose what happens"}
}

func doAnswerInbox(p *Pages, v Visit, own string) (*moved, error) {
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
