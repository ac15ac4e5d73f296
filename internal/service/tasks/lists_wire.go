package tasks

import (
	"net/http"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

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

func (l List) etag() string { return etag(l.ID, l.Version) }

func listToWire(l List, base string) listJSON {
	return listJSON{
		Kind: "tasks#taskList", ID: l.ID, Etag: l.etag(), Title: l.Title, Updated: l.UpdatedAt.Format(timeForm),
		SelfLink: base + "/tasks/v1/users/@me/lists/" + l.ID,
	}
}

func (s *Service) writeList(w http.ResponseWriter, r *route.Request, l List) error {
	return write(w, r, l.etag(), listToWire(l, s.world.URL(r.Context())))
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
