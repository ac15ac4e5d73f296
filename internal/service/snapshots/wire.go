package snapshots

import (
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/snapshots/query"
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
func clipped(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}

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

type validateResponse struct {
	Valid bool `json:"valid"`
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
	w.Header().Set("Retry-After", seconds(retryAfter))
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		return wire.WriteBytes(w, r.Request, http.StatusAccepted, "text/html; charset=utf-8", []byte(pendingPage))
	}
	return wire.WriteJSON(w, r.Request, http.StatusAccepted, pendingResponse{Status: string(Pending)})
}

func seconds(d time.Duration) string {
	return strconv.Itoa(int(math.Ceil(max(0, d.Seconds()))))
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

// gate asks for the application key where it is needed and charges the budget.
func (s *Service) gate(w http.ResponseWriter, r *route.Request) (func(), error) {
	if r.Caller == nil {
		return nil, s.chargeRequest(r, "address:"+route.Network(r.Request))
	}
	caller := identity.From(r)
	if r.Route.Tags[tagKeys] == "both" && caller.ApplicationKeyID == 0 {
		return nil, errNeedsApplicationKey(s.world.Dialect.Says(dialect.ApplicationKey))
	}
	name := r.Route.Tags[tagLimit]
	if name == "" {
		return nil, s.chargeRequest(r, tenantOf(caller).Org)
	}
	window := s.perHour(name)
	decision, err := s.world.Limits.Take(r.Context(), window, tenantOf(caller).Org, 1)
	var exceeded *limit.Exceeded
	if err != nil && !errors.As(err, &exceeded) {
		return nil, err
	}
	wait := decision.Reset.Sub(s.world.Clock.Now())
	if exceeded != nil {
		decision, wait = exceeded.Decision, exceeded.RetryAfter
	}
	h := w.Header()
	h.Set("X-RateLimit-Limit", strconv.FormatInt(decision.Limit, 10))
	h.Set("X-RateLimit-Period", seconds(window.Per))
	h.Set("X-RateLimit-Remaining", strconv.FormatInt(decision.Remaining, 10))
	h.Set("X-RateLimit-Reset", seconds(wait))
	h.Set("X-RateLimit-Name", name)
	return nil, err
}

// chargeRequest takes one request from the budget of an owner or a network.
func (s *Service) chargeRequest(r *route.Request, key string) error {
	_, err := s.world.Limits.Take(r.Context(),
		limit.Window{Name: requestsLimit, Limit: s.config.RequestsPerMinute, Per: time.Minute}, key, 1)
	return err
}

// exceededMessage says which budget is used up.
func exceededMessage(e *limit.Exceeded) string {
	again := ", try again in " + seconds(e.RetryAfter) + " seconds"
	switch e.Name {
	case activeLimit:
		return "Too many active series: an owner has at most " + strconv.FormatInt(e.Limit, 10) +
			"; send fewer different tags, or wait until old series are no longer active"
	case pointsLimit:
		return "Too many points: at most " + strconv.FormatInt(e.Limit, 10) + " a minute" + again
	case requestsLimit:
		return "Too many requests: at most " + strconv.FormatInt(e.Limit, 10) + " a minute" + again
	case renderKind:
		return "Too many snapshots wait to be drawn: an owner has at most " + strconv.FormatInt(e.Limit, 10) + again
	case evaluationsPool, "memory":
		return "Too many requests at once" + again
	}
	return "Too many requests: the hourly budget is used up" + again
}

// errorResponse is the contract's envelope. Intakes add status and code, as
// the public service does.
type errorResponse struct {
	Errors []string `json:"errors"`
	Status string   `json:"status,omitempty"`
	Code   int      `json:"code,omitempty"`
}

// writeError is the service's envelope.
func (s *Service) writeError(w http.ResponseWriter, r *route.Request, err error) {
	status, message := s.classify(r, err)
	body := errorResponse{Errors: []string{message}}
	if r.Route != nil && r.Route.Tags[tagIntake] != "" {
		body.Status, body.Code = "error", status
	}
	var exceeded *limit.Exceeded
	if errors.As(err, &exceeded) {
		w.Header().Set("Retry-After", seconds(exceeded.RetryAfter))
	}
	noStore(w)
	// Only the connection can fail here, and then the client is gone.
	_ = wire.WriteJSON(w, r.Request, status, body)
}

// classify is the one place that knows which failure has which status.
func (s *Service) classify(r *route.Request, err error) (int, string) {
	var (
		refused    *Error
		bad        *query.Error
		method     *route.MethodError
		credential *route.CredentialError
		scope      *route.ScopeError
		syntax     *wire.SyntaxError
		exceeded   *limit.Exceeded
	)
	switch {
	case errors.As(err, &refused):
		return statusOfCode(refused.Code), refused.Message
	case errors.As(err, &bad):
		return http.StatusBadRequest, bad.Error()
	case errors.Is(err, route.ErrNoRoute):
		return http.StatusNotFound, "Not found: there is no " + r.Method + " " + clipped(r.URL.Path) + elsewhere(r.URL.Path)
	case errors.As(err, &method):
		return http.StatusMethodNotAllowed, "Method not allowed: use " + strings.Join(method.Allow, ", ")
	case errors.As(err, &syntax):
		return http.StatusBadRequest, syntax.Error()
	case errors.Is(err, wire.ErrEmptyBody):
		return http.StatusBadRequest, "the request body is missing"
	case errors.Is(err, wire.ErrMediaType):
		return http.StatusUnsupportedMediaType, "this content type or encoding is not accepted here"
	case errors.Is(err, wire.ErrTooLarge):
		return s.tooLarge(r), "Payload too large: send less at once"
	case errors.Is(err, route.ErrNoCredential):
		return http.StatusForbidden, "Forbidden: send an API key in the header " + s.world.Dialect.Says(dialect.APIKey)
	case errors.As(err, &credential) && credential.Reason == route.Malformed:
		return http.StatusForbidden, "Forbidden: the API key is missing or cannot be read; send it in the header " +
			s.world.Dialect.Says(dialect.APIKey)
	case errors.As(err, &credential):
		return http.StatusForbidden, "Forbidden: the keys are not valid here (" + string(credential.Reason) + ")"
	case errors.As(err, &scope):
		return http.StatusForbidden, "Forbidden: " + scope.Error()
	case errors.As(err, &exceeded):
		return http.StatusTooManyRequests, exceededMessage(exceeded)
	case errors.Is(err, route.ErrUnavailable):
		return http.StatusServiceUnavailable, err.Error()
	case errors.Is(err, route.ErrDeadline):
		return http.StatusGatewayTimeout, "the request took longer than it may"
	case errors.Is(err, route.ErrClientGone):
		return route.StatusClientGone, "the client closed the request"
	}
	return http.StatusInternalServerError, "internal error; the log names the cause under request id " + r.ID
}

// tooLarge is 400 where the contract knows no other refusal.
func (s *Service) tooLarge(r *route.Request) int {
	if r.Route != nil && strings.HasPrefix(r.Route.Name, "graph.") {
		return http.StatusBadRequest
	}
	return http.StatusRequestEntityTooLarge
}

func statusOfCode(c Code) int {
	switch c {
	case CodeForbidden:
		return http.StatusForbidden
	case CodeNotFound:
		return http.StatusNotFound
	case CodeTooLarge:
		return http.StatusRequestEntityTooLarge
	case CodeFailed:
		return http.StatusUnprocessableEntity
	default:
		return http.StatusBadRequest
	}
}
