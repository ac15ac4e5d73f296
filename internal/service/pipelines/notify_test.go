package pipelines_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/service/pipelines"
)

// TestNoticeOfAnySize ends jobs whose messages are larger than a delivery may
// be, by every way that there is.
func TestNoticeOfAnySize(t *testing.T) {
	run(t, pipelines.DefaultConfig(), []string{"build"}, func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "stoa", false)
		hooked := config(false, "build") + "notify:\n  webhooks:\n    - url: https://example.com/x\n"
		h.push(t, r, "main", hooked, "one\n\n"+strings.Repeat("long text ", 30_000))
		h.started(t)
		h.json(t, "POST", "/api/v1.1/project/vcs_a/ada/stoa/1/cancel", "", h.Token("ada"), 200)
		parameters, err := json.Marshal(map[string]any{
			"build_parameters": map[string]string{"A": strings.Repeat("\x01", 40_000)},
		})
		must(t, err)
		h.json(t, "POST", "/api/v1.1/project/vcs_a/ada/stoa", string(parameters), h.Token("ada"), 201)
		h.started(t)
		h.restart(t, 1)
		h.until(t, r, 2, "retried")
		h.started(t)
		must(t, h.forge.Delete(t.Context(), r.ID, h.actor("ada")))
		if sent, err := h.service.Sent(t.Context()); err != nil || sent != 3 {
			t.Errorf("%d messages, %v, want 3", sent, err)
		}
		if strings.Contains(h.Log.String(), "webhooks of job not sent") {
			t.Errorf("the log tells of trouble:\n%s", h.Log)
		}
	})
}

// TestTroubleWithNotices checks that a job ends when its webhooks cannot be queued.
func TestTroubleWithNotices(t *testing.T) {
	run(t, pipelines.DefaultConfig(), []string{"build"}, func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "stoa", false)
		h.push(t, r, "main", config(false, "build")+"notify:\n  webhooks:\n    - url: https://example.com/x\n", "one")
		h.started(t)
		must(t, h.service.Break(t.Context(), "deliver_messages", "INSERT", "1 = 1"))
		if o := h.json(t, "POST", "/api/v1.1/project/vcs_a/ada/stoa/1/cancel", "", h.Token("ada"),
			200); o["status"] != "canceled" {
			t.Errorf("got %v, want canceled", o["status"])
		}
		h.logged(t, "webhooks of job not sent")
	})
}

// TestChangedAddressWaitsForNone checks that what is sent to a new address does not wait for what the old one, which
// never answered, has not taken yet.
func TestChangedAddressWaitsForNone(t *testing.T) {
	run(t, pipelines.DefaultConfig(), nil, func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "stoa", false)
		for i, path := range []string{"wrong", "right", "right"} {
			h.json(t, "PUT", "/api/v1.1/project/vcs_a/ada/stoa/settings",
				`{"webhooks":[{"url":"https://127.0.0.1:1/`+path+`"}]}`, h.Token("ada"), 200)
			h.push(t, r, "main", config(false, "build"), fmt.Sprint("change ", i))
			h.until(t, r, int64(i+1), "success")
		}
		lanes, err := h.service.Count(t.Context(), `SELECT COUNT(DISTINCT channel) FROM deliver_messages`)
		if err != nil || lanes != 2 {
			t.Errorf("the messages have %d channels, %v, want one for each of 2 addresses", lanes, err)
		}
	})
}

// TestAddressTakenAway: an address that is taken out of the settings is told nothing more, and one that stays is.
func TestAddressTakenAway(t *testing.T) {
	run(t, pipelines.DefaultConfig(), nil, func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "stoa", false)
		set := func(hooks string) {
			h.json(t, "PUT", "/api/v1.1/project/vcs_a/ada/stoa/settings", `{"webhooks":[`+hooks+`]}`, h.Token("ada"), 200)
		}
		const stays, goes = `{"url":"https://receiver.invalid/stays"}`, `{"url":"https://receiver.invalid/goes","secret":"s"}`
		set(stays + "," + goes)
		h.push(t, r, "main", config(false, "build"), "change")
		h.until(t, r, 1, "success")
		set(stays)
		for state, want := range map[string]int64{"pending": 1, "canceled": 1} {
			n, err := h.service.Count(t.Context(), `SELECT COUNT(*) FROM deliver_messages WHERE state = '`+state+`'`)
			if err != nil || n != want {
				t.Errorf("%d messages are %s, want %d (%v)", n, state, want, err)
			}
		}
	})
}

// TestTestOfNoAddress: a project without an address is no success of the test of its addresses.
func TestTestOfNoAddress(t *testing.T) {
	t.Parallel()
	h := open(t, "", pipelines.DefaultConfig(), newGates())
	r := h.repo(t, "ada", "stoa", false)
	sent, err := h.service.TestHook(t.Context(), r)
	if sent != 0 || err == nil || !strings.Contains(err.Error(), "no webhook") {
		t.Errorf("without an address %d messages, %v; want a refusal", sent, err)
	}
	h.json(t, "PUT", "/api/v1.1/project/vcs_a/ada/stoa/settings", `{"webhooks":[{"url":"https://receiver.invalid/"}]}`,
		h.Token("ada"), 200)
	if sent, err = h.service.TestHook(t.Context(), r); sent != 1 || err != nil {
		t.Errorf("with an address %d messages, %v; want 1", sent, err)
	}
}

// TestUnfollowShowsNoSettings checks that those who may only read see no secrets
// of a project.
func TestUnfollowShowsNoSettings(t *testing.T) {
	t.Parallel()
	h := open(t, "", pipelines.DefaultConfig(), newGates())
	h.repo(t, "ada", "stoa", false)
	const p = "/api/v1.1/project/vcs_a/ada/stoa"
	h.json(t, "PUT", p+"/settings", `{"webhooks":[{"url":"https://hooks.example.com/T0/hidden-path"}],"slack_api_token":"xoxb-hidden"}`, h.Token("ada"), 200)
	h.json(t, "POST", p+"/follow", "", h.Token("grace"), 200)
	w := h.send("POST", p+"/unfollow", "", h.Token("grace"))
	if w.Code != 200 || strings.Contains(w.Body.String(), "hidden") ||
		!strings.Contains(w.Body.String(), `"followed":false`) {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}
