package apikeys_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/apikeys"
)

const target = "/v2/api-keys/refresh"

// alive is what a key of the service meets.
func alive() identity.Requirement {
	return identity.Requirement{Service: apikeys.Name, Kinds: []identity.Kind{identity.KindAPI}}
}

func build(c apikeys.Config) identitytest.Build {
	return func(w *world.World, identity *identity.Identity) module.Module {
		return apikeys.New(w, identity, c).Module()
	}
}

func refresh(h *identitytest.Server, key, body string) *httptest.ResponseRecorder {
	return h.Call("POST", target, body, "Authorization: Bearer "+key)
}

// newKey is the key in a success answer.
func newKey(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	var got struct {
		Status string
		Data   struct{ APIKey string }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusOK || got.Status != "success" {
		t.Fatalf("status %d, body %s, want a success", w.Code, w.Body)
	}
	return got.Data.APIKey
}

func TestRefresh(t *testing.T) {
	t.Parallel()
	identitytest.Run(t, build(apikeys.DefaultConfig()), func(t *testing.T, h *identitytest.Server) {
		for name, row := range map[string]struct {
			body string
			days time.Duration
		}{
			"an empty object":       {"{}", 30},
			"no body":               {"", 30},
			"days":                  {`{"apiKeyDaysValid":60}`, 60},
			"not never":             {`{"apiKeyNeverExpires":false}`, 30},
			"days and not never":    {`{"apiKeyDaysValid":1,"apiKeyNeverExpires":false}`, 1},
			"null counts as absent": {`{"apiKeyDaysValid":null,"apiKeyNeverExpires":null}`, 30},
		} {
			t.Run(name, func(t *testing.T) {
				old := h.Key("ada", identity.KindAPI, 7)
				fresh := newKey(t, refresh(h, old, row.body))
				if !regexp.MustCompile(`^[a-z_]+_[0-9a-f]{32}$`).MatchString(fresh) || fresh == old {
					t.Errorf("key = %q (old %q), want prefix and 32 hexadecimal characters", fresh, old)
				}
				if w := refresh(h, old, `{"apiKeyDaysValid":77}`); w.Code != http.StatusUnauthorized {
					t.Errorf("old key: status = %d, want 401", w.Code)
				}
				caller, err := h.Identity.Verify(t.Context(), fresh, alive())
				if err != nil {
					t.Fatal(err)
				}
				if got := caller.ExpiresAt.Sub(h.Clock.Now()); got != row.days*24*time.Hour {
					t.Errorf("valid for %v, want %v days", got, int(row.days))
				}
			})
		}
	})
}

func TestValidityEnds(t *testing.T) {
	t.Parallel()
	identitytest.Run(t, build(apikeys.DefaultConfig()), func(t *testing.T, h *identitytest.Server) {
		short := newKey(t, refresh(h, h.Key("ada", identity.KindAPI, 7), `{"apiKeyDaysValid":1}`))
		never := newKey(t, refresh(h, h.Key("ada", identity.KindAPI, 7), `{"apiKeyNeverExpires":true}`))

		h.Clock.Advance(24*time.Hour - time.Second)
		short = newKey(t, refresh(h, short, `{"apiKeyDaysValid":1}`))
		h.Clock.Advance(24 * time.Hour)
		w := refresh(h, short, "{}")
		if w.Code != http.StatusUnauthorized || !strings.Contains(w.Body.String(), "expired") {
			t.Errorf("after a day: %d %s, want 401 expired", w.Code, w.Body)
		}
		h.Clock.Advance(50 * 365 * 24 * time.Hour)
		newKey(t, refresh(h, never, "{}"))
	})
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	identitytest.Run(t, build(apikeys.DefaultConfig()), func(t *testing.T, h *identitytest.Server) {
		for name, row := range map[string]struct{ body, want string }{
			"both":             {`{"apiKeyDaysValid":30,"apiKeyNeverExpires":true}`, "cannot be set together"},
			"zero":             {`{"apiKeyDaysValid":0}`, "must not be less than 1"},
			"negative":         {`{"apiKeyDaysValid":-1}`, "must not be less than 1"},
			"fraction":         {`{"apiKeyDaysValid":1.5}`, "isInt"},
			"text":             {`{"apiKeyDaysValid":"60"}`, "isInt"},
			"list":             {`{"apiKeyDaysValid":[]}`, "isInt"},
			"huge":             {`{"apiKeyDaysValid":1e300}`, "isInt"},
			"beyond the limit": {`{"apiKeyDaysValid":36501}`, "must not be greater than 36500"},
			"boolean as text":  {`{"apiKeyNeverExpires":"true"}`, "isBoolean"},
			"boolean as one":   {`{"apiKeyNeverExpires":1}`, "isBoolean"},
			"not an object":    {`[]`, "BadRequestException"},
			"broken":           {`{"apiKeyDaysValid":`, "BadRequestException"},
			"unknown member":   {`{"apiKeyDayValid":365}`, "apiKeyDayValid"},
			"twice":            {`{"apiKeyDaysValid":1,"apiKeyDaysValid":2}`, "BadRequestException"},
		} {
			t.Run(name, func(t *testing.T) {
				key := h.Key("ada", identity.KindAPI, 7)
				w := refresh(h, key, row.body)
				checkError(t, w, 400, "BadRequestException")
				if !strings.Contains(w.Body.String(), row.want) {
					t.Errorf("body = %s, want it to contain %q", w.Body, row.want)
				}
				newKey(t, refresh(h, key, "{}"))
			})
		}
	})
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, build(apikeys.DefaultConfig()))
	key := h.Key("ada", identity.KindAPI, 7)
	token := h.Issue(identity.IssueOptions{
		Kind: identity.KindPersonal, Services: []string{apikeys.Name}, UserID: h.User("ada").ID,
	})
	_, plain, _ := strings.Cut(key, "_")
	plain = plain[strings.LastIndex(plain, "_")+1:]
	const unknown = "svc_00000000000000000000000000000000"
	for name, row := range map[string]struct{ query, header, want string }{
		"none":               {"", "", "no authentication was provided"},
		"in the query":       {"?key=" + key, "", "no authentication was provided"},
		"by another name":    {"", "X-API-Key: " + key, "no authentication was provided"},
		"unknown":            {"", "Authorization: Bearer " + unknown, "the API key is not valid"},
		"without the prefix": {"", "Authorization: Bearer " + plain, "the API key is not valid"},
		"an access token":    {"", "Authorization: Bearer " + token, "the API key is not valid"},
		"without the word":   {"", "Authorization: " + key, "Authorization: Bearer"},
		"only in the query":  {"?key=" + key, "Authorization: Bearer " + plain, "the API key is not valid"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var headers []string
			if row.header != "" {
				headers = []string{row.header}
			}
			w := h.Call("POST", target+row.query, "{}", headers...)
			checkError(t, w, 401, "UnauthorizedException")
			if !strings.Contains(w.Body.String(), row.want) {
				t.Errorf("body = %s, want it to contain %q", w.Body, row.want)
			}
			if _, err := h.Identity.Verify(t.Context(), key, alive()); err != nil {
				t.Errorf("the key was replaced: %v", err)
			}
		})
	}
	t.Run("another path", func(t *testing.T) {
		t.Parallel()
		w := h.Call("POST", "/v2/api-keys/other", "{}", "Authorization: Bearer "+key)
		checkError(t, w, 404, "NotFoundException")
	})
	t.Run("another method", func(t *testing.T) {
		t.Parallel()
		w := h.Call("GET", target, "", "Authorization: Bearer "+key)
		checkError(t, w, 405, "MethodNotAllowedException")
		if allow := w.Header().Get("Allow"); !strings.Contains(allow, "POST") {
			t.Errorf("Allow = %q, want POST", allow)
		}
	})
	t.Run("a form", func(t *testing.T) {
		t.Parallel()
		w := h.Call("POST", target, "apiKeyDaysValid=1",
			"Authorization: Bearer "+key, "Content-Type: application/x-www-form-urlencoded")
		checkError(t, w, 415, "UnsupportedMediaTypeException")
	})
	t.Run("too large", func(t *testing.T) {
		t.Parallel()
		w := refresh(h, key, `{"x":"`+strings.Repeat("x", 20_000)+`"}`)
		checkError(t, w, 413, "PayloadTooLargeException")
	})
	if strings.Contains(h.Log.String(), key) {
		t.Error("the key was logged")
	}
}

var rounds = flag.Int("rounds", 1, "how many keys 64 callers refresh at once")

func TestOneWinner(t *testing.T) {
	t.Parallel()
	c := apikeys.DefaultConfig()
	c.RequestsPerMinute = 1 << 30
	identitytest.Run(t, build(c), func(t *testing.T, h *identitytest.Server) {
		key := h.Key("ada", identity.KindAPI, 7)
		for range *rounds {
			key = refreshAtOnce(t, h, key)
		}
		t.Logf("%d rounds of 64, one new key each", *rounds)
	})
}

// refreshAtOnce lets 64 callers refresh one key: one is given a key, which is good, the old
// one is not good from that moment on, and the others are refused.
func refreshAtOnce(t *testing.T, h *identitytest.Server, key string) (fresh string) {
	t.Helper()
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		codes = map[int]int{}
	)
	for n := range 64 {
		wg.Go(func() {
			// Each is another request, so that none is a repetition.
			w := refresh(h, key, fmt.Sprintf(`{"apiKeyDaysValid":%d}`, n+1))
			mu.Lock()
			defer mu.Unlock()
			if codes[w.Code]++; w.Code == http.StatusOK {
				fresh = newKey(t, w)
			}
		})
	}
	wg.Wait()
	if codes[200] != 1 || codes[401] != 63 {
		t.Fatalf("statuses = %v, want one 200 and 63 times 401", codes)
	}
	if _, err := h.Identity.Verify(t.Context(), key, alive()); !errors.Is(err, identity.ErrRevoked) {
		t.Fatalf("the old key is %v, want revoked", err)
	}
	if _, err := h.Identity.Verify(t.Context(), fresh, alive()); err != nil {
		t.Fatalf("the new key: %v", err)
	}
	return fresh
}

// A lost answer costs nothing: the same request gives the same new key for a minute.
func TestALostAnswer(t *testing.T) {
	t.Parallel()
	identitytest.Run(t, build(apikeys.DefaultConfig()), func(t *testing.T, h *identitytest.Server) {
		key := h.Key("ada", identity.KindAPI, 7)
		fresh := newKey(t, refresh(h, key, `{"apiKeyDaysValid":60}`))
		h.Clock.Advance(59 * time.Second)
		if again := newKey(t, refresh(h, key, `{"apiKeyDaysValid":60}`)); again != fresh {
			t.Error("the repetition gave another key")
		}
		if w := refresh(h, key, "{}"); w.Code != http.StatusUnauthorized {
			t.Errorf("another request with the old key: %d, want 401", w.Code)
		}
		if _, err := h.Identity.Verify(t.Context(), key, alive()); !errors.Is(err, identity.ErrRevoked) {
			t.Errorf("the old key is %v, want revoked", err)
		}
		h.Clock.Advance(time.Second)
		checkError(t, refresh(h, key, `{"apiKeyDaysValid":60}`), 401, "UnauthorizedException")
		newKey(t, refresh(h, fresh, "{}"))
		if strings.Contains(h.Log.String(), fresh) {
			t.Error("the new key was logged")
		}
	})
}

// A request with a name of its own is answered again for a day, and to no caller that
// does not know the name.
func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	identitytest.Run(t, build(apikeys.DefaultConfig()), func(t *testing.T, h *identitytest.Server) {
		key := h.Key("ada", identity.KindAPI, 7)
		named := func(name string) *httptest.ResponseRecorder {
			return h.Call("POST", target, "{}", "Authorization: Bearer "+key, "Idempotency-Key: "+name)
		}
		checkError(t, named(strings.Repeat("x", 256)), 400, "BadRequestException")
		fresh := newKey(t, named("one"))
		checkError(t, refresh(h, key, "{}"), 401, "UnauthorizedException")
		checkError(t, named("two"), 401, "UnauthorizedException")
		h.Clock.Advance(24*time.Hour - time.Second)
		if again := newKey(t, named("one")); again != fresh {
			t.Error("the repetition gave another key")
		}
		h.Clock.Advance(time.Second)
		checkError(t, named("one"), 401, "UnauthorizedException")
	})
}

func TestTeamKeys(t *testing.T) {
	t.Parallel()
	identitytest.Run(t, build(apikeys.DefaultConfig()), func(t *testing.T, h *identitytest.Server) {
		owner, member := h.User("ada"), h.User("grace")
		team, err := h.Identity.AddTeam(t.Context(), identity.NewTeam{
			Name: "lyceum", OwnerID: owner.ID, MemberIDs: []int64{member.ID},
		})
		if err != nil {
			t.Fatal(err)
		}
		for user, want := range map[int64]int{owner.ID: 200, member.ID: 401} {
			_, key, err := h.Identity.IssueKey(t.Context(), identity.KeyOptions{
				Service: apikeys.Name, UserID: user, TeamID: team.ID, Note: "kept", Days: 3,
			})
			if err != nil {
				t.Fatal(err)
			}
			w := refresh(h, key, "{}")
			if w.Code != want {
				t.Errorf("user %d: status = %d, want %d: %s", user, w.Code, want, w.Body)
			}
			if want != 200 {
				continue
			}
			caller, err := h.Identity.Verify(t.Context(), newKey(t, w), alive())
			if err != nil || caller.TeamID != team.ID || caller.Note != "kept" {
				t.Errorf("new key = %+v, %v; want the same team and note", caller, err)
			}
		}
	})
}

func TestLimit(t *testing.T) {
	t.Parallel()
	c := apikeys.DefaultConfig()
	c.RequestsPerMinute = 2
	identitytest.Run(t, build(c), func(t *testing.T, h *identitytest.Server) {
		key := h.Key("ada", identity.KindAPI, 7)
		for left := range 2 {
			w := refresh(h, key, `{"apiKeyDaysValid":0}`)
			checkError(t, w, 400, "BadRequestException")
			if got, want := w.Header().Get("X-RateLimit-Remaining-Default"), []string{"1", "0"}[left]; got != want {
				t.Errorf("remaining = %q, want %q", got, want)
			}
		}
		w := refresh(h, key, "{}")
		checkError(t, w, 429, "ThrottlerException")
		if w.Header().Get("X-RateLimit-Limit-Default") != "2" || w.Header().Get("X-RateLimit-Reset-Default") != "60" {
			t.Errorf("headers = %v", w.Header())
		}
		h.Clock.Advance(61 * time.Second)
		newKey(t, refresh(h, key, "{}"))
	})
}

func checkError(t *testing.T, w *httptest.ResponseRecorder, status int, code string) {
	t.Helper()
	var got struct {
		Status, Timestamp, Path string
		Error                   struct {
			Code, Message string
			Details       map[string]any
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatalf("body %q: %v", w.Body, err)
	}
	if w.Code != status || got.Status != "error" || got.Error.Code != code {
		t.Errorf("status %d, body %s; want %d %s", w.Code, w.Body, status, code)
	}
	if got.Error.Message == "" || got.Error.Details == nil {
		t.Errorf("body %s, want a message and details", w.Body)
	}
	_, err := time.Parse("2006-01-02T15:04:05.000Z", got.Timestamp)
	if err != nil || !strings.HasPrefix(got.Path, "/v2/") {
		t.Errorf("timestamp %q, path %q", got.Timestamp, got.Path)
	}
}

// TestRefreshingDoesNotRenewTheBudget checks that new keys of one owner share the
// owner's budget, and that callers without a valid key are counted too.
func TestRefreshingDoesNotRenewTheBudget(t *testing.T) {
	t.Parallel()
	c := apikeys.DefaultConfig()
	c.RequestsPerMinute = 2
	h := identitytest.SQLite(t, build(c))
	key := h.Key("ada", identity.KindAPI, 0)
	n := 0
	for ; n < 100; n++ {
		w := refresh(h, key, "")
		if w.Code == http.StatusTooManyRequests {
			break
		}
		key = newKey(t, w)
	}
	if n != 10 {
		t.Errorf("%d refreshes in a row, want 10: five times a key's budget", n)
	}
	h.Clock.Advance(2 * time.Minute)
	n = 0
	for n < 1000 && refresh(h, "cal_nonsense", "").Code == http.StatusUnauthorized {
		n++
	}
	if n != 100 {
		t.Errorf("%d tries with a bad key from one address, want 100", n)
	}
}
