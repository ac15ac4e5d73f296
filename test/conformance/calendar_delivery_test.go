package conformance_test

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/deliver/delivertest"
	"stoa.dev/stoa/test/conformance"
)

// pair is a sync and an exists message of a channel with a token.
func (c *calendarRows) pair(t *testing.T) (request, answer map[string]any, all []delivertest.Received) {
	t.Helper()
	request = c.channel(t)
	request["token"] = "target=my channel"
	answer = c.watched(t, request)
	c.change(t)
	return request, answer, c.messages(t, request, 2)
}

func (c *calendarRows) emptyPost(t *testing.T) {
	_, _, all := c.pair(t)
	for _, m := range all {
		if m.Method != http.MethodPost || m.Body != "" || m.Header.Get("Content-Length") != "0" {
			t.Errorf("got %s with body %q and Content-Length %q, want an empty POST", m.Method, m.Body,
				m.Header.Get("Content-Length"))
		}
	}
}

func (c *calendarRows) channelHeader(t *testing.T) {
	request, _, all := c.pair(t)
	for _, m := range all {
		if got := header(m, "Channel-Id"); got != request["id"] {
			t.Errorf("got %q, want %q", got, request["id"])
		}
	}
}

func (c *calendarRows) messageNumbers(t *testing.T) {
	request, _, _ := c.pair(t)
	c.change(t)
	c.change(t)
	rising(t, c.messages(t, request, 4))
}

func (c *calendarRows) resourceHeaders(t *testing.T) {
	_, answer, all := c.pair(t)
	for _, m := range all {
		if header(m, "Resource-Id") != answer["resourceId"] || header(m, "Resource-Uri") != answer["resourceUri"] {
			t.Errorf("got %v, want those of %v", m.Header, answer)
		}
	}
}

func (c *calendarRows) states(t *testing.T) {
	made := c.post(t, c.token, "/calendar/v3/calendars", map[string]any{
		"summary": "short-lived",
	}).Want(t, 200).Object(t)
	path := "/calendar/v3/calendars/" + conformance.Text(t, made, "id")
	request := c.channel(t)
	c.post(t, c.token, path+"/events/watch", request).Want(t, http.StatusOK)
	c.post(t, c.token, path+"/events/quickAdd?text=Lunch+at+12pm", map[string]any{}).Want(t, 200)
	c.h.Do(t, conformance.Call{Method: http.MethodDelete, Path: path, Bearer: c.token}).Want(t, 204)
	var got []string
	for _, m := range c.messages(t, request, 3) {
		got = append(got, header(m, "Resource-State"))
	}
	if want := "[sync exists not_exists]"; fmt.Sprint(got) != want {
		t.Errorf("states: got %v, want %s", got, want)
	}
}

func (c *calendarRows) expirationHeader(t *testing.T) {
	_, answer, all := c.pair(t)
	ms, _ := strconv.ParseInt(conformance.Text(t, answer, "expiration"), 10, 64)
	for _, m := range all {
		got, err := http.ParseTime(header(m, "Channel-Expiration"))
		if err != nil || got.Unix() != ms/1000 {
			t.Errorf("got %q, want a readable date at %d", header(m, "Channel-Expiration"), ms)
		}
	}
	endless := c.endless(t)
	request := endless.channel(t)
	endless.watched(t, request)
	if m := endless.messages(t, request, 1)[0]; m.Header.Values("X-Vendor-Channel-Expiration") != nil {
		t.Errorf("got %v, want no expiry", m.Header)
	}
}

func (c *calendarRows) tokenHeader(t *testing.T) {
	request, _, all := c.pair(t)
	for _, m := range all {
		if got := header(m, "Channel-Token"); got != request["token"] {
			t.Errorf("got %q, want %q", got, request["token"])
		}
	}
	plain := c.channel(t)
	c.watched(t, plain)
	if m := c.messages(t, plain, 1)[0]; m.Header.Values("X-Vendor-Channel-Token") != nil {
		t.Errorf("got %v, want no token", m.Header)
	}
}

func (c *calendarRows) syncStops(t *testing.T) {
	request := c.channel(t)
	c.watched(t, request)
	sync := c.messages(t, request, 1)[0]
	c.stop(t, c.token, header(sync, "Channel-Id"), header(sync, "Resource-Id")).Want(t, http.StatusNoContent)
	c.change(t)
	c.quiet(t, request, 1)
}

func (c *calendarRows) acknowledged(t *testing.T) {
	for _, status := range []int{200, 201, 202, 204, 102} {
		request := c.answering(t, delivertest.Answer(status))
		c.watch(t, request).Want(t, http.StatusOK)
		c.settled(t, request, "delivered", 1)
	}
}

func (c *calendarRows) failedOnce(t *testing.T) {
	for _, status := range []int{404, 400, 401, 403, 410, 429, 301, 302, 304, 203, 205, 206, 501, 505} {
		request := c.answering(t, delivertest.Answer(status))
		c.watch(t, request).Want(t, http.StatusOK)
		c.settled(t, request, "failed", 1)
	}
}

// answering is a request for a channel to a receiver of its own.
func (c *calendarRows) answering(t *testing.T, h http.HandlerFunc) map[string]any {
	t.Helper()
	own := delivertest.Start(t, c.root, "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{c.root.Issue(t)}})
	own.Reply(h)
	request := c.channel(t)
	request["address"] = own.URL
	return request
}

// settled waits until the channel's only message is in a state, after so many attempts.
func (c *calendarRows) settled(t *testing.T, request map[string]any, state string, attempts float64) {
	t.Helper()
	eventually(t, func() bool { return len(c.log(t, request, "pending")) == 0 })
	all := c.log(t, request, state)
	if len(all) != 1 {
		t.Fatalf("%v, want one message %s", c.log(t, request, ""), state)
	}
	if row, _ := all[0].(map[string]any); row["attempts"] != attempts {
		t.Errorf("%v, want %v attempts", row, attempts)
	}
}

func (c *calendarRows) retried(t *testing.T) {
	for _, status := range []int{500, 502, 503, 504} {
		request := c.answering(t, delivertest.Sequence(status, status, 200))
		sent := c.h.Clock.Now()
		c.watch(t, request).Want(t, http.StatusOK)
		first := c.due(t, request, 1)
		second := c.due(t, request, 2)
		if one, two := first.Sub(sent), second.Sub(first); one <= 0 || two <= one {
			t.Errorf("%d: pauses of %v and %v, want growing ones", status, one, two)
		}
		eventually(t, func() bool {
			c.oneSecond(t)
			return len(c.log(t, request, "pending")) == 0
		})
		c.settled(t, request, "delivered", 3)
	}
}

// oneSecond goes on and lets what is due by then happen, however fast the machine is.
func (c *calendarRows) oneSecond(t *testing.T) {
	t.Helper()
	c.h.Clock.Advance(time.Second)
	if err := c.h.App().World().Jobs.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// due is when the pending message is tried again after so many attempts. The
// clock moves on until it has had them.
func (c *calendarRows) due(t *testing.T, request map[string]any, attempts float64) (at time.Time) {
	t.Helper()
	eventually(t, func() bool {
		all := c.log(t, request, "pending")
		if len(all) != 1 {
			return false
		}
		row, _ := all[0].(map[string]any)
		if row["attempts"] != attempts {
			if attempts > 1 {
				c.oneSecond(t)
			}
			return false
		}
		var err error
		if at, err = time.Parse(time.RFC3339, fmt.Sprint(row["next_attempt"])); err != nil {
			t.Fatal(err)
		}
		return true
	})
	return at
}

func (c *calendarRows) noDetails(t *testing.T) {
	request := c.channel(t)
	c.watched(t, request)
	id := c.change(t)
	m := c.messages(t, request, 2)[1]
	for name, values := range m.Header {
		if strings.Contains(strings.Join(values, " "), id) {
			t.Errorf("header %s names the event: %v", name, values)
		}
	}
	if m.Body != "" {
		t.Errorf("body %q, want none", m.Body)
	}
}
