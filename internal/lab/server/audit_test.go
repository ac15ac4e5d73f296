package server_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// acts are the lines of the lab's trail, the newest first.
func (s *served) acts(query string) (lines []string) {
	s.t.Helper()
	for _, e := range s.call("GET", "/audit"+query, "", http.StatusOK)["entries"].([]any) {
		entry := e.(map[string]any)
		var words []string
		for _, name := range []string{"actor", "credential", "action", "object", "outcome", "detail"} {
			if text, _ := entry[name].(string); text != "" {
				words = append(words, text)
			}
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return lines
}

func wantActs(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s:\ngot  %q\nwant %q", what, got, want)
	}
}

// TestActsAreOnRecord: every call that changes something leaves an entry, one that is
// refused too, and one that reads does not. The trail outlives the worlds.
func TestActsAreOnRecord(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	s.call("POST", "/worlds", `{"name":"one","clock":{"mode":"frozen","now":"2030-01-01T00:00:00Z"}}`, 201)
	s.call("GET", "/worlds/one", "", 200)
	s.call("POST", "/worlds", `{"name":"one"}`, 409)
	s.call("POST", "/worlds/one/fork", `{"name":"two"}`, 201)
	s.call("POST", "/worlds/one/snapshots", `{"name":"kept"}`, 201)
	s.call("POST", "/worlds/one/clock/advance", `{"by":"1h"}`, 200)
	fault := s.call("POST", "/worlds/one/faults", `{"match":{"service":"tasks"},"deed":{"status":503}}`, 201)["id"].(string)
	s.call("DELETE", "/worlds/one/faults/"+fault, "", 204)
	s.call("POST", "/worlds/one/expect", `{"calls":{"service":"tasks"},"exactly":0}`, 200)
	s.call("POST", "/worlds/one/reset", "", 200)
	s.call("DELETE", "/worlds/one", "", 204)
	wantActs(t, "all", s.acts(""),
		"lab token worlds.delete one done",
		"lab token worlds.reset one done",
		"lab token faults.delete one done fault "+fault,
		"lab token faults.create one done fault "+fault,
		"lab token clock.advance one done 2030-01-01T00:00:00Z to 2030-01-01T01:00:00Z",
		"lab token snapshots.create kept done of one",
		"lab token worlds.fork two done of one",
		"lab token worlds.create refused conflict",
		"lab token worlds.create one done from demo")
	wantActs(t, "of a world", s.acts("?world=two"), "lab token worlds.fork two done of one")
	wantActs(t, "of a kind", s.acts("?action=faults&limit=1"), "lab token faults.delete one done fault "+fault)
	s.call("GET", "/audit?colour=red", "", 400)
}

// TestActsOfTheConsole: what a form of a world's console did is on record with its user.
func TestActsOfTheConsole(t *testing.T) {
	s := open(t, t.TempDir())
	world := s.call("POST", "/worlds", `{"name":"one"}`, 201)
	v := newVisitor(t, world["prefixUrl"].(string), world)
	v.signIn()
	user := v.env["STOA_USER"]
	form := url.Values{"form": {v.form("/console/lab")}, "name": {"copy"}}
	if status, body := v.post("/console/lab/fork", form); status != http.StatusSeeOther {
		t.Fatalf("fork: %d %.300s", status, body)
	}
	got := s.acts("?world=copy")
	if len(got) != 1 || !strings.HasPrefix(got[0], user+" session ") ||
		!strings.HasSuffix(got[0], "worlds.fork copy done of one") {
		t.Errorf("%q, want the fork by a session of %s", got, user)
	}
	if _, body := v.visit(v.base + "/console/lab/audit?world=copy"); strings.Contains(string(body), "of one</td>") {
		t.Errorf("the page of a world shows acts on another: %s", body)
	}
}

// TestLookingLeavesNoRequests: what the console of a world shows is not in the list of the
// world's requests, in its archive or among what a test expects.
func TestLookingLeavesNoRequests(t *testing.T) {
	s := open(t, t.TempDir())
	world := s.call("POST", "/worlds", `{"name":"one"}`, 201)
	prefix := world["prefixUrl"].(string)
	v := newVisitor(t, prefix, world)
	v.signIn()
	v.visit(v.base + "/console/data/tasks/lists")
	if status, _ := s.do("GET", prefix+"/tasks/v1/users/@me/lists", s.token(world), "", nil); status != 200 {
		t.Fatalf("the client's own call: %d", status)
	}
	count := func(query string) (all, lists int) {
		for _, r := range s.call("GET", "/worlds/one/requests"+query, "", 200)["requests"].([]any) {
			all++
			if r.(map[string]any)["operation"] == "tasklists.list" {
				lists++
			}
		}
		return all, lists
	}
	if all, lists := count(""); all != 1 || lists != 1 {
		t.Errorf("%d requests, %d of them of lists, want the client's alone", all, lists)
	}
	if all, lists := count("?console=yes"); all < 4 || lists < 2 {
		t.Errorf("with the console's %d requests, %d of them of lists, want at least 4 and 2", all, lists)
	}
	if all, _ := count("?service=console"); all < 2 {
		t.Errorf("of the console's own pages %d, want those that were read", all)
	}
	s.call("GET", "/worlds/one/requests?console=perhaps", "", 400)
	verdict := s.call("POST", "/worlds/one/expect", `{"calls":{"operation":"tasklists.list"},"exactly":1}`, 200)
	if verdict["pass"] != true {
		t.Errorf("the expectation of one call: %v", verdict)
	}
	archive := s.call("GET", "/worlds/one/requests.har", "", 200)["log"].(map[string]any)["entries"].([]any)
	if len(archive) != 1 {
		t.Errorf("the archive has %d requests, want 1", len(archive))
	}
}
