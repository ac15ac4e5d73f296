package source_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/platform/registry/machineconfig"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/source"
)

// exchange is one recorded request and answer. Bodies that are not text are
// kept in base64 under another name.
type exchange struct {
	URL          string `json:"url"`
	Missing      bool   `json:"missing,omitempty"`
	ContentType  string `json:"contentType,omitempty"`
	LastModified string `json:"lastModified,omitempty"`
	Text         string `json:"text,omitempty"`
	Bytes        []byte `json:"bytes,omitempty"`
}

// tape answers from recorded exchanges and nothing else.
type tape struct {
	From      string     `json:"from"`
	Exchanges []exchange `json:"exchanges"`

	mu    sync.Mutex // sources ask for several files at once
	asked map[string]int
}

func (p *tape) Get(_ context.Context, r registry.Request) (*registry.Response, error) {
	p.mu.Lock()
	p.asked[r.URL]++
	p.mu.Unlock()
	for _, e := range p.Exchanges {
		if e.URL != r.URL {
			continue
		}
		if e.Missing {
			return nil, registry.ErrNotFound
		}
		body := e.Bytes
		if body == nil {
			body = []byte(e.Text)
		}
		if r.MaxBody > 0 && int64(len(body)) > r.MaxBody {
			return nil, registry.ErrTooLarge
		}
		return &registry.Response{Body: body, ContentType: e.ContentType, LastModified: e.LastModified, URL: e.URL}, nil
	}
	return nil, registry.ErrNotFound
}

// play loads a tape and makes the source that reads from it.
func play(t testing.TB, system catalog.System, name string) (source.Source, *tape) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	p := &tape{asked: map[string]int{}}
	if err := json.Unmarshal(text, p); err != nil {
		t.Fatal(err)
	}
	return source.New(system, p, []registry.Address{address(t, "https://"+strings.ToLower(string(system))+".registry.example")}, nil), p
}

func address(t testing.TB, at string) registry.Address {
	t.Helper()
	a, err := registry.NewAddress(registry.NPM, at, "test")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// recorder passes requests on and keeps the answers.
type recorder struct {
	client *registry.Client
	tape   tape
}

func (r *recorder) Get(ctx context.Context, q registry.Request) (*registry.Response, error) {
	res, err := r.client.Get(ctx, q)
	if errors.Is(err, registry.ErrNotFound) {
		r.tape.Exchanges = append(r.tape.Exchanges, exchange{URL: q.URL, Missing: true})
	}
	if err != nil {
		return nil, err
	}
	e := exchange{URL: q.URL, ContentType: res.ContentType, LastModified: res.LastModified}
	if utf8.Valid(res.Body) {
		e.Text = string(res.Body)
	} else {
		e.Bytes = res.Body
	}
	r.tape.Exchanges = append(r.tape.Exchanges, e)
	return res, nil
}

// TestRecord records the answers of the machine's own registries. It runs
// only when STOA_RECORD is set to FILE=SYSTEM=PACKAGE=VERSION; STOA_RECORD_HOSTS
// is a list host=replacement,… applied to everything recorded, so that no
// registry's name reaches the repository.
func TestRecord(t *testing.T) {
	what := os.Getenv("STOA_RECORD")
	if what == "" {
		t.Skip("set STOA_RECORD to record")
	}
	parts := strings.Split(what, "=")
	system, _ := catalog.ParseSystem(parts[1])
	found, err := machineconfig.New(machineconfig.Options{Getenv: os.Getenv}).Find(t.Context(),
		registry.Kind(strings.ToLower(parts[1])))
	if err != nil {
		t.Fatal(err)
	}
	client := registry.NewClient(registry.ClientOptions{Agent: "stoa-test"})
	for _, a := range found {
		client.Trust(a)
	}
	r := &recorder{client: client}
	s := source.New(system, r, found, nil)
	got, err := s.Package(t.Context(), parts[2], source.Validators{})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range got.Package.Versions {
		if v.Key.Version == parts[3] {
			if _, err := s.Version(t.Context(), v); err != nil {
				t.Fatal(err)
			}
		}
	}
	r.tape.From = "recorded from a mirror of the public " + string(system) + " registry, hosts replaced: " + parts[2] + " " + parts[3]
	text, err := json.MarshalIndent(&r.tape, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	out := string(text)
	for _, pair := range strings.Split(os.Getenv("STOA_RECORD_HOSTS"), ",") {
		from, to, _ := strings.Cut(pair, "=")
		out = strings.ReplaceAll(out, from, to)
	}
	if err := os.WriteFile(filepath.Join("testdata", parts[0]+".json"), []byte(out), 0o644); err != nil {
		t.Fatal(err)
	}
}
