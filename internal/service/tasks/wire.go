package tasks

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"stoa.dev/stoa/internal/platform/fault"
	"stoa.dev/stoa/internal/platform/memo"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// timeForm is RFC 3339 in UTC with milliseconds.
const timeForm = "2006-01-02T15:04:05.000Z"

const mediaType = "application/json; charset=UTF-8"

type listRequest struct {
	ID    wire.Optional[string] `json:"id"`
	Title wire.Optional[string] `json:"title"`
}

type listJSON struct {
	Kind     string `json:"kind"`
	ID       string `json:"id"`
	Etag     string `json:"etag"`
	Title    string `json:"title"`
	Updated  string `json:"updated"`
	SelfLink string `json:"selfLink"`
}

type listsJSON struct {
	Kind          string     `json:"kind"`
	Etag          string     `json:"etag"`
	NextPageToken string     `json:"nextPageToken,omitempty"`
	Items         []listJSON `json:"items"`
}

type taskRequest struct {
	ID        wire.Optional[string] `json:"id"`
	Title     wire.Optional[string] `json:"title"`
	Notes     wire.Optional[string] `json:"notes"`
	Status    wire.Optional[string] `json:"status"`
	Due       wire.Optional[string] `json:"due"`
	Completed wire.Optional[string] `json:"completed"`
	Deleted   wire.Optional[bool]   `json:"deleted"`
}

type taskJSON struct {
	Kind        string     `json:"kind"`
	ID          string     `json:"id"`
	Etag        string     `json:"etag"`
	Title       string     `json:"title"`
	Updated     string     `json:"updated"`
	SelfLink    string     `json:"selfLink"`
	Parent      string     `json:"parent,omitempty"`
	Position    string     `json:"position"`
	Notes       string     `json:"notes,omitempty"`
	Status      Status     `json:"status"`
	Due         string     `json:"due,omitempty"`
	Completed   string     `json:"completed,omitempty"`
	Deleted     bool       `json:"deleted,omitempty"`
	Hidden      bool       `json:"hidden,omitempty"`
	Links       []struct{} `json:"links"`
	WebViewLink string     `json:"webViewLink"`
}

type tasksJSON struct {
	Kind          string     `json:"kind"`
	Etag          string     `json:"etag"`
	NextPageToken string     `json:"nextPageToken,omitempty"`
	Items         []taskJSON `json:"items"`
}

func (q taskRequest) fromWire() Change {
	return Change{
		Title: q.Title, Notes: q.Notes, Status: q.Status, Due: q.Due, CompletedAt: q.Completed, Deleted: q.Deleted,
	}
}

// replacing turns absent members into nulls, which is what update means.
func (c Change) replacing() Change {
	for _, member := range []*wire.Optional[string]{&c.Title, &c.Notes, &c.Status, &c.Due} {
		if !member.Present {
			*member = wire.Null[string]()
		}
	}
	return c
}

func (l List) etag() string { return etag(l.ID, l.Version) }
func (t Task) etag() string { return etag(t.ID, t.Version) }

// etag is opaque and changes with every version.
func etag(id string, version int64) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%d", id, version))
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:8]) + `"`
}

func listToWire(l List, base string) listJSON {
	return listJSON{
		Kind: "tasks#taskList", ID: l.ID, Etag: l.etag(), Title: l.Title, Updated: l.UpdatedAt.Format(timeForm),
		SelfLink: base + "/tasks/v1/users/@me/lists/" + l.ID,
	}
}

func taskToWire(t Task, base string) taskJSON {
	self := base + "/tasks/v1/lists/" + t.ListID + "/tasks/" + t.ID
	return taskJSON{
		Kind: "tasks#task", ID: t.ID, Etag: t.etag(), Title: t.Title, Updated: t.UpdatedAt.Format(timeForm),
		SelfLink: self, WebViewLink: self, Parent: t.Parent, Position: t.Position(), Notes: t.Notes, Status: t.Status,
		Due: timeText(t.Due), Completed: timeText(t.CompletedAt), Deleted: t.Deleted, Hidden: t.Hidden,
		Links: []struct{}{},
	}
}

func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(timeForm)
}

func (s *Service) writeList(w http.ResponseWriter, r *route.Request, l List) error {
	return write(w, r, l.etag(), listToWire(l, s.world.URL(r.Context())))
}

func (s *Service) writeTask(w http.ResponseWriter, r *route.Request, t Task) error {
	return write(w, r, t.etag(), taskToWire(t, s.world.URL(r.Context())))
}

// write answers a change with the changed resource.
func write(w http.ResponseWriter, r *route.Request, tag string, body any) error {
	w.Header().Set("ETag", tag)
	w.Header().Set("Content-Type", mediaType)
	return wire.WriteJSON(w, r.Request, http.StatusOK, body)
}

// writeAnswer answers 304 to a reader that has this version already.
func writeAnswer(w http.ResponseWriter, r *route.Request, a memo.Answer) error {
	if wire.NotModified(w, r.Request, a.Tag) {
		return nil
	}
	return wire.WriteBytes(w, r.Request, http.StatusOK, mediaType, a.Body)
}

func (s *Service) listsToWire(r *route.Request, lists []List, size int) listsJSON {
	out := listsJSON{Kind: "tasks#taskLists", Items: make([]listJSON, 0, len(lists))}
	tag, base := newPageTag(), s.world.URL(r.Context())
	for i, l := range lists {
		if i == size {
			last := lists[i-1]
			out.NextPageToken = s.pages().Seal(listCursor{CreatedAt: last.CreatedAt, ID: last.ID}, binding(r))
			tag.more()
			break
		}
		tag.add(l.ID, l.Version)
		out.Items = append(out.Items, listToWire(l, base))
	}
	out.Etag = tag.String()
	return out
}

func (s *Service) tasksToWire(r *route.Request, tasks []Task, size int) tasksJSON {
	out := tasksJSON{Kind: "tasks#tasks", Items: make([]taskJSON, 0, len(tasks))}
	tag, base := newPageTag(), s.world.URL(r.Context())
	for i, t := range tasks {
		if i == size {
			last := tasks[i-1]
			cursor := taskCursor{Parent: last.Parent, Rank: last.Rank, ID: last.ID}
			out.NextPageToken = s.pages().Seal(cursor, binding(r))
			tag.more()
			break
		}
		tag.add(t.ID, t.Version)
		out.Items = append(out.Items, taskToWire(t, base))
	}
	out.Etag = tag.String()
	return out
}

// binding ties a page token to the user, the list and the filters.
func binding(r *route.Request) string {
	query := url.Values{}
	for name, values := range r.Query() {
		switch name {
		case "pageToken", "maxResults", "alt", "prettyPrint", "fields", "quotaUser", "key":
		default:
			query[name] = values
		}
	}
	return r.Caller.LimitKey() + " " + r.URL.Path + "?" + query.Encode()
}

// readPage reads the page size and the cursor sealed into pageToken.
func readPage[C any](s *Service, r *route.Request, def, limit int) (size int, after C, err error) {
	query := r.Query()
	if size, err = readSize(query, def, limit); err != nil {
		return size, after, err
	}
	token := query.Get("pageToken")
	if token == "" {
		return size, after, nil
	}
	if err := s.pages().Open(token, binding(r), &after); errors.Is(err, page.ErrToken) {
		return size, after, errInvalidField("pageToken", "is not one of this list and these filters")
	} else if err != nil {
		return size, after, err
	}
	return size, after, nil
}

// writeError is the service's envelope.
func writeError(w http.ResponseWriter, r *route.Request, err error) {
	var refused *Error
	if !errors.As(err, &refused) {
		fault.Write(w, r, fault.Common(r, err))
		return
	}
	f := fault.New(statusOf(refused.Code), string(refused.Code), refused.Message)
	f.Location = refused.Field
	switch refused.Code {
	case CodeInvalidArgument:
		f.Reason, f.LocationType = "invalid", "parameter"
	case CodeResourceExhausted:
		f.Reason, f.Domain = "quotaExceeded", "usageLimits"
	case CodeFailedPrecondition:
		f.LocationType = "header"
	case CodeNotFound:
	}
	fault.Write(w, r, f)
}

func statusOf(code Code) int {
	switch code {
	case CodeInvalidArgument:
		return http.StatusBadRequest
	case CodeNotFound:
		return http.StatusNotFound
	case CodeResourceExhausted:
		return http.StatusForbidden
	case CodeFailedPrecondition:
		return http.StatusPreconditionFailed
	}
	return http.StatusInternalServerError
}
