package drive

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestLoadCounts drives a server of known answers: the generator must see
// every one of them and no other.
func TestLoadCounts(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer t" {
			w.WriteHeader(http.StatusUnauthorized)
		}
		_, _ = w.Write([]byte("{}"))
	}))
	t.Cleanup(server.Close)
	address := strings.TrimPrefix(server.URL, "http://")
	l := Load{Address: address, Clients: 2, Length: 50 * time.Millisecond, Source: func(int) Source {
		return Constant(Request("GET", "/", address, "t", ""))
	}}
	s, err := l.Run(t.Context())
	if err != nil || s.Rate <= 0 || s.P50 <= 0 || s.P99 < s.P50 {
		t.Errorf("got %+v, %v; want a rate and ordered percentiles", s, err)
	}
	l.Source = func(int) Source { return Constant(Request("GET", "/", address, "wrong", "")) }
	if s, err := l.Run(t.Context()); err == nil {
		t.Errorf("got %+v, want refusals to be errors", s)
	}
}

func TestReadAnswer(t *testing.T) {
	t.Parallel()
	const pieces = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	for name, tc := range map[string]struct {
		text, want string
		fails      bool
	}{
		"body":           {text: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", want: "{}"},
		"nothing to say": {text: "HTTP/1.1 204 No Content\r\n\r\n"},
		"chunks":         {text: pieces + "2\r\n{\"\r\nA\r\nlong\":true\r\n1\r\n}\r\n0\r\n\r\n", want: `{"long":true}`},
		"bad chunk":      {text: pieces + "x\r\n{}\r\n0\r\n\r\n", fails: true},
		"no last chunk":  {text: pieces + "2\r\n{}\r\n", fails: true},
		"no length":      {text: "HTTP/1.1 200 OK\r\n\r\n", fails: true},
		"refusal":        {text: "HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n", fails: true},
		"cut off":        {text: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}", fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := bufio.NewReader(strings.NewReader(tc.text))
			got, err := readAnswer(r, nil, "")
			if (err != nil) != tc.fails || string(got) != tc.want {
				t.Errorf("got %q, %v; want %q, failure %v", got, err, tc.want, tc.fails)
			}
			if !tc.fails && r.Buffered() > 0 {
				t.Errorf("%d bytes of the answer were left for the next", r.Buffered())
			}
		})
	}
}

func TestMedian(t *testing.T) {
	t.Parallel()
	m := Median([]Sample{{Rate: 3, P99: 1}, {Rate: 1, P99: 9}, {Rate: 2, P99: 5}})
	if m.Rate != 2 || m.P99 != 5 {
		t.Errorf("got %+v, want rate 2 and p99 5", m)
	}
}

func TestLoop(t *testing.T) {
	t.Parallel()
	l := Loop{Clients: 2, Length: 20 * time.Millisecond, Call: func(context.Context) error { return nil }}
	if s, all, err := l.Run(t.Context()); err != nil || len(all) == 0 || s.Rate <= 0 {
		t.Errorf("got %+v, %d calls, %v; want some", s, len(all), err)
	}
	refused := errors.New("refused")
	l.Call = func(context.Context) error { return refused }
	if _, _, err := l.Run(t.Context()); !errors.Is(err, refused) {
		t.Errorf("got %v, want the call's error", err)
	}
}
