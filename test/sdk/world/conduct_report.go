package world

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
)

// labToken opens the control API of the labs that the tests start.
const labToken = "sdk"

// inLab reports whether the server can be a world of a lab: what make sdk keeps is the
// report on the clients' conduct, which only a lab gives.
func (s *Server) inLab(o Options) bool {
	return os.Getenv(RecordVariable) != "" && !o.Bare && o.Data == "" && len(o.Args) == 0
}

// Conduct is one line of the record: how a test's clients behaved.
type Conduct struct {
	// Test is the name of the test, which tells these lines from those of operations.
	Test     string    `json:"test"`
	Findings []Finding `json:"findings"`
}

// Finding is a rule that was broken.
type Finding struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Service  string `json:"service"`
	Count    int    `json:"count"`
}

// noteConduct writes down what the lab says about all clients of this server.
func (s *Server) noteConduct(t testing.TB) {
	t.Helper()
	if !s.lab {
		return
	}
	line := Conduct{Test: t.Name()}
	s.control(t, "/conduct", &line)
	out, err := os.OpenFile(os.Getenv(RecordVariable), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if err := json.NewEncoder(out).Encode(line); err != nil {
		t.Fatal(err)
	}
}

// labEnv are the variables of the lab's first world, at the lab's own address.
func (s *Server) labEnv(t testing.TB) map[string]string {
	t.Helper()
	var w struct{ Env map[string]string }
	s.control(t, "", &w)
	for name, value := range w.Env {
		if w.Env["STOA_URL"] != "" {
			w.Env[name] = strings.ReplaceAll(value, w.Env["STOA_URL"], s.URL)
		}
	}
	w.Env["STOA_URL"] = s.URL
	return w.Env
}

// control asks the control API about the first world.
func (s *Server) control(t testing.TB, path string, into any) {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, s.URL+"/lab/v1/worlds/default"+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+labToken)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(into); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("the lab answers %s, %v", answer.Status, err)
	}
}
