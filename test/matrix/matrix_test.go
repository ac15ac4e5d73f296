package matrix_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/test/conformance"
	"stoa.dev/stoa/test/matrix"
)

var update = flag.Bool("update", false, "write expected.tsv from what the server answers")

const table = "expected.tsv"

// TestMatrix: every operation answers every kind of caller as the table says, and no answer to one caller may be kept
// by a cache that others use.
func TestMatrix(t *testing.T) {
	h := conformance.Start(t, conformance.Options{Configure: configure, Unobserved: true})
	f := build(t, h)
	rows := ask(t, f)
	for _, r := range rows {
		for _, broken := range r.Broken() {
			t.Error(broken)
		}
	}
	if *update {
		write(t, rows)
		return
	}
	compare(t, read(t), rows)
}

// configure lifts every rate limit: a refusal for its number says nothing.
func configure(c *app.Config) {
	lift(reflect.ValueOf(c).Elem())
	c.Events.Limits.Anonymous = 1 << 30
}

func lift(v reflect.Value) {
	for i := range v.NumField() {
		field, value := v.Type().Field(i), v.Field(i)
		switch {
		case value.Kind() == reflect.Struct && value.CanSet() && !strings.HasPrefix(field.Type.PkgPath(), "net"):
			lift(value)
		case value.CanInt() && value.CanSet() && strings.Contains(field.Tag.Get("yaml"), "_per_"):
			value.SetInt(1 << 30)
		}
	}
}

// operation is one row to be asked.
type operation struct {
	module module.Module
	route  route.Route
	// host is sent instead of the server's own, for hosts of teams.
	host string
}

func (o operation) service() string {
	if o.host != "" {
		return o.module.Name + "@team"
	}
	return o.module.Name
}

func (o operation) name() string { return cmp.Or(o.route.Method, "ANY") + " " + o.route.Pattern }

// operations are the rows in the order they are asked: what destroys comes last.
func operations() []operation {
	var list []operation
	for _, m := range app.Tables() {
		for _, r := range m.Routes {
			list = append(list, operation{module: m, route: r})
			if m.Name == "articles" {
				list = append(list, operation{module: m, route: r, host: teamHost})
			}
		}
	}
	rank := func(o operation) int {
		n := map[string]int{"GET": 0, "": 1, "POST": 1, "PUT": 2, "PATCH": 3, "DELETE": 5}[o.route.Method] * 100
		if strings.Contains(o.route.Pattern, "{access_token}") || strings.Contains(o.route.Pattern, "revoke") ||
			o.module.Name == "apikeys" {
			n += 1000
		}
		return n - strings.Count(o.route.Pattern, "/") // inner things before what holds them
	}
	slices.SortStableFunc(list, func(a, b operation) int { return rank(a) - rank(b) })
	return list
}

func ask(t *testing.T, f *fixtures) []matrix.Row {
	t.Helper()
	access := map[route.Access]string{route.Open: "open", route.Optional: "optional", route.Required: "required"}
	var rows []matrix.Row
	for _, o := range operations() {
		if o.route.Tags["limit"] == "content" {
			f.h.Clock.Advance(15 * time.Second) // else the limit on new content answers
		}
		row := matrix.Row{
			Service: o.service(), Operation: o.name(), Name: o.route.Name, Access: access[o.route.Access],
			Answers: map[string]string{},
		}
		for _, column := range matrix.Columns() {
			row.Answers[column] = f.answer(t, o, column)
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b matrix.Row) int { return cmp.Compare(a.Key(), b.Key()) })
	return rows
}

// answer is the status of one cell, "-" where it makes no sense.
func (f *fixtures) answer(t *testing.T, o operation, column string) string {
	t.Helper()
	objects, credential := f.own, column
	switch column {
	case "own":
		credential = "full"
	case "other":
		objects, credential = f.other, "full"
	case "shared":
		objects, credential = f.shared, "full"
	}
	path, filled := fill(o, objects)
	if !filled && (column == "shared" || column == "other") {
		return "-"
	}
	header, ok := f.credential(t, o, credential)
	if !ok {
		return "-"
	}
	call := conformance.Call{Method: cmp.Or(o.route.Method, "POST"), Path: path, Host: o.host, Header: header}
	if call.Method != http.MethodGet && call.Method != http.MethodDelete {
		call.Body = "{}"
		if form(o) {
			call.Body = "a=b"
			header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
	}
	answer := f.h.Do(t, call)
	f.caches.look(t, o, column, call, answer)
	if answer.Status == http.StatusBadRequest && bytes.Contains(answer.Body, []byte("API_KEY_INVALID")) {
		return "400-key" // this contract's word for a bad key
	}
	return fmt.Sprint(answer.Status)
}

func form(o operation) bool {
	return o.module.Name == "device" || o.module.Name == "console" || strings.HasPrefix(o.route.Pattern, "/oauth2/") ||
		strings.HasPrefix(o.route.Pattern, "/dag/")
}

var wildcard = regexp.MustCompile(`\{([a-zA-Z_0-9]*)(?:\.\.\.)?\}`)

// fill puts objects into a path and reports whether any was needed.
func fill(o operation, objects objects) (path string, filled bool) {
	path = wildcard.ReplaceAllStringFunc(strings.TrimSuffix(o.route.Pattern, "{$}"), func(w string) string {
		name := strings.TrimSuffix(strings.Trim(w, "{}"), "...")
		for _, key := range []string{o.service() + "." + name, o.module.Name + "." + name} {
			if value, ok := objects[key]; ok {
				filled = true
				return value
			}
		}
		return "1"
	})
	if o.route.Name == "info_refs" {
		path += "?service=git-upload-pack"
	}
	return path, filled
}

func read(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]string{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.SplitN(line, "\t", 3)
		lines[cells[0]+"\t"+cells[1]] = line
	}
	return lines
}

func compare(t *testing.T, want map[string]string, rows []matrix.Row) {
	t.Helper()
	for _, r := range rows {
		expected, ok := want[r.Key()]
		delete(want, r.Key())
		switch {
		case !ok:
			t.Errorf("%s has no row in %s: decide who may call it, then run with -update and read the row", r.Key(), table)
		case expected != r.Line():
			t.Errorf("got  %s\nwant %s\n     %s", r.Line(), expected, strings.Join(matrix.Columns(), " "))
		}
	}
	for key := range want {
		t.Errorf("%s is in %s and no longer an operation", key, table)
	}
}

func write(t *testing.T, rows []matrix.Row) {
	t.Helper()
	var b strings.Builder
	b.WriteString("# Who may do what: the status of every operation for every kind of caller. doc.go says how to read " +
		"and change it.\n")
	b.WriteString("# service\toperation\taccess\t" + strings.Join(matrix.Columns(), "\t") + "\n")
	for _, r := range rows {
		b.WriteString(r.Line() + "\n")
	}
	if err := os.WriteFile(table, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
