package control

import (
	"errors"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/lab"
	"stoa.dev/stoa/internal/platform/faultrule"
	"stoa.dev/stoa/internal/platform/route"
)

// refusal is what a body for into is refused with.
func refusal(t *testing.T, body string, into any) string {
	t.Helper()
	r := httptest.NewRequest("POST", "/", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	err := read(&route.Request{Request: r}, into)
	if err == nil {
		return ""
	}
	var refused *lab.Error
	if !errors.As(err, &refused) || refused.Code != lab.CodeInvalid || refused.Next == "" {
		t.Errorf("%s: %v, want an error of the lab with a next step", body, err)
	}
	return err.Error()
}

// TestMistypedMembers: a refusal names the member, what it must be and what came.
func TestMistypedMembers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		into       any
		body, want string
	}{
		{&advanceJSON{}, `{"by":3}`, `by must be a duration as text such as "1h", "90s" or "7d", not 3`},
		{&advanceJSON{}, `{"by":"soon"}`, `by must be a duration as text such as "1h", "90s" or "7d", not "soon"`},
		{&advanceJSON{}, `{"to":3}`, `to must be a time as text such as "2026-03-01T09:00:00Z", not 3`},
		{&advanceJSON{}, `{"to":"noon"}`, `to must be a time as text such as "2026-03-01T09:00:00Z", not "noon"`},
		{&advanceJSON{}, `[]`, `the body must be an object of by, to, not a list`},
		{&advanceJSON{}, `null`, `the body must be an object of by, to, not null`},
		{&advanceJSON{}, `{"for":3}`, `for is not a known member; known are by, to`},
		{&struct{}{}, `{"x":1}`, `x is not a known member`},
		{&struct{}{}, `3`, `the body must be an empty object, {}, not 3`},
		{&clockJSON{}, `{"mode":3}`, `mode must be "real", "frozen" or "running", not 3`},
		{&clockJSON{}, `{"rate":"x"}`, `rate must be a number such as 0.5, not "x"`},
		{&createJSON{}, `{"clock":"x"}`, `clock must be an object of mode, now, rate, not "x"`},
		{&createJSON{}, `{"clock":{"now":true}}`,
			`clock.now must be a time as text such as "2026-03-01T09:00:00Z", not true`},
		{&createJSON{}, `{"seed":-1}`, `seed must be a whole number such as 7, not below 0, not -1`},
		{&createJSON{}, `{"config":"x"}`,
			`config must be an object of settings as in the YAML file, such as {"http":{"log_level":"debug"}}, not "x"`},
		{&faultrule.Rule{}, `{"match":{"header":{"x":3}}}`, `match.header.x must be text such as "name", not 3`},
		{&faultrule.Rule{}, `{"deed":{"reset":"yes"}}`, `deed.reset must be true or false, not "yes"`},
		{&faultrule.Rule{}, `{"when":{"nth":1.5}}`, `when.nth must be a whole number such as 3, not 1.5`},
		{&faultrule.Rule{}, `{"deed":{"delay":3}}`,
			`deed.delay must be a duration as text such as "1h", "90s" or "7d", not 3`},
		{&expectJSON{}, `{"calls":{"status":true}}`,
			`calls.status must be a status such as 404 or a class such as "4xx", not true`},
	} {
		got := refusal(t, c.body, c.into)
		if message, _, _ := strings.Cut(got, "; docs/"); message != c.want {
			t.Errorf("%s: %s\nwant %s", c.body, message, c.want)
		}
	}
}

// TestEveryMemberIsNamed sends a list, which no member takes, in each place of each body.
func TestEveryMemberIsNamed(t *testing.T) {
	t.Parallel()
	for _, into := range []any{
		createJSON{}, forkJSON{}, saveJSON{}, clockJSON{}, advanceJSON{}, faultrule.Rule{}, expectJSON{}, addInboxJSON{},
		setInboxJSON{},
	} {
		everyMember(t, reflect.TypeOf(into), nil, func(path []string) {
			body := `{"` + strings.Join(path, `":{"`) + `":[]` + strings.Repeat("}", len(path))
			want := strings.Join(path, ".") + " must be "
			got := refusal(t, body, reflect.New(reflect.TypeOf(into)).Interface())
			if !strings.HasPrefix(got, want) || !strings.Contains(got, ", not a list") {
				t.Errorf("%T %s: %q, want %q", into, body, got, want)
			}
		})
	}
}

// everyMember walks the members that do not take any value.
func everyMember(t *testing.T, of reflect.Type, path []string, each func([]string)) {
	t.Helper()
	for i := range of.NumField() {
		field := of.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		at := append(append([]string{}, path...), name)
		inner := field.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		own, isOwn := ownTypes()[inner]
		if isOwn && own.wanted == "any value" {
			continue
		}
		each(at)
		if inner.Kind() == reflect.Struct && !isOwn {
			everyMember(t, inner, at, each)
		}
	}
}
