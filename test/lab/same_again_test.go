package lab_test

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"hash"
	"maps"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	api "k8s.io/kms/apis/v2"
)

// TestSameAgain runs one client twice in a world that is reset in between. Faults, journal
// and report are the same bytes both times, but for real durations.
func TestSameAgain(t *testing.T) {
	t.Parallel()
	c := open(t, t.TempDir())
	w := c.create(t, `{"name":"same","seed":11,"clock":{"mode":"frozen","now":"2026-03-01T09:00:00Z"}}`)
	first := w.observed(t)
	c.call(t, http.MethodPost, w.path()+"/reset", "{}").want(t, http.StatusOK)
	second := w.observed(t)
	for name, text := range first {
		if at := difference(text, second[name]); at >= 0 {
			t.Errorf("%s differs at byte %d:\n%s\n--- then ---\n%s", name, at, near(text, at), near(second[name], at))
		}
	}
	sameAsRecorded(t, first)
	other := c.create(t, `{"name":"othr","seed":12,"clock":{"mode":"frozen","now":"2026-03-01T09:00:00Z"}}`)
	if other.observed(t)["faults"] == first["faults"] {
		t.Error("another seed met the same faults")
	}
}

// observed drives a client that is not always well-behaved, under faults, and returns
// everything that the lab tells of it.
func (w *world) observed(t *testing.T) map[string]string {
	t.Helper()
	for _, rule := range []string{
		`{"match":{"service":"tasks"},"when":{"share":0.3},"deed":{"fault":"rate_limited"}}`,
		`{"match":{"service":"events"},"when":{"share":0.2},"deed":{"fault":"secondary_rate_limit"}}`,
		`{"match":{"service":"calendar","method":"POST"},"when":{"every":3},"deed":{"fault":"disk_full"}}`,
		`{"match":{"service":"deliveries"},"when":{"share":0.5},"deed":{"drop":true}}`,
		`{"match":{"service":"kms"},"when":{"nth":2},"deed":{"fault":"kms_unhealthy"}}`,
	} {
		w.fault(t, rule)
	}
	w.addInbox(t, `{"name":"hooks","answer":{"status":503,"times":2}}`)
	// A job that runs beside the next request draws identifiers from the same sequence.
	ask := func(method, path, secret, body string) {
		t.Helper()
		w.ask(t, method, path, secret, body)
		w.settle(t)
	}
	watch(t, w, w.URL+"/inbox/hooks")
	w.settle(t)
	kms := w.dialKMS(t)
	for i := range 12 {
		ask("GET", "/events", "", "")
		ask("POST", tasksPath, "", fmt.Sprintf(`{"title":"list %d","titel":"x"}`, i))
		ask("GET", tasksPath+"?access_token="+w.Env["STOA_TOKEN"], "-", "")
		ask("POST", calendarEvents, "", fmt.Sprintf(`{"summary":"event %d",%s}`, i, wholeDay))
		ask("POST", "/device/code", "-", url.Values{
			"client_id": {w.Env["STOA_DEVICE_CLIENT_ID"]}, "scope": {"video"},
		}.Encode())
		ask("GET", "/nowhere", "", "")
		// What it answers is in the journal.
		_, _ = kms.Status(t.Context(), &api.StatusRequest{})
		w.move(t, "advance", `{"by":"7s"}`)
	}
	w.move(t, "advance", `{"by":"1d"}`)

	told := map[string]string{}
	keep := func(name, path string) {
		told[name] = string(w.control.call(t, http.MethodGet, w.path()+path, "").want(t, http.StatusOK).body)
	}
	keep("faults", "/faults")
	keep("inbox", "/inboxes/hooks/messages")
	keep("requests", "/requests?limit=1000")
	keep("archive", "/requests.har")
	list, _ := w.requests(t, "?limit=1000")
	for _, r := range list {
		keep("request "+r.ID, "/requests/"+r.ID)
	}
	for _, format := range []string{"json", "text", "html", "junit", "sarif"} {
		keep("report as "+format, "/conduct?format="+format)
	}
	durations := regexp.MustCompile(`("(?:durationMs|time|wait|send|receive)":) ?[0-9.e+-]+`)
	// The processor time that the events service counts for its limits is real too.
	processor := regexp.MustCompile(`("name":"events.cpu","limit":[0-9]+,"remaining":)[0-9]+`)
	for name, text := range told {
		told[name] = processor.ReplaceAllString(durations.ReplaceAllString(text, "$1 0"), "$1 0")
	}
	if strings.Contains(told["report as json"], `"clean":true`) {
		t.Errorf("the client broke no rule: %s", told["report as json"])
	}
	return told
}

// difference is the first byte in which two texts differ, -1 when they are the same.
func difference(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	if len(a) != len(b) {
		return min(len(a), len(b))
	}
	return -1
}

// near is what stands around a byte.
func near(text string, at int) string { return text[max(0, at-200):min(len(text), at+200)] }

var updateTold = flag.Bool("update-told", false, "record what TestSameAgain is told")

const toldFile = "testdata/same_again.tsv"

// sameAsRecorded holds what the lab tells against what was recorded, so that each machine
// that runs this is held against the one that recorded it. The port is the machine's, and tags
// and compressed lengths of answers with addresses follow from it.
func sameAsRecorded(t *testing.T, told map[string]string) {
	t.Helper()
	address := regexp.MustCompile(`127\.0\.0\.1:[0-9]{5}|\\"[0-9a-f]{32}\\"` +
		`|"Content-Length"(?:,"value")?: ?"[0-9]+"|"(?:bodySize|size)": ?[0-9]+`)
	sums := map[string]hash.Hash{}
	for _, name := range slices.Sorted(maps.Keys(told)) {
		what, _, _ := strings.Cut(name, " ") // all single requests together
		if sums[what] == nil {
			sums[what] = sha256.New()
		}
		fmt.Fprintf(sums[what], "%s\n%s\n", name, address.ReplaceAllString(told[name], "ADDRESS"))
	}
	var text strings.Builder
	for _, what := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(&text, "%s\t%x\n", what, sums[what].Sum(nil))
	}
	if *updateTold {
		if err := os.WriteFile(toldFile, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(toldFile)
	if err != nil || text.String() != string(want) {
		t.Errorf("the digests are (%v)\n%s\nand in %s\n%s\nEither what the lab tells was changed since: look at it, and "+
			"record with go test ./test/lab -run TestSameAgain -args -update-told. Or this machine tells something else "+
			"than the one that recorded, which is a defect", err, text.String(), toldFile, want)
	}
}
