package control

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"stoa.dev/stoa/internal/lab"
	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/journal/statusclass"
)

// summaryJSON is a request in a list.
type summaryJSON struct {
	ID        string    `json:"id"`
	At        time.Time `json:"at"`
	Service   string    `json:"service"`
	Operation string    `json:"operation"`
	Method    string    `json:"method"`
	Path      string    `json:"path"`
	Query     string    `json:"query,omitempty"`
	Status    int       `json:"status"`
	Reason    string    `json:"reason,omitempty"`
	Caller    string    `json:"caller,omitempty"`
	Fault     string    `json:"fault,omitempty"`
	// DurationMs is the service's time, FaultDelayMs what a fault added.
	DurationMs   float64  `json:"durationMs"`
	FaultDelayMs float64  `json:"faultDelayMs,omitempty"`
	Unread       []string `json:"unread,omitempty"`
}

func (a *API) toSummary(r *journal.Record) summaryJSON {
	return summaryJSON{
		ID: r.ID(), At: r.At.UTC().Round(0), Service: r.Service, Operation: r.Operation, Method: r.Method, Path: r.Path(),
		Query: r.Query(), Status: r.Status, Reason: r.Reason(), Caller: r.Caller(), Fault: r.Fault(),
		DurationMs:   float64(r.Duration.Microseconds()) / 1000,
		FaultDelayMs: float64(r.Delay.Machine.Microseconds()) / 1000, Unread: a.unread(r),
	}
}

// unread are the members and parameters that the service did not read. One that
// refused the request may not have come to them.
func (a *API) unread(r *journal.Record) []string {
	list := r.Unread()
	if r.Status < http.StatusBadRequest {
		list = append(list, a.parameters.Undocumented(r.Service, r.Query())...)
	}
	return list
}

type summariesJSON struct {
	Requests      []summaryJSON `json:"requests"`
	NextPageToken string        `json:"nextPageToken,omitempty"`
}

// recordJSON is a request with everything that is kept of it.
type recordJSON struct {
	summaryJSON
	RequestHeaders  map[string]string `json:"requestHeaders"`
	RequestBody     any               `json:"requestBody"`
	ResponseHeaders map[string]string `json:"responseHeaders"`
	ResponseBody    any               `json:"responseBody"`
	BodyTruncated   bool              `json:"bodyTruncated,omitempty"`
	Caused          []journal.Cause   `json:"caused"`
}

// base64JSON is a body that is no text.
type base64JSON struct {
	Base64 string `json:"base64"`
}

func (a *API) toRecord(r *journal.Record) recordJSON {
	return recordJSON{
		summaryJSON: a.toSummary(r), RequestHeaders: toHeaders(r.RequestHeader()), RequestBody: toBody(r.RequestBody()),
		ResponseHeaders: toHeaders(r.ResponseHeader()), ResponseBody: toBody(r.ResponseBody()),
		BodyTruncated: r.RequestCut || r.ResponseCut, Caused: append([]journal.Cause{}, r.Caused...),
	}
}

func toHeaders(h map[string][]string) map[string]string {
	out := make(map[string]string, len(h))
	for name, values := range h {
		out[name] = journal.Join(name, values)
	}
	return out
}

func toBody(text string) any {
	if utf8.ValidString(text) {
		return text
	}
	return base64JSON{base64.StdEncoding.EncodeToString([]byte(text))}
}

func invalid(next, message string) error {
	return &lab.Error{Code: lab.CodeInvalid, Message: message, Next: next}
}

// filterNames are the parameters that say which requests are meant.
func filterNames() []string {
	return []string{"service", "operation", "status", "caller", "method", "path", "text", "since", "console"}
}

// readFilter reads them, and refuses what is neither one of them nor of more.
func readFilter(q url.Values, more ...string) (f journal.Filter, err error) {
	for name, values := range q {
		if !slices.Contains(append(filterNames(), more...), name) {
			return f, invalid("docs/lab.md lists the parameters", name+" is not a known parameter")
		}
		if len(values) > 1 {
			return f, invalid("give it once", name+" is given more than once")
		}
	}
	f = journal.Filter{
		Service: q.Get("service"), Operation: q.Get("operation"), Caller: q.Get("caller"),
		Method: strings.ToUpper(q.Get("method")), Path: q.Get("path"), Text: q.Get("text"),
		Clients: q.Get("console") != "yes",
	}
	if text := q.Get("console"); text != "" && text != "yes" && text != "no" {
		return f, invalid("use yes to see what the console's own pages ask for", "console is not yes or no")
	}
	if f.Status, err = readStatus(q.Get("status")); err != nil {
		return f, err
	}
	if text := q.Get("since"); text != "" {
		if f.Since, err = time.Parse(time.RFC3339, text); err != nil {
			return f, invalid("use a time such as 2026-03-01T09:00:00Z", "since is not a time")
		}
	}
	return f, nil
}

func readStatus(text string) (statusclass.Status, error) {
	s, ok := statusclass.Parse(text)
	if !ok {
		return s, invalid("use a status such as 404 or a class such as 4xx", "status "+strconv.Quote(text)+" is not one")
	}
	return s, nil
}

// What a list holds unless asked otherwise, and at most.
const (
	defaultPage = 100
	maxPage     = 1000
)

// readPage reads the size of a page and the number that it lies before.
func readPage(q url.Values) (limit int, before uint64, err error) {
	limit = defaultPage
	if text := q.Get("limit"); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > maxPage {
			return 0, 0, invalid("use 1 to 1000", "limit "+strconv.Quote(text)+" is not a size")
		}
	}
	if text := q.Get("pageToken"); text != "" {
		if before, err = strconv.ParseUint(text, 10, 64); err != nil || before == 0 {
			return 0, 0, invalid("use the nextPageToken of the page before", "pageToken is not one of this list")
		}
	}
	return limit, before, nil
}
