package tasks

import (
	"net/http"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

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

func (t Task) etag() string { return etag(t.ID, t.Version) }

func taskToWire(t Task, base string) taskJSON {
	self := base + "/tasks/v1/lists/" + t.ListID + "/tasks/" + t.ID
	return taskJSON{
		Kind: "tasks#task", ID: t.ID, Etag: t.etag(), Title: t.Title, Updated: t.UpdatedAt.Format(timeForm),
		SelfLink: self, WebViewLink: webViewLink(base, t),
		Parent: t.Parent, Position: t.Position(), Notes: t.Notes, Status: t.Status,
		Due: timeText(t.Due), Completed: timeText(t.CompletedAt), Deleted: t.Deleted, Hidden: t.Hidden,
		Links: []struct{}{},
	}
}

func (s *Service) writeTask(w http.ResponseWriter, r *route.Request, t Task) error {
	return write(w, r, t.etag(), taskToWire(t, s.world.URL(r.Context())))
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
