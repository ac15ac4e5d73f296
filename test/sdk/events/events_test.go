package events_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-github/v89/github"

	"stoa.dev/stoa/test/sdk/world"
)

func TestClients(t *testing.T) {
	s := start(t)
	s.Command(t, "events", "add", "--type", "WatchEvent", "--repo", s.env["STOA_REPO"], "--user", s.env["STOA_USER"],
		"--payload", `{"action":"started"}`, "--count", "120")
	t.Run("go-github reads every feed", func(t *testing.T) { feeds(t, s) })
	t.Run("go-github follows pages", func(t *testing.T) { pages(t, s) })
	t.Run("go-github gets 304", func(t *testing.T) { notModified(t, s) })
	t.Run("go-github reads pushes", func(t *testing.T) { pushes(t, s) })
	t.Run("go-github makes and renames repositories", func(t *testing.T) { repositories(t, s) })
	t.Run("go-github reads objects below the enterprise prefix", func(t *testing.T) { objects(t, s) })
	t.Run("go-github sees the primary limit", func(t *testing.T) { primary(t, s) })
	t.Run("go-github sees the secondary limit", func(t *testing.T) { secondary(t, s) })
	t.Run("octokit", func(t *testing.T) { octokit(t, s) })
}

func (s *server) client(t *testing.T, token string) *github.Client {
	t.Helper()
	base := s.env["STOA_URL"] + "/"
	options := []github.ClientOptionsFunc{github.WithURLs(&base, &base)}
	if token != "" {
		options = append(options, github.WithAuthToken(token))
	}
	c, err := github.NewClient(options...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (s *server) repo() (owner, name string) {
	owner, name, _ = strings.Cut(s.env["STOA_REPO"], "/")
	return owner, name
}

func feeds(t *testing.T, s *server) {
	ctx, c := t.Context(), s.client(t, s.env["STOA_TOKEN"])
	owner, name := s.repo()
	user, guest := s.env["STOA_USER"], s.env["STOA_GUEST"]
	for feed, list := range map[string]func() ([]*github.Event, *github.Response, error){
		"public": func() ([]*github.Event, *github.Response, error) { return c.Activity.ListEvents(ctx, nil) },
		"repository": func() ([]*github.Event, *github.Response, error) {
			return c.Activity.ListRepositoryEvents(ctx, owner, name, nil)
		},
		"network": func() ([]*github.Event, *github.Response, error) {
			return c.Activity.ListEventsForRepoNetwork(ctx, owner, name, nil)
		},
		"org": func() ([]*github.Event, *github.Response, error) {
			return c.Activity.ListEventsForOrganization(ctx, owner, nil)
		},
		"user": func() ([]*github.Event, *github.Response, error) {
			return c.Activity.ListEventsPerformedByUser(ctx, user, false, nil)
		},
		"user public": func() ([]*github.Event, *github.Response, error) {
			return c.Activity.ListEventsPerformedByUser(ctx, user, true, nil)
		},
		"received": func() ([]*github.Event, *github.Response, error) {
			return s.client(t, s.env["STOA_GUEST_TOKEN"]).Activity.ListEventsReceivedByUser(ctx, guest, false, nil)
		},
		"received public": func() ([]*github.Event, *github.Response, error) {
			return c.Activity.ListEventsReceivedByUser(ctx, guest, true, nil)
		},
		"user of org": func() ([]*github.Event, *github.Response, error) {
			return c.Activity.ListUserEventsForOrganization(ctx, owner, user, nil)
		},
	} {
		list, response, err := list()
		if err != nil {
			t.Errorf("%s: %v", feed, err)
			continue
		}
		if len(list) == 0 || response.Header.Get("X-Poll-Interval") != "60" || response.Rate.Limit != 5000 {
			t.Errorf("%s: %d events, poll interval %q, rate %+v", feed, len(list), response.Header.Get("X-Poll-Interval"),
				response.Rate)
			continue
		}
		e := list[0]
		if e.GetID() == "" || e.GetActor().GetLogin() == "" || e.GetRepo().GetName() == "" || e.CreatedAt == nil {
			t.Errorf("%s: got %v", feed, e)
		}
		if _, err := e.ParsePayload(); err != nil {
			t.Errorf("%s: payload: %v", feed, err)
		}
	}
}

func pages(t *testing.T, s *server) {
	c := s.client(t, s.env["STOA_TOKEN"])
	owner, name := s.repo()
	seen := map[string]bool{}
	for e, err := range c.Activity.ListRepositoryEventsIter(t.Context(), owner, name, &github.ListOptions{PerPage: 50}) {
		if err != nil {
			t.Fatal(err)
		}
		seen[e.GetID()] = true
	}
	if len(seen) < 120 {
		t.Errorf("followed pages to %d events, want at least 120", len(seen))
	}
}

func notModified(t *testing.T, s *server) {
	c := s.client(t, s.env["STOA_TOKEN"])
	_, first, err := c.Activity.ListEvents(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.NewRequest(t.Context(), http.MethodGet, "events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("If-None-Match", first.Header.Get("Etag"))
	again, err := c.Do(r, nil)
	if again == nil || again.StatusCode != http.StatusNotModified || again.Rate.Remaining != first.Rate.Remaining {
		t.Errorf("got %v %v, want 304 and %d left", again, err, first.Rate.Remaining)
	}
}

func pushes(t *testing.T, s *server) {
	c := s.client(t, s.env["STOA_TOKEN"])
	owner, name := s.repo()
	for e, err := range c.Activity.ListRepositoryEventsIter(t.Context(), owner, name, &github.ListOptions{PerPage: 100}) {
		if err != nil {
			t.Fatal(err)
		}
		payload, err := e.ParsePayload()
		if err != nil {
			t.Fatal(err)
		}
		if push, ok := payload.(*github.PushEvent); ok {
			if push.GetRef() != "refs/heads/main" || len(push.Commits) != 1 || push.Commits[0].GetSHA() != push.GetHead() {
				t.Errorf("push: got %v", push)
			}
			return
		}
	}
	t.Error("there is no PushEvent")
}

func repositories(t *testing.T, s *server) {
	ctx, c := t.Context(), s.client(t, s.env["STOA_TOKEN"])
	made, _, err := c.Repositories.Create(ctx, "", &github.Repository{Name: github.Ptr("sdk"), Private: github.Ptr(true)})
	if err != nil || !made.GetPrivate() {
		t.Fatalf("create: %v %v", made, err)
	}
	if _, _, err := c.Repositories.Edit(ctx, s.env["STOA_USER"], "sdk", &github.Repository{
		Name: github.Ptr("kit"),
	}); err != nil {
		t.Fatal(err)
	}
	// The client follows the 301 of the old name.
	list, _, err := c.Activity.ListRepositoryEvents(ctx, s.env["STOA_USER"], "sdk", nil)
	if err != nil || len(list) != 1 || list[0].GetType() != "CreateEvent" {
		t.Errorf("events by the old name: %v %v", list, err)
	}
	if _, _, err := s.client(t, s.env["STOA_GUEST_TOKEN"]).Repositories.Get(ctx, s.env["STOA_USER"], "kit"); err == nil {
		t.Error("another user sees the private repository")
	}
	if _, err := c.Activity.Star(ctx, s.env["STOA_USER"], "kit"); err != nil {
		t.Errorf("star: %v", err)
	}
	if _, err := c.Repositories.Delete(ctx, s.env["STOA_USER"], "kit"); err != nil {
		t.Errorf("delete: %v", err)
	}
}

// objects reads what feeds lead to with the client's own way to another host.
func objects(t *testing.T, s *server) {
	base := s.env["STOA_URL"]
	c, err := github.NewClient(github.WithEnterpriseURLs(base, base), github.WithAuthToken(s.env["STOA_TOKEN"]))
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	owner, name := s.repo()
	me, _, err := c.Users.Get(ctx, "")
	if err != nil || me.GetLogin() != s.env["STOA_USER"] {
		t.Errorf("the caller: %v %v", me, err)
	}
	if org, _, err := c.Organizations.Get(ctx, owner); err != nil || org.GetLogin() != owner {
		t.Errorf("the organization: %v %v", org, err)
	}
	repo, _, err := c.Repositories.Get(ctx, owner, name)
	if err != nil || !strings.HasPrefix(repo.GetURL(), base+"/api/v3/") || !repo.GetPermissions().GetAdmin() {
		t.Errorf("the repository: %v %v", repo, err)
	}
	commit, _, err := c.Repositories.GetCommit(ctx, owner, name, "main", nil)
	if err != nil || len(commit.Files) != 2 || commit.GetStats().GetTotal() == 0 {
		t.Errorf("the commit: %v %v", commit, err)
	}
	file, _, _, err := c.Repositories.GetContents(ctx, owner, name, "README.md", nil)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := file.GetContent(); err != nil || !strings.HasPrefix(text, "# Colonnade") {
		t.Errorf("the file: %q %v", text, err)
	}
	tree, _, err := c.Git.GetTree(ctx, owner, name, "main", true)
	if err != nil || len(tree.Entries) != 2 {
		t.Errorf("the tree: %v %v", tree, err)
	}
	if _, err := c.Activity.Star(ctx, owner, name); err != nil {
		t.Errorf("star: %v", err)
	}
	if starred, _, err := c.Activity.IsStarred(ctx, owner, name); err != nil || !starred {
		t.Errorf("starred: %v %v", starred, err)
	}
	if list, _, err := c.Activity.ListEvents(ctx, nil); err != nil || len(list) == 0 {
		t.Errorf("events: %v %v", list, err)
	}
}

func primary(t *testing.T, s *server) {
	c := s.client(t, "")
	var err error
	for range 61 {
		if _, _, err = c.Activity.ListEvents(t.Context(), nil); err != nil {
			break
		}
	}
	var limited *github.RateLimitError
	if !errors.As(err, &limited) || limited.Rate.Limit != 60 || limited.Rate.Remaining != 0 ||
		time.Until(limited.Rate.Reset.Time) > time.Hour+time.Second {
		t.Errorf("got %v, want the primary limit of 60", err)
	}
	limits, _, err := c.RateLimit.Get(t.Context())
	if err != nil || limits.GetCore().Remaining != 0 || limits.GetCore().Limit != 60 {
		t.Errorf("limits: %v %v", limits, err)
	}
}

func secondary(t *testing.T, s *server) {
	c := s.client(t, s.env["STOA_GUEST_TOKEN"])
	var err error
	for range 80 {
		if _, _, err = c.Activity.ListEvents(t.Context(), nil); err != nil {
			break
		}
	}
	var limited *github.AbuseRateLimitError
	if !errors.As(err, &limited) || limited.RetryAfter == nil || *limited.RetryAfter <= 0 ||
		*limited.RetryAfter > time.Minute {
		t.Fatalf("got %v, want the secondary limit with a wait of at most a minute", err)
	}
	// Until the wait is over the client refuses by itself.
	if _, _, err := c.Activity.ListEvents(t.Context(), nil); !errors.As(err, &limited) {
		t.Errorf("right after: got %v", err)
	}
}

// TestApps proves an app with its key and signs a user in for it.
func TestApps(t *testing.T) {
	if out := world.Serve(t, world.Options{}).Node(t, "npm", "apps.mjs"); !strings.Contains(out, "the app is served") {
		t.Fatalf("node: %s", out)
	}
}

// TestOfficialPythonClients runs the scripts under python.
func TestOfficialPythonClients(t *testing.T) {
	world.PythonClients(t, world.Options{})
}

func octokit(t *testing.T, s *server) {
	if out := s.Node(t, "npm", "events.mjs"); !strings.Contains(out, "every feed is read and both limits are obeyed") {
		t.Fatalf("node: %s", out)
	}
}
