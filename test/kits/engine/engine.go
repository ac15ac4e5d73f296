package engine

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
)

const apiVersion = "1.44"

// Engine answers as an engine does.
type Engine struct {
	// Program is what every image holds; Dir is for the data of containers.
	Program, Dir string
	// Log is told of calls that have no answer here.
	Log func(format string, args ...any)

	mu         sync.Mutex
	containers map[string]*container
}

type container struct {
	ID, Image string
	Config    config
	process   *exec.Cmd
	port      string
	said      output
}

// config is what is read of a new container.
type config struct {
	Image        string
	Cmd, Env     []string
	Labels       map[string]string
	ExposedPorts map[string]struct{}
}

// output keeps what a container writes.
type output struct {
	mu   sync.Mutex
	text []byte
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text = append(o.text, p...)
	return len(p), nil
}

// Close ends every container.
func (e *Engine) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, c := range e.containers {
		c.stop()
	}
}

func (c *container) stop() {
	if c.process == nil {
		return
	}
	_ = c.process.Process.Signal(syscall.SIGTERM) // it may have ended
	_ = c.process.Wait()
	c.process = nil
}

var versioned = regexp.MustCompile(`^/v\d+\.\d+/`)

// ServeHTTP answers the calls of clients, with or without a version before the path.
func (e *Engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Api-Version", apiVersion)
	w.Header().Set("Ostype", "linux")
	path := versioned.ReplaceAllString(r.URL.Path, "/")
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case path == "/_ping":
		fmt.Fprint(w, "OK")
	case path == "/version":
		write(w, 200, map[string]any{"ApiVersion": apiVersion, "MinAPIVersion": "1.24", "Version": "27.0.0", "Os": "linux"})
	case path == "/info":
		write(w, 200, map[string]any{"ID": "stand-in", "OSType": "linux", "ServerVersion": "27.0.0",
			"OperatingSystem": "stand-in", "IndexServerAddress": "https://index.example/v1/", "Labels": []string{}})
	case parts[0] == "images" && r.Method == "GET":
		write(w, 200, map[string]any{"Id": "sha256:stand-in", "Config": map[string]any{}, "RepoTags": []string{}})
	case parts[0] == "networks" && r.Method == "GET" && len(parts) == 1:
		write(w, 200, []map[string]any{{"Name": "bridge", "Id": "bridge"}})
	case parts[0] == "networks" && r.Method == "GET":
		write(w, 200, map[string]any{"Name": "bridge", "Id": "bridge",
			"IPAM": map[string]any{"Config": []map[string]any{{"Gateway": "127.0.0.1"}}}})
	case parts[0] == "containers":
		e.serveContainers(w, r, parts[1:])
	default:
		e.unknown(w, r)
	}
}

func (e *Engine) unknown(w http.ResponseWriter, r *http.Request) {
	e.Log("the stand-in does not know %s %s", r.Method, r.URL)
	write(w, http.StatusNotFound, map[string]string{"message": "the stand-in does not know this call"})
}

func (e *Engine) serveContainers(w http.ResponseWriter, r *http.Request, parts []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case len(parts) == 1 && parts[0] == "create":
		e.create(w, r)
		return
	case len(parts) == 1 && parts[0] == "json":
		write(w, 200, e.list(r.URL.Query().Get("filters")))
		return
	}
	c := e.containers[parts[0]]
	verb := r.Method
	if len(parts) > 1 {
		verb += " " + parts[1]
	}
	if c == nil {
		write(w, http.StatusNotFound, map[string]string{"message": "No such container: " + parts[0]})
		return
	}
	switch verb {
	case "POST start":
		if err := e.start(context.WithoutCancel(r.Context()), c); err != nil {
			write(w, http.StatusInternalServerError, map[string]string{"message": err.Error()})
			return
		}
		w.WriteHeader(http.StatusNoContent)
	case "GET json":
		write(w, 200, c.inspect())
	case "GET logs":
		w.Header().Set("Content-Type", "application/vnd.docker.multiplexed-stream")
		c.said.mu.Lock()
		frame := binary.BigEndian.AppendUint32([]byte{1, 0, 0, 0}, uint32(len(c.said.text)))
		_, _ = w.Write(append(frame, c.said.text...)) // the client may have gone
		c.said.mu.Unlock()
	case "POST stop", "POST kill":
		c.stop()
		w.WriteHeader(http.StatusNoContent)
	case "POST wait":
		write(w, 200, map[string]int{"StatusCode": 0})
	case "DELETE":
		c.stop()
		delete(e.containers, c.ID)
		w.WriteHeader(http.StatusNoContent)
	default:
		e.unknown(w, r)
	}
}

// list has the containers whose id the filters name.
func (e *Engine) list(filters string) []map[string]any {
	list := []map[string]any{}
	for id, c := range e.containers {
		if !strings.Contains(filters, id) {
			continue
		}
		shown := c.inspect()
		var ports []map[string]any
		for port := range c.Config.ExposedPorts {
			number, kind, _ := strings.Cut(port, "/")
			ports = append(ports, map[string]any{
				"IP": "127.0.0.1", "PrivatePort": json.Number(number), "PublicPort": json.Number(c.port), "Type": kind,
			})
		}
		shown["Ports"], shown["State"], shown["Names"] = ports, "running", []any{shown["Name"]}
		list = append(list, shown)
	}
	return list
}

func (e *Engine) create(w http.ResponseWriter, r *http.Request) {
	var in config
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		write(w, http.StatusBadRequest, map[string]string{"message": err.Error()})
		return
	}
	if e.containers == nil {
		e.containers = map[string]*container{}
	}
	c := &container{ID: fmt.Sprintf("%064d", len(e.containers)+1), Image: in.Image, Config: in}
	e.containers[c.ID] = c
	write(w, http.StatusCreated, map[string]any{"Id": c.ID, "Warnings": []string{}})
}

// start runs the program with the port and the folder of the container replaced.
func (e *Engine) start(ctx context.Context, c *container) error {
	free, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	address := free.Addr().String()
	if err := free.Close(); err != nil {
		return err
	}
	_, c.port, _ = strings.Cut(address, ":")
	var args []string
	for _, a := range c.Config.Cmd {
		args = append(args, strings.NewReplacer("0.0.0.0:8080", address, "/data", filepath.Join(e.Dir, c.ID[60:])).Replace(a))
	}
	c.process = exec.CommandContext(ctx, e.Program, args...)
	c.process.Env = append([]string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}, c.Config.Env...)
	c.process.Stdout, c.process.Stderr = &c.said, &c.said
	return c.process.Start()
}

func (c *container) inspect() map[string]any {
	running := c.process != nil
	ports := map[string]any{}
	for port := range c.Config.ExposedPorts {
		ports[port] = []map[string]string{{"HostIp": "127.0.0.1", "HostPort": c.port}}
	}
	return map[string]any{
		"Id": c.ID, "Name": "/" + c.ID[60:], "Image": c.Image, "Created": "2026-01-01T00:00:00Z",
		"State": map[string]any{
			"Status": map[bool]string{true: "running", false: "exited"}[running], "Running": running,
			"StartedAt": "2026-01-01T00:00:00Z", "FinishedAt": "0001-01-01T00:00:00Z",
		},
		"Config":     c.Config,
		"HostConfig": map[string]any{"NetworkMode": "bridge"},
		"Mounts":     []any{},
		"NetworkSettings": map[string]any{
			"Ports": ports, "Networks": map[string]any{"bridge": map[string]any{"NetworkID": "bridge", "Gateway": "127.0.0.1"}},
		},
	}
}

func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client may have gone
}
