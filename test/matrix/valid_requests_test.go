package matrix_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/test/conformance"
)

// writer makes requests that operations take, so that what is added to one is all that can
// be wrong with it.
type writer struct {
	*fixtures
	bodies map[string]string
	// number makes names that are not in use.
	number int
	app    map[string]any
	// web is an application with a redirect.
	web map[string]any
	// comments are ids by what they are on.
	comments map[string]string
}

// request is one that the operation takes.
type request struct {
	call conformance.Call
	o    operation
}

func newWriter(t *testing.T, f *fixtures) *writer {
	t.Helper()
	w := &writer{fixtures: f, bodies: validBodies(t)}
	w.addObjects(t)
	return w
}

func validBodies(t *testing.T) map[string]string {
	t.Helper()
	file, err := os.ReadFile(filepath.Join("testdata", "valid_bodies.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	bodies := map[string]string{}
	for line := range strings.Lines(string(file)) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if !strings.HasPrefix(line, "#") && len(cells) == 3 {
			bodies[cells[0]+" "+cells[1]] = cells[2]
		}
	}
	return bodies
}

// valid is a request that the operation takes, on objects of ada.
func (w *writer) valid(t *testing.T, o operation) request {
	t.Helper()
	key := o.module.Name + " " + o.name()
	body, ok := w.bodies[key]
	if !ok {
		t.Fatalf("testdata/valid_bodies.tsv has no body for %s", key)
	}
	w.number++
	made := objects{}
	maps.Copy(made, w.own)
	for name, value := range map[string]string{
		"n": fmt.Sprint(w.number), "url": w.h.URL, "now": fmt.Sprint(w.h.Clock.Now().Unix()),
		"before": fmt.Sprint(w.h.Clock.Now().Unix() - 3600), "long": strings.Repeat("word ", 2000),
	} {
		made[name] = value
	}
	header := w.prepare(t, o, made)
	header.Set("Content-Type", "application/json")
	header.Set("Accept", "application/json")
	path, _ := fill(o, made)
	return request{o: o, call: conformance.Call{
		Method: o.route.Method, Path: path, Host: o.host, Header: header, Body: put(body, made),
	}}
}

// put replaces {{name}}.
func put(body string, made objects) string {
	for name, value := range made {
		body = strings.ReplaceAll(body, "{{"+name+"}}", value)
	}
	return body
}

// prepare makes what an operation uses up, and returns the credential.
func (w *writer) prepare(t *testing.T, o operation, made objects) http.Header {
	t.Helper()
	if strings.Contains(o.route.Pattern, "/pulls/{number}") {
		made["events.number"] = w.pull(t)
	} else {
		w.setID(o, made)
	}
	if prepare, ok := preparations()[o.module.Name+" "+o.name()]; ok {
		if header := prepare(w, t, made); header != nil {
			return header
		}
	}
	if o.module.Name == "apikeys" { // it takes away the key that asks
		w.tokens["apikeys"]["full"] = w.h.Key(t, "ada", "apikeys")
	}
	header, ok := w.credential(t, o, "full")
	if !ok {
		header = http.Header{}
	}
	return header
}

// setID makes {id} the id of what the path names before it.
func (w *writer) setID(o operation, made objects) {
	switch {
	case strings.Contains(o.route.Pattern, "/orgs/{org}/hooks/{id}"):
		made["events.id"] = made["orghook"]
	case strings.Contains(o.route.Pattern, "/hooks/{id}"):
		made["events.id"] = made["hook"]
	case strings.Contains(o.route.Pattern, "/releases/{id}"):
		made["events.id"] = made["release"]
	case strings.Contains(o.route.Pattern, "/comments/{id}"):
		made["events.id"] = w.comments[strings.Split(o.route.Pattern, "/")[4]]
	}
}

// preparations make what can be used once, or take another credential.
func preparations() map[string]func(w *writer, t *testing.T, made objects) http.Header {
	review := func(w *writer, t *testing.T, made objects) http.Header {
		made["events.id"] = w.made(t, "events", "/repos/ada/plans/pulls/"+made["events.number"]+"/reviews",
			`{"body":"words","event":"COMMENT"}`, "id")
		return nil
	}
	approved := func(w *writer, t *testing.T, made objects) http.Header {
		of := "/repos/ada/plans/pulls/" + made["events.number"] + "/reviews"
		answer := w.as(t, "mal", "events", conformance.Call{Method: "POST", Path: of, Body: `{"event":"APPROVE"}`})
		made["events.id"] = fmt.Sprint(conformance.Integer(t, answer.Want(t, http.StatusOK).Object(t), "id"))
		return nil
	}
	emoji := func(w *writer, _ *testing.T, made objects) http.Header {
		names := []string{"thumbsup", "heart", "tada", "smile", "rocket", "eyes", "fire", "clap", "wave", "star"}
		made["emoji"] = names[w.number%len(names)]
		return nil
	}
	token := func(w *writer, t *testing.T, made objects) http.Header {
		made["events.client_id"] = conformance.Text(t, w.web, "client_id")
		made["access"] = w.webToken(t)
		header := http.Header{}
		(&http.Request{Header: header}).SetBasicAuth(made["events.client_id"], conformance.Text(t, w.web, "client_secret"))
		return header
	}
	embed := func(_ *writer, _ *testing.T, made objects) http.Header {
		made["generate.model"] = "stoa-script-embedding"
		return nil
	}
	return map[string]func(w *writer, t *testing.T, made objects) http.Header{
		"events POST /repos/{owner}/{repo}/pulls": func(w *writer, t *testing.T, made objects) http.Header {
			w.closePulls(t)
			made["head"] = "topic"
			return nil
		},
		"events PUT /repos/{owner}/{repo}/pulls/{number}/merge": func(w *writer, t *testing.T, made objects) http.Header {
			made["events.repo"] = w.repository(t)
			made["events.number"] = w.made(t, "events", "/repos/ada/"+made["events.repo"]+"/pulls",
				`{"title":"Change","head":"topic","base":"main"}`, "number")
			return nil
		},
		"events PUT /repos/{owner}/{repo}/pulls/{number}/reviews/{id}":            review,
		"events PUT /repos/{owner}/{repo}/pulls/{number}/reviews/{id}/dismissals": approved,
		"events POST /applications/{client_id}/token":                             token,
		"events PATCH /applications/{client_id}/token":                            token,
		"events POST /app/installations/{id}/access_tokens": func(w *writer, t *testing.T, made objects) http.Header {
			made["events.id"] = fmt.Sprint(w.app["installation_id"])
			return http.Header{"Authorization": {"Bearer " + w.appToken(t)}}
		},
		"articles POST /api/v2/items/{item_id}/reactions":       emoji,
		"articles POST /api/v2/comments/{comment_id}/reactions": emoji,
		"articles POST /api/v2/groups/{url_name}/members": func(w *writer, t *testing.T, made objects) http.Header {
			made["articles.url_name"] = w.group(t)
			return nil
		},
		"articles POST /api/v2/access_tokens": func(w *writer, t *testing.T, made objects) http.Header {
			w.articleCode(t, made, "", "authorize", "read_svc")
			return nil
		},
		"articles POST /api/v2/team_access_tokens": func(w *writer, t *testing.T, made objects) http.Header {
			w.articleCode(t, made, teamHost, "team_authorize", "read_svc_team")
			return nil
		},
		"calendar POST /calendar/v3/channels/stop": func(w *writer, t *testing.T, made objects) http.Header {
			made["channel"] = "kept-" + made["n"]
			made["resource"] = w.made(t, "calendar", "/calendar/v3/users/me/settings/watch",
				`{"id":"`+made["channel"]+`","type":"web_hook","address":"https://receiver.example/hook"}`, "resourceId")
			return nil
		},
		"labels POST /v2/labels/{label}:disable": func(w *writer, t *testing.T, made objects) http.Header {
			made["labels.label"] = w.label(t, "publish")
			return nil
		},
		"labels POST /v2/labels/{label}:enable": func(w *writer, t *testing.T, made objects) http.Header {
			made["labels.label"] = w.label(t, "publish", "disable")
			return nil
		},
		"labels POST /v2/labels/{label}:publish": func(w *writer, t *testing.T, made objects) http.Header {
			made["labels.label"] = w.label(t)
			return nil
		},
		"generate POST /v1beta/batches/{batch}:cancel": func(w *writer, t *testing.T, made objects) http.Header {
			body := w.bodies["generate POST /v1beta/models/{model}:batchGenerateContent"]
			name := w.made(t, "generate", "/v1beta/models/stoa-script:batchGenerateContent", body, "name")
			made["generate.batch"] = strings.TrimPrefix(name, "batches/")
			return nil
		},
		"generate POST /v1beta/models/{model}:embedContent":           embed,
		"generate POST /v1beta/models/{model}:batchEmbedContents":     embed,
		"generate POST /v1beta/models/{model}:asyncBatchEmbedContent": embed,
		"generate POST /upload/v1beta/files":                          upload,
		"generate PUT /upload/v1beta/files":                           upload,
	}
}

// upload begins one whose metadata is the body.
func upload(w *writer, _ *testing.T, _ objects) http.Header {
	header := http.Header{"X-Vendor-Upload-Protocol": {"resumable"}, "X-Vendor-Upload-Command": {"start"}}
	w.present(header, "generate", w.tokens["generate"]["full"])
	return header
}

// made posts as ada and returns a member of the answer.
func (w *writer) made(t *testing.T, service, path, body, member string) string {
	t.Helper()
	header := http.Header{"Accept": {"application/json"}}
	answer := w.as(t, "ada", service, conformance.Call{Method: "POST", Path: path, Body: body, Header: header})
	return fmt.Sprint(conformance.Member(t,
		answer.Want(t, http.StatusOK, http.StatusCreated, http.StatusAccepted).Object(t), member))
}

// repository is a new one of ada with a branch that can be merged.
func (w *writer) repository(t *testing.T) string {
	t.Helper()
	w.number++
	name := fmt.Sprintf("merge%d", w.number)
	w.h.Command(t, "repo import", map[string][]string{
		"repo": {"ada/" + name}, "folder": {w.own["folder"]}, "private": {"true"}, "user": {"ada"},
	})
	return name
}

// pull is an open pull request of ada/plans that ada opened, so that mal may approve it. The
// branch can be in one only: another's is closed first.
func (w *writer) pull(t *testing.T) string {
	t.Helper()
	for _, p := range w.openPulls(t) {
		if p.User.Login == "ada" {
			return fmt.Sprint(p.Number)
		}
	}
	w.closePulls(t)
	return w.made(t, "events", "/repos/ada/plans/pulls", `{"title":"Change","head":"topic","base":"main"}`, "number")
}

// openPull is what a list shows of a pull request.
type openPull struct {
	Number int
	User   struct{ Login string }
}

func (w *writer) openPulls(t *testing.T) []openPull {
	t.Helper()
	listed := w.as(t, "ada", "events", conformance.Call{Path: "/repos/ada/plans/pulls?state=open"}).Want(t, http.StatusOK)
	var open []openPull
	if err := json.Unmarshal(listed.Body, &open); err != nil {
		t.Fatal(err)
	}
	return open
}

// closePulls lets another of the same branch be opened.
func (w *writer) closePulls(t *testing.T) {
	t.Helper()
	for _, p := range w.openPulls(t) {
		w.as(t, "ada", "events", conformance.Call{
			Method: "PATCH", Path: fmt.Sprint("/repos/ada/plans/pulls/", p.Number), Body: `{"state":"closed"}`,
		}).Want(t, http.StatusOK)
	}
}

func (w *writer) label(t *testing.T, states ...string) string {
	t.Helper()
	id := w.made(t, "labels", "/v2/labels", w.bodies["labels POST /v2/labels"], "id")
	for _, state := range states {
		w.made(t, "labels", "/v2/labels/"+id+":"+state, `{}`, "id")
	}
	return id
}

// group is a new one of the team.
func (w *writer) group(t *testing.T) string {
	t.Helper()
	w.number++
	name := fmt.Sprintf("group%d", w.number)
	w.as(t, "ada", "articles", conformance.Call{
		Method: "POST", Path: "/api/v2/groups", Host: teamHost,
		Body: fmt.Sprintf(`{"name":%q,"url_name":%q,"private":false,"description":"all"}`, name, name),
	}).Want(t, http.StatusCreated)
	return name
}

func (w *writer) articleCode(t *testing.T, made objects, host, page, scope string) {
	t.Helper()
	made["client"], made["secret"] = conformance.Text(t, w.web, "client_id"), conformance.Text(t, w.web, "client_secret")
	path := "/api/v2/oauth/" + page + "?" + url.Values{"client_id": {made["client"]}, "scope": {scope}}.Encode()
	made["code"] = w.h.SignedIn(t, "ada", host).Decide(t, path, "allow").Get("code")
}

// webToken is one that ada gave an application at events.
func (w *writer) webToken(t *testing.T) string {
	t.Helper()
	id, secret := conformance.Text(t, w.web, "client_id"), conformance.Text(t, w.web, "client_secret")
	path := "/login/oauth/authorize?" + url.Values{"client_id": {id}, "scope": {"contents:read"}}.Encode()
	code := w.h.SignedIn(t, "ada", "").Decide(t, path, "allow").Get("code")
	answer := w.form(t, "/login/oauth/access_token", url.Values{
		"client_id": {id}, "client_secret": {secret}, "code": {code},
	}).Want(t, http.StatusOK)
	values, err := url.ParseQuery(string(answer.Body))
	if err != nil {
		t.Fatal(err)
	}
	return values.Get("access_token")
}

// appToken is what the app signs to show what it is.
func (w *writer) appToken(t *testing.T) string {
	t.Helper()
	block, _ := pem.Decode([]byte(conformance.Text(t, w.app, "private_key")))
	key, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	now := w.h.Clock.Now().Unix()
	encode := base64.RawURLEncoding.EncodeToString
	text := encode([]byte(`{"alg":"RS256","typ":"JWT"}`)) + "." +
		encode(fmt.Appendf(nil, `{"iss":%v,"iat":%d,"exp":%d}`, w.app["app_id"], now-60, now+540))
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	return text + "." + encode(signature)
}
