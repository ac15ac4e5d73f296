package matrix_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/test/conformance"
	"stoa.dev/stoa/test/openapi/answers"
)

// ownedTable says what became of each member that is the server's.
const ownedTable = "owned_members.tsv"

// ownedSample: the short form tries each fourth operation.
const ownedSample = 4

// TestOwnedMembers: a member that the server sets is ignored or refused wherever a caller
// sends it. What is sent is found in the descriptions: what the answer has and the body has
// not. What was stored is read back, from the answer, from the object and from the files.
func TestOwnedMembers(t *testing.T) {
	t.Parallel()
	h := conformance.Start(t, conformance.Options{Configure: unlimited, Unobserved: true, Log: io.Discard})
	w := &owned{writer: newWriter(t, build(t, h)), described: descriptions(t), gets: getPatterns()}
	var lines []string
	for n, o := range describedJSON(t) {
		if !*all && !*update && n%ownedSample != 0 {
			continue
		}
		lines = append(lines, w.try(t, o))
	}
	slices.Sort(lines)
	w.searchStored(t)
	t.Logf("%d requests, %d members of %d operations", w.requests, w.members, len(lines))
	compareOwned(t, lines)
}

// owned tries operations with members that are not the caller's.
type owned struct {
	*writer
	described map[string]description
	gets      map[string]bool
	// canaries are texts that nothing else has, with what sent them.
	canaries          map[string]string
	requests, members int
	// unused are valid requests of which a changed copy was refused.
	unused map[string]request
	// noLists leaves out the lists that new objects come into.
	noLists bool
}

// sent is one member with a value of another.
type sent struct {
	path  []string
	value any
}

func (s sent) String() string { return strings.Join(s.path, ".") }

// try sends all foreign members at once, each alone where that is refused (or -all is set),
// and returns the row of the table.
func (w *owned) try(t *testing.T, o operation) string {
	t.Helper()
	base := w.send(t, o, nil)
	if base.answer.Status/100 != 2 && !endsByItself(o) {
		t.Errorf("%s %s does not take its body: %.400s", o.module.Name, o.name(), base.answer)
	}
	outcome := map[string]string{}
	for _, real := range []bool{false, true} {
		list := w.foreign(o, base, real)
		w.members += len(list)
		if whole := w.send(t, o, list); len(list) > 0 && whole.answer.Status/100 == 2 {
			w.judge(t, o, base, whole, list, outcome)
			if !*all {
				continue
			}
		}
		for _, one := range list {
			w.judge(t, o, base, w.send(t, o, []sent{one}), []sent{one}, outcome)
		}
	}
	var ignored, refused []string
	for _, name := range slices.Sorted(maps.Keys(outcome)) {
		if outcome[name] == "refused" {
			refused = append(refused, name)
		} else {
			ignored = append(ignored, name)
		}
	}
	dash := func(list []string) string { return cmp.Or(strings.Join(list, " "), "-") }
	return strings.Join([]string{o.service(), o.name(), dash(ignored), dash(refused)}, "\t")
}

// endsByItself are operations on what may have ended before it is asked for.
func endsByItself(o operation) bool { return o.route.Pattern == "/v1beta/batches/{batch}:cancel" }

// exchange is a request and all that shows what it did.
type exchange struct {
	request request
	answer  *conformance.Answer
	// shown are the answer and the object as it is read afterwards.
	shown []any
}

func (w *owned) send(t *testing.T, o operation, list []sent) exchange {
	t.Helper()
	w.requests++
	r := w.valid(t, o)
	if len(list) > 0 {
		body := decode(r.call.Body)
		for _, s := range list {
			body = with(body, s.path, s.value)
		}
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		r.call.Body = string(text)
	}
	e := exchange{request: r, answer: w.h.Do(t, r.call)}
	if e.answer.Status >= http.StatusInternalServerError {
		t.Errorf("%s %s: %.600s", o.module.Name, o.name(), e.answer)
	}
	if e.answer.Status/100 == 2 {
		e.shown = append([]any{decode(string(e.answer.Body))}, w.readBack(t, e)...)
	}
	return e
}

// decode is nil for what is not JSON.
func decode(text string) any {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var value any
	if d.Decode(&value) != nil {
		return nil
	}
	return value
}

// with sets a member of an object, or of every object of a list.
func with(value any, path []string, member any) any {
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = with(v[i], path, member)
		}
	case map[string]any:
		if len(path) == 1 {
			v[path[0]] = member
		} else if inner, ok := v[path[0]]; ok {
			v[path[0]] = with(inner, path[1:], member)
		}
	}
	return value
}

// readBack reads the object that was written, where an operation does.
func (w *owned) readBack(t *testing.T, e exchange) []any {
	t.Helper()
	o, paths := e.request.o, []string{}
	path, _, _ := strings.Cut(e.request.call.Path, "?")
	if w.gets[o.service()+" "+o.route.Pattern] && (o.route.Method != http.MethodPost || !w.noLists) {
		paths = append(paths, path)
	}
	for pattern := range w.gets {
		rest, ok := strings.CutPrefix(pattern, o.service()+" "+o.route.Pattern+"/{")
		if !ok || o.route.Method != http.MethodPost || strings.Contains(rest, "/") {
			continue
		}
		for _, name := range []string{strings.TrimSuffix(rest, "}"), "id", "number", "name", "url_name", "fingerprint"} {
			if value := at(decode(string(e.answer.Body)), []string{name}); value != nil {
				paths = append(paths, path+"/"+url.PathEscape(fmt.Sprint(value)))
				break
			}
		}
	}
	var shown []any
	for _, p := range paths {
		call := e.request.call
		call.Method, call.Body, call.Path = http.MethodGet, "", p
		shown = append(shown, decode(string(w.direct(call).Body)))
	}
	return shown
}

// at finds a member; what one service wraps in data is found too.
func at(value any, path []string) any {
	for _, name := range path {
		object, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		inner, ok := object[name]
		if data, wrapped := object["data"].(map[string]any); !ok && wrapped {
			inner = data[name]
		}
		value = inner
	}
	return value
}

// judge looks for the sent values in what is shown.
func (w *owned) judge(t *testing.T, o operation, base, after exchange, list []sent, outcome map[string]string) {
	t.Helper()
	refused := after.answer.Status/100 == 4
	for _, s := range list {
		switch {
		case refused:
			outcome[s.String()] = "refused"
		case outcome[s.String()] == "":
			outcome[s.String()] = "ignored"
		}
		for _, shown := range after.shown {
			w.compare(t, o, base, s, shown)
		}
	}
}

func (w *owned) compare(t *testing.T, o operation, base exchange, s sent, shown any) {
	t.Helper()
	for path, value := range leaves(s.path, s.value) {
		names := strings.Split(path, "\x00")
		got := at(shown, names)
		if got == nil || fmt.Sprint(got) != fmt.Sprint(value) {
			continue
		}
		before := slices.ContainsFunc(base.shown, func(b any) bool { return reflect.DeepEqual(at(b, names), got) })
		if !before {
			t.Errorf("%s %s takes %s from the caller: it shows %v", o.module.Name, o.name(), s, got)
		}
	}
}

// leaves are the plain values below a path, which NULs join.
func leaves(path []string, value any) map[string]any {
	out := map[string]any{}
	object, ok := value.(map[string]any)
	if !ok {
		out[strings.Join(path, "\x00")] = value
	}
	for name, member := range object {
		maps.Copy(out, leaves(append(slices.Clone(path), name), member))
	}
	return out
}

// foreign are the members that are the server's, with values of another: made up ones, or
// (real) those that mal's object would have.
func (w *owned) foreign(o operation, base exchange, real bool) []sent {
	d := w.described[o.module.Name+" "+o.name()]
	answer := d.answer
	if inner := d.members(answer)["data"]; o.module.Name == "analytics" && inner != nil {
		answer = inner
	}
	var list []sent
	paths := ownedPaths(d, o, answer, d.body, nil)
	for _, path := range append(paths, shownPaths(d, o, base, paths)...) {
		var before any
		for _, shown := range base.shown {
			if before = at(shown, path.names); before != nil {
				break
			}
		}
		if value := w.value(d, path.shape, before, real, o, 0); value != nil {
			list = append(list, sent{path.names, value})
		}
	}
	return list
}

type ownedPath struct {
	names []string
	shape *answers.Shape
}

// shownPaths are the members that the object has when it is read and its description has not.
func shownPaths(d description, o operation, base exchange, known []ownedPath) []ownedPath {
	var list []ownedPath
	seen := d.members(d.body)
	for _, shown := range base.shown {
		object, _ := shown.(map[string]any)
		if data, ok := object["data"].(map[string]any); ok {
			object = data
		}
		for _, name := range slices.Sorted(maps.Keys(object)) {
			if _, ok := seen[name]; ok || slices.Contains(callersThough(o), name) {
				continue
			}
			seen[name] = &answers.Shape{}
			if slices.ContainsFunc(known, func(p ownedPath) bool { return p.names[0] == name }) {
				continue
			}
			shape := &answers.Shape{}
			if text, err := json.Marshal(object[name]); err == nil {
				if found, err := answers.Of(text); err == nil {
					shape = found
				}
			}
			list = append(list, ownedPath{[]string{name}, shape})
		}
	}
	return list
}

// callersThough are members of bodies that are described as any object.
func callersThough(o operation) []string {
	return map[string][]string{
		"/api/v2/authenticated_user": {
			"description", "location", "name", "organization", "website_url", "team_only", "social_a_id", "social_b_id",
			"social_c_screen_name", "code_host_login_name",
		},
	}[o.route.Pattern]
}

const deepestMember = 3

// ownedPaths are the members of an answer that a body does not have.
func ownedPaths(d description, o operation, answer, body *answers.Shape, under []string) []ownedPath {
	if len(under) > deepestMember {
		return nil
	}
	var list []ownedPath
	asked := d.members(body)
	members := d.members(answer)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		path := append(slices.Clone(under), name)
		inBody, ok := asked[name]
		switch {
		case len(under) == 0 && slices.Contains(callersThough(o), name):
		case !ok || len(under) == 0 && serversThough(o, name):
			list = append(list, ownedPath{path, members[name]})
		case len(d.members(inBody)) > 0:
			list = append(list, ownedPaths(d, o, members[name], inBody, path)...)
		}
	}
	return list
}

// serversThough are members of a described body that are read only: clients send whole
// objects back.
func serversThough(o operation, name string) bool {
	list := map[string][]string{
		"calendar": {
			"kind", "etag", "created", "updated", "creator", "htmlLink", "hangoutLink", "dataOwner", "accessRole", "primary",
			"resourceId", "resourceUri", "recurringEventId", "originalStartTime", "locked",
		},
		"tasks":     {"id"},
		"generate":  {"createTime", "updateTime", "usageMetadata", "name"},
		"analytics": {"owner_id", "permission", "tools", "domain_unicode", "errors"},
	}
	if o.route.Method != http.MethodPost {
		list["calendar"] = append(list["calendar"], "id")
	}
	if strings.HasSuffix(o.route.Pattern, "/channels/stop") {
		return false // it names the channel by them
	}
	return slices.Contains(list[o.module.Name], name)
}

// value is one of another for a member that has a value of the server's.
func (w *owned) value(d description, s *answers.Shape, before any, real bool, o operation, depth int) any {
	s = d.resolve(s)
	if depth > deepestMember || s == nil {
		return w.canary(o)
	}
	is := func(kind string) bool { return slices.Contains(s.Types, kind) }
	switch {
	case before == nil && is("boolean"):
		return true
	case is("boolean"):
		return before != true
	case is("integer") || is("number"):
		w.number++
		return json.Number(fmt.Sprint(900000000 + w.number))
	case is("array"):
		return []any{w.value(d, s.Items, nil, real, o, depth+1)}
	case len(d.members(s)) > 0:
		out := map[string]any{}
		for name, member := range d.members(s) {
			out[name] = w.value(d, member, at(before, []string{name}), real, o, depth+1)
		}
		return out
	}
	text, ok := before.(string)
	if !ok || !real {
		return w.canary(o)
	}
	return w.another(text, o)
}

// another is what mal would have where ada has a text.
func (w *owned) another(text string, o operation) string {
	if _, err := time.Parse(time.RFC3339, text); err == nil {
		return "1999-04-05T06:07:08Z"
	}
	for key, value := range w.own {
		if other, ok := w.other[key]; ok && value == text && len(value) > 1 {
			return other
		}
	}
	if strings.Contains(text, "ada") {
		return strings.ReplaceAll(text, "ada", "mal")
	}
	return w.canary(o)
}

func (w *owned) canary(o operation) string {
	w.number++
	text := fmt.Sprintf("foreign%dvalue", w.number)
	if w.canaries == nil {
		w.canaries = map[string]string{}
	}
	w.canaries[text] = o.module.Name + " " + o.name()
	return text
}

// searchStored looks for what was made up in every table of the database.
func (w *owned) searchStored(t *testing.T) {
	t.Helper()
	for table, row := range storedRows(t, w.h) {
		for rest := row; ; {
			_, after, ok := strings.Cut(rest, "foreign")
			if !ok {
				break
			}
			number, _, _ := strings.Cut(after, "value")
			if o, ok := w.canaries["foreign"+number+"value"]; ok {
				t.Errorf("%s: a member that is the server's is stored in %s: %.300s", o, table, row)
				break
			}
			rest = after
		}
	}
}

func compareOwned(t *testing.T, lines []string) {
	t.Helper()
	text := "# Members that the server sets, sent by a caller on every write: what becomes of them.\n" +
		"# go test ./test/matrix -run TestOwnedMembers -update writes it; no row says that one was taken.\n" +
		"# service\toperation\tignored\trefused\n" + strings.Join(lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile(ownedTable, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(ownedTable)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(want, []byte(text)) {
		return
	}
	for line := range strings.Lines(text) {
		if !bytes.Contains(want, []byte(line)) {
			t.Errorf("%s does not have the row\n%s", ownedTable, line)
		}
	}
	if *all {
		t.Errorf("%s has rows of operations that are gone, or in another order", ownedTable)
	}
}
