package har

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"net/url"
	"time"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/journal"
)

// Archive is the whole file.
type Archive struct {
	Log Log `json:"log"`
}

// Log is what happened.
type Log struct {
	Version string  `json:"version"`
	Creator Creator `json:"creator"`
	Entries []Entry `json:"entries"`
}

// Creator is the program.
type Creator struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Entry is one request with its answer.
type Entry struct {
	Started  time.Time `json:"startedDateTime"`
	Time     float64   `json:"time"`
	Request  Request   `json:"request"`
	Response Response  `json:"response"`
	Cache    struct{}  `json:"cache"`
	Timings  Timings   `json:"timings"`

	ID        string          `json:"_id"`
	Service   string          `json:"_service"`
	Operation string          `json:"_operation"`
	Caller    string          `json:"_caller,omitempty"`
	Reason    string          `json:"_reason,omitempty"`
	Fault     string          `json:"_fault,omitempty"`
	Limits    []journal.Limit `json:"_limits,omitempty"`
	Unread    []string        `json:"_unread,omitempty"`
	Caused    []journal.Cause `json:"_caused,omitempty"`
}

// Request is what was asked.
type Request struct {
	Method      string    `json:"method"`
	URL         string    `json:"url"`
	HTTPVersion string    `json:"httpVersion"`
	Cookies     []Pair    `json:"cookies"`
	Headers     []Pair    `json:"headers"`
	Query       []Pair    `json:"queryString"`
	Body        *PostData `json:"postData,omitempty"`
	HeadersSize int       `json:"headersSize"`
	BodySize    int       `json:"bodySize"`
}

// PostData is a request's body.
type PostData struct {
	MimeType string `json:"mimeType"`
	Params   []Pair `json:"params"`
	Text     string `json:"text"`
	Encoding string `json:"_encoding,omitempty"`
}

// Response is what was answered.
type Response struct {
	Status      int     `json:"status"`
	StatusText  string  `json:"statusText"`
	HTTPVersion string  `json:"httpVersion"`
	Cookies     []Pair  `json:"cookies"`
	Headers     []Pair  `json:"headers"`
	Content     Content `json:"content"`
	RedirectURL string  `json:"redirectURL"`
	HeadersSize int     `json:"headersSize"`
	BodySize    int     `json:"bodySize"`
}

// Content is an answer's body.
type Content struct {
	Size     int    `json:"size"`
	MimeType string `json:"mimeType"`
	Text     string `json:"text,omitempty"`
	Encoding string `json:"encoding,omitempty"`
	Comment  string `json:"comment,omitempty"`
}

// Timings are not measured apart, but for what a fault held back.
type Timings struct {
	Blocked float64 `json:"blocked,omitempty"`
	Send    float64 `json:"send"`
	Wait    float64 `json:"wait"`
	Receive float64 `json:"receive"`
}

// Pair is a name with a value.
type Pair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// New is an archive without entries.
func New(version string) Archive {
	return Archive{Log: Log{Version: "1.2", Creator: Creator{Name: "stoa", Version: version}, Entries: []Entry{}}}
}

// bufferSize is how much of an archive is put together before it is written.
const bufferSize = 64 << 10

// Write writes the text of an archive without entries with an entry for each record; base is the address of the world.
// They are made one by one: together they take several times what the journal does.
func Write(w io.Writer, empty []byte, records iter.Seq[*journal.Record], base string) error {
	out := bufio.NewWriterSize(w, bufferSize)
	entries := json.NewEncoder(out)
	entries.SetEscapeHTML(false)
	end := bytes.LastIndexByte(empty, ']')
	if _, err := out.Write(empty[:end]); err != nil {
		return err
	}
	first := true
	for r := range records {
		if !first {
			if err := out.WriteByte(','); err != nil {
				return err
			}
		}
		first = false
		if err := entries.Encode(entry(r, base)); err != nil {
			return err
		}
	}
	if _, err := out.Write(empty[end:]); err != nil {
		return err
	}
	return out.Flush()
}

func entry(r *journal.Record, base string) Entry {
	took, held := float64(r.Duration.Microseconds())/1000, float64(r.Delay.Machine.Microseconds())/1000
	return Entry{
		Started: r.At.UTC().Round(0), Time: took + held, Timings: Timings{Blocked: held, Wait: took},
		Request: request(r, base), Response: response(r),
		ID: r.ID(), Service: r.Service, Operation: r.Operation, Caller: r.Caller(), Reason: r.Reason(), Fault: r.Fault(),
		Limits: r.Limits, Unread: r.Unread(), Caused: r.Caused,
	}
}

const httpVersion = "HTTP/1.1"

func request(r *journal.Record, base string) Request {
	h := r.RequestHeader()
	out := Request{
		Method: r.Method, URL: base + r.Path(), HTTPVersion: httpVersion, Cookies: []Pair{}, Headers: pairs(h),
		Query: []Pair{}, HeadersSize: -1, BodySize: -1,
	}
	if query := r.Query(); query != "" {
		out.URL += "?" + query
		if values, err := url.ParseQuery(query); err == nil {
			out.Query = pairs(values)
		}
	}
	if body := r.RequestBody(); body != "" {
		out.Body = &PostData{MimeType: http.Header(h).Get("Content-Type"), Params: []Pair{}}
		out.Body.Text, out.Body.Encoding = text(body)
	}
	return out
}

func response(r *journal.Record) Response {
	h := r.ResponseHeader()
	out := Response{
		Status: r.Status, StatusText: http.StatusText(r.Status), HTTPVersion: httpVersion, Cookies: []Pair{},
		Headers: pairs(h), RedirectURL: http.Header(h).Get("Location"), HeadersSize: -1, BodySize: -1,
	}
	body := r.ResponseBody()
	out.Content = Content{Size: len(body), MimeType: http.Header(h).Get("Content-Type")}
	out.Content.Text, out.Content.Encoding = text(body)
	if r.ResponseCut {
		out.Content.Comment = "not kept whole"
	}
	return out
}

func text(body string) (shown, encoding string) {
	if utf8.ValidString(body) {
		return body, ""
	}
	return base64.StdEncoding.EncodeToString([]byte(body)), "base64"
}

func pairs(values map[string][]string) []Pair {
	list := []Pair{}
	for _, name := range journal.Names(values) {
		for _, value := range values[name] {
			list = append(list, Pair{name, value})
		}
	}
	return list
}
