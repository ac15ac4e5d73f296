package inbox_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/lab/inbox"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/route/arrival"
)

func fixture(t *testing.T) (*inbox.Set, *httptest.Server, *clock.Virtual) {
	t.Helper()
	world := clock.NewVirtual(time.Date(2031, 1, 2, 3, 4, 5, 0, time.UTC))
	s := inbox.New(inbox.Options{
		Now: world.Now, Real: clock.Real(), Pool: &inbox.Pool{}, Memory: budget.New(budget.MemoryOptions(0)),
	})
	server := httptest.NewServer(http.HandlerFunc(s.Receive))
	t.Cleanup(server.Close)
	return s, server, world
}

func post(t *testing.T, url, body string) int {
	t.Helper()
	response, err := http.Post(url, "text/plain", strings.NewReader(body))
	if err != nil {
		return 0
	}
	defer func() { _ = response.Body.Close() }()
	return response.StatusCode
}

// TestAnswers checks that an inbox answers as told, as often as told, and keeps what came.
func TestAnswers(t *testing.T) {
	t.Parallel()
	s, server, world := fixture(t)
	if err := s.Add("hooks", inbox.Answer{Status: 503, Times: 2}); err != nil {
		t.Fatal(err)
	}
	if err := s.Add("hooks", inbox.Answer{}); !errors.Is(err, inbox.ErrTaken) {
		t.Errorf("a second inbox of the same name: got %v, want ErrTaken", err)
	}
	url := server.URL + inbox.Prefix + "hooks"
	var got []int
	for range 3 {
		got = append(got, post(t, url+"/below?a=1", "hello"))
	}
	if err := s.SetAnswer("hooks", inbox.Answer{Cut: true}); err != nil {
		t.Fatal(err)
	}
	got = append(got, post(t, url, "cut"))
	want := []int{503, 503, 200, 0}
	messages, err := s.Messages(t.Context(), "hooks", 0, 0)
	if err != nil || len(messages) != len(want) {
		t.Fatalf("got %d messages and %v, want %d", len(messages), err, len(want))
	}
	for i, m := range messages {
		if got[i] != want[i] || m.Answered != want[i] || m.Method != "POST" || !m.At.Equal(world.Now()) {
			t.Errorf("message %d: got %d, kept %+v, want %d", i, got[i], m, want[i])
		}
	}
	if m := messages[0]; string(m.Body) != "hello" || m.Header.Get("Content-Type") != "text/plain" {
		t.Errorf("kept %+v", m)
	}
	if got := post(t, server.URL+inbox.Prefix+"other", "x"); got != http.StatusNotFound {
		t.Errorf("an inbox that is not there: got %d, want 404", got)
	}
}

// TestWait checks that messages are waited for, and that a deleted inbox ends the wait.
func TestWait(t *testing.T) {
	t.Parallel()
	s, server, _ := fixture(t)
	if err := s.Add("a", inbox.Answer{}); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Messages(t.Context(), "a", 1, time.Millisecond); err != nil || len(got) != 0 {
		t.Errorf("nothing came: got %d messages, %v", len(got), err)
	}
	found := make(chan int)
	go func() {
		got, err := s.Messages(context.Background(), "a", 2, time.Minute)
		if err != nil {
			got = nil
		}
		found <- len(got)
	}()
	post(t, server.URL+inbox.Prefix+"a", "1")
	post(t, server.URL+inbox.Prefix+"a", "2")
	if got := <-found; got != 2 {
		t.Errorf("waited for 2, got %d", got)
	}
	ended := make(chan error)
	go func() {
		_, err := s.Messages(context.Background(), "a", 5, time.Minute)
		ended <- err
	}()
	if err := s.Delete("a"); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, inbox.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
}

// TestSenderLeaves checks that an answer that its sender did not wait for is none.
func TestSenderLeaves(t *testing.T) {
	t.Parallel()
	s, server, _ := fixture(t)
	if err := s.Add("slow", inbox.Answer{Delay: time.Hour}); err != nil {
		t.Fatal(err)
	}
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+inbox.Prefix+"slow", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	left := make(chan struct{})
	go func() {
		defer close(left)
		if response, err := http.DefaultClient.Do(r); err == nil {
			_ = response.Body.Close()
		}
	}()
	if got, err := s.Messages(t.Context(), "slow", 1, time.Minute); err != nil || got[0].Answered != http.StatusOK {
		t.Fatalf("while it waits: %+v, %v", got, err)
	}
	leave()
	<-left
	server.Close() // waits for what is served
	if got, err := s.Messages(t.Context(), "slow", 1, 0); err != nil || got[0].Answered != 0 {
		t.Errorf("after it left: %+v, %v", got, err)
	}
}

// TestBounds checks that neither many messages nor large ones are kept without end.
func TestBounds(t *testing.T) {
	t.Parallel()
	s, server, _ := fixture(t)
	for _, name := range []string{"a", "b"} {
		if err := s.Add(name, inbox.Answer{}); err != nil {
			t.Fatal(err)
		}
	}
	body := strings.Repeat("x", 1<<20+10)
	for range 20 {
		post(t, server.URL+inbox.Prefix+"a", body)
		post(t, server.URL+inbox.Prefix+"b", body)
	}
	kept := 0
	for _, name := range []string{"a", "b"} {
		messages, err := s.Messages(t.Context(), name, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range messages {
			kept += len(m.Body)
			if len(m.Body) != 1<<20 || !m.Truncated {
				t.Fatalf("a body of %d bytes is kept, truncated %v", len(m.Body), m.Truncated)
			}
		}
	}
	if kept > 32<<20 {
		t.Errorf("%d bytes are kept", kept)
	}
	if err := s.Empty("a"); err != nil {
		t.Fatal(err)
	}
	s.Clear()
	if got := s.List(); len(got) != 0 {
		t.Errorf("after Clear: %v", got)
	}
	for i := range inbox.MaxInboxes {
		if err := s.Add("n"+string(rune('a'+i%26))+string(rune('a'+i/26)), inbox.Answer{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Add("more", inbox.Answer{}); !errors.Is(err, inbox.ErrFull) {
		t.Errorf("got %v, want ErrFull", err)
	}
}

// TestSlowBody checks that a message whose body does not come is not waited for without end:
// its sender needs no credential, and holds memory.
func TestSlowBody(t *testing.T) {
	t.Parallel()
	memory := budget.New(budget.MemoryOptions(0))
	// Its time is over soon, as the machine sees it.
	late := clock.NewVirtual(time.Now().Add(200*time.Millisecond - arrival.Time))
	s := inbox.New(inbox.Options{Now: late.Now, Real: late, Pool: &inbox.Pool{}, Memory: memory})
	if err := s.Add("a", inbox.Answer{}); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(s.Receive))
	t.Cleanup(server.Close)
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	const form = "POST %sa HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nx"
	if _, err := fmt.Fprintf(conn, form, inbox.Prefix); err != nil {
		t.Fatal(err)
	}
	if err := conn.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("no answer: %v", err)
	}
	_ = response.Body.Close()
	messages, err := s.Messages(t.Context(), "a", 0, 0)
	if err != nil || len(messages) != 1 || string(messages[0].Body) != "x" || !messages[0].Truncated {
		t.Errorf("kept %+v, %v; want what came", messages, err)
	}
	if memory.Used() != 0 {
		t.Errorf("%d bytes are held", memory.Used())
	}
}
