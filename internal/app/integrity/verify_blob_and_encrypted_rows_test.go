package integrity_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/integrity"
	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
)

// TestRows: a row whose object is absent, another or damaged is named, and so is every
// value that does not open, of every kind that a module states.
func TestRows(t *testing.T) {
	for engine, url := range map[string]string{"sqlite": "", "postgres": databasetest.PostgresURL(t)} {
		t.Run(engine, func(t *testing.T) {
			a, _ := open(t, url)
			fill(t, a)
			whole := check(t, a)
			if whole.Damaged != 0 {
				t.Fatalf("a world that is whole is damaged: %+v", whole)
			}
			for _, part := range []string{
				"identity", "deliveries", "calendar", "events", "pipelines", "articles", "generate", "snapshots",
			} {
				if !slices.ContainsFunc(whole.Parts, func(p integrity.Part) bool { return p.Name == part && p.Looked > 0 }) {
					t.Errorf("nothing of %s was looked at", part)
				}
			}
			spoilValues(t, a)
			removeObjects(t, a)
			checkNamed(t, check(t, a))
		})
	}
}

// checkNamed wants one damage of each kind.
func checkNamed(t *testing.T, r integrity.Report) {
	t.Helper()
	counts := map[string]int{}
	for _, p := range r.Parts {
		for _, d := range p.Damages {
			kind, _, _ := strings.Cut(d.What, " ")
			counts[p.Name+" "+kind]++
			if d.Detail == "" || d.Advice == "" {
				t.Errorf("%s says too little: %+v", p.Name, d)
			}
		}
	}
	want := map[string]int{
		"identity key": 1, "deliveries message": counts["deliveries message"], "calendar channel": 1, "events hook": 1,
		"pipelines variable": 1, "pipelines checkout": 1, "pipelines webhooks": 1,
		"pipelines artifact": 1, "pipelines cache": 1, "pipelines workspace": 1,
		"articles picture": 1, "generate file": 1, "snapshots snapshot": 1,
	}
	if fmt.Sprint(counts) != fmt.Sprint(want) || counts["deliveries message"] == 0 {
		t.Errorf("damages by kind:\n%v, want\n%v", counts, want)
	}
	if r.Failure() == nil {
		t.Error("the command would end well")
	}
}

// fill makes a row of every kind, by the operations of the services where one request does.
func fill(t *testing.T, a *app.App) {
	t.Helper()
	secret := func(what, service string) string {
		made, err := a.RunCommand(t.Context(), what+" issue", map[string][]string{"user": {"ada"}, "service": {service}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(made)
		if err != nil {
			t.Fatal(err)
		}
		var out map[string]any
		if err := json.Unmarshal(text, &out); err != nil {
			t.Fatal(err)
		}
		value, _ := out[what].(string)
		return value
	}
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	pipelines := secret("token", "pipelines")
	const project = "/api/v1.1/project/vcs_a/ada/site"
	for _, call := range []struct{ method, path, token, kind, body string }{
		{"GET", "/oauth2/v3/certs", "", "", ""},
		{"POST", "/calendar/v3/calendars/primary/events/watch", secret("token", "calendar"), "application/json",
			`{"id":"one","type":"web_hook","address":"http://127.0.0.1:1/x"}`},
		{"POST", "/repos/ada/site/hooks", secret("token", "events"), "application/json",
			`{"config":{"url":"http://127.0.0.1:1/x","secret":"hush"},"events":["*"]}`},
		{"POST", project + "/envvar", pipelines, "application/json", `{"name":"SECRET","value":"correct horse"}`},
		{"POST", project + "/checkout-key", pipelines, "application/json", `{"type":"deploy-key"}`},
		{"PUT", project + "/settings", pipelines, "application/json",
			`{"webhooks":[{"url":"https://hooks.example.com/a","secret":"s"}]}`},
		{"POST", "/api/v2/pictures", secret("token", "articles"), "image/png", picture.String()},
		{"POST", "/upload/v1beta/files?uploadType=media&key=" + secret("key", "generate"), "", "text/plain", "some text"},
	} {
		r := httptest.NewRequest(call.method, "http://127.0.0.1:1"+call.path, strings.NewReader(call.body))
		if call.token != "" {
			r.Header.Set("Authorization", "Bearer "+call.token)
		}
		r.Header.Set("Content-Type", call.kind)
		r.RemoteAddr = "127.0.0.1:2"
		w := httptest.NewRecorder()
		a.Handler().ServeHTTP(w, r)
		if w.Code/100 != 2 {
			t.Fatalf("%s %s: %d %s", call.method, call.path, w.Code, w.Body)
		}
	}
	insertRows(t, a)
}

// insertRows makes the rows of jobs, and one of each kind that has expired without its object.
func insertRows(t *testing.T, a *app.App) {
	t.Helper()
	later := database.Time(a.World().Clock.Now().Add(time.Hour))
	put := func(key string) blob.Info {
		info, err := a.World().Blobs.Put(t.Context(), key, strings.NewReader("bytes"), blob.PutOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	for _, kind := range []string{"artifacts", "caches", "layers"} {
		put("pipelines/" + kind + "/1/0a")
	}
	sum := fmt.Sprintf("%x", put("snapshots/x").SHA256)
	put("snapshots/" + sum[:2] + "/" + sum + ".png")
	exec(t, a, `INSERT INTO pipelines_artifacts (build_id, node, path, size, blob_key, expires_at, repo_id, owner_id)
		VALUES (1, 0, 'a', 5, 'pipelines/artifacts/1/0a', $1, 1, 1)`, later)
	exec(t, a, `INSERT INTO pipelines_caches (repo_id, cache_key, blob_key, size, created_at, expires_at, owner_id)
		VALUES (1, 'k', 'pipelines/caches/1/0a', 5, $1, $1, 1)`, later)
	exec(t, a, `INSERT INTO pipelines_layers (workspace_id, build_id, repo_id, size, blob_key, expires_at, owner_id)
		VALUES ('w', 1, 1, 5, 'pipelines/layers/1/0a', $1, 1)`, later)
	exec(t, a, `INSERT INTO pipelines_layers (workspace_id, build_id, repo_id, size, blob_key, expires_at, owner_id)
		VALUES ('w', 1, 1, 5, 'pipelines/layers/1/gone', $1, 1)`, database.Time(a.World().Clock.Now().Add(-time.Hour)))
	exec(t, a, `INSERT INTO snapshots_graphs (id, org, digest, path, request, state, sha256, created_at)
		VALUES ('g', 'o', 'd', 'p', '', 'ready', $1, $2)`, sum, later)
}

func exec(t *testing.T, a *app.App, query string, args ...any) {
	t.Helper()
	err := a.World().DB.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Exec(ctx, query, args...)
		return err
	})
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

func spoilValues(t *testing.T, a *app.App) {
	t.Helper()
	for table, column := range map[string]string{
		"identity_signing_keys": "sealed", "deliver_messages": "request", "calendar_channels": "sealed",
		"events_hooks": "sealed", "pipelines_envvars": "sealed", "pipelines_keys": "sealed",
		"pipelines_projects": "webhooks",
	} {
		exec(t, a, `UPDATE `+table+` SET `+column+` = $1 WHERE length(`+column+`) > 0`, []byte("spoiled"))
	}
}

// removeObjects loses most objects, and puts another in the place of the file's and the
// artifact's.
func removeObjects(t *testing.T, a *app.App) {
	t.Helper()
	all, err := a.World().Blobs.List(t.Context(), "", "", 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range all {
		switch {
		case strings.HasPrefix(info.Key, "generate/"), strings.HasPrefix(info.Key, "pipelines/artifacts/"):
			_, err = a.World().Blobs.Put(t.Context(), info.Key, strings.NewReader("another one"), blob.PutOptions{})
		case !strings.HasPrefix(info.Key, "a/"):
			err = a.World().Blobs.Delete(t.Context(), info.Key)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
