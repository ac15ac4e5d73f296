package events

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// words are the spellings of the dialect, looked up once. Slices are shared by
// all answers and have no spare capacity, so that appending to one copies it.
type words struct {
	sdk                                   bool
	versionWord                           dialect.Word
	versionSelected, requestID, mediaType string
	acceptedPermissions, docs             string
	media, core, vary, nosniff            []string
	public, private, gzip                 []string
	exposed                               []string
	selected                              map[Version][]string
}

func newWords(d *dialect.Dialect) words {
	one := func(text string) []string { return []string{text} }
	name := func(w dialect.Word) string { return http.CanonicalHeaderKey(d.Says(w)) }
	w := words{
		sdk: d.SDK(), versionWord: dialect.APIVersion,
		versionSelected: name(dialect.APIVersionSelected), requestID: name(dialect.EventsRequestID),
		mediaType: name(dialect.MediaType), acceptedPermissions: d.Says(dialect.AcceptedPermissions),
		docs:  d.Says(dialect.EventsDocs),
		media: one(d.Says(dialect.MediaTypeValue)), core: one(core), nosniff: one("nosniff"),
		vary:   one("Accept, Accept-Encoding, Authorization, Cookie, " + d.Says(dialect.OneTimePassword)),
		gzip:   one("gzip"),
		public: one("public, max-age=60, s-maxage=60"), private: one("private, max-age=60, s-maxage=60"),
	}
	w.selected = map[Version][]string{}
	for _, e := range apiVersions() {
		w.selected[e.version] = one(string(e.version))
	}
	w.exposed = []string{
		"ETag", "Link", "Location", "Retry-After", d.Says(dialect.OneTimePassword),
		"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Used", "X-RateLimit-Resource", "X-RateLimit-Reset",
		"X-OAuth-Scopes", "X-Accepted-OAuth-Scopes", "X-Poll-Interval", d.Says(dialect.MediaType),
		d.Says(dialect.SingleSignOn), d.Says(dialect.EventsRequestID), "Deprecation", "Sunset",
	}
	return w
}

// setCommon sets what every answer has. The public service's headers about
// frames and scripts are left out: they mean nothing for JSON that is not
// sniffed, and every header costs on an answer as small as a 304.
func (w *words) setCommon(h http.Header, id string) {
	// X-Request-Id has the id already; clients of the dialect read another header.
	if w.sdk {
		h[w.requestID] = []string{id}
	}
	h[w.mediaType] = w.media
	h["X-Content-Type-Options"] = w.nosniff
}

// noticeTime is how long before its end a version is announced to end.
const noticeTime = 365 * 24 * time.Hour

// setVersion says which version answers, and when its support ends.
func (w *words) setVersion(h http.Header, e apiVersion, now time.Time) {
	h[w.versionSelected] = w.selected[e.version]
	if !e.ends.IsZero() && e.ends.Sub(now) < noticeTime {
		h.Set("Deprecation", e.ends.Add(-noticeTime).Format(http.TimeFormat))
		h.Set("Sunset", e.ends.Format(http.TimeFormat))
	}
}

// feedHeaders sets what answers of feeds have, 304 included.
func (s *Service) feedHeaders(h http.Header, r *route.Request, p *encodedPage) {
	values := [2]string{strconv.FormatInt(s.pollInterval(r.Start), 10), p.modified}
	h["X-Poll-Interval"] = values[0:1:1]
	h["Vary"] = s.words.vary
	h["Cache-Control"] = s.words.public
	if r.Caller != nil {
		h["Cache-Control"] = s.words.private
	}
	if p.modified != "" {
		h["Last-Modified"] = values[1:2:2]
	}
}

// takesGzip reports whether a client asks for gzip in one of the forms that clients
// send; one that asks in another form gets the plain page.
func takesGzip(lines []string) bool {
	if len(lines) != 1 {
		return false
	}
	for item := range strings.SplitSeq(lines[0], ",") {
		if strings.TrimSpace(item) == "gzip" {
			return true
		}
	}
	return false
}

const (
	defaultSize = 30
	maxSize     = 100
)

// readPage reads page and per_page. What is not a positive number means the
// default, more than the maximum means the maximum.
func readPage(r *route.Request) (pageKey, error) {
	if r.URL.RawQuery == "" {
		return pageKey{1, defaultSize}, nil
	}
	size := min(positive(r.Query().Get("per_page"), defaultSize), maxSize)
	k := pageKey{positive(r.Query().Get("page"), 1), size}
	if (k.number-1)*k.size >= maxEvents {
		return k, errPagination()
	}
	return k, nil
}

func positive(text string, def int) int {
	n, err := strconv.ParseInt(text, 10, 32)
	if n < 1 || err != nil && !errors.Is(err, strconv.ErrRange) {
		return def
	}
	return int(n) // the largest number, when it is out of range
}

// linkHeader is link, cached with the page for the last query.
func (s *Service) linkHeader(r *route.Request, path string, at pageKey, total int, p *encodedPage) string {
	if cached := p.link.Load(); cached != nil && cached.path == path && cached.query == r.URL.RawQuery {
		return cached.text
	}
	text := s.link(r, path, at, total)
	p.link.Store(&cachedLink{path: path, query: r.URL.RawQuery, text: text})
	return text
}

// link builds the Link header, which is empty for a single page. Parameters
// we do not know, and the size as it was asked for, are kept.
func (s *Service) link(r *route.Request, path string, at pageKey, total int) string {
	last := max(1, (total+at.size-1)/at.size)
	if last == 1 && at.number == 1 {
		return ""
	}
	q := r.URL.Query()
	base := s.base(r)
	var b strings.Builder
	add := func(rel string, number int) {
		q.Set("page", strconv.Itoa(number))
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString("<" + base + path + "?" + q.Encode() + `>; rel="` + rel + `"`)
	}
	if at.number > 1 {
		add("prev", min(at.number-1, last))
	}
	if at.number < last {
		add("next", at.number+1)
		add("last", last)
	}
	if at.number > 1 {
		add("first", 1)
	}
	return b.String()
}

type resourceJSON struct {
	Limit     int64 `json:"limit"`
	Used      int64 `json:"used"`
	Remaining int64 `json:"remaining"`
	Reset     int64 `json:"reset"`
}

type rateLimitJSON struct {
	Resources map[string]resourceJSON `json:"resources"`
	Rate      *resourceJSON           `json:"rate,omitempty"`
}

// rateLimit is the state of the primary budgets: there is one, for all operations.
func (s *Service) rateLimit(d limit.Decision, v Version) rateLimitJSON {
	own := resourceJSON{Limit: d.Limit, Used: min(d.Used, d.Limit), Remaining: d.Remaining, Reset: s.resetTime(d)}
	out := rateLimitJSON{Resources: map[string]resourceJSON{core: own}}
	if v == Version2022 {
		out.Rate = &own
	}
	return out
}

type errorJSON struct {
	Code             string `json:"code,omitempty"`
	Message          string `json:"message"`
	Errors           any    `json:"errors,omitempty"`
	URL              string `json:"url,omitempty"`
	DocumentationURL string `json:"documentation_url"`
	Status           string `json:"status"`
}

type violationJSON struct {
	Resource string `json:"resource"`
	Field    string `json:"field"`
	Code     string `json:"code"`
	Message  string `json:"message"`
}

// writeError is the service's envelope.
func (s *Service) writeError(w http.ResponseWriter, r *route.Request, err error) {
	status, body, anchor := s.classify(w, r, err)
	body.Status = strconv.Itoa(status)
	body.DocumentationURL = s.docs(r, anchor)
	h := w.Header()
	if h["X-Ratelimit-Limit"] == nil {
		// Every answer shows the budget. If it cannot be looked up there is
		// already an error to answer with.
		_, _ = s.peek(w, r)
	}
	h.Set("Cache-Control", "no-cache")
	// Only the connection can fail here, and then there is no client left to tell.
	_ = wire.WriteJSON(w, r.Request, status, body)
}

// docs is the page that explains the answer.
func (s *Service) docs(r *route.Request, anchor string) string {
	page := strings.Replace(s.words.docs, "{base}", s.world.URL(r.Context()), 1)
	if anchor == "" {
		return page
	}
	return page + "#" + anchor
}

// classify is the one place that knows which failure has which status.
func (s *Service) classify(
	w http.ResponseWriter, r *route.Request, err error,
) (status int, body errorJSON, anchor string) {
	var (
		own        *Error
		credential *route.CredentialError
		method     *route.MethodError
		scope      *route.ScopeError
		syntax     *wire.SyntaxError
		exceeded   *limit.Exceeded
	)
	answer := func(status int, message, anchor string) (int, errorJSON, string) {
		return status, errorJSON{Message: message}, anchor
	}
	switch {
	case errors.As(err, &own):
		return s.classifyOwn(w, r, own)
	case errors.Is(err, route.ErrNoRoute), errors.As(err, &method):
		return answer(http.StatusNotFound, "Not Found", "")
	case errors.Is(err, route.ErrNoCredential):
		return answer(http.StatusUnauthorized, "Requires authentication", "authentication")
	case errors.As(err, &credential):
		return answer(http.StatusUnauthorized, "Bad credentials", "authentication")
	case errors.As(err, &scope):
		return answer(http.StatusForbidden, "Resource not accessible by this token", "authentication")
	case errors.As(err, &exceeded):
		return s.classifyOwn(w, r, secondaryError(exceeded.Decision))
	case errors.As(err, &syntax) && syntax.Field != "":
		return answer(http.StatusBadRequest, "Problems parsing JSON: "+syntax.Error(), "errors")
	case errors.As(err, &syntax), errors.Is(err, wire.ErrEmptyBody):
		return answer(http.StatusBadRequest, "Problems parsing JSON", "errors")
	case errors.Is(err, wire.ErrMediaType):
		return answer(http.StatusUnsupportedMediaType, "Unsupported Media Type", "errors")
	case errors.Is(err, wire.ErrTooLarge):
		return answer(http.StatusRequestEntityTooLarge, "The request body is too large", "errors")
	case errors.Is(err, route.ErrDeadline):
		return answer(http.StatusGatewayTimeout, "Server Error", "errors")
	case errors.Is(err, route.ErrClientGone):
		return answer(route.StatusClientGone, "Client Closed Request", "errors")
	case errors.Is(err, route.ErrUnavailable):
		status, body, anchor = answer(http.StatusServiceUnavailable, "Service Unavailable", "errors")
		body.Code = "unavailable"
		return status, body, anchor
	}
	return answer(http.StatusInternalServerError, "Server Error; the log names the cause under request id "+r.ID,
		"errors")
}

// classifyOwn answers the service's own refusals.
func (s *Service) classifyOwn(
	w http.ResponseWriter, r *route.Request, e *Error,
) (status int, body errorJSON, anchor string) {
	body.Message = e.Message
	switch e.Code {
	case refusal.CodeNotFound:
		return http.StatusNotFound, body, ""
	case refusal.CodeForbidden:
		if e.Permission != "" {
			w.Header().Set(s.words.acceptedPermissions, e.Permission)
		}
		return http.StatusForbidden, body, "authentication"
	case refusal.CodeInvalid:
		body.Message = "Validation Failed"
		body.Errors = []violationJSON{{Resource: resource(r), Field: e.Field, Code: "invalid", Message: e.Message}}
		return http.StatusUnprocessableEntity, body, "errors"
	case refusal.CodePagination:
		return http.StatusUnprocessableEntity, body, "pagination"
	case refusal.CodeVersion:
		body.Errors = e.Message
		return http.StatusBadRequest, body, "api-versions"
	case refusal.CodeRetired:
		return http.StatusGone, body, "api-versions"
	case refusal.CodeMoved:
		w.Header().Set("Location", e.Location)
		body.URL = e.Location
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			return http.StatusMovedPermanently, body, "http-redirects"
		}
		return http.StatusTemporaryRedirect, body, "http-redirects"
	case refusal.CodePrimary:
		return http.StatusForbidden, body, "primary-rate-limits"
	case refusal.CodeSecondary:
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(max(1, e.RetryAfter.Seconds())))))
		return http.StatusForbidden, body, "about-secondary-rate-limits"
	case refusal.CodeAgent:
		return http.StatusForbidden, body, "user-agent"
	case refusal.CodeEmpty, refusal.CodeConflict:
		return http.StatusConflict, body, "errors"
	case refusal.CodeUnmergeable:
		return http.StatusMethodNotAllowed, body, "errors"
	}
	return http.StatusInternalServerError, body, "errors"
}

// resource names what a refused member belongs to.
func resource(r *route.Request) string {
	if r.Route == nil {
		return "Repository"
	}
	for _, row := range [][2]string{
		{"event", "Event"}, {"label", "Label"}, {"comment", "Comment"}, {"review", "PullRequestReview"},
		{"pull", "PullRequest"}, {"issue", "Issue"}, {"release", "Release"}, {"hook", "Hook"},
	} {
		if strings.Contains(r.Route.Name, row[0]) {
			return row[1]
		}
	}
	return "Repository"
}
