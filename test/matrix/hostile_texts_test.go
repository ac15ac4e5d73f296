package matrix_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode"

	"stoa.dev/stoa/test/conformance"
	"stoa.dev/stoa/test/openapi/answers"
)

// hostileTexts are texts that programs read wrongly, by name. They are written into JSON as
// they are, so that one can be what no encoder writes.
func hostileTexts() [][2]string {
	list := [][2]string{
		{"lone surrogate", `"a\ud800b"`}, {"not UTF-8", "\"a\xff\xc0\xafb\""}, {"raw newline", "\"a\nb\""},
		{"escaped pair", `"\ud83d\ude00"`},
	}
	for name, text := range map[string]string{
		"NUL": "a\x00b", "control": "a\x01\x1b[31m\b\x7f\u0085b", "newlines": "a\r\nb\nc\rd\u2028e\u2029",
		"header":     "a\r\nSet-Cookie: b=c\r\n\r\n<html>",
		"characters": "\ufeffa\uffffb\ufffec\ufffdd\ue000\U0010fffd\U000e0041",
		"directions": "a\u202eb\u202cc\u2066d\u2069\u200fe", "zero width": "a\u200bb\u200dc\u2060d",
		"combining": "a" + strings.Repeat("\u0301\u0315", 40), "forms": "\u00e9 e\u0301 \uff21\uff0f \ufb03 \u212a \ufdfd",
		"cases":  "\u0130\u0131Ii Stra\u00dfe \u1e9e",
		"emoji":  "\U0001f469\u200d\U0001f469\u200d\U0001f467 \U0001f1e9\U0001f1ea \u2764\ufe0f",
		"quotes": `'"` + "`" + `''""\'\"`, "SQL": `'; DROP TABLE users; -- 1' OR '1'='1 100%_\%`,
		"template": `{{7*7}} {{.}} {% raw %} <%= 1 %> ${7*7} $1 #{b} $(c)`, "format": `%s%n%d%!v(MISSING)%25`,
		"path": `../../../../etc/passwd`, "path encoded": `..%2f..%2f%00`, "slashes": `//a/./b/../c//\..\con`,
		"script": `<script>alert(1)</script>" onmouseover="alert(1)`, "entity": `&lt;&#0;&amp;amp;&nbsp;`,
		"XML": `<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>`, "address": `javascript:alert(1)`,
		"JSON": `{"a":[1,null]}`, "null": `null`, "number": `1e400`, "dates": `0000-00-00T24:60:60Z`,
		"shell": "`id`; $(id) | id & id", "lookup": `${jndi:ldap://a.example/b}`, "YAML": "a: &b [*b]\n- !!python/object",
		"spaces": " \t a \u00a0\u3000 ", "empty": "", "dots": "..", "thousand": strings.Repeat("x", 1000),
		"long": strings.Repeat("\u00e4\U0001f600", 12000), "longer": strings.Repeat("y", 300000),
	} {
		encoded, err := json.Marshal(text)
		if err != nil {
			panic(err) // texts always encode
		}
		list = append(list, [2]string{name, string(encoded)})
	}
	slices.SortFunc(list, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return list
}

// joinable texts can stand beside others in one text: where that comes back whole, each of
// them does.
func joinable(encoded string) bool {
	var text string
	return json.Unmarshal([]byte(encoded), &text) == nil && len(text) > 1 && len(text) < 200 &&
		!strings.ContainsFunc(text, unicode.IsControl) && strings.TrimSpace(text) == text &&
		!strings.ContainsRune(text, '\uffff')
}

// joinedName is what the text of all joinable ones is called; what it wrote is always read
// again, of the others one in readSample.
const (
	joinedName = "the joined text"
	readSample = 4
)

func joinedText(texts [][2]string) [2]string {
	var parts []string
	for _, text := range texts {
		if joinable(text[1]) {
			parts = append(parts, text[1][1:len(text[1])-1])
		}
	}
	return [2]string{joinedName, `"` + strings.Join(parts, " ") + `"`}
}

// hostileSample is how many of the texts' places lie between two that the short form takes.
const hostileSample = 211

// TestHostileTexts: a text in any member of any body comes back whole, or is refused in the
// service's envelope.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	h := conformance.Start(t, conformance.Options{Configure: unlimited, Unobserved: true, Log: io.Discard})
	w := &owned{writer: newWriter(t, build(t, h)), described: descriptions(t), gets: getPatterns(),
		unused: map[string]request{}, noLists: true}
	texts := hostileTexts()
	place, sent, members, outcomes := 0, 0, 0, map[string]int{}
	for _, o := range watchersLast(describedJSON(t)) {
		d := w.described[o.module.Name+" "+o.name()]
		base := w.send(t, o, nil)
		for _, path := range textPaths(d, d.body, nil, 0) {
			members++
			joined := *all && w.hostile(t, o, base, path, joinedText(texts)) == "taken"
			for _, text := range texts {
				place++
				if !*all && place%hostileSample != 0 || joined && joinable(text[1]) {
					continue
				}
				sent++
				outcomes[w.hostile(t, o, base, path, text)]++
			}
		}
	}
	t.Logf("%d texts in %d members, %d of %d sent alone: %v", len(texts), members, sent, place, outcomes)
}

func getPatterns() map[string]bool {
	gets := map[string]bool{}
	for _, o := range operations() {
		if o.route.Method == http.MethodGet {
			gets[o.service()+" "+o.route.Pattern] = true
		}
	}
	return gets
}

// watchersLast puts the operations at the end that make later writes send messages.
func watchersLast(list []operation) []operation {
	watches := func(o operation) int {
		if strings.HasSuffix(o.route.Pattern, "watch") || strings.HasSuffix(o.route.Pattern, "hooks") {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(list, func(a, b operation) int { return watches(a) - watches(b) })
	return list
}

const deepestText = 5

// textPaths are the members that a text can be in; [] is the first of a list.
func textPaths(d description, s *answers.Shape, under []string, depth int) [][]string {
	s = d.resolve(s)
	if s == nil || depth > deepestText {
		return nil
	}
	at := slices.Clone(under)
	members := d.members(s)
	var list [][]string
	for _, name := range sortedNames(members) {
		list = append(list, textPaths(d, members[name], append(slices.Clone(at), name), depth+1)...)
	}
	if s.Items != nil {
		list = append(list, textPaths(d, s.Items, append(slices.Clone(at), "[]"), depth+1)...)
	}
	if s.Values != nil {
		list = append(list, textPaths(d, s.Values, append(slices.Clone(at), "key"), depth+1)...)
	}
	if len(under) > 0 && (slices.Contains(s.Types, "string") || len(s.Types) == 0 && len(members) == 0) {
		list = append(list, at)
	}
	return list
}

func sortedNames(members map[string]*answers.Shape) []string {
	var names []string
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// placeholder stands in a body where a text will be.
const placeholder = "the-text-goes-here"

// insert puts a value at a path and makes what is missing on the way.
func insert(value any, path []string, text any) any {
	if len(path) == 0 {
		return text
	}
	if path[0] == "[]" {
		list, _ := value.([]any)
		if len(list) == 0 {
			list = []any{nil}
		}
		list[0] = insert(list[0], path[1:], text)
		return list
	}
	object, ok := value.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	object[path[0]] = insert(object[path[0]], path[1:], text)
	return object
}

// find is what is at a path, nil where nothing is.
func find(value any, path []string) any {
	for _, name := range path {
		if name == "[]" {
			list, _ := value.([]any)
			if len(list) == 0 {
				return nil
			}
			value = list[0]
			continue
		}
		if value = at(value, []string{name}); value == nil {
			return nil
		}
	}
	return value
}

// hostile sends one text in one member and says what became of it.
func (w *owned) hostile(t *testing.T, o operation, base exchange, path []string, text [2]string) string {
	t.Helper()
	r, ok := w.unused[o.service()+o.name()]
	if !ok {
		r = w.valid(t, o)
	}
	usable := r
	delete(w.unused, o.service()+o.name())
	body, err := json.Marshal(insert(decode(r.call.Body), path, placeholder))
	if err != nil {
		t.Fatal(err)
	}
	r.call.Body = strings.Replace(string(body), `"`+placeholder+`"`, text[1], 1)
	answer := w.direct(r.call)
	where := fmt.Sprintf("%s %s: %s in %s", o.module.Name, o.name(), text[0], strings.Join(path, "."))
	switch {
	case answer.Status >= http.StatusInternalServerError && answer.Status != http.StatusNotImplemented:
		t.Errorf("%s is answered with %d %.300s", where, answer.Status, answer.Body)
	case answer.Status >= http.StatusBadRequest:
		if !inEnvelope(o, answer) {
			t.Errorf("%s is refused with %d outside of the envelope: %.300s", where, answer.Status, answer.Body)
		}
		w.unused[o.service()+o.name()] = usable // nothing of it was used up
		return "refused"
	case answer.Status/100 == 2:
		return w.roundTrip(t, where, base, exchange{request: r, answer: answer}, path, text[1])
	}
	return ""
}

// roundTrip compares what is shown with what was sent.
func (w *owned) roundTrip(t *testing.T, where string, base, e exchange, path []string, text string) string {
	t.Helper()
	var want string
	replaced := func() bool { return strings.Contains(want, "\ufffd") && !strings.Contains(text, "\ufffd") }
	if json.Unmarshal([]byte(text), &want) != nil || replaced() {
		t.Errorf("%s is taken and is no text", where)
		return ""
	}
	o := e.request.o
	if serversThough(o, path[0]) {
		return "taken" // TestOwnedMembers has them
	}
	result := "taken"
	list := []any{decode(string(e.answer.Body))}
	if w.number%readSample == 0 || strings.Contains(where, joinedName) || !*all {
		list = append(list, w.readBack(t, e)...)
	}
	for _, shown := range list {
		got, ok := find(shown, path).(string)
		ignored := slices.ContainsFunc(base.shown, func(b any) bool { return find(b, path) == any(got) })
		switch {
		case !ok:
		case got == want:
		case want == "": // no text is no value
		case shownOtherwise(o, path, want, got):
		case ignored:
			t.Errorf("%s is ignored: it shows %.200q", where, got)
			result = "ignored"
		default:
			t.Errorf("%s is altered: it shows %.200q for %.200q", where, got, want)
			result = "altered"
		}
	}
	return result
}

// shownOtherwise are members that a contract shows in another form, or sets by other means.
func shownOtherwise(o operation, path []string, sent, shown string) bool {
	member := strings.Join(path, ".")
	fixed := []string{ // what the path names, which no update changes
		"pipelines name", "calendar iCalUID",
		"events name", // of labels: new_name changes it
	}
	ofLabel := o.module.Name != "events" || strings.Contains(o.route.Pattern, "/labels/")
	if o.route.Method != http.MethodPost && ofLabel && slices.Contains(fixed, o.module.Name+" "+member) {
		return true
	}
	switch o.module.Name {
	case "pipelines":
		switch {
		case strings.Contains(o.route.Pattern, "/envvar") && member == "value":
			return strings.HasPrefix(shown, "xxxx") // values are never shown
		case strings.HasSuffix(o.route.Pattern, "/ssh-key"):
			return member == "fingerprint" // for DELETE, which shares the body
		}
	case "calendar":
		return calendarSetsOtherwise(o, member)
	case "articles":
		return member == "body" && shown == sent+"\n" // a text ends with the end of a line
	case "events":
		if member == "config.secret" {
			return shown == "********"
		}
		return strings.HasSuffix(o.route.Pattern, "/pulls") && member == "state" // for PATCH, which shares the body
	}
	return false
}

// calendarSetsOtherwise are the members of whole objects that clients send back.
func calendarSetsOtherwise(o operation, member string) bool {
	switch {
	case strings.Contains(o.route.Pattern, "/acl"):
		return member == "id" // it is made of the scope
	case strings.HasSuffix(o.route.Pattern, "/calendars"):
		return member == "id" // it is the server's
	case strings.HasPrefix(member, "organizer"):
		return strings.Contains(o.route.Pattern, "/events") // it is the calendar
	case strings.HasSuffix(o.route.Pattern, "/events/import"):
		return member == "id" // an import names its event by iCalUID
	case strings.Contains(o.route.Pattern, "/calendarList"):
		// Colors count with colorRgbFormat=true only; the rest is the calendar's own.
		return slices.Contains([]string{"backgroundColor", "foregroundColor", "summary", "description", "location",
			"timeZone", "id"}, member)
	}
	return false
}

// direct calls the handler without a connection.
func (w *owned) direct(c conformance.Call) *conformance.Answer {
	r := httptest.NewRequest(c.Method, w.h.URL+c.Path, strings.NewReader(c.Body))
	r.RemoteAddr = "127.0.0.1:1234"
	for name, values := range c.Header {
		r.Header[name] = slices.Clone(values)
	}
	if c.Host != "" {
		r.Host = c.Host
	}
	recorder := httptest.NewRecorder()
	w.h.App().Handler().ServeHTTP(recorder, r)
	return &conformance.Answer{Status: recorder.Code, Header: recorder.Header(), Body: recorder.Body.Bytes()}
}

// TestHostilePaths: a text in any part of any path is answered, and what is refused is
// refused in the service's envelope.
func TestHostilePaths(t *testing.T) {
	t.Parallel()
	h := conformance.Start(t, conformance.Options{Configure: unlimited, Unobserved: true, Log: io.Discard})
	w := &owned{writer: newWriter(t, build(t, h)), described: descriptions(t), gets: getPatterns()}
	place, sent, parts := 0, 0, 0
	for _, o := range operations() {
		for _, wild := range wildcard.FindAllString(o.route.Pattern, -1) {
			if wild == "{$}" {
				continue
			}
			parts++
			for _, text := range hostileTexts() {
				place++
				if !*all && place%hostileSample != 0 {
					continue
				}
				var plain string
				if json.Unmarshal([]byte(text[1]), &plain) != nil || len(plain) > 100000 {
					plain = text[1]
				}
				sent++
				w.hostilePath(t, o, wild, text[0], plain)
			}
		}
	}
	t.Logf("%d texts in %d parts of paths: %d of %d sent", len(hostileTexts()), parts, sent, place)
}

// page reports whether the answer is a page of the console or of articles.
func page(a *conformance.Answer) bool {
	return strings.HasPrefix(a.Header.Get("Content-Type"), "text/html")
}

func (w *owned) hostilePath(t *testing.T, o operation, wild, name, text string) {
	t.Helper()
	other := o
	other.route.Pattern = strings.Replace(o.route.Pattern, wild, placeholder, 1)
	path, _ := fill(other, w.own)
	path = strings.Replace(path, placeholder, url.PathEscape(text), 1)
	header, ok := w.credential(t, o, "full")
	if !ok {
		header = http.Header{}
	}
	method := o.route.Method
	if method == "" {
		method = http.MethodPost
	}
	body := ""
	if method != http.MethodGet && method != http.MethodDelete {
		body = "{}"
		header.Set("Content-Type", "application/json")
	}
	answer := w.direct(conformance.Call{Method: method, Path: path, Host: o.host, Header: header, Body: body})
	where := fmt.Sprintf("%s %s: %s in %s", o.module.Name, o.name(), name, wild)
	switch {
	case answer.Status >= http.StatusInternalServerError && answer.Status != http.StatusNotImplemented:
		t.Errorf("%s is answered with %d %.300s", where, answer.Status, answer.Body)
	case answer.Status >= http.StatusBadRequest && o.module.Letter != "" && !page(answer) && !inEnvelope(o, answer):
		t.Errorf("%s is refused with %d outside of the envelope: %.300s", where, answer.Status, answer.Body)
	}
}
