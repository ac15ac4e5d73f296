package conformance_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/platform/deliver/delivertest"
	"stoa.dev/stoa/test/conformance"
)

const (
	eventsPath = "/calendar/v3/calendars/primary/events"
	stopPath   = "/calendar/v3/channels/stop"
	lastWeek   = 7 * 24 * time.Hour
)

// TestCalendar proves H-01 to H-38.
func TestCalendar(t *testing.T) {
	t.Parallel()
	conformance.On(t, func(t *testing.T, open func(*testing.T, conformance.Options) *conformance.Server) {
		c := newCalendarRows(t, open)
		for _, row := range []struct {
			id  string
			run func(*testing.T)
		}{
			{"H-01", c.requiredMembers},
			{"H-02", c.uniqueID},
			{"H-03", c.longID},
			{"H-04", c.channelType},
			{"H-05", c.httpsOnly},
			{"H-06", c.certificates},
			{"H-07", c.longToken},
			{"H-09", c.response},
			{"H-10", c.optionalMembers},
			{"H-11", c.watchable},
			{"H-12", c.watchAnswers},
			{"H-13", c.syncOnce},
			{"H-14", c.changes},
			{"H-16", c.stopped},
			{"H-17", c.overlap},
			{"H-18", c.watchEvents},
			{"H-19", c.watchable},
			{"H-20", c.stopNeeds},
			{"H-21", c.emptyPost},
			{"H-22", c.channelHeader},
			{"H-23", c.messageNumbers},
			{"H-24", c.resourceHeaders},
			{"H-25", c.states},
			{"H-26", c.expirationHeader},
			{"H-27", c.tokenHeader},
			{"H-28", c.syncStops},
			{"H-29", c.acknowledged},
			{"H-31", c.failedOnce},
			{"H-32", c.noDetails},
			{"H-34", c.bearer},
			{"H-35", c.foreign},
			{"H-36", c.otherClient},
			{"H-37", c.serviceAccount},
			{"H-38", c.lifetime},
			// These move the clock and come last.
			{"H-30", c.retried},
			{"H-08", c.endsInTime},
			{"H-15", c.endsInTime},
			{"H-33", c.notRenewed},
		} {
			t.Run(row.id, row.run)
		}
	})
}

type calendarRows struct {
	h        *conformance.Server
	open     func(*testing.T, conformance.Options) *conformance.Server
	receiver *delivertest.Receiver
	root     *delivertest.Authority
	token    string
	count    *atomic.Int64
}

func newCalendarRows(t *testing.T, open func(*testing.T, conformance.Options) *conformance.Server) *calendarRows {
	t.Helper()
	c := &calendarRows{open: open, root: delivertest.NewAuthority(t), count: new(atomic.Int64)}
	c.receiver = delivertest.Start(t, c.root, "127.0.0.1:0", &tls.Config{
		Certificates: []tls.Certificate{c.root.Issue(t)},
	})
	c.h = open(t, conformance.Options{Configure: c.trust})
	c.h.User(t, "cleo")
	c.token = c.h.Token(t, "cleo", "calendar")
	return c
}

func (c *calendarRows) trust(config *app.Config) { config.Deliver = c.receiver.Config }

// unique is a word that no other row uses, here or at the receiver.
func (c *calendarRows) unique() string { return strconv.FormatInt(c.count.Add(1), 10) }

// channel is a request for a channel with a path of its own at the receiver.
func (c *calendarRows) channel(t *testing.T) map[string]any {
	t.Helper()
	id := "channel-" + c.unique()
	return map[string]any{"id": id, "type": "web_hook", "address": c.receiver.URL + "/" + id + "?kept=1"}
}

func body(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func (c *calendarRows) post(t *testing.T, token, path string, v any) *conformance.Answer {
	t.Helper()
	return c.h.Do(t, conformance.Call{Method: http.MethodPost, Path: path, Bearer: token, Body: body(t, v)})
}

func (c *calendarRows) watch(t *testing.T, request map[string]any) *conformance.Answer {
	t.Helper()
	return c.post(t, c.token, eventsPath+"/watch", request)
}

// watched makes a channel that must be accepted, and waits for its sync.
func (c *calendarRows) watched(t *testing.T, request map[string]any) map[string]any {
	t.Helper()
	answer := c.watch(t, request).Want(t, http.StatusOK).Object(t)
	c.messages(t, request, 1)
	return answer
}

// change makes an event and gives its id.
func (c *calendarRows) change(t *testing.T) string {
	t.Helper()
	at := c.h.Clock.Now().Add(time.Hour).Format(time.RFC3339)
	event := map[string]any{
		"summary": "x", "start": map[string]any{"dateTime": at}, "end": map[string]any{"dateTime": at},
	}
	return conformance.Text(t, c.post(t, c.token, eventsPath, event).Want(t, http.StatusOK).Object(t), "id")
}

// got is what has come in for a channel so far.
func (c *calendarRows) got(request map[string]any) []delivertest.Received {
	var mine []delivertest.Received
	for _, r := range c.receiver.Requests() {
		if strings.HasPrefix(r.URL, "/"+fmt.Sprint(request["id"])+"?") {
			mine = append(mine, r)
		}
	}
	return mine
}

// messages waits until so many have come in, and fails when there are more.
func (c *calendarRows) messages(t *testing.T, request map[string]any, want int) []delivertest.Received {
	t.Helper()
	var mine []delivertest.Received
	eventually(t, func() bool {
		mine = c.got(request)
		return len(mine) >= want && len(c.log(t, request, "pending")) == 0
	})
	if len(mine) != want {
		t.Fatalf("%d messages, want %d: %v", len(mine), want, mine)
	}
	return mine
}

// log is the delivery log of a channel.
func (c *calendarRows) log(t *testing.T, request map[string]any, state string) []any {
	t.Helper()
	values := map[string][]string{"channel": {"calendar/" + fmt.Sprint(request["id"])}}
	if state != "" {
		values["state"] = []string{state}
	}
	list, _ := c.h.Command(t, "deliveries list", values)["deliveries"].([]any)
	return list
}

// quiet fails when a change was announced to the channel after so many messages.
func (c *calendarRows) quiet(t *testing.T, request map[string]any, messages int) {
	t.Helper()
	if all := c.log(t, request, ""); len(all) != messages {
		t.Errorf("%d messages are in the log, want %d", len(all), messages)
	}
	c.messages(t, request, messages)
}

// eventually waits for what happens in the background. The time bounds a
// failing test only.
func eventually(t *testing.T, done func() bool) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for !done() {
		if time.Now().After(deadline) {
			t.Fatal("it did not happen in time")
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func header(r delivertest.Received, name string) string { return r.Header.Get("X-Vendor-" + name) }

func (c *calendarRows) requiredMembers(t *testing.T) {
	for _, member := range []string{"id", "type", "address"} {
		request := c.channel(t)
		delete(request, member)
		c.watch(t, request).Refused(t)
		request[member] = 7
		c.watch(t, request).Refused(t)
	}
	c.watch(t, c.channel(t)).Want(t, http.StatusOK)
	full := c.channel(t)
	full["token"], full["expiration"] = "t", strconv.FormatInt(c.h.Clock.Now().Add(time.Hour).UnixMilli(), 10)
	c.watch(t, full).Want(t, http.StatusOK)
}

func (c *calendarRows) uniqueID(t *testing.T) {
	request := c.channel(t)
	c.watch(t, request).Want(t, http.StatusOK)
	c.watch(t, request).Want(t, http.StatusBadRequest)
	c.post(t, c.token, "/calendar/v3/users/me/settings/watch", request).Refused(t)
}

func (c *calendarRows) longID(t *testing.T) {
	request := c.channel(t)
	id := fmt.Sprint(request["id"])
	request["id"] = id + strings.Repeat("é", 64-len(id))
	c.watch(t, request).Want(t, http.StatusOK)
	request["id"] = fmt.Sprint(request["id"]) + "x"
	c.watch(t, request).Refused(t)
}

func (c *calendarRows) channelType(t *testing.T) {
	for _, kind := range []string{"email", "WEB_HOOK", "web-hook", ""} {
		request := c.channel(t)
		request["type"] = kind
		c.watch(t, request).Refused(t)
	}
}

func (c *calendarRows) httpsOnly(t *testing.T) {
	for _, address := range []string{
		strings.Replace(c.receiver.URL, "https://", "http://", 1), "ftp://example.com/", "example.com", "https://",
		"https:///x", "//example.com/",
		"https://user:secret@127.0.0.1/", "https://169.254.169.254/latest", "https://[::1]/",
	} {
		request := c.channel(t)
		request["address"] = address
		c.watch(t, request).Refused(t)
		if all := c.log(t, request, ""); len(all) != 0 {
			t.Errorf("%s: a message was enqueued", address)
		}
	}
}

func (c *calendarRows) certificates(t *testing.T) {
	unknown := delivertest.NewAuthority(t)
	self := delivertest.NewAuthority(t)
	for name, certificate := range conformance.InOrder(map[string]tls.Certificate{
		"untrusted":   unknown.Issue(t),
		"self-signed": {Certificate: [][]byte{self.Cert.Raw}, PrivateKey: self.Key},
		"expired":     c.root.Issue(t, func(x *x509.Certificate) { x.NotAfter = x.NotBefore.Add(time.Minute) }),
		"other host": c.root.Issue(t, func(x *x509.Certificate) {
			x.IPAddresses, x.DNSNames = nil, []string{"elsewhere.test"}
		}),
	}) {
		bad := delivertest.Start(t, c.root, "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{certificate}})
		request := c.channel(t)
		request["address"] = bad.URL
		a := c.watch(t, request).Refused(t)
		c.change(t)
		if n := len(bad.Requests()); n != 0 {
			t.Errorf("%s: %d messages arrived, want none: %v", name, n, a)
		}
	}
	c.revoked(t)
}

// revoked has a certificate whose authority took it back, as its revocation list says.
func (c *calendarRows) revoked(t *testing.T) {
	bad := delivertest.Start(t, c.root, "127.0.0.1:0", &tls.Config{
		Certificates: []tls.Certificate{delivertest.Revoked(t, c.root)},
	})
	request := c.channel(t)
	request["address"] = bad.URL
	c.watch(t, request).Refused(t)
	if n := len(bad.Requests()); n != 0 {
		t.Errorf("%d messages arrived, want none", n)
	}
}

func (c *calendarRows) longToken(t *testing.T) {
	request := c.channel(t)
	request["token"] = strings.Repeat("é", 257)
	c.watch(t, request).Refused(t)
	request["token"] = strings.Repeat("é", 256)
	c.watch(t, request).Want(t, http.StatusOK)
}

// endsInTime has a channel with a short life and changes before and after it.
func (c *calendarRows) endsInTime(t *testing.T) {
	request := c.channel(t)
	end := c.h.Clock.Now().Add(10 * time.Minute).Truncate(time.Millisecond)
	request["expiration"] = strconv.FormatInt(end.UnixMilli(), 10)
	answer := c.watched(t, request)
	if got := conformance.Text(t, answer, "expiration"); got != request["expiration"] {
		t.Errorf("expiration: got %s, want %s", got, request["expiration"])
	}
	c.h.Clock.Set(end.Add(-time.Millisecond))
	c.change(t)
	c.messages(t, request, 2)
	c.h.Clock.Set(end)
	c.change(t)
	c.quiet(t, request, 2)
}

func (c *calendarRows) notRenewed(t *testing.T) {
	request := c.channel(t)
	c.watched(t, request)
	for i := range 3 {
		c.h.Clock.Advance(2 * 24 * time.Hour)
		c.change(t)
		c.messages(t, request, i+2)
	}
	c.h.Clock.Advance(2 * 24 * time.Hour)
	c.change(t)
	c.quiet(t, request, 4) // The sync and three changes within seven days.
	renewed := c.channel(t)
	c.watched(t, renewed)
	c.change(t)
	c.messages(t, renewed, 2)
}

func (c *calendarRows) response(t *testing.T) {
	request := c.channel(t)
	request["token"] = "a token"
	one := c.watched(t, request)
	conformance.Only(t, one, "kind", "id", "resourceId", "resourceUri", "token", "expiration")
	if got := conformance.Text(t, one, "kind"); got != "api#channel" {
		t.Errorf("kind: got %q, want api#channel", got)
	}
	if got := conformance.Text(t, one, "id"); got != request["id"] {
		t.Errorf("id: got %q, want %q", got, request["id"])
	}
	if got := conformance.Text(t, one, "resourceUri"); !strings.HasPrefix(got, c.h.URL+"/calendar/v3/calendars/") {
		t.Errorf("resourceUri: got %q, want the collection's address", got)
	}
	if ms, err := strconv.ParseInt(conformance.Text(t, one, "expiration"), 10, 64); err != nil ||
		time.UnixMilli(ms).Before(c.h.Clock.Now()) {
		t.Errorf("expiration: got %v, want milliseconds to come", one["expiration"])
	}
	two := c.watched(t, c.channel(t))
	if a, b := one["resourceId"], two["resourceId"]; a != b || a == "" {
		t.Errorf("resourceId: got %v and %v, want the same", a, b)
	}
	other := c.post(t, c.token, "/calendar/v3/users/me/settings/watch", c.channel(t)).Want(t, http.StatusOK).Object(t)
	if other["resourceId"] == one["resourceId"] {
		t.Error("two collections share a resourceId")
	}
}

func (c *calendarRows) optionalMembers(t *testing.T) {
	plain := c.watched(t, c.channel(t))
	if _, has := plain["token"]; has {
		t.Errorf("token: got %v, want none", plain["token"])
	}
	endless := c.endless(t)
	forever := endless.watched(t, endless.channel(t))
	if _, has := forever["expiration"]; has {
		t.Errorf("expiration: got %v, want none", forever["expiration"])
	}
	request := endless.channel(t)
	request["expiration"] = strconv.FormatInt(c.h.Clock.Now().Add(time.Hour).UnixMilli(), 10)
	if got := conformance.Text(t, endless.watched(t, request), "expiration"); got != request["expiration"] {
		t.Errorf("expiration: got %s, want %s", got, request["expiration"])
	}
}

// endless is a server whose channels live for ever.
func (c *calendarRows) endless(t *testing.T) *calendarRows {
	t.Helper()
	other := *c
	other.h = c.open(t, conformance.Options{Configure: func(config *app.Config) {
		c.trust(config)
		config.Calendar.ChannelLifetime = 0
	}})
	other.h.User(t, "cleo")
	other.token = other.h.Token(t, "cleo", "calendar")
	return &other
}

// watchable watches all four collections and changes each of them.
func (c *calendarRows) watchable(t *testing.T) {
	own := conformance.Text(
		t, c.h.Do(t, conformance.Call{Path: "/calendar/v3/calendars/primary", Bearer: c.token}).Want(t, 200).Object(t),
		"id",
	)
	rule := map[string]any{
		"role": "reader", "scope": map[string]any{"type": "user", "value": "guest-" + c.unique() + "@example.com"},
	}
	for path, change := range conformance.InOrder(map[string]func(){
		"/calendar/v3/calendars/" + own + "/events": func() { c.change(t) },
		"/calendar/v3/calendars/primary/acl": func() {
			c.post(t, c.token, "/calendar/v3/calendars/primary/acl", rule).Want(t, 200)
		},
		"/calendar/v3/users/me/calendarList": func() {
			c.post(t, c.token, "/calendar/v3/calendars", map[string]any{"summary": "another"}).Want(t, 200)
		},
		"/calendar/v3/users/me/settings": func() {
			c.h.Command(t, "calendar set", map[string][]string{
				"user": {"cleo"}, "setting": {"locale"}, "value": {"el-" + c.unique()},
			})
		},
	}) {
		request := c.channel(t)
		c.post(t, c.token, path+"/watch", request).Want(t, http.StatusOK)
		c.messages(t, request, 1)
		change()
		if got := header(c.messages(t, request, 2)[1], "Resource-State"); got != "exists" {
			t.Errorf("%s: state %q, want exists", path, got)
		}
	}
}

func (c *calendarRows) watchAnswers(t *testing.T) {
	answer := c.watch(t, c.channel(t)).Want(t, http.StatusOK)
	if got := conformance.Text(t, answer.Object(t), "kind"); got != "api#channel" {
		t.Errorf("kind: got %q, want api#channel", got)
	}
}

func (c *calendarRows) syncOnce(t *testing.T) {
	request := c.channel(t)
	c.watch(t, request).Want(t, http.StatusOK)
	one := c.messages(t, request, 1)[0]
	if header(one, "Resource-State") != "sync" || header(one, "Message-Number") != "1" {
		t.Errorf("got %v, want sync with number 1", one.Header)
	}
	if all := c.log(t, request, ""); len(all) != 1 {
		t.Errorf("%d messages in the log, want 1", len(all))
	}
}

func (c *calendarRows) changes(t *testing.T) {
	request := c.channel(t)
	c.watched(t, request)
	id := c.change(t)
	c.h.Do(t, conformance.Call{
		Method: http.MethodPatch, Path: eventsPath + "/" + id, Bearer: c.token, Body: `{"summary":"y"}`,
	}).Want(t, 200)
	c.h.Do(t, conformance.Call{Method: http.MethodDelete, Path: eventsPath + "/" + id, Bearer: c.token}).Want(t, 204)
	all := c.messages(t, request, 4)
	for i, m := range all[1:] {
		if got := header(m, "Resource-State"); got != "exists" {
			t.Errorf("change %d: state %q, want exists", i, got)
		}
	}
	rising(t, all)
}

// rising checks that numbers are integers that strictly increase from 1.
func rising(t *testing.T, all []delivertest.Received) {
	t.Helper()
	last := int64(0)
	for i, m := range all {
		n, err := strconv.ParseInt(header(m, "Message-Number"), 10, 64)
		if err != nil || n <= last || i == 0 && n != 1 {
			t.Errorf("message %d has number %q after %d", i, header(m, "Message-Number"), last)
		}
		last = n
	}
}

func (c *calendarRows) stop(t *testing.T, token string, id, resource any) *conformance.Answer {
	t.Helper()
	return c.post(t, token, stopPath, map[string]any{"id": id, "resourceId": resource})
}

func (c *calendarRows) stopped(t *testing.T) {
	request := c.channel(t)
	answer := c.watched(t, request)
	c.stop(t, c.token, answer["id"], answer["resourceId"]).Want(t, http.StatusNoContent)
	c.change(t)
	c.quiet(t, request, 1)
	c.stop(t, c.token, answer["id"], answer["resourceId"]).Want(t, http.StatusNotFound)
}

func (c *calendarRows) overlap(t *testing.T) {
	one, two := c.channel(t), c.channel(t)
	c.watched(t, one)
	c.watched(t, two)
	c.change(t)
	c.messages(t, one, 2)
	c.messages(t, two, 2)
}

func (c *calendarRows) watchEvents(t *testing.T) {
	request := c.channel(t)
	c.post(t, c.token, "/calendar/v3/calendars/primary/events/watch", request).Want(t, http.StatusOK)
	c.messages(t, request, 1)
}

func (c *calendarRows) stopNeeds(t *testing.T) {
	request := c.channel(t)
	answer := c.watched(t, request)
	c.post(t, c.token, stopPath, map[string]any{"id": answer["id"]}).Want(t, http.StatusBadRequest)
	c.post(t, c.token, stopPath, map[string]any{"resourceId": answer["resourceId"]}).Want(t, http.StatusBadRequest)
	c.stop(t, c.token, answer["id"], "elsewhere").Want(t, http.StatusNotFound)
	c.change(t)
	c.messages(t, request, 2)
	c.stop(t, c.token, answer["id"], answer["resourceId"]).Want(t, http.StatusNoContent)
}

func (c *calendarRows) bearer(t *testing.T) {
	request := c.channel(t)
	c.post(t, "", eventsPath+"/watch", request).Want(t, http.StatusUnauthorized)
	c.post(t, "junk", eventsPath+"/watch", request).Want(t, http.StatusUnauthorized)
	answer := c.watched(t, request)
	c.stop(t, "", answer["id"], answer["resourceId"]).Want(t, http.StatusUnauthorized)
	c.change(t)
	c.messages(t, request, 2)
}

func (c *calendarRows) foreign(t *testing.T) {
	name := "other-" + c.unique()
	c.h.User(t, name)
	other := c.h.Token(t, name, "calendar")
	own := conformance.Text(
		t, c.h.Do(t, conformance.Call{Path: "/calendar/v3/calendars/primary", Bearer: c.token}).Want(t, 200).Object(t),
		"id",
	)
	for _, path := range []string{
		"/calendar/v3/calendars/" + own + "/events/watch", "/calendar/v3/calendars/" + own + "/acl/watch",
		"/calendar/v3/calendars/unknown@example.com/events/watch",
	} {
		c.post(t, other, path, c.channel(t)).Want(t, http.StatusNotFound)
	}
}

// client makes an application and a token of it for a user, or for itself.
func (c *calendarRows) client(t *testing.T, kind string) (id string, issue func(user string) string) {
	t.Helper()
	made := c.h.Command(t, "client add", map[string][]string{
		"name": {"app " + c.unique()}, "type": {kind}, "redirect": {"https://app.example/back"},
	})
	id = conformance.Text(t, made, "client_id")
	return id, func(user string) string {
		values := map[string][]string{"service": {"calendar"}, "client": {id}}
		if user != "" {
			values["user"] = []string{user}
		}
		return conformance.Text(t, c.h.Command(t, "token issue", values), "token")
	}
}

func (c *calendarRows) otherClient(t *testing.T) {
	_, one := c.client(t, "web")
	_, two := c.client(t, "web")
	request := c.channel(t)
	mine := one("cleo")
	answer := c.post(t, mine, eventsPath+"/watch", request).Want(t, http.StatusOK).Object(t)
	c.stop(t, two("cleo"), answer["id"], answer["resourceId"]).Refused(t)
	c.stop(t, c.token, answer["id"], answer["resourceId"]).Refused(t)
	c.change(t)
	c.messages(t, request, 2)
	name := "colleague-" + c.unique()
	c.h.User(t, name)
	c.stop(t, one(name), answer["id"], answer["resourceId"]).Want(t, http.StatusNoContent)
	c.change(t)
	c.quiet(t, request, 2)
}

func (c *calendarRows) serviceAccount(t *testing.T) {
	_, issue := c.client(t, "service")
	account, other := issue(""), issue("cleo")
	request := c.channel(t)
	answer := c.post(t, account, eventsPath+"/watch", request).Want(t, http.StatusOK).Object(t)
	c.messages(t, request, 1)
	_, elsewhere := c.client(t, "web")
	c.stop(t, elsewhere("cleo"), answer["id"], answer["resourceId"]).Refused(t)
	c.stop(t, other, answer["id"], answer["resourceId"]).Want(t, http.StatusNoContent)
	c.stop(t, account, answer["id"], answer["resourceId"]).Want(t, http.StatusNotFound)
}

func (c *calendarRows) lifetime(t *testing.T) {
	request := c.channel(t)
	request["expiration"] = strconv.FormatInt(c.h.Clock.Now().AddDate(1, 0, 0).UnixMilli(), 10)
	want := strconv.FormatInt(c.h.Clock.Now().Add(lastWeek).UnixMilli(), 10)
	if got := conformance.Text(t, c.watched(t, request), "expiration"); got != want {
		t.Errorf("expiration: got %s, want the default's %s", got, want)
	}
	past := c.channel(t)
	past["expiration"] = strconv.FormatInt(c.h.Clock.Now().Add(-time.Second).UnixMilli(), 10)
	c.watch(t, past).Refused(t)
}
