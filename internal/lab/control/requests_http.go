package control

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"stoa.dev/stoa/internal/lab"
	"stoa.dev/stoa/internal/lab/har"
	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/journalstream"
	"stoa.dev/stoa/internal/platform/wire"
)

func (a *API) requestRoutes() []route.Route {
	const requests = Prefix + "/worlds/{world}/requests"
	return []route.Route{
		{Method: "GET", Pattern: requests, Name: "requests.list", Handle: a.handleRequests},
		{Method: "DELETE", Pattern: requests, Name: "requests.clear", Handle: a.handleClearRequests},
		{Method: "GET", Pattern: requests + "/{id}", Name: "requests.get", Handle: a.handleRequest},
		{Method: "GET", Pattern: requests + "/stream", Name: "requests.stream", Handle: a.handleStream, Streams: true},
		{Method: "GET", Pattern: requests + ".har", Name: "requests.har", Handle: a.handleHAR, Timeout: longTime},
		{Method: "POST", Pattern: requests + "/{id}/replay", Name: "requests.replay", Handle: a.handleReplay},
		{Method: "POST", Pattern: Prefix + "/worlds/{world}/expect", Name: "expect", Handle: a.handleExpect},
	}
}

// handleRequests lists the requests of a world, newest first.
func (a *API) handleRequests(w http.ResponseWriter, r *route.Request) error {
	world, err := a.world(r)
	if err != nil {
		return err
	}
	f, err := readFilter(r.Query(), "limit", "pageToken")
	if err != nil {
		return err
	}
	limit, before, err := readPage(r.Query())
	if err != nil {
		return err
	}
	found, next := world.Journal().Find(&f, before, limit)
	out := summariesJSON{Requests: make([]summaryJSON, 0, len(found))}
	for _, record := range found {
		out.Requests = append(out.Requests, a.toSummary(record))
	}
	if next != 0 {
		out.NextPageToken = strconv.FormatUint(next, 10)
	}
	return wire.WriteJSON(w, r.Request, http.StatusOK, out)
}

func requestNumber(r *route.Request) (uint64, error) {
	number, err := strconv.ParseUint(r.PathValue("id"), 10, 64)
	if err != nil {
		return 0, noRequest(r)
	}
	return number, nil
}

func noRequest(r *route.Request) error {
	return &lab.Error{
		Code: lab.CodeNotFound, Message: "there is no request " + strconv.Quote(r.PathValue("id")),
		Next: "list them; the oldest go when there are too many",
	}
}

// handleRequest shows one request with its headers, bodies and what it caused.
func (a *API) handleRequest(w http.ResponseWriter, r *route.Request) error {
	world, err := a.world(r)
	if err != nil {
		return err
	}
	number, err := requestNumber(r)
	if err != nil {
		return err
	}
	record := world.Journal().Get(number)
	if record == nil {
		return noRequest(r)
	}
	return wire.WriteJSON(w, r.Request, http.StatusOK, a.toRecord(record))
}

// handleClearRequests forgets the requests of a world.
func (a *API) handleClearRequests(w http.ResponseWriter, r *route.Request) error {
	world, err := a.world(r)
	if err != nil {
		return err
	}
	world.Journal().Clear()
	wire.NoContent(w, http.StatusNoContent)
	return nil
}

// handleReplay sends a request again and shows the record of the new one.
func (a *API) handleReplay(w http.ResponseWriter, r *route.Request) error {
	if err := read(r, &struct{}{}); err != nil {
		return err
	}
	world, err := a.world(r)
	if err != nil {
		return err
	}
	number, err := requestNumber(r)
	if err != nil {
		return err
	}
	record, err := world.Replay(r.Context(), number)
	if err != nil {
		return err
	}
	return wire.WriteJSON(w, r.Request, http.StatusCreated, a.toRecord(record))
}

// handleHAR writes the requests of a world's clients as an HTTP archive.
func (a *API) handleHAR(w http.ResponseWriter, r *route.Request) error {
	world, err := a.world(r)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Disposition", `attachment; filename="`+world.Name()+`.har"`)
	clients := &journal.Filter{Clients: true}
	asked := func(yield func(*journal.Record) bool) {
		for record := range world.Journal().OldestFirst() {
			if clients.Match(record) && !yield(record) {
				return
			}
		}
	}
	empty, err := json.Marshal(har.New(a.version)) // what the operation is described by, too
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	return har.Write(w, empty, asked, world.URL())
}

// handleStream sends requests as they are answered, until the caller leaves or the
// world ends.
func (a *API) handleStream(w http.ResponseWriter, r *route.Request) error {
	world, err := a.world(r)
	if err != nil {
		return err
	}
	f, err := readFilter(r.Query())
	if err != nil {
		return err
	}
	return journalstream.Stream{
		Journal: world.Journal(),
		Event: func(record *journal.Record, watcher *journal.Watcher) (text string, err error) {
			if !f.Match(record) {
				return "", nil
			}
			if missed := watcher.Missed(); missed > 0 {
				text = fmt.Sprintf("event: missed\ndata: {\"count\":%d}\n\n", missed)
			}
			summary, err := json.Marshal(a.toSummary(record))
			return text + fmt.Sprintf("id: %s\nevent: request\ndata: %s\n\n", record.ID(), summary), err
		},
	}.Serve(w, r)
}
