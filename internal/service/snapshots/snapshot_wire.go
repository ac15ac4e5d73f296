package snapshots

import (
	"encoding/json"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// snapshotRequest is the body of the POST form; members as in the query.
type snapshotRequest struct {
	MetricQuery string          `json:"metric_query"`
	GraphDef    json.RawMessage `json:"graph_def"`
	EventQuery  string          `json:"event_query"`
	Title       string          `json:"title"`
	Start       *int64          `json:"start"`
	End         *int64          `json:"end"`
	Width       *int            `json:"width"`
	Height      *int            `json:"height"`
	Theme       string          `json:"theme"`
	Legend      string          `json:"legend"`
	Zone        string          `json:"tz"`
	Scale       float64         `json:"scale"`
}

// fromWire takes graph_def as text or as the object itself.
func (q snapshotRequest) fromWire() (GraphRequest, error) {
	r := GraphRequest{
		MetricQuery: q.MetricQuery, EventQuery: q.EventQuery, Title: q.Title,
		Theme: q.Theme, Legend: q.Legend, Zone: q.Zone, Scale: q.Scale,
	}
	if q.Start == nil || q.End == nil {
		return r, errInvalid("start and end are required")
	}
	r.Start, r.End = *q.Start, *q.End
	for _, side := range []struct {
		from *int
		to   *int
	}{{q.Width, &r.Width}, {q.Height, &r.Height}} {
		if side.from != nil {
			*side.to = *side.from
			if *side.from == 0 {
				return r, errInvalid("width and height must be above 0")
			}
		}
	}
	switch {
	case len(q.GraphDef) == 0 || string(q.GraphDef) == "null":
	case q.GraphDef[0] == '"':
		if err := json.Unmarshal(q.GraphDef, &r.GraphDef); err != nil {
			return r, errCause("graph_def", err)
		}
	default:
		r.GraphDef = string(q.GraphDef)
	}
	return r, nil
}

// fromQuery reads the parameters of the GET form.
func fromQuery(v url.Values) (GraphRequest, error) {
	r := GraphRequest{
		MetricQuery: v.Get("metric_query"), EventQuery: v.Get("event_query"), Title: v.Get("title"),
		GraphDef: v.Get("graph_def"),
		Theme:    v.Get("theme"), Legend: v.Get("legend"), Zone: v.Get("tz"),
	}
	// A definition that was encoded twice is still percent-encoded here.
	if strings.HasPrefix(r.GraphDef, "%7B") || strings.HasPrefix(r.GraphDef, "%7b") {
		if plain, err := url.QueryUnescape(r.GraphDef); err == nil {
			r.GraphDef = plain
		}
	}
	var err error
	if r.Start, err = integer(v, "start", true); err != nil {
		return r, err
	}
	if r.End, err = integer(v, "end", true); err != nil {
		return r, err
	}
	if r.Width, err = side(v, "width"); err != nil {
		return r, err
	}
	if r.Height, err = side(v, "height"); err != nil {
		return r, err
	}
	if text := v.Get("scale"); text != "" {
		if r.Scale, err = strconv.ParseFloat(text, 64); err != nil {
			return r, errInvalid("scale must be a number, not %q", text)
		}
	}
	return r, nil
}

// integer reads a whole number; an absent one is 0 unless it is required.
func integer(v url.Values, name string, required bool) (int64, error) {
	text := v.Get(name)
	if text == "" && !required {
		return 0, nil
	}
	if text == "" {
		return 0, errInvalid("the parameter %s is required and must be an integer", name)
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, errInvalid("the parameter %s must be an integer, not %q", name, clipped(text))
	}
	return n, nil
}

// side reads a width or height in pixels; an absent one is 0.
func side(v url.Values, name string) (int, error) {
	n, err := integer(v, name, false)
	if err == nil && v.Get(name) != "" && (n < 1 || n > math.MaxInt32) {
		err = errInvalid("%s must be a number of pixels from 1 to 10000, not %d", name, n)
	}
	return int(n), err
}

// clipped shortens what a caller sent before it is said back.
func clipped(s string) string { return wire.Clip(s, 60) }

type snapshotResponse struct {
	GraphDef    string `json:"graph_def"`
	SnapshotURL string `json:"snapshot_url"`
	MetricQuery string `json:"metric_query,omitempty"`
	EventQuery  string `json:"event_query,omitempty"`
}

func snapshotToWire(s Snapshot) snapshotResponse {
	return snapshotResponse{
		GraphDef: s.GraphDef, SnapshotURL: s.URL, MetricQuery: s.MetricQuery, EventQuery: s.EventQuery,
	}
}

type statusResponse struct {
	StatusCode int `json:"status_code"`
}

// statusOf is what fetching the picture would answer.
func statusOf(g Graph, err error) int {
	switch {
	case err != nil:
		return http.StatusNotFound
	case g.State == Ready:
		return http.StatusOK
	case g.State == Failed:
		return http.StatusUnprocessableEntity
	default:
		return http.StatusAccepted
	}
}

// base is the address that the caller used, when it is a configured region, or
// else the server's own.
func (s *Service) base(r *route.Request) string {
	for _, b := range s.config.Bases {
		if u, err := url.Parse(b); err == nil && strings.EqualFold(u.Host, r.Host) {
			return b
		}
	}
	return s.world.URL(r.Context())
}

// pendingPage is what a browser shows while the picture is drawn.
const pendingPage = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" ` +
	`content="1"><title>Drawing…</title>` +
	`<style>body{font:16px system-ui,` +
	`sans-serif;display:grid;place-items:center;min-height:90vh;color:#66737f}</style></head>` +
	`<body><p>The graph is being drawn. This page reloads by itself.</p></body></html>`

type pendingResponse struct {
	Status string `json:"status"`
}

// writePending tells API callers and browsers apart by what they accept.
func writePending(w http.ResponseWriter, r *route.Request) error {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Retry-After", wire.WholeSeconds(retryAfter))
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		return wire.WriteBytes(w, r.Request, http.StatusAccepted, "text/html; charset=utf-8", []byte(pendingPage))
	}
	return wire.WriteJSON(w, r.Request, http.StatusAccepted, pendingResponse{Status: string(Pending)})
}
