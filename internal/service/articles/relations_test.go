package articles_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestRelations runs one after another on one server.
func TestRelations(t *testing.T) {
	onBoth(t, func(t *testing.T, s *testServer) {
		s.each(t, []part{{"a tagging is spelt once", speltOnce}, {"reacting twice", reactsOnce},
			{"counts follow tags", countsFollowTags}})
	})
}

// speltOnce: a tag is answered as the team spells it.
func speltOnce(t *testing.T, s *testServer) {
	ada := s.token("ada", "", "read_svc_team", "write_svc_team")
	s.want(201, "POST", teamHost, "items", `{"title":"T","body":"b","tags":[{"name":"Python"}]}`, ada)
	id := fmt.Sprint(s.want(201, "POST", teamHost, "items", `{"title":"T","body":"b","tags":[]}`, ada)["id"])
	for _, body := range []string{`{"name":"python"}`, `{"name":"PYTHON","versions":["3"]}`} {
		if got := s.want(201, "POST", teamHost, "items/"+id+"/taggings", body, ada); got["name"] != "Python" {
			t.Errorf("%s: got %v, want Python", body, got["name"])
		}
	}
	if got := s.want(200, "GET", teamHost, "tags/python", "", ada); got["items_count"] != 2.0 {
		t.Errorf("items_count = %v, want 2", got["items_count"])
	}
	s.want(204, "DELETE", teamHost, "items/"+id+"/taggings/pYTHON", "", ada)
	if got := s.want(200, "GET", teamHost, "tags/python", "", ada); got["items_count"] != 1.0 {
		t.Errorf("items_count = %v, want 1", got["items_count"])
	}
}

// reactsOnce answers with the reaction that is there.
func reactsOnce(t *testing.T, s *testServer) {
	ada := s.token("ada", "", "read_svc_team", "write_svc_team")
	id := fmt.Sprint(s.want(201, "POST", teamHost, "items", `{"title":"T","body":"b","tags":[]}`, ada)["id"])
	first := s.want(201, "POST", teamHost, "items/"+id+"/reactions", `{"name":"heart"}`, ada)
	s.Clock.Advance(time.Hour)
	second := s.want(201, "POST", teamHost, "items/"+id+"/reactions", `{"name":"heart"}`, ada)
	if first["created_at"] != second["created_at"] {
		t.Errorf("the second time: %v, want %v", second["created_at"], first["created_at"])
	}
	if got := s.titles(teamHost, "items/"+id+"/reactions", "name", ada); got != "heart" {
		t.Errorf("reactions: got %q, want heart", got)
	}
}

// countsFollowTags: an item counts for its tags as they are now, and not at
// all while it is private.
func countsFollowTags(t *testing.T, s *testServer) {
	const public = "localhost"
	ada := s.token("ada", "", "read_svc", "write_svc")
	id := fmt.Sprint(s.want(201, "POST", public, "items",
		`{"title":"T","body":"b","private":true,"tags":[{"name":"a"},{"name":"b"}]}`, ada)["id"])
	for _, step := range []struct {
		method, body string
		want         string
	}{
		{"GET", "", "0 0 0, 0"},
		{"PATCH", `{"tags":[{"name":"b"},{"name":"c"}]}`, "0 0 0, 0"},
		{"PATCH", `{"private":false}`, "0 1 1, 1"},
		{"PATCH", `{"title":"U"}`, "0 1 1, 1"},
		{"PATCH", `{"tags":[{"name":"a"},{"name":"b"}]}`, "1 1 0, 1"},
		{"DELETE", "", "0 0 0, 0"},
	} {
		status := map[string]int{"GET": 200, "PATCH": 200, "DELETE": 204}[step.method]
		s.want(status, step.method, public, "items/"+id, step.body, ada)
		got := ""
		for _, tag := range []string{"a", "b", "c"} {
			// The third tag is made by the second step.
			var shown struct {
				Items int `json:"items_count"`
			}
			if w := s.call("GET", public, "/api/v2/tags/"+tag, "", ada); w.Code == 200 {
				if err := json.Unmarshal(w.Body.Bytes(), &shown); err != nil {
					t.Fatal(err)
				}
			}
			got += fmt.Sprint(shown.Items) + " "
		}
		got = strings.TrimSpace(got) + fmt.Sprintf(", %v",
			s.want(200, "GET", public, "users/ada", "", ada)["items_count"])
		if got != step.want {
			t.Errorf("%s %s: got %s, want %s", step.method, step.body, got, step.want)
		}
	}
}
