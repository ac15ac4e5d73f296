package events

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/events/encodedpage"
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
func (s *Service) feedHeaders(h http.Header, r *route.Request, p *encodedpage.Page) {
	values := [2]string{strconv.FormatInt(s.pollInterval(r.Start), 10), p.Modified}
	h["X-Poll-Interval"] = values[0:1:1]
	h["Vary"] = s.words.vary
	h["Cache-Control"] = s.words.public
	if r.Caller != nil {
		h["Cache-Control"] = s.words.private
	}
	if p.Modified != "" {
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
