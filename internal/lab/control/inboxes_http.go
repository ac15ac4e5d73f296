package control

import (
	"errors"
	"net/http"
	"strconv"
	"time"

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
