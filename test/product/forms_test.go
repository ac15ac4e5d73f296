package product_test

import (
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
)

// unaided are the operations whose form cannot begin with something that works
// in a demo world: they need the host of a team, an earlier answer, bytes that
// are not text, or answer with a refusal by contract.
func unaided() []string {
	return []string{
		// team hosts
		"expandedTemplates.", "groups.", "items.reactions", "oauth.teamAuthorize", "reactions.", "taggings.",
		"teamAccessTokens.", "teamInvitations.",
		"teamMemberships.", "teams.", "templates.",
		// an answer that came before, or a state that is not there yet
		"accessTokens.create", "calendar.calendars.transferOwnership", "calendar.channels.stop", "campaigns.",
		"cachedContents.create", "check_starred", "create_pull", "get_comment", "get_commit_comment", "get_latest_release",
		"models.asyncBatchEmbedContent",
		"get_org_hook", "get_release", "get_review_comment", "list_org_hook_deliveries", "list_release_assets",
		"ping_org_hook", "update_comment", "update_commit_comment", "update_org_hook", "update_release",
		"update_review_comment",
		"dag.device.token", "following.get", "likes.get", "locations.update", "oauth2.accessToken", "projects.update",
		"authorize.2", "oauth_authorize", "stocks.get", "token", "tokeninfo", "tokeninfo.",
		"userFollowing.get", "userinfo", "userinfo.",
		// done by the lines of the pages already, and refused a second time
		"calendar.events.watch", "me", "projects.create", "refresh",
		// the key of an app, which signs for itself
		"create_installation_token", "get_app", "get_installation", "get_org_installation", "get_repo_installation",
		"get_user_installation", "list_installation_repos", "list_installations",
		// other bodies than text
		"change_settings", "media.", "pictures.create", "otlp.", "remoteWrite",
		// secrets that should not be pasted, and what is refused by contract
		"create_ssh_key", "files.create", "retired_key",
	}
}

var (
	formOf    = regexp.MustCompile(`(?s)<details class="operation" id="([^"]*)">.*?<form class="try" data-method="(\w+)" data-path="([^"]*)" data-kind="([^"]*)"( data-secured="yes")?>(.*?)</form>`)
	fieldOf   = regexp.MustCompile(`<input name="([^"]*)" data-in="(\w+)" value="([^"]*)"( required)?`)
	bodyOf    = regexp.MustCompile(`(?s)<textarea name="body"[^>]*>(.*?)</textarea>`)
	secretOf  = regexp.MustCompile(`<input id="credential[^>]*data-in="(\w+)" data-name="([^"]*)" data-variable="([^"]*)"`)
	nameOfVar = regexp.MustCompile(`\$(STOA_[A-Z_]+|NOW|HOUR_AGO)\b`)
)

// tryForms sends every form of the reference pages as it stands, with the
// variables of demo.env pasted, as a reader would. What would delete is left.
func tryForms(t *testing.T, env map[string]string) {
	now := time.Now().Unix()
	env["NOW"], env["HOUR_AGO"] = strconv.FormatInt(now, 10), strconv.FormatInt(now-3600, 10)
	fill := func(text string) string {
		return nameOfVar.ReplaceAllStringFunc(html.UnescapeString(text), func(name string) string { return env[name[1:]] })
	}
	sent := 0
	for _, m := range app.Services() {
		if len(m.Prefixes) == 0 {
			continue
		}
		page := fetch(t, http.MethodGet, env["STOA_URL"]+"/docs/reference/"+m.Name, nil, "")
		secrets := secretOf.FindAllStringSubmatch(page.text, -1)
		for _, form := range formOf.FindAllStringSubmatch(page.text, -1) {
			request, ok := formRequest(form, fill)
			if !ok {
				continue
			}
			if form[5] != "" {
				request.present(secrets, env)
			}
			sent++
			if got := fetch(t, form[2], request.address(env["STOA_URL"]), request.header, request.body); got.status >= 400 &&
				got.status != http.StatusTooManyRequests {
				t.Errorf("%s %s: %d\n%s\n%.300s", m.Name, form[1], got.status, request.body, got.text)
			}
		}
	}
	if sent < 100 {
		t.Errorf("%d forms were sent, want at least 100: the pages or the reader changed", sent)
	}
}

// filled is the request that a form makes.
type filled struct {
	path, body string
	query      url.Values
	header     http.Header
}

// formRequest reads a form; a required field that is empty keeps it from being
// sent, as the page says too.
func formRequest(form []string, fill func(string) string) (filled, bool) {
	for _, name := range unaided() {
		if form[1] == name || strings.HasSuffix(name, ".") && strings.HasPrefix(form[1], name) {
			return filled{}, false
		}
	}
	r := filled{path: form[3], query: url.Values{}, header: http.Header{}}
	for _, field := range fieldOf.FindAllStringSubmatch(form[6], -1) {
		value := fill(field[3])
		switch {
		case value == "" && field[4] != "":
			return r, false
		case field[2] == "path":
			r.path = strings.ReplaceAll(r.path, "{"+field[1]+"}", url.PathEscape(value))
		case value != "":
			r.query.Set(field[1], value)
		}
	}
	if body := bodyOf.FindStringSubmatch(form[6]); body != nil {
		r.body = fill(body[1])
		r.header.Set("Content-Type", form[4])
	}
	return r, form[2] != http.MethodDelete
}

func (r *filled) present(secrets [][]string, env map[string]string) {
	for _, s := range secrets {
		switch secret := env[s[3]]; s[1] {
		case "bearer":
			r.header.Set("Authorization", "Bearer "+secret)
		case "header":
			r.header.Set(s[2], secret)
		default:
			r.query.Set(s[2], secret)
		}
	}
}

func (r *filled) address(base string) string {
	if len(r.query) == 0 {
		return base + r.path
	}
	return base + r.path + "?" + r.query.Encode()
}

type fetched struct {
	status int
	text   string
}

func fetch(t *testing.T, method, address string, header http.Header, body string) fetched {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if header != nil {
		r.Header = header
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fetched{answer.StatusCode, string(text)}
}
