package articles_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

func TestProfiles(t *testing.T) {
	onBoth(t, func(t *testing.T, s *testServer) {
		s.each(t, []part{
			{"profiles", editsProfile}, {"pictures", uploadsPictures}, {"thanks", thanks},
			{"thanks for what is being deleted", thanksTooLate},
			{"limited sharing", sharesByAddress},
		})
	})
}

func editsProfile(t *testing.T, s *testServer) {
	ada := s.token("ada", "", "read_svc", "write_svc")
	const path = "authenticated_user"
	before := s.want(200, "GET", "localhost", path, "", ada)
	if before["location"] != nil || before["social_a_id"] != nil {
		t.Errorf("at first: %v", before)
	}
	got := s.want(200, "PATCH", "localhost", path,
		`{"description":"Writes\nprograms","location":" Athens ","social_a_id":"ada","website_url":"https://ada.example"}`, ada)
	for name, want := range map[string]string{
		"description": "Writes\nprograms", "location": "Athens", "social_a_id": "ada", "website_url": "https://ada.example",
	} {
		if got[name] != want {
			t.Errorf("%s: %v, want %q", name, got[name], want)
		}
	}
	s.want(200, "PATCH", "localhost", path, `{"location":"","description":null}`, ada)
	got = s.want(200, "GET", "localhost", "users/ada", "", ada)
	if got["location"] != nil || got["description"] != "Writes\nprograms" || len(got) != 16 {
		t.Errorf("after a second change: %v", got)
	}
	for _, body := range []string{
		`{"id":"eve"}`, `{"website_url":"javascript:alert(1)"}`, `{"location":"a\u0007"}`, `{"location":1}`,
		`{"organization":"` + strings.Repeat("x", 201) + `"}`,
	} {
		s.want(400, "PATCH", "localhost", path, body, ada)
	}
	s.want(403, "PATCH", "localhost", path, `{}`, s.token("ada", "", "read_svc"))
	s.want(401, "PATCH", "localhost", path, `{}`, "")
	drawn(t, s, fmt.Sprint(got["profile_image_url"]))
}

// drawn checks that the address shows a picture, to callers without a token.
func drawn(t *testing.T, s *testServer, address string) {
	t.Helper()
	_, path, _ := strings.Cut(address, "stoa.test")
	w := s.call("GET", "localhost", path, "", "")
	if w.Code != 200 || w.Header().Get("Content-Type") != "image/png" {
		t.Fatalf("%s: %d %v", address, w.Code, w.Header())
	}
	if _, err := png.Decode(w.Body); err != nil {
		t.Error(err)
	}
	if w.Header().Get("Rate-Remaining") != "" {
		t.Error("a picture is counted")
	}
	for _, wrong := range []string{"/api/v2/pictures/users/x.png", "/api/v2/pictures/users/0123456789abcdef"} {
		if w := s.call("GET", "localhost", wrong, "", ""); w.Code != 404 {
			t.Errorf("%s: %d, want 404", wrong, w.Code)
		}
	}
}

func picture(t *testing.T, side int) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, side, side))); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func (s *testServer) upload(token, body string) *httptest.ResponseRecorder {
	return s.Call("POST", "https://localhost/api/v2/pictures", body,
		"Authorization: Bearer "+token, "Content-Type: image/png")
}

func uploadsPictures(t *testing.T, s *testServer) {
	ada, grace := s.token("ada", "", "read_svc", "write_svc"), s.token("grace", "", "write_svc")
	body := picture(t, 10)
	remaining := func() float64 {
		return s.want(200, "GET", "localhost", "authenticated_user", "", ada)["image_monthly_upload_remaining"].(float64)
	}
	all := remaining()
	w := s.upload(ada, body)
	var made map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil {
		t.Fatal(err)
	}
	if w.Code != 201 || made["size"] != float64(len(body)) || made["media_type"] != "image/png" {
		t.Fatalf("upload: %d %v", w.Code, made)
	}
	if got := all - remaining(); got != float64(len(body)) {
		t.Errorf("%v bytes are counted, want %d", got, len(body))
	}
	_, path, _ := strings.Cut(fmt.Sprint(made["url"]), "stoa.test")
	if w := s.call("GET", "localhost", path, "", ""); w.Code != 200 || w.Body.String() != body ||
		w.Header().Get("Content-Type") != "image/png" {
		t.Errorf("%s: %d %v", path, w.Code, w.Header())
	}
	item := s.want(201, "POST", "localhost", "items",
		fmt.Sprintf(`{"title":"T","body":%q,"tags":[{"name":"a"}]}`, made["markdown"]), ada)
	if text := fmt.Sprint(item["rendered_body"]); !strings.Contains(text, fmt.Sprintf(`src="%s"`, made["url"])) {
		t.Errorf("the article does not show it: %s", text)
	}
	showsPictures(t, s, ada, fmt.Sprint(made["id"]), fmt.Sprint(made["url"]))
	for name, bad := range map[string]string{"text": "hello", "nothing": "", "a broken picture": body[:20]} {
		if w := s.upload(ada, bad); w.Code != 400 {
			t.Errorf("%s: %d, want 400", name, w.Code)
		}
	}
	if w := s.upload(s.token("ada", "", "read_svc"), body); w.Code != 403 {
		t.Errorf("without the scope: %d, want 403", w.Code)
	}
	s.want(404, "DELETE", "localhost", "pictures/"+fmt.Sprint(made["id"]), "", grace)
	s.want(204, "DELETE", "localhost", "pictures/"+fmt.Sprint(made["id"]), "", ada)
	if w := s.call("GET", "localhost", path, "", ""); w.Code != 404 {
		t.Errorf("after its deletion: %d, want 404", w.Code)
	}
	if got := all - remaining(); got != float64(len(body)) {
		t.Errorf("after its deletion %v bytes are counted, want %d", got, len(body))
	}
	s.Clock.Advance(32 * 24 * time.Hour)
	if remaining() != all {
		t.Errorf("next month %v bytes are left, want %v", remaining(), all)
	}
}

func thanks(_ *testing.T, s *testServer) {
	ada, grace := s.token("ada", "", "read_svc", "write_svc"), s.token("grace", "", "read_svc", "write_svc")
	item := s.want(201, "POST", "localhost", "items", `{"title":"T","body":"b","tags":[{"name":"a"}]}`, ada)
	comment := s.want(201, "POST", "localhost", fmt.Sprintf("items/%v/comments", item["id"]), `{"body":"c"}`, grace)
	path := fmt.Sprintf("comments/%v/thank", comment["id"])
	for _, method := range []string{"PUT", "PUT", "DELETE", "DELETE"} {
		s.want(204, method, "localhost", path, "", ada)
	}
	s.want(403, "PUT", "localhost", path, "", grace)
	s.want(401, "PUT", "localhost", path, "", "")
	s.want(404, "PUT", "localhost", "comments/00000000000000000000/thank", "", ada)
	s.want(204, "PUT", "localhost", path, "", ada)
	s.want(204, "DELETE", "localhost", fmt.Sprintf("comments/%v", comment["id"]), "", grace)
}

// thanksTooLate: a comment that goes with its item while a user thanks for it is not found.
func thanksTooLate(t *testing.T, s *testServer) {
	if s.World.DB.Engine() != database.Postgres {
		t.Skip("one transaction at a time")
	}
	ada, grace := s.token("ada", "", "read_svc", "write_svc"), s.token("grace", "", "read_svc", "write_svc")
	item := s.want(201, "POST", "localhost", "items", `{"title":"T","body":"b","tags":[{"name":"a"}]}`, ada)
	comment := s.want(201, "POST", "localhost", fmt.Sprintf("items/%v/comments", item["id"]), `{"body":"c"}`, grace)
	answered := make(chan *httptest.ResponseRecorder, 1)
	err := s.World.DB.WriteKeyed(t.Context(), "deletion", func(ctx context.Context, tx *database.Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM articles_items WHERE id = $1`, item["id"]); err != nil {
			return err
		}
		path := fmt.Sprintf("/api/v2/comments/%v/thank", comment["id"])
		go func() { answered <- s.call("PUT", "localhost", path, "", ada) }()
		return s.waitForLock(ctx)
	})
	if err != nil {
		t.Fatal(err)
	}
	if w := <-answered; w.Code != 404 {
		t.Errorf("got %d %s, want 404", w.Code, w.Body)
	}
}

// sharesByAddress: a private item is in no list, and read by who knows its address.
func sharesByAddress(t *testing.T, s *testServer) {
	ada, grace := s.token("ada", "", "read_svc", "write_svc"), s.token("grace", "", "read_svc", "write_svc")
	item := s.want(201, "POST", "localhost", "items",
		`{"title":"Shared by address","body":"b","private":true,"tags":[{"name":"a"}]}`, ada)
	id := fmt.Sprint(item["id"])
	for _, token := range []string{"", grace, ada} {
		for range 2 {
			if got := s.want(200, "GET", "localhost", "items/"+id, "", token); got["private"] != true {
				t.Errorf("got %v", got)
			}
		}
	}
	for _, list := range []string{"items?per_page=100", "users/ada/items?per_page=100", "tags/a/items?per_page=100"} {
		for _, token := range []string{"", grace} {
			if w := s.call("GET", "localhost", "/api/v2/"+list, "", token); strings.Contains(w.Body.String(), id) {
				t.Errorf("%s lists it", list)
			}
		}
	}
	s.want(403, "PATCH", "localhost", "items/"+id, `{"title":"Mine"}`, grace)
	_, path, _ := strings.Cut(fmt.Sprint(item["url"]), "stoa.test")
	if w := s.page("localhost", path, nil); w.Code != 200 || !strings.Contains(w.Body.String(), "Shared by address") {
		t.Errorf("its page: %d", w.Code)
	}
}

// showsPictures writes texts with addresses of the picture at other servers: answers
// name this one, and pages a path.
func showsPictures(t *testing.T, s *testServer, ada, id, address string) {
	t.Helper()
	foreign := "http://h.example/api/v2/pictures/" + strings.Repeat("0", 32)
	for _, written := range []string{
		"/api/v2/pictures/" + id,
		"http://127.0.0.1:19300/api/v2/pictures/" + id, "https://old.example/w/x/api/v2/pictures/" + id,
	} {
		text := fmt.Sprintf("![p](%s) and ![q](%s) `%s`", written, foreign, `src=\"/api/v2/pictures/`)
		shown := func(where, html, wanted string) {
			t.Helper()
			if !strings.Contains(html, `src="`+wanted+`"`) || !strings.Contains(html, foreign) {
				t.Errorf("%s of %s: %s", where, written, html)
			}
		}
		item := s.want(201, "POST", "localhost", "items",
			fmt.Sprintf(`{"title":"T","body":%q,"tags":[{"name":"a"}]}`, text), ada)
		at := "items/" + fmt.Sprint(item["id"])
		for range 2 { // the second answer is a kept one
			item = s.want(200, "GET", "localhost", at, "", ada)
			shown("the article", fmt.Sprint(item["rendered_body"]), address)
			if body := fmt.Sprint(item["body"]); !strings.HasPrefix(body, text) {
				t.Errorf("the text became %s", body)
			}
		}
		comment := s.want(201, "POST", "localhost", at+"/comments", fmt.Sprintf(`{"body":%q}`, text), ada)
		shown("the comment", fmt.Sprint(comment["rendered_body"]), address)
		_, path, _ := strings.Cut(fmt.Sprint(item["url"]), "stoa.test")
		shown("the page", s.call("GET", "localhost", path, "", "").Body.String(), "/api/v2/pictures/"+id)
		preview := s.call("POST", "localhost", "/api/preview", fmt.Sprintf(`{"raw_body":%q}`, text), ada)
		shown("the preview", preview.Body.String(), address)
	}
}
