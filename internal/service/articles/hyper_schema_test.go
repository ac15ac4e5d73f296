package articles_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// TestSchema compares what the schema promises with what is sent.
func TestSchema(t *testing.T) {
	t.Parallel()
	s := open(t, "")
	w := s.call("GET", "localhost", "/api/v2/schema?locale=en", "", "")
	if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), "application/schema+json") {
		t.Fatalf("%d %s", w.Code, w.Header())
	}
	var got struct {
		Definitions map[string]struct {
			Properties map[string]any
			Required   []string
			Links      []struct{ Href, Method, Title string }
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	ada := s.token("ada", "", "read_svc", "write_svc")
	made := s.call("POST", "localhost", "/api/v2/items", `{"title":"T","body":"b","tags":[{"name":"Go"}]}`, ada)
	comment := s.call("POST", "localhost", "/api/v2/items/"+field(t, made.Body.Bytes(), "id")+"/comments",
		`{"body":"x"}`, ada)
	for name, text := range map[string][]byte{
		"item": made.Body.Bytes(), "comment": comment.Body.Bytes(),
		"authenticated_user": s.call("GET", "localhost", "/api/v2/authenticated_user", "", ada).Body.Bytes(),
		"user":               s.call("GET", "localhost", "/api/v2/users/ada", "", "").Body.Bytes(),
		"tag":                s.call("GET", "localhost", "/api/v2/tags/go", "", "").Body.Bytes(),
	} {
		var sent map[string]any
		if err := json.Unmarshal(text, &sent); err != nil {
			t.Fatalf("%s: %s", name, text)
		}
		var members []string
		for member := range sent {
			members = append(members, member)
		}
		slices.Sort(members)
		if want := got.Definitions[name].Required; !slices.Equal(members, want) {
			t.Errorf("%s has %q, the schema says %q", name, members, want)
		}
	}
	operations := 0
	for _, d := range got.Definitions {
		operations += len(d.Links)
	}
	if operations < 45 || !strings.Contains(w.Body.String(), `"/api/v2/items/:item_id"`) {
		t.Errorf("%d operations are described", operations)
	}
	again := s.Call("GET", "https://localhost/api/v2/schema", "", "If-None-Match: "+w.Header().Get("ETag"))
	if again.Code != 304 {
		t.Errorf("a second time: %d, want 304", again.Code)
	}
}

// field is a text member of an object.
func field(t *testing.T, text []byte, name string) string {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	value, _ := out[name].(string)
	return value
}
