package conformance

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// TestLinks proves that addresses in answers are found, and that those which lead nowhere are
// told. Every row of the suite follows what its answers name.
func TestLinks(t *testing.T) {
	t.Parallel()
	var asked []string
	mux := http.NewServeMux()
	mux.HandleFunc("GET /there", func(_ http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path+" "+r.Header.Get("Authorization"))
	})
	mux.HandleFunc("POST /posted", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /gone", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) })
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	from := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
	from.Header.Set("Authorization", "Bearer key")
	l := &links{url: s.URL, followed: map[string]bool{}, rows: map[*testing.T]bool{t: true}}
	header := http.Header{"Link": {"<" + s.URL + `/nowhere>; rel="next"`}}
	body := strings.ReplaceAll(`{"url":"H/there","more":[{"url":"H/posted"},{"url":"H/gone{?page}"}],"again":"H/there",
		"template":"H/x/{name}","scope":"H/auth/x","other":"https://elsewhere.test/","text":"see H/x"}`, "H", s.URL)
	l.note(t, from, &http.Response{StatusCode: http.StatusOK, Header: header}, []byte(body))
	var failed []string
	for _, one := range l.waiting {
		if one.ask(t.Context(), s.Client()) != nil {
			failed = append(failed, strings.TrimPrefix(one.address, s.URL))
		}
	}
	slices.Sort(failed)
	if !slices.Equal(failed, []string{"/gone", "/nowhere"}) || len(l.waiting) != 4 ||
		!slices.Equal(asked, []string{"/there Bearer key"}) {
		t.Errorf("of %v, %v lead nowhere; asked %v", l.waiting, failed, asked)
	}
}
