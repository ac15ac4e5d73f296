package matrix_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"stoa.dev/stoa/test/conformance"
)

// addObjects makes one of everything that a write can name.
func (w *writer) addObjects(t *testing.T) {
	t.Helper()
	w.h.Command(t, "org add", map[string][]string{"name": {"academy"}})
	w.h.Command(t, "org member add", map[string][]string{"org": {"academy"}, "user": {"ada"}, "role": {"owner"}})
	w.h.Command(t, "team member add", map[string][]string{"team": {"lyceum"}, "user": {"ada"}, "role": {"owner"}})
	w.own["events.org"] = "academy"
	w.app = w.h.Command(t, "app add", map[string][]string{
		"name": {"Keeper"}, "owner": {"academy"}, "permission": {"issues:write"},
	})
	w.web = w.h.Command(t, "client add", map[string][]string{
		"name": {"Reader"}, "type": {"web"}, "redirect": {"https://reader.example/back"},
	})
	w.codeHost(t)
	w.pipelineObjects(t)
	w.placesAndListings(t)
	w.teamObjects(t)
	w.own["shared"] = unescape(t, w.shared["calendar.calendarId"])
	w.as(t, "ada", "calendar", conformance.Call{
		Method: "POST", Path: "/calendar/v3/calendars/" + w.own["calendar.calendarId"] + "/acl",
		Body: `{"role":"reader","scope":{"type":"user","value":"mal@example.com"}}`,
	}).Want(t, http.StatusOK)
	w.own["calendar.ruleId"] = "user:mal@example.com"
	w.own["generate.model"] = "stoa-script"
	w.own["generate.cache"] = strings.TrimPrefix(w.made(t, "generate", "/v1beta/cachedContents",
		strings.ReplaceAll(w.bodies["generate POST /v1beta/cachedContents"], "{{long}}", strings.Repeat("word ", 2000)),
		"name"), "cachedContents/")
	w.as(t, "ada", "snapshots", conformance.Call{
		Method: "POST", Path: "/api/v1/series",
		Body: fmt.Sprintf(`{"series":[{"metric":"system.load","points":[[%d,1]]}]}`, w.h.Clock.Now().Unix()),
	}).Want(t, http.StatusAccepted)
	w.own["snapshots.metric"] = "system.load"
}

func unescape(t *testing.T, text string) string {
	t.Helper()
	plain, err := url.PathUnescape(text)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

// codeHost is a repository with a branch, an issue, a pull request, a release, hooks and
// comments on all of them.
func (w *writer) codeHost(t *testing.T) {
	t.Helper()
	w.own["folder"] = branched(t)
	w.h.Command(t, "repo import", map[string][]string{
		"repo": {"ada/plans"}, "folder": {w.own["folder"]}, "private": {"true"}, "user": {"ada"},
	})
	w.h.Command(t, "repo member", map[string][]string{
		"repo": {"ada/plans"}, "member": {"mal"}, "permission": {"write"},
	})
	w.own["events.repo"] = "plans"
	const base = "/repos/ada/plans"
	w.made(t, "events", base+"/issues", `{"title":"Shade","labels":["1"]}`, "number")
	w.comments = map[string]string{
		"issues":   w.made(t, "events", base+"/issues/1/comments", `{"body":"words"}`, "id"),
		"comments": w.made(t, "events", base+"/commits/main/comments", `{"body":"words"}`, "id"),
	}
	pull := w.pull(t)
	found := w.as(t, "ada", "events", conformance.Call{Path: base + "/pulls/" + pull}).Want(t, http.StatusOK).Object(t)
	w.own["sha"] = conformance.Text(t, conformance.Sub(t, found, "head"), "sha")
	w.comments["pulls"] = w.made(t, "events", base+"/pulls/"+pull+"/comments",
		`{"body":"words","commit_id":"`+w.own["sha"]+`","path":"pipeline.yml","line":1}`, "id")
	w.own["release"] = w.made(t, "events", base+"/releases", `{"tag_name":"v0"}`, "id")
	const hook = `{"name":"web","config":{"url":"https://receiver.example/0"}}`
	w.own["hook"] = w.made(t, "events", base+"/hooks", hook, "id")
	w.own["orghook"] = w.made(t, "events", "/orgs/academy/hooks", hook, "id")
	w.own["events.username"] = "mal"
}

// branched is a repository whose branch topic is one commit ahead.
func branched(t *testing.T) string {
	t.Helper()
	dir := source(t)
	git := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("checkout", "-q", "-b", "topic")
	name := filepath.Join(dir, "pipeline.yml")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, append([]byte("# what it does\n"), text...), 0o600); err != nil {
		t.Fatal(err)
	}
	git("-c", "user.name=ada", "-c", "user.email=ada@example.com", "commit", "-q", "-a", "-m", "second")
	git("checkout", "-q", "main")
	return dir
}

func (w *writer) pipelineObjects(t *testing.T) {
	t.Helper()
	w.made(t, "pipelines", "/api/v1.1/project/vcs_a/ada/private/envvar",
		`{"name":"SECRET","value":"correct horse"}`, "name")
	w.own["pipelines.name"] = "SECRET"
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(key, "")
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(string(pem.EncodeToMemory(block)))
	if err != nil {
		t.Fatal(err)
	}
	w.own["key"] = strings.Trim(string(text), `"`)
}

// placesAndListings are what analytics reads from elsewhere, and a campaign.
func (w *writer) placesAndListings(t *testing.T) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "places.csv")
	text := "id,name,categories,lat,lng,rating,reviews\nown,Corner Bakery,Bakery,52.5200,13.4050,4.5,120\n"
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	w.h.Command(t, "places import", map[string][]string{"file": {name}})
	w.own["analytics.locationId"] = conformance.Text(t, w.h.Command(t, "listings add", map[string][]string{
		"name": {"One"}, "user": {"ada"}, "address": {"Long Street 1"}, "city": {"Berlin"}, "country": {"DE"},
		"phone": {"+49 30 1234567"}, "category": {"Bakery"}, "lat": {"52.52"}, "lng": {"13.405"},
	}), "id")
	made := w.as(t, "ada", "analytics", conformance.Call{
		Method: "POST", Path: "/apis/v4/map-rank-tracker/v0/campaigns",
		Body: w.bodies["analytics POST /apis/v4/map-rank-tracker/v0/campaigns"],
	}).Want(t, http.StatusOK).Object(t)
	w.own["analytics.campaignId"] = conformance.Text(t, conformance.Sub(t, made, "data"), "id")
}

func (w *writer) teamObjects(t *testing.T) {
	t.Helper()
	w.own["articles.url_name"] = w.group(t)
	made := w.as(t, "ada", "articles", conformance.Call{
		Method: "POST", Path: "/api/v2/templates", Host: teamHost, Body: w.bodies["articles POST /api/v2/templates"],
	}).Want(t, http.StatusCreated).Object(t)
	w.own["articles.template_id"] = fmt.Sprint(conformance.Integer(t, made, "id"))
	comment := w.as(t, "ada", "articles", conformance.Call{
		Method: "POST", Path: "/api/v2/items/" + w.own["articles@team.item_id"] + "/comments", Host: teamHost,
		Body: `{"body":"words"}`,
	}).Want(t, http.StatusCreated).Object(t)
	w.own["articles@team.comment_id"] = conformance.Text(t, comment, "id")
}
