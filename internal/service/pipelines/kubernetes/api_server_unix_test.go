//go:build unix

package kubernetes_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/net/websocket"
)

// apiServer answers what a cluster would: it runs the first container of a Job as a
// process of this machine, and what exec asks for beside it.
type apiServer struct {
	*httptest.Server
	t *testing.T

	mu      sync.Mutex
	objects []string        // bodies of Jobs
	pods    map[string]*pod // by Job
	waiting string          // the reason for which containers wait
	refuse  int             // the status of exec
	deleted int
	// away is how often each kind of call fails before it is answered, in ways that differ.
	away    int
	failed  map[string]int
	created int
}

type pod struct {
	cmd  *exec.Cmd
	over chan struct{}
}

const token = "token-of-the-test"

func newAPIServer(t *testing.T) *apiServer {
	t.Helper()
	s := &apiServer{t: t, pods: map[string]*pod{}, failed: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /apis/batch/v1/namespaces/builds/jobs", s.createJob)
	mux.HandleFunc("GET /apis/batch/v1/namespaces/builds/jobs", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"items":[]}`)
	})
	mux.HandleFunc("DELETE /apis/batch/v1/namespaces/builds/jobs/{name}", s.deleteJob)
	mux.HandleFunc("GET /api/v1/namespaces/builds/pods", s.listPods)
	mux.HandleFunc("GET /api/v1/namespaces/builds/pods/{name}/exec", s.exec)
	mux.HandleFunc("GET /api/v1/namespaces/builds/pods/{name}/log", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "said by the shell itself")
	})
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+token {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"kind":"Status","status":"Failure","message":"Unauthorized","code":401}`)
			return
		}
		if !s.isAway(w, r, mux) {
			mux.ServeHTTP(w, r)
		}
	}))
	s.EnableHTTP2 = true // as API servers do
	s.StartTLS()
	t.Cleanup(s.Close)
	t.Cleanup(s.endAll)
	return s
}

// isAway fails a call: with an answer, with none, and with one that is lost after the effect.
func (s *apiServer) isAway(w http.ResponseWriter, r *http.Request, mux *http.ServeMux) bool {
	_, pattern := mux.Handler(r)
	s.mu.Lock()
	n := s.failed[pattern]
	s.failed[pattern]++
	s.mu.Unlock()
	if n >= s.away {
		return false
	}
	switch {
	case n%3 == 0:
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, `{"kind":"Status","status":"Failure","message":"not ready","code":503}`)
		return true
	case n%3 == 1 && !strings.HasSuffix(pattern, "/exec"):
		mux.ServeHTTP(httptest.NewRecorder(), r)
	}
	panic(http.ErrAbortHandler)
}

// kubeconfig writes a file that leads here.
func (s *apiServer) kubeconfig(token string) string {
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: here
contexts: [{name: here, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: %q, certificate-authority-data: %s}}]
users: [{name: u, user: {token: %s}}]
`, s.URL, base64.StdEncoding.EncodeToString(authority), token)
	path := filepath.Join(s.t.TempDir(), "kubeconfig")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return path
}

func (s *apiServer) createJob(w http.ResponseWriter, r *http.Request) {
	content, err := io.ReadAll(r.Body)
	var job struct {
		Metadata struct{ Name string }
		Spec     struct {
			Template struct {
				Spec struct{ Containers []struct{ Command []string } }
			}
		}
	}
	if err != nil || json.Unmarshal(content, &job) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objects = append(s.objects, string(content))
	name := job.Metadata.Name
	if s.pods[name] != nil {
		w.WriteHeader(http.StatusConflict)
		_, _ = io.WriteString(w, `{"kind":"Status","message":"it exists","reason":"AlreadyExists","code":409}`)
		return
	}
	s.created++
	p := &pod{over: make(chan struct{})}
	s.pods[name] = p
	if s.waiting == "" {
		command := job.Spec.Template.Spec.Containers[0].Command
		p.cmd = exec.Command(command[0], command[1:]...)
		p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := p.cmd.Start(); err != nil {
			s.t.Error(err)
		}
		go func() {
			_ = p.cmd.Wait() // its state is what counts
			close(p.over)
		}()
	}
	w.WriteHeader(http.StatusCreated)
	_, _ = fmt.Fprintf(w, `{"metadata":{"name":%q}}`, name)
}

// end kills everything in the pod's group.
func (p *pod) end() {
	if p.cmd != nil {
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // or it has ended
		<-p.over
	}
}

func (s *apiServer) endAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.pods {
		p.end()
	}
}

func (s *apiServer) deleteJob(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.pods[r.PathValue("name")]; p != nil {
		p.end()
	}
	delete(s.pods, r.PathValue("name"))
	s.deleted++
	_, _ = io.WriteString(w, `{}`)
}

func (s *apiServer) listPods(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, name, _ := strings.Cut(r.URL.Query().Get("labelSelector"), "=")
	p := s.pods[name]
	if p == nil {
		_, _ = io.WriteString(w, `{"items":[]}`)
		return
	}
	state := `"running":{}`
	switch {
	case s.waiting != "":
		state = fmt.Sprintf(`"waiting":{"reason":%q,"message":"as the test wants"}`, s.waiting)
	default:
		select {
		case <-p.over:
			state = fmt.Sprintf(`"terminated":{"exitCode":%d}`, p.cmd.ProcessState.ExitCode())
		default:
		}
	}
	_, _ = fmt.Fprintf(w, `{"items":[{"metadata":{"name":%q},"status":{"phase":"Running","containerStatuses":[`+
		`{"name":"job","state":{%s}}]}}]}`, name+"-pod", state)
}

func (s *apiServer) exec(w http.ResponseWriter, r *http.Request) {
	if s.refuse != 0 {
		w.WriteHeader(s.refuse)
		_, _ = io.WriteString(w, `{"kind":"Status","message":"pods/exec is forbidden"}`)
		return
	}
	websocket.Server{
		Handshake: func(c *websocket.Config, _ *http.Request) error {
			c.Protocol = []string{"v5.channel.k8s.io"}
			return nil
		},
		Handler: func(ws *websocket.Conn) { runProgram(r.Context(), ws, r.URL.Query()["command"]) },
	}.ServeHTTP(w, r)
}

// runProgram connects a program with the channels of a connection.
func runProgram(ctx context.Context, ws *websocket.Conn, command []string) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdout, cmd.Stderr = channel{ws, 1}, channel{ws, 2}
	in, err := cmd.StdinPipe()
	if err != nil || cmd.Start() != nil {
		return
	}
	go func() {
		defer cancel() // the client has left
		for {
			var message []byte
			if websocket.Message.Receive(ws, &message) != nil {
				return
			}
			switch {
			case len(message) > 1 && message[0] == 0:
				_, _ = in.Write(message[1:]) // a program that has ended reads nothing
			case len(message) == 2 && message[0] == 255:
				_ = in.Close() // once
			}
		}
	}()
	status := `{"status":"Success"}`
	if err := cmd.Wait(); err != nil {
		status = fmt.Sprintf(`{"status":"Failure","message":"failed","details":{"causes":[{"reason":"ExitCode",`+
			`"message":"%d"}]}}`, cmd.ProcessState.ExitCode())
	}
	_, _ = channel{ws, 3}.Write([]byte(status)) // the client may have left
}

type channel struct {
	ws     *websocket.Conn
	number byte
}

func (c channel) Write(p []byte) (int, error) {
	return len(p), websocket.Message.Send(c.ws, append([]byte{c.number}, p...))
}
