package journal

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/journal/scan"
	"stoa.dev/stoa/internal/platform/journal/secretmembers"
	"stoa.dev/stoa/internal/platform/journal/statusclass"
	"stoa.dev/stoa/internal/platform/journal/wildcard"
	"stoa.dev/stoa/internal/platform/wire"
)

// Filter says which records are looked for; what is empty is not asked.
type Filter struct {
	Service, Operation, Method, Caller string
	// Path is a pattern as in Matches.
	Path   string
	Status statusclass.Status
	// Text stands somewhere in the record, as it is shown.
	Text    string
	Clients bool // leaves out what the console's pages asked for, and pages of a service that is not named
	// Since is the earliest world time.
	Since time.Time
	// Header is a pattern of the value by the canonical name, Body a value by JSON
	// pointer; both look at what was sent.
	Header map[string]string
	Body   map[string]any

	literal string // of Path, which every match contains
}

// Match reports whether the record is looked for.
func (f *Filter) Match(r *Record) bool {
	switch {
	case f.Service != "" && f.Service != r.Service,
		f.Operation != "" && f.Operation != r.Operation,
		f.Method != "" && f.Method != r.Method,
		f.Clients && (r.ByConsole || r.Page && f.Service == ""),
		!f.Status.Has(r.Status),
		f.Caller != "" && !isCaller(f.Caller, r.Caller()),
		!f.Since.IsZero() && r.At.Before(f.Since),
		f.Path != "" && !(strings.Contains(r.Path(), f.literal) && wildcard.Matches(f.Path, r.Path())),
		f.Text != "" && !r.contains(f.Text):
		return false
	}
	return len(f.Header)+len(f.Body) == 0 || len(f.misses(r)) == 0
}

// isCaller compares with the whole text, or with a word of it: "ada" finds
// "personal user=ada".
func isCaller(asked, caller string) bool {
	if asked == caller || !strings.Contains(caller, asked) {
		return asked == caller
	}
	for word := range strings.FieldsFuncSeq(caller, func(c rune) bool { return c == ' ' || c == '=' }) {
		if word == asked {
			return true
		}
	}
	return false
}

// contains looks first at what was sent, which costs little, and then at what is
// shown: what is masked is not found.
func (r *Record) contains(text string) bool {
	packed := strings.Contains(r.part(requestHeader), "Content-Encoding\x00gzip\x00")
	if !packed && !strings.Contains(r.text, text) && !strings.Contains(r.answer, text) {
		return false
	}
	for _, shown := range []string{
		r.part(names), r.Path(), r.Query(), r.Reason(), r.Caller(), r.Fault(), r.part(requestID),
		r.RequestBody(), r.ResponseBody(),
	} {
		if strings.Contains(shown, text) {
			return true
		}
	}
	for _, h := range []map[string][]string{r.RequestHeader(), r.ResponseHeader()} {
		for name, values := range h {
			if strings.Contains(name+": "+strings.Join(values, "\n"), text) {
				return true
			}
		}
	}
	return false
}

// misses says in words what of the header and the body is not as looked for.
func (f *Filter) misses(r *Record) []string {
	var list []string
	if len(f.Header) > 0 {
		sent, shown := r.header(requestHeader), r.RequestHeader()
		for _, name := range sortedNames(f.Header) {
			values, ok := sent[name]
			switch {
			case !ok:
				list = append(list, "it has no header "+name)
			case !wildcard.Matches(pathless(f.Header[name]), pathless(Join(name, values))):
				list = append(list, fmt.Sprintf("its header %s is %q, not %q", name, Join(name, shown[name]), f.Header[name]))
			}
		}
	}
	if len(f.Body) == 0 {
		return list
	}
	body, problem := r.decodedBody()
	if problem != "" {
		return append(list, problem)
	}
	for _, pointer := range sortedNames(f.Body) {
		got, ok := wire.Lookup(body, pointer)
		switch {
		case !ok:
			list = append(list, "its body has no "+pointer)
		case !reflect.DeepEqual(got, f.Body[pointer]):
			list = append(list, fmt.Sprintf("its body has %s at %s, not %s",
				r.shownValue(pointer, got), pointer, jsonText(f.Body[pointer])))
		}
	}
	return list
}

// pathless lets * match slashes too: a header is no path.
func pathless(text string) string { return strings.ReplaceAll(text, "/", "\x00") }

// decodedBody is the request's body as a value: of JSON, or of a form whose names
// are members.
func (r *Record) decodedBody() (value any, problem string) {
	h := r.header(requestHeader)
	text := unpack(r.part(requestBody), h)
	switch {
	case r.RequestCut:
		return nil, "its body was not kept whole"
	case text == "":
		return nil, "it has no body"
	case first(h, "Content-Type", "application/x-www-form-urlencoded"):
		form, err := url.ParseQuery(text)
		if err != nil {
			return nil, "its body is not a form"
		}
		members := map[string]any{}
		for name := range form {
			members[name] = form.Get(name)
		}
		return members, ""
	}
	if json.Unmarshal([]byte(text), &value) != nil {
		return nil, "its body is not JSON"
	}
	return value, ""
}

// shownValue is a value of the body, masked where its name says so.
func (r *Record) shownValue(pointer string, value any) string {
	name := pointer[strings.LastIndexByte(pointer, '/')+1:]
	text := secretmembers.Mask(`{"`+name+`":`+jsonText(value)+"}", masked)
	text = strings.TrimSuffix(strings.TrimPrefix(text, `{"`+name+`":`), "}")
	for _, secret := range r.secrets() {
		text = strings.ReplaceAll(text, secret, masked)
	}
	return wire.Clip(text, 100)
}

func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

// Find returns up to limit records, newest first, that are older than the one with
// the number before (0 for all). next is the number to go on before, 0 at the end.
func (j *Journal) Find(f *Filter, before uint64, limit int) (found []*Record, next uint64) {
	quick := *f
	for literal := range strings.SplitSeq(f.Path, "*") {
		if len(literal) > len(quick.literal) {
			quick.literal = literal
		}
	}
	for r := range scan.Matching(j.NewestFirst(before), quick.Match) {
		if len(found) == limit {
			return found, found[limit-1].number
		}
		found = append(found, r)
	}
	return found, 0
}
