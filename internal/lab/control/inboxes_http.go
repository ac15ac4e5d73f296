package control

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"stoa.dev/stoa/internal/lab"
	"stoa.dev/stoa/internal/lab/inbox"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// What an answer and a wait may ask for.
const (
	maxDelay  = time.Minute
	maxWithin = time.Minute
)

// inboxRoutes are the operations on inboxes.
func (a *API) inboxRoutes(world string) []route.Route {
	one := world + "/inboxes/{inbox}"
	return []route.Route{
		{Method: "POST", Pattern: world + "/inboxes", Name: "inboxes.create", Handle: a.handleAddInbox},
		{Method: "GET", Pattern: world + "/inboxes", Name: "inboxes.list", Handle: a.handleInboxes},
		{Method: "PATCH", Pattern: one, Name: "inboxes.patch", Handle: a.handleSetInbox},
		{Method: "DELETE", Pattern: one, Name: "inboxes.delete", Handle: a.handleDeleteInbox},
		{Method: "GET", Pattern: one + "/messages", Name: "messages.list", Handle: a.handleMessages, Timeout: longTime},
		{Method: "DELETE", Pattern: one + "/messages", Name: "messages.clear", Handle: a.handleClearMessages},
	}
}

type answerJSON struct {
	Status int      `json:"status"`
	Delay  duration `json:"delay"`
	Cut    bool     `json:"cut"`
	Times  int      `json:"times"`
}

type addInboxJSON struct {
	Name   string     `json:"name"`
	Answer answerJSON `json:"answer"`
}

type setInboxJSON struct {
	Answer answerJSON `json:"answer"`
}

// shownAnswerJSON is how an inbox answers, without what it was not told.
type shownAnswerJSON struct {
	Status int    `json:"status,omitempty"`
	Delay  string `json:"delay,omitempty"`
	Cut    bool   `json:"cut,omitempty"`
	Times  int    `json:"times,omitempty"`
}

type inboxJSON struct {
	Name     string           `json:"name"`
	URL      string           `json:"url"`
	HTTPSURL string           `json:"httpsUrl"`
	Answer   *shownAnswerJSON `json:"answer,omitempty"`
}

type inboxesJSON struct {
	Inboxes []inboxJSON `json:"inboxes"`
}

type messageJSON struct {
	At        time.Time         `json:"at"`
	Method    string            `json:"method"`
	Headers   map[string]string `json:"headers"`
	Body      any               `json:"body"`
	Truncated bool              `json:"bodyTruncated,omitempty"`
	Answered  int               `json:"answered"`
}

type messagesJSON struct {
	Messages []messageJSON `json:"messages"`
}

func (j answerJSON) answer() (inbox.Answer, error) {
	switch {
	case j.Status != 0 && (j.Status < 200 || j.Status > 599):
		return inbox.Answer{}, invalidAnswer("answer.status must be between 200 and 599, not %s", strconv.Itoa(j.Status))
	case j.Delay.Duration < 0 || j.Delay.Duration > maxDelay:
		return inbox.Answer{}, invalidAnswer("answer.delay must be at most %s", maxDelay.String())
	case j.Times < 0:
		return inbox.Answer{}, invalidAnswer("answer.times must be positive, not %s", strconv.Itoa(j.Times))
	}
	return inbox.Answer{Status: j.Status, Delay: j.Delay.Duration, Cut: j.Cut, Times: j.Times}, nil
}

func invalidAnswer(format, value string) error {
	return &lab.Error{
		Code: lab.CodeInvalid, Message: strings.Replace(format, "%s", value, 1),
		Next: `send {"answer":{"status":503,"times":3}}, or leave answer out to accept everything`,
	}
}

func toInbox(w *lab.World, b inbox.Box) inboxJSON {
	i := w.Info()
	out := inboxJSON{
		Name: b.Name, URL: i.URL + inbox.Prefix + b.Name, HTTPSURL: i.HTTPSURL + inbox.Prefix + b.Name,
	}
	if b.Answer != (inbox.Answer{}) {
		out.Answer = &shownAnswerJSON{Status: b.Answer.Status, Cut: b.Answer.Cut, Times: b.Answer.Times}
		if b.Answer.Delay > 0 {
			out.Answer.Delay = b.Answer.Delay.String()
		}
	}
	return out
}

func toMessage(m inbox.Message) messageJSON {
	out := messageJSON{
		At: m.At.Round(0), Method: m.Method, Headers: map[string]string{}, Body: bodyJSON(m.Body),
		Truncated: m.Truncated, Answered: m.Answered,
	}
	for name, values := range m.Header {
		out.Headers[name] = strings.Join(values, ", ")
	}
	return out
}

// bodyJSON is text where a body is text, and {base64} where it is not.
func bodyJSON(body []byte) any {
	if utf8.Valid(body) {
		return string(body)
	}
	return struct {
		Base64 []byte `json:"base64"`
	}{body}
}

// inboxError says in the API's words why an inbox refuses.
func inboxError(r *route.Request, err error) error {
	name := r.PathValue("inbox")
	switch {
	case errors.Is(err, inbox.ErrNotFound):
		return &lab.Error{
			Code: lab.CodeNotFound, Message: "there is no inbox " + strconv.Quote(name),
			Next: "GET …/inboxes lists those there are",
		}
	case errors.Is(err, inbox.ErrTaken):
		return &lab.Error{Code: lab.CodeConflict, Message: err.Error(), Next: "choose another name, or PATCH its answer"}
	case errors.Is(err, inbox.ErrFull):
		return &lab.Error{
			Code: lab.CodeExhausted, Message: "the world has " + strconv.Itoa(inbox.MaxInboxes) + " inboxes",
			Next: "delete some",
		}
	}
	return err
}

// handleAddInbox makes an inbox and says its addresses.
func (a *API) handleAddInbox(w http.ResponseWriter, r *route.Request) error {
	var in addInboxJSON
	if err := readSome(r, &in); err != nil {
		return err
	}
	if err := lab.CheckName(in.Name); err != nil {
		return err
	}
	answer, err := in.Answer.answer()
	if err != nil {
		return err
	}
	world, err := a.world(r)
	if err != nil {
		return err
	}
	if err := world.Inboxes().Add(in.Name, answer); err != nil {
		return inboxError(r, err)
	}
	return wire.WriteJSON(w, r.Request, http.StatusCreated, toInbox(world, inbox.Box{Name: in.Name, Answer: answer}))
}

// handleInboxes lists the inboxes of a world.
func (a *API) handleInboxes(w http.ResponseWriter, r *route.Request) error {
	world, err := a.world(r)
	if err != nil {
		return err
	}
	out := inboxesJSON{Inboxes: []inboxJSON{}}
	for _, b := range world.Inboxes().List() {
		out.Inboxes = append(out.Inboxes, toInbox(world, b))
	}
	return wire.WriteJSON(w, r.Request, http.StatusOK, out)
}

// handleSetInbox changes how an inbox answers from the next message on.
func (a *API) handleSetInbox(w http.ResponseWriter, r *route.Request) error {
	var in setInboxJSON
	if err := read(r, &in); err != nil {
		return err
	}
	answer, err := in.Answer.answer()
	if err != nil {
		return err
	}
	world, err := a.world(r)
	if err != nil {
		return err
	}
	name := r.PathValue("inbox")
	if err := world.Inboxes().SetAnswer(name, answer); err != nil {
		return inboxError(r, err)
	}
	return wire.WriteJSON(w, r.Request, http.StatusOK, toInbox(world, inbox.Box{Name: name, Answer: answer}))
}

// handleDeleteInbox ends an inbox and forgets its messages.
func (a *API) handleDeleteInbox(w http.ResponseWriter, r *route.Request) error {
	return a.endInbox(w, r, (*inbox.Set).Delete)
}

// handleClearMessages forgets the messages of an inbox.
func (a *API) handleClearMessages(w http.ResponseWriter, r *route.Request) error {
	return a.endInbox(w, r, (*inbox.Set).Empty)
}

// endInbox does what leaves nothing to say.
func (a *API) endInbox(w http.ResponseWriter, r *route.Request, do func(*inbox.Set, string) error) error {
	world, err := a.world(r)
	if err != nil {
		return err
	}
	if err := do(world.Inboxes(), r.PathValue("inbox")); err != nil {
		return inboxError(r, err)
	}
	wire.NoContent(w, http.StatusNoContent)
	return nil
}

// handleMessages lists the messages of an inbox, oldest first, and waits for them where asked to.
func (a *API) handleMessages(w http.ResponseWriter, r *route.Request) error {
	world, err := a.world(r)
	if err != nil {
		return err
	}
	atLeast, within, err := readWait(r)
	if err != nil {
		return err
	}
	messages, err := world.Inboxes().Messages(r.Context(), r.PathValue("inbox"), atLeast, within)
	if err != nil {
		return inboxError(r, err)
	}
	out := messagesJSON{Messages: []messageJSON{}}
	for _, m := range messages {
		out.Messages = append(out.Messages, toMessage(m))
	}
	return wire.WriteJSON(w, r.Request, http.StatusOK, out)
}

// readWait reads how many messages are waited for, and how long.
func readWait(r *route.Request) (atLeast int, within time.Duration, err error) {
	refuse := func(message string) error {
		return &lab.Error{Code: lab.CodeInvalid, Message: message, Next: "send ?atLeast=1&within=10s"}
	}
	if text := r.Query().Get("atLeast"); text != "" {
		if atLeast, err = strconv.Atoi(text); err != nil || atLeast < 0 {
			return 0, 0, refuse("atLeast must be a number, not " + strconv.Quote(text))
		}
	}
	if text := r.Query().Get("within"); text != "" {
		if within, err = clock.ParseDuration(text); err != nil || within < 0 || within > maxWithin {
			return 0, 0, refuse("within must be a duration of at most " + maxWithin.String() + ", not " + strconv.Quote(text))
		}
	}
	return atLeast, within, nil
}
