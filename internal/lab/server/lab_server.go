package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/envfile"
	"stoa.dev/stoa/internal/app/listen"
	"stoa.dev/stoa/internal/app/memlimit"
	"stoa.dev/stoa/internal/lab"
	"stoa.dev/stoa/internal/lab/control"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/telemetry"
)

// DefaultWorld is the name of the world at /.
const DefaultWorld = "default"

// minToken is how long a token is that cannot be found by trying.
const minToken = 16

// EnvFile is the file in the lab's folder that says how to reach it.
const EnvFile = "lab.env"

// Options are what a Server is built from.
type Options struct {
	Dir    string
	Listen string
	// Hosts are names and addresses that clients reach the lab by besides loopback.
	Hosts   []string
	Config  app.Config
	Version string
	// Token opens the control API; empty makes one.
	Token     string
	MaxWorlds int
	Idle      time.Duration
	// LogTo receives the lab's log, WorldLog those of the worlds; nil discards them.
	LogTo, WorldLog io.Writer
	// NoDefault leaves the default world out.
	NoDefault bool
	// Cache is the lab's.
	Cache string
}

// Server is a lab and its port.
type Server struct {
	lab     *lab.Lab
	control http.Handler
	listen  *listen.Server
	tel     *telemetry.Telemetry
	token   string
	dir     string
}

// Open takes the folder and the port and answers.
func Open(ctx context.Context, o Options) (_ *Server, err error) {
	config := listen.Config{HTTP: o.Listen}
	if err := config.Validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", app.ErrConfig, err)
	}
	connections := listen.NewConnections()
	s := &Server{
		dir: o.Dir, token: o.Token,
		listen: listen.NewServer(listen.Options{Config: config, BaseURL: o.Config.BaseURL, Connections: connections}),
	}
	if s.token == "" {
		s.token = ids.Random().Token()
	}
	if !config.LoopbackOnly() && len(s.token) < minToken {
		return nil, fmt.Errorf("%w: a lab that others can reach needs a token of at least %d characters", app.ErrConfig,
			minToken)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	if err := s.listen.Bind(ctx); err != nil {
		return nil, err
	}
	s.tel, err = telemetry.New(telemetry.Options{Log: o.LogTo, Format: telemetry.Text, Clock: clock.Real()})
	if err != nil {
		return nil, err
	}
	memory := budget.New(budget.MemoryOptions(memlimit.Find().Bytes))
	host, _, err := net.SplitHostPort(o.Listen)
	if err == nil && host == "" { // every address, as the listener has it by now
		host, _, err = net.SplitHostPort(s.listen.Address())
	}
	if err != nil {
		return nil, err
	}
	s.lab, err = lab.Open(ctx, lab.Options{
		Dir: o.Dir, Config: o.Config, Version: o.Version, Host: host, Hosts: hosts(host, o), URL: s.listen.URL,
		MaxWorlds: o.MaxWorlds, Idle: o.Idle, Memory: memory, Log: s.tel.Log, LogTo: o.WorldLog,
		Cache: o.Cache, Connections: connections,
	})
	if err != nil {
		return nil, err
	}
	s.control = control.New(control.Options{
		Lab: s.lab, Token: s.token, Version: o.Version, Memory: memory, Telemetry: s.tel,
	})
	// What consoles ask while a page is made is not worth a line of the log each.
	s.lab.ProvideControl(control.New(control.Options{
		Lab: s.lab, Token: s.token, Version: o.Version, Memory: memory,
	}), s.token)
	s.listen.ShareTLS(s.lab.TLS())
	s.listen.Serve(http.HandlerFunc(s.serve), s.tel.Log)
	if !o.NoDefault {
		if err := s.openDefault(ctx); err != nil {
			return nil, err
		}
	}
	return s, s.writeEnv()
}

// openDefault makes the world at / the first time.
func (s *Server) openDefault(ctx context.Context) error {
	if _, err := s.lab.World(DefaultWorld); err == nil {
		return nil
	}
	_, err := s.lab.Create(ctx, lab.NewWorld{Name: DefaultWorld})
	return err
}

// URL is the address of the lab's port.
func (s *Server) URL() string { return s.listen.URL() }

// Token opens the control API.
func (s *Server) Token() string { return s.token }

// Lab is what is served.
func (s *Server) Lab() *lab.Lab { return s.lab }

// writeEnv says how to reach the lab, in a file for its owner.
func (s *Server) writeEnv() error {
	env := map[string]string{"STOA_LAB_URL": s.URL(), "STOA_LAB_TOKEN": s.token}
	return envfile.Write(filepath.Join(s.dir, EnvFile), env)
}

// Close ends the port, then the worlds.
func (s *Server) Close() error {
	if s.lab != nil {
		s.lab.EndStreams()
	}
	err := errors.Join(s.listen.Shutdown(), s.listen.Close())
	if s.lab != nil {
		err = errors.Join(err, s.lab.Close())
	}
	if s.tel != nil {
		err = errors.Join(err, s.tel.Close(context.Background()))
	}
	return err
}

// serve finds who answers.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	rest, below := strings.CutPrefix(r.URL.Path, "/w/")
	switch {
	case r.URL.Path == control.Prefix || strings.HasPrefix(r.URL.Path, control.Prefix+"/"):
		if !s.lab.OwnHost(r.Host) {
			// A page of another site that had its name point here.
			http.Error(w, "the lab does not have this name; start it with --host to give it one",
				http.StatusMisdirectedRequest)
			return
		}
		s.control.ServeHTTP(w, r)
	case below:
		name, _, _ := strings.Cut(rest, "/")
		s.serveWorld(w, r, name, "/w/"+name)
	default:
		s.serveWorld(w, r, DefaultWorld, "")
	}
}

func (s *Server) serveWorld(w http.ResponseWriter, r *http.Request, name, prefix string) {
	world, err := s.lab.World(name)
	if err != nil {
		next := "stoa world list, or GET " + control.Prefix + "/worlds, has those there are"
		if prefix == "" {
			next = "this address shows the world of that name: stoa world create --name " + name + " makes one; " + next
		}
		http.Error(w, "there is no world "+name+"; "+next, http.StatusNotFound)
		return
	}
	world.ServePrefix(w, r, prefix)
}

// hosts are the names that the lab is told it has, in lower case: by --host, by its
// base URL and by the address it listens on.
func hosts(listens string, o Options) []string {
	var all []string
	for _, host := range o.Hosts {
		all = append(all, strings.ToLower(host))
	}
	if base, err := url.Parse(o.Config.BaseURL); err == nil && base.Hostname() != "" {
		all = append(all, strings.ToLower(base.Hostname()))
	}
	if ip := net.ParseIP(listens); ip != nil && !ip.IsUnspecified() && !ip.IsLoopback() {
		all = append(all, listens)
	}
	return all
}
