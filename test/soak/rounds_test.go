package soak_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	kms "k8s.io/kms/apis/v2"
)

// round is what a client of one service does, from making something to removing it: so that
// the data has the same size at the end of a run as at its beginning, as far as the service
// lets things be removed.
type round struct {
	service string
	run     func(ctx context.Context, c *client) error
	// seldom rounds start processes or draw; they come once where others come fifty times.
	seldom bool
}

// rounds are all of them; every service has one.
func rounds() []round {
	return []round{
		{service: "tasks", run: tasksRound}, {service: "calendar", run: calendarRound},
		{service: "articles", run: articlesRound}, {service: "events", run: eventsRound},
		{service: "labels", run: labelsRound}, {service: "packages", run: packagesRound},
		{service: "snapshots", run: snapshotsRound}, {service: "pipelines", run: pipelinesRound},
		{service: "device", run: deviceRound}, {service: "analytics", run: analyticsRound},
		{service: "apikeys", run: apikeysRound}, {service: "generate", run: generateRound},
		{service: "kms", run: kmsRound},
		{service: "articles", run: newArticleRound, seldom: true}, {service: "snapshots", run: pictureRound, seldom: true},
		{service: "pipelines", run: jobRound, seldom: true},
	}
}

// made sends a call that makes something, then those that use and remove it; ID stands for
// its id in their paths.
func (c *client) made(ctx context.Context, service, path, body, member string, then ...string) error {
	a, err := c.send(ctx, service, "POST "+path, body)
	if err != nil {
		return err
	}
	id, err := a.member(member)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, line := range then {
		line, body, _ := strings.Cut(line, " <- ")
		line, body = strings.ReplaceAll(line, "ID", id), strings.ReplaceAll(body, "ID", id)
		if _, err := c.send(ctx, service, line, body); err != nil {
			return err
		}
	}
	return nil
}

// member is one of the answer's, named by its path.
func (a answer) member(path string) (string, error) {
	var value any
	if err := json.Unmarshal(a.body, &value); err != nil {
		return "", err
	}
	for name := range strings.SplitSeq(path, ".") {
		object, ok := value.(map[string]any)
		if !ok {
			return "", fmt.Errorf("no %s in %.200s", path, a.body)
		}
		value = object[name]
	}
	switch v := value.(type) {
	case string:
		return url.PathEscape(v), nil
	case float64:
		return fmt.Sprintf("%.0f", v), nil
	}
	return "", fmt.Errorf("no %s in %.200s", path, a.body)
}

func tasksRound(ctx context.Context, c *client) error {
	const tasks = "/tasks/v1/lists/@default/tasks"
	return c.made(ctx, "tasks", tasks, `{"title":"Sweep the steps"}`, "id",
		"GET "+tasks+"/ID", "PATCH "+tasks+`/ID <- {"title":"Sweep them again"}`, "GET "+tasks+"?maxResults=20",
		"GET /tasks/v1/users/@me/lists", "DELETE "+tasks+"/ID")
}

func calendarRound(ctx context.Context, c *client) error {
	const events = "/calendar/v3/calendars/primary/events"
	return c.made(ctx, "calendar", events,
		`{"summary":"x","start":{"dateTime":"2026-03-10T09:00:00Z"},"end":{"dateTime":"2026-03-10T10:00:00Z"}}`, "id",
		"GET "+events+"/ID", "PATCH "+events+`/ID <- {"summary":"y"}`, "GET "+events+"?maxResults=20",
		"DELETE "+events+"/ID")
}

// articlesRound changes the client's own article: a new one stays in a cache of 32 MB that
// two hours do not fill.
func articlesRound(ctx context.Context, c *client) error {
	const items, tags = "/api/v2/items", `"tags":[{"name":"go","versions":[]}]`
	if c.article == "" {
		a, err := c.send(ctx, "articles", "POST "+items, `{"title":"Steps","body":"*Swept*","private":true,`+tags+`}`)
		if err != nil {
			return err
		}
		if c.article, err = a.member("id"); err != nil {
			return err
		}
	}
	return c.all(ctx, "articles", "GET "+items+"/"+c.article, "GET "+items+"?per_page=20",
		"PATCH "+items+"/"+c.article+` <- {"title":"Stairs","body":"# Marble\n\n**Swept**, with `+"`code`"+`.",`+tags+`}`)
}

func newArticleRound(ctx context.Context, c *client) error {
	const items = "/api/v2/items"
	return c.made(ctx, "articles", items,
		`{"title":"Steps","body":"# Marble\n\n*Swept*.","private":true,"tags":[{"name":"go","versions":[]}]}`,
		"id", "GET "+items+"/ID", "DELETE "+items+"/ID")
}

func eventsRound(ctx context.Context, c *client) error {
	repo := "/repos/" + c.env["STOA_REPO"]
	return c.all(ctx, "events", "PUT /user/starred/"+c.env["STOA_REPO"], "GET "+repo+"/events?per_page=30",
		"GET /events?per_page=30", "GET "+repo, "DELETE /user/starred/"+c.env["STOA_REPO"])
}

func labelsRound(ctx context.Context, c *client) error {
	return c.all(ctx, "labels", "GET /v2/limits/label?name=limits/label")
}

func packagesRound(ctx context.Context, c *client) error {
	const colonnade = "/v3/systems/npm/packages/%40stoa%2Fcolonnade"
	return c.all(ctx, "packages", "GET "+colonnade, "GET "+colonnade+"/versions/1.2.0",
		`POST /v3alpha/purlbatch <- {"requests":[{"purl":"pkg:npm/%40stoa/colonnade@1.2.0"}]}`)
}

func snapshotsRound(ctx context.Context, c *client) error {
	now := c.now()
	return c.all(ctx, "snapshots",
		fmt.Sprintf(`POST /api/v1/series <- {"series":[{"metric":"soak.load","points":[[%d,1]],"tags":["host:a"]}]}`, now),
		fmt.Sprintf("GET /api/v1/query?query=avg:soak.load%%7B*%%7D&from=%d&to=%d", now-600, now))
}

// pictureRound asks for a picture, which stays.
func pictureRound(ctx context.Context, c *client) error {
	now := c.now()
	return c.all(ctx, "snapshots",
		fmt.Sprintf("GET /api/v1/graph/snapshot?metric_query=avg:soak.load%%7B*%%7D&start=%d&end=%d", now-3600, now))
}

func pipelinesRound(ctx context.Context, c *client) error {
	project := "/api/v1.1/project/vcs_a/" + c.env["STOA_REPO"]
	name := fmt.Sprintf("SOAK_%d", c.number)
	return c.all(ctx, "pipelines", "GET "+project+"?limit=20", "GET /api/v1.1/me",
		"POST "+project+`/envvar <- {"name":"`+name+`","value":"words"}`, "GET "+project+"/envvar",
		"DELETE "+project+"/envvar/"+name)
}

// jobRound starts a job, in a sandbox of its own where there is one.
func jobRound(ctx context.Context, c *client) error {
	return c.all(ctx, "pipelines", "POST /api/v1.1/project/vcs_a/"+c.env["STOA_REPO"]+` <- {"branch":"main"}`)
}

// deviceRound asks for a code, which ends by itself, and polls with the client's own as a device does until the
// user has decided: of each code that was polled with, the time is remembered for ten minutes.
func deviceRound(ctx context.Context, c *client) error {
	id, secret := c.env["STOA_DEVICE_CLIENT_ID"], c.env["STOA_DEVICE_CLIENT_SECRET"]
	a, err := c.send(ctx, "device", "POST /device/code", url.Values{"client_id": {id}, "scope": {"email"}}.Encode())
	if err != nil {
		return err
	}
	if c.deviceCode == "" || c.polls%pollsOfACode == 0 {
		if c.deviceCode, err = a.member("device_code"); err != nil {
			return err
		}
	}
	c.polls++
	// Too soon is the answer where the client is quicker than a device.
	_, err = c.send(ctx, "device", "POST /token", url.Values{
		"client_id": {id}, "client_secret": {secret}, "device_code": {c.deviceCode},
		"grant_type": {"urn:ietf:params:oauth:grant-type:device_code"},
	}.Encode(), http.StatusPreconditionRequired, http.StatusForbidden)
	return err
}

// pollsOfACode is how often a client polls before it takes another code, long before the first ends.
const pollsOfACode = 100

func analyticsRound(ctx context.Context, c *client) error {
	const projects = "/apis/v4/projects/v0"
	return c.made(ctx, "analytics", projects, fmt.Sprintf(`{"url":"soak-%d.example"}`, c.number), "data.project_id",
		"GET "+projects+"/ID", "GET "+projects, "DELETE "+projects+"/ID")
}

// apikeysRound replaces the client's key.
func apikeysRound(ctx context.Context, c *client) error {
	a, err := c.send(ctx, "apikeys", "POST /v2/api-keys/refresh", `{"apiKeyNeverExpires":true}`)
	if err != nil {
		return err
	}
	key, err := a.member("data.apiKey")
	if err == nil {
		c.key = key
	}
	return err
}

func generateRound(ctx context.Context, c *client) error {
	const model = "/v1beta/models/stoa-script"
	const body = `{"contents":[{"role":"user","parts":[{"text":"Hello"}]}]}`
	return c.all(ctx, "generate", "POST "+model+":generateContent <- "+body,
		"POST "+model+":streamGenerateContent?alt=sse <- "+body, "POST "+model+":countTokens <- "+body, "GET /v1beta/models")
}

func kmsRound(ctx context.Context, c *client) error {
	var sealed *kms.EncryptResponse
	err := c.timed(ctx, func() (err error) {
		sealed, err = c.kms.Encrypt(ctx, &kms.EncryptRequest{Plaintext: make([]byte, 32), Uid: "soak"})
		return err
	})
	if err != nil {
		return err
	}
	return errors.Join(c.timed(ctx, func() error {
		_, err := c.kms.Decrypt(ctx, &kms.DecryptRequest{
			Ciphertext: sealed.Ciphertext, KeyId: sealed.KeyId, Annotations: sealed.Annotations, Uid: "soak",
		})
		return err
	}), c.timed(ctx, func() error {
		_, err := c.kms.Status(ctx, &kms.StatusRequest{})
		return err
	}))
}
