package conformance_test

import (
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/test/conformance"
)

// probe asks about something of ada's and about something that is not there,
// by a user who may see neither. The answers must be the same.
type probe struct {
	method, path string // path holds ID
	body         string // may hold ID too
	theirs, none string
	header       http.Header
}

// TestOthersLookMissing: no answer reports whether another's object or account is
// there.
func TestOthersLookMissing(t *testing.T) {
	t.Parallel()
	conformance.On(t, func(t *testing.T, open func(*testing.T, conformance.Options) *conformance.Server) {
		h := open(t, conformance.Options{})
		h.User(t, "ada")
		h.User(t, "mal")
		for name, probes := range conformance.InOrder(map[string]func(*testing.T, *conformance.Server) []probe{
			"tasks": taskProbes, "calendar": calendarProbes, "articles": articleProbes, "analytics": analyticsProbes,
			"events": eventProbes, "pipelines": pipelineProbes, "generate": generateProbes,
		}) {
			t.Run(name, func(t *testing.T) {
				for _, p := range probes(t, h) {
					ask := func(id string) (int, string, http.Header) {
						at := strings.ReplaceAll(p.path, "ID", url.PathEscape(id))
						a := h.Do(t, conformance.Call{
							Method: p.method, Path: at, Body: strings.ReplaceAll(p.body, "ID", id), Header: p.header,
						})
						text := strings.ReplaceAll(string(a.Body), url.PathEscape(id), "ID")
						if request := a.Header.Get("X-Request-Id"); request != "" {
							text = strings.ReplaceAll(text, request, "REQUEST")
						}
						return a.Status, strings.ReplaceAll(text, id, "ID"), steady(a.Header)
					}
					status, body, header := ask(p.theirs)
					wantStatus, wantBody, wantHeader := ask(p.none)
					if status != wantStatus || body != wantBody || !maps.Equal(flat(header), flat(wantHeader)) {
						t.Errorf("%s %s: another's %d %s %v\n\tnot there: %d %s %v", p.method, p.path, status, body, header, wantStatus,
							wantBody, wantHeader)
					}
				}
			})
		}
	})
}

// steady leaves out what differs from request to request.
func steady(h http.Header) http.Header {
	h = h.Clone()
	for name := range h {
		lower := strings.ToLower(name)
		if lower == "date" || lower == "x-request-id" || lower == "content-length" || lower == "link" ||
			strings.Contains(lower, "rate") {
			h.Del(name)
		}
	}
	return h
}

func flat(h http.Header) map[string]string {
	out := map[string]string{}
	for name, values := range h {
		out[name] = strings.Join(values, ", ")
	}
	return out
}

func bearer(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }

func made(t *testing.T, h *conformance.Server, token, path, body string, member ...string) string {
	t.Helper()
	return conformance.Text(t,
		h.Do(t, conformance.Call{Method: "POST", Path: path, Body: body, Bearer: token}).Want(t, 200, 201).Object(t),
		member...)
}

// over makes probes of several methods and paths for one pair.
func over(header http.Header, theirs, none string, calls ...string) []probe {
	var out []probe
	for _, call := range calls {
		parts := strings.SplitN(call, " ", 3)
		p := probe{method: parts[0], path: parts[1], theirs: theirs, none: none, header: header}
		if len(parts) == 3 {
			p.body = parts[2]
		}
		out = append(out, p)
	}
	return out
}

func taskProbes(t *testing.T, h *conformance.Server) []probe {
	ada, mal := h.Token(t, "ada", "tasks"), h.Token(t, "mal", "tasks")
	list := made(t, h, ada, "/tasks/v1/users/@me/lists", `{"title":"hers"}`, "id")
	own := made(t, h, mal, "/tasks/v1/users/@me/lists", `{"title":"his"}`, "id")
	mine := made(t, h, mal, "/tasks/v1/lists/"+own+"/tasks", `{"title":"his"}`, "id")
	task := made(t, h, ada, "/tasks/v1/lists/"+list+"/tasks", `{"title":"hers"}`, "id")
	const lists, tasks = "/tasks/v1/users/@me/lists/ID", "/tasks/v1/lists/ID"
	at := "/tasks/v1/lists/" + own + "/tasks"
	return append(over(bearer(mal), list, "TUlTU0lOR0xJU1Q",
		"GET "+lists, "PATCH "+lists+` {"title":"x"}`, "PUT "+lists+` {"title":"x"}`, "DELETE "+lists,
		"GET "+tasks+"/tasks", "POST "+tasks+`/tasks {"title":"x"}`, "POST "+tasks+`/tasks {"title":7}`, "POST "+tasks+"/clear",
		"GET "+tasks+"/tasks/"+task, "DELETE "+tasks+"/tasks/"+task),
		over(bearer(mal), task, "TUlTU0lOR1RBU0s",
			"GET "+at+"/ID", "DELETE "+at+"/ID", "PATCH "+at+`/ID {"title":"x"}`, "POST "+at+"/"+mine+"/move?parent=ID",
			"POST "+at+"/"+mine+"/move?previous=ID", "POST "+at+`?parent=ID {"title":"x"}`)...)
}

func calendarProbes(t *testing.T, h *conformance.Server) []probe {
	ada, mal := h.Token(t, "ada", "calendar"), h.Token(t, "mal", "calendar")
	const base = "/calendar/v3"
	id := made(t, h, ada, base+"/calendars", `{"summary":"hers"}`, "id")
	day := func(n int) string { return conformance.Began().AddDate(0, 0, n).Format(time.DateOnly) }
	event := made(t, h, ada, base+"/calendars/"+url.PathEscape(id)+"/events",
		`{"summary":"hers","start":{"date":"`+day(1)+`"},"end":{"date":"`+day(2)+`"}}`, "id")
	primary := conformance.Text(t,
		h.Do(t, conformance.Call{Path: base + "/calendars/primary", Bearer: ada}).Want(t, 200).Object(t), "id")
	_, domain, _ := strings.Cut(primary, "@")
	_, group, _ := strings.Cut(id, "@")
	at := base + "/calendars/ID"
	calls := []string{
		"GET " + at, "PATCH " + at + ` {"summary":"x"}`, "DELETE " + at, "POST " + at + "/clear", "GET " + at + "/events",
		"GET " + at + "/events/" + event, "DELETE " + at + "/events/" + event,
		"POST " + at + `/events {"summary":"x","start":{"date":"` + day(1) + `"},"end":{"date":"` + day(2) + `"}}`,
		"POST " + at + "/events {}",
		"GET " + at + "/acl", "POST " + at + `/acl {"role":"reader","scope":{"type":"user","value":"x"}}`,
		"POST " + at + `/acl {"role":"nonsense","scope":{"type":"user","value":"x@example.com"}}`, "POST " + at + "/acl {}",
		"GET " + at + "/acl/user:" + primary, "PUT " + at + "/acl/user:" + primary + ` {}`, "DELETE " + at + "/acl/user:" + primary,
		"GET " + base + "/users/me/calendarList/ID", "POST " + base + `/users/me/calendarList {"id":"ID"}`,
		"POST " + base + `/freeBusy {"timeMin":"` + day(-1) + `T00:00:00Z","timeMax":"` + day(3) + `T00:00:00Z","items":[{"id":"ID"}]}`,
	}
	return append(over(bearer(mal), id, "c_"+strings.Repeat("0", 52)+"@"+group, calls...),
		over(bearer(mal), primary, "ghost@"+domain, calls...)...)
}

// articleProbes are about accounts only: a private item is for everyone who knows its
// address, and ids cannot be guessed.
func articleProbes(*testing.T, *conformance.Server) []probe {
	const user = "/api/v2/users/ID"
	return over(nil, "mal", "ghost", "GET "+user, "GET "+user+"/items", "GET "+user+"/stocks", "GET "+user+"/followees",
		"GET "+user+"/followers", "GET "+user+"/following_tags", "GET /api/v2/items?query=user:ID")
}

func analyticsProbes(t *testing.T, h *conformance.Server) []probe {
	ada, mal := h.Token(t, "ada", "analytics"), h.Token(t, "mal", "analytics")
	answer := h.Do(t, conformance.Call{Method: "POST", Path: projectsPath, Body: `{"url":"hers.example"}`, Bearer: ada}).Want(t, 200, 201).Object(t)
	id := strconv.FormatInt(conformance.Integer(t, answer, "data", "project_id"), 10)
	return over(bearer(mal), id, "9"+id, "GET "+projectsPath+"/ID", "DELETE "+projectsPath+"/ID",
		"PUT "+projectsPath+` {"project_id":ID,"project_name":"x"}`, "PUT "+projectsPath+` {"project_id":ID}`)
}

func eventProbes(t *testing.T, h *conformance.Server) []probe {
	ada, mal := h.Token(t, "ada", "events"), h.Token(t, "mal", "events")
	made(t, h, ada, "/user/repos", `{"name":"secret","private":true,"description":"d"}`, "name")
	const repo = "/repos/ada/ID"
	calls := []string{
		"GET " + repo + "/events", "GET /networks/ada/ID/events", "PATCH " + repo + ` {"description":"x"}`, "DELETE " + repo,
		"POST " + repo + "/forks", "PUT /user/starred/ada/ID", "PUT " + repo + "/collaborators/mal",
		"GET /git/ada/ID.git/info/refs?service=git-upload-pack",
	}
	out := append(over(bearer(mal), "secret", "missing", calls...), over(nil, "secret", "missing", calls...)...)
	for _, header := range []http.Header{nil, bearer(mal)} {
		out = append(out, over(header, "ada", "ghost",
			"GET /users/ID/events", "GET /users/ID/events/public", "GET /users/ID/received_events",
			"GET /users/ID/received_events/public",
			"GET /users/ID/events/orgs/none", "GET /repos/ID/missing/events",
			"GET /git/ID/missing.git/info/refs?service=git-upload-pack",
			`POST /orgs/ID/repos {"name":"x"}`, "GET /orgs/ID/events")...)
	}
	return out
}

func pipelineProbes(t *testing.T, h *conformance.Server) []probe {
	ada, mal := h.Token(t, "ada", "events"), h.Token(t, "mal", "pipelines")
	made(t, h, ada, "/user/repos", `{"name":"hidden","private":true,"description":"d"}`, "name")
	const at = "/api/v1.1/project/vcs_a/ada/ID"
	calls := []string{
		"GET " + at, "GET " + at + "/1", "GET " + at + "/tree/main", "POST " + at + "/build", "POST " + at + "/follow",
		"GET " + at + "/envvar",
		"POST " + at + `/envvar {"name":"A","value":"b"}`, "POST " + at + `/envvar {"name":"0"}`, "GET " + at + "/settings", "GET " + at + "/token",
		"POST " + at + `/token {"scope":"nonsense"}`, "GET " + at + "/checkout-key", "GET " + at + "/status", "DELETE " + at + "/build-cache",
	}
	out := append(over(bearer(mal), "hidden", "missing", calls...), over(nil, "hidden", "missing", calls...)...)
	return append(out,
		over(bearer(mal), "ada", "ghost", "GET /api/v1.1/project/vcs_a/ID/missing",
			"POST /api/v1.1/project/vcs_a/ID/missing/follow")...)
}

func generateProbes(t *testing.T, h *conformance.Server) []probe {
	ada, mal := h.Key(t, "ada", "generate"), h.Key(t, "mal", "generate")
	start := func(key string) http.Header {
		return http.Header{
			"X-Goog-Api-Key": {key}, "X-Vendor-Api-Key": {key}, "X-Vendor-Upload-Protocol": {"resumable"},
			"X-Vendor-Upload-Command": {"start"},
		}
	}
	upload := conformance.Call{Method: "POST", Path: "/upload/v1beta/files?key=" + ada, Header: start(ada), Body: `{"file":{"name":"files/notes"}}`}
	h.Do(t, upload).Want(t, 200)
	out := over(nil, "notes", "other", "GET /v1beta/files/ID?key="+mal, "DELETE /v1beta/files/ID?key="+mal,
		"GET /v1beta/files/ID:download?key="+mal)
	// The name is free for everybody else; the answer carries a secret.
	upload.Path, upload.Header = "/upload/v1beta/files?key="+mal, start(mal)
	h.Do(t, upload).Want(t, 200)
	h.Do(t, upload).Refused(t)
	return out
}
