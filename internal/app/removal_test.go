package app_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/module"
)

// send makes a request with a token and returns the answer's status and body.
func send(t *testing.T, token, method, address, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+token)
	v := &visitor{t: t, http: http.DefaultClient}
	return v.do(r)
}

// TestRemovals: a user who has something stays, one who has nothing goes with all rights, and
// what mentions a removed user can still be read, on both databases.
func TestRemovals(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			c := config(t)
			if engine == "postgres" {
				c.Database.URL = databasetest.PostgresURL(t)
			}
			a := start(t, c, true)
			removesWhoOwnsNothing(t, a)
		})
	}
}

// removing is a demo world with the commands over it.
type removing struct {
	t   *testing.T
	app *app.App
	env map[string]string
}

func (r removing) run(path string, values map[string][]string) any {
	r.t.Helper()
	made, err := r.app.RunCommand(r.t.Context(), path, values, nil)
	if err != nil {
		r.t.Fatalf("%s %v: %v", path, values, err)
	}
	return made
}

// refused runs a command that must be a conflict, for reasons that it names.
func (r removing) refused(path, arg, name string, says ...string) {
	r.t.Helper()
	_, err := r.app.RunCommand(r.t.Context(), path, map[string][]string{arg: {name}}, nil)
	var failed *module.CommandError
	if !errors.As(err, &failed) || failed.Failure != module.Conflict {
		r.t.Fatalf("%s %s: %v, want a conflict", path, name, err)
	}
	for _, text := range says {
		if !strings.Contains(err.Error(), text) {
			r.t.Errorf("%s %s: %v, want it to name %s", path, name, err, text)
		}
	}
}

// user makes a user with a token for everything.
func (r removing) user(name string) (token string) {
	r.t.Helper()
	r.run("user add", map[string][]string{"name": {name}})
	return field(r.t, r.run("token issue", map[string][]string{"user": {name}, "service": {"*"}}), "token")
}

// wants makes a request and checks the answer's status and a part of its body.
func (r removing) wants(status int, text, token, method, path, body string) {
	r.t.Helper()
	got, answer := send(r.t, token, method, r.app.URL()+path, body)
	if got != status || !strings.Contains(answer, text) {
		r.t.Errorf("%s %s = %d %s, want %d with %q", method, path, got, answer, status, text)
	}
}

func removesWhoOwnsNothing(t *testing.T, a *app.App) {
	t.Helper()
	env, err := a.RefreshDemo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := removing{t, a, env}
	named := map[string][]string{"name": {"eve"}}

	r.refused("user remove", "name", env["STOA_USER"], "last administrator")
	r.user("boss")
	r.run("user set", map[string][]string{"name": {"boss"}, "admin": {"yes"}})
	r.refused("user remove", "name", env["STOA_USER"], "articles", "tasks", "calendars",
		"teams without another owner")
	r.refused("org remove", "org", env["STOA_TEAM"], "repositories")
	r.refused("team remove", "team", env["STOA_TEAM"], "articles")

	// A user who only read goes without a trace.
	eve := r.user("eve")
	r.wants(200, "", eve, "GET", "/tasks/v1/lists/@default/tasks", "")
	r.wants(200, "", eve, "GET", "/calendar/v3/calendars/primary", "")
	r.wants(200, "", eve, "POST", "/tasks/v1/lists/@default/tasks", `{"title": "mine"}`)
	r.refused("user remove", "name", "eve", "tasks (1)")
	_, list := send(t, eve, "GET", a.URL()+"/tasks/v1/lists/@default/tasks", "")
	task := regexp.MustCompile(`"id": ?"([^"]+)"`).FindStringSubmatch(list)
	if task == nil {
		t.Fatalf("no task in %s", list)
	}
	r.wants(204, "", eve, "DELETE", "/tasks/v1/lists/@default/tasks/"+task[1], "")
	if done := fmt.Sprint(r.run("user remove", named)); done != "{eve true false []}" {
		t.Errorf("removing a user without a trace: %s", done)
	}
	r.wants(401, "", eve, "GET", "/tasks/v1/lists/@default/tasks", "")

	// A user who is mentioned goes, and what mentions the user can be read.
	eve = r.user("eve")
	item := "/api/v2/items/" + env["STOA_ARTICLE"]
	r.wants(204, "", eve, "PUT", item+"/like", "")
	r.wants(201, "", eve, "POST", item+"/comments", `{"body": "so it is"}`)
	r.wants(201, "", eve, "POST", "/repos/"+env["STOA_REPO"]+"/issues", `{"title": "it leaks"}`)
	if done := fmt.Sprint(r.run("user remove", named)); !strings.HasPrefix(done, "{eve true true") {
		t.Errorf("removing an author: %s", done)
	}
	ada := env["STOA_TOKEN"]
	r.wants(401, "", eve, "GET", "/user", "")
	r.wants(200, `"eve"`, ada, "GET", item+"/likes", "")
	r.wants(200, `"eve"`, ada, "GET", item+"/comments", "")
	r.wants(200, `"eve"`, ada, "GET", "/repos/"+env["STOA_REPO"]+"/issues", "")
	r.wants(404, "", ada, "GET", "/users/eve", "")
	if _, err := a.RunCommand(t.Context(), "user add", named, nil); err == nil {
		t.Error("another user got the name of an author")
	}
}

// ownerColumn is a column that names a user, an organization or a team.
var ownerColumn = regexp.MustCompile(`(?m)^\s+(user_id|owner_id|actor_id|team_id|org_id|created_by)\s`)

// TestEveryOwnedTableIsStated: what names an owner says what becomes of it when the owner is
// removed, or stands here with the reason.
func TestEveryOwnedTableIsStated(t *testing.T) {
	t.Parallel()
	ends := "ends by itself, and only its owner reaches it"
	follows := "belongs to a job, which belongs to a project"
	reasons := map[string]string{
		"forge_installations": "dropped by a later migration",
		"articles_people":     "counts that stay while anybody mentions the user", "forge_pending": "a push in progress",
		"generate_files": ends, "generate_uploads": ends, "generate_caches": ends, "generate_batches": ends,
		"pipelines_turns": follows, "pipelines_owners": follows, "pipelines_late_pushes": "a push in progress",
	}
	var tables, stated []string
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if !strings.HasSuffix(path, ".sql") && !strings.HasSuffix(path, "owned_rows_store.go") ||
			strings.Contains(path, "identity") || strings.Contains(path, "platform") {
			return nil
		}
		b, err := os.ReadFile(path)
		if strings.HasSuffix(path, ".go") {
			stated = append(stated, string(b))
			return err
		}
		for _, part := range strings.Split(string(b), "CREATE TABLE ")[1:] {
			name, columns, _ := strings.Cut(part, " (")
			columns, _, _ = strings.Cut(columns, "\n);")
			if ownerColumn.MatchString(columns) {
				tables = append(tables, name)
			}
		}
		return err
	})
	if err != nil || len(tables) < 20 || len(stated) < 8 {
		t.Fatalf("%d tables, %d lists: %v", len(tables), len(stated), err)
	}
	all := strings.Join(stated, "\n")
	for _, name := range tables {
		if !regexp.MustCompile(`FROM `+name+`\b`).MatchString(all) && reasons[name] == "" {
			t.Errorf("%s names an owner and no owned_rows_store.go says what becomes of it", name)
		}
	}
}
