package main

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/test/program"
)

// trial is some services with their faults planted and their test programs built.
type trial struct {
	root, dir string
	services  []string
	faults    []fault
	suites    []suite
}

// suite is a test program, or what of it is about one service.
type suite struct {
	service string
	program string
	folder  string // below the root, where it runs
	pkg     string
	tests   string // -test.run
	// runs are the packages of the service whose code the tests run; nil for all.
	runs map[string]bool
	// most ends the suite when a fault makes it wait.
	most time.Duration
}

// module is what import paths of the repository begin with.
const module = "stoa.dev/stoa/"

// A suite without a fault has maxTime; with one it has three times as long as it took then and waitMore.
const (
	maxTime  = 20 * time.Minute
	waitMore = time.Minute
)

// newTrial plants n faults in each service and builds what may notice them: all at
// once, because most of what is compiled and linked is the same for every service.
func newTrial(ctx context.Context, root string, services []string, n int, seed uint64, more ...string) (*trial, error) {
	list, err := load(root, services...)
	if err != nil {
		return nil, err
	}
	all := map[string][]fault{}
	names := map[string]string{}
	for _, p := range list {
		names[p.PkgPath] = p.Name
		for i, f := range p.Syntax {
			source, err := os.ReadFile(p.CompiledGoFiles[i])
			if err != nil {
				return nil, err
			}
			of := serviceOf(p.PkgPath)
			all[of] = append(all[of], find(p, f, source)...)
		}
	}
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return nil, err
	}
	t := &trial{root: root, services: services, dir: dir}
	for _, service := range services {
		t.faults = append(t.faults, sample(all[service], n, seed)...)
	}
	if err := t.build(ctx, names, more); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

// serviceOf is the service that a package belongs to.
func serviceOf(pkg string) string {
	service, _, _ := strings.Cut(strings.TrimPrefix(pkg, module+"internal/service/"), "/")
	return service
}

func (t *trial) close() { _ = os.RemoveAll(t.dir) } // a temporary folder

func (t *trial) print() {
	for _, f := range t.faults {
		fmt.Printf("%s %s:%d %s %s\n", serviceOf(f.Package), t.relative(f.File), f.Line, f.Kind, f.What)
	}
}

func (t *trial) relative(file string) string {
	if rel, err := filepath.Rel(t.root, file); err == nil {
		return rel
	}
	return file
}

// build makes the test programs: of each package of a service whose tests run a
// fault, and the conformance suite.
func (t *trial) build(ctx context.Context, names map[string]string, more []string) error {
	list, err := overlay(t.dir, t.faults, names)
	if err != nil {
		return err
	}
	for _, pkg := range slices.Sorted(maps.Keys(names)) {
		s := suite{service: serviceOf(pkg), folder: strings.TrimPrefix(pkg, module), pkg: pkg, tests: "."}
		if s.runs, err = reached(t.root, pkg, names); err != nil {
			return err
		}
		if slices.ContainsFunc(t.faults, func(f fault) bool { return s.runs[f.Package] }) {
			t.suites = append(t.suites, s)
		}
	}
	for _, folder := range more {
		for _, service := range t.services {
			s := suite{service: service, folder: folder, pkg: module + folder, tests: "."}
			switch folder {
			case "test/conformance":
				if s.tests, err = t.rows(service); err != nil {
					return err
				}
			case "test/lab":
				s.tests = "^TestEveryFault$/^" + service + "_"
			}
			t.suites = append(t.suites, s)
		}
	}
	return t.compile(ctx, list)
}

// compile builds the programs, as many at once as have names of their own: one go
// command compiles what they share once.
func (t *trial) compile(ctx context.Context, list string) error {
	built := map[string]string{} // folder to program
	for {
		out, err := os.MkdirTemp(t.dir, "programs")
		if err != nil {
			return err
		}
		args := append([]string{"test", "-c", "-overlay", list, "-ldflags=-s -w", "-o", out + "/"}, program.RaceFlags()...)
		names := map[string]bool{}
		for i := range t.suites {
			s := &t.suites[i]
			name := path.Base(s.folder) + ".test"
			if built[s.folder] == "" && !names[name] {
				names[name] = true
				built[s.folder] = filepath.Join(out, name)
				args = append(args, "./"+s.folder)
			}
			s.program = built[s.folder]
		}
		if len(names) == 0 {
			return nil
		}
		build := exec.CommandContext(ctx, "go", args...)
		build.Dir = t.root
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("go test -c: %w\n%s", err, out)
		}
	}
}

// reached are the packages among names that the tests of one of them run: itself and
// what its files, or those of what it imports, import. Without tests there are none.
func reached(root, from string, names map[string]string) (map[string]bool, error) {
	tested := false
	out := map[string]bool{from: true}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		files, err := filepath.Glob(filepath.Join(root, strings.TrimPrefix(queue[0], module), "*.go"))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			test := strings.HasSuffix(file, "_test.go")
			if tested = tested || test; test && queue[0] != from {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
			if err != nil {
				return nil, err
			}
			for _, spec := range f.Imports {
				imported := strings.Trim(spec.Path.Value, `"`)
				if names[imported] != "" && !out[imported] {
					out[imported], queue = true, append(queue, imported)
				}
			}
		}
		if !tested {
			return nil, nil
		}
	}
	return out, nil
}

// rows matches the conformance tests of the service, on SQLite.
func (t *trial) rows(service string) (string, error) {
	files, err := filepath.Glob(filepath.Join(t.root, "test/conformance", service+"*_test.go"))
	if err != nil || len(files) == 0 {
		return "", errors.Join(err, fmt.Errorf("no conformance tests of %s", service))
	}
	var names []string
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return "", err
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") {
				names = append(names, fn.Name.Name)
			}
		}
	}
	return "^(" + strings.Join(names, "|") + ")$/^sqlite$", nil
}

// order puts the suite of the fault's own package first and those of all services
// last, and leaves out suites that do not run it.
func (t *trial) order(f fault) []suite {
	var own, others []suite
	for _, s := range t.suites {
		switch {
		case s.pkg == f.Package:
			own = append(own, s)
		case s.service == serviceOf(f.Package) && (s.runs == nil || s.runs[f.Package]):
			others = append(others, s)
		}
	}
	return append(own, others...)
}

// run tries every fault. A service whose suites fail by themselves does not end the
// others.
func (t *trial) run(ctx context.Context) (done []outcome, err error) {
	for _, service := range t.services {
		some, failed := t.runService(ctx, service)
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", service, failed))
			fmt.Printf("%-10s %v\n", service, failed)
		}
		done = append(done, some...)
	}
	return done, err
}

func (t *trial) runService(ctx context.Context, service string) ([]outcome, error) {
	// Without a fault every suite passes, or nothing that follows means anything.
	for i := range t.suites {
		s := &t.suites[i]
		if s.service != service {
			continue
		}
		began := time.Now()
		s.most = maxTime
		if failed, err := s.run(ctx, t.root, ""); err != nil || failed != "" {
			return nil, errors.Join(err, fmt.Errorf("%s fails without a fault: %s", s.pkg, failed))
		}
		s.most = min(maxTime, 3*time.Since(began)+waitMore)
	}
	var done []outcome
	for _, f := range t.faults {
		if serviceOf(f.Package) != service {
			continue
		}
		began := time.Now()
		o := outcome{Service: service, fault: f}
		o.File = t.relative(f.File)
		for _, s := range t.order(f) {
			failed, err := s.run(ctx, t.root, f.name())
			if err != nil {
				return nil, err
			}
			if failed != "" {
				o.By = failed
				break
			}
		}
		o.Took = time.Since(began)
		fmt.Printf("%-10s %-44s %-7s %-44.44s %5.1fs %s\n", service, fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line),
			f.Kind, f.What, o.Took.Seconds(), noticedBy(o))
		done = append(done, o)
	}
	return done, nil
}

func noticedBy(o outcome) string {
	if o.By == "" {
		return "NOT NOTICED"
	}
	return o.By
}

var failure = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)

// run returns the first test that failed, empty when all passed.
func (s suite) run(ctx context.Context, root, planted string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, s.most)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.program, "-test.failfast", "-test.run", s.tests, "-test.timeout", s.most.String())
	cmd.Dir = filepath.Join(root, s.folder)
	cmd.Env = append(os.Environ(), "STOA_FAULT="+planted)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return "", nil
	case ctx.Err() != nil:
		return "time ran out", nil
	case !errors.As(err, &exit):
		return "", err
	}
	if m := failure.FindStringSubmatch(string(out)); m != nil {
		return filepath.Base(s.folder) + "." + m[1], nil
	}
	last := strings.TrimSpace(string(out))
	return filepath.Base(s.folder) + ": " + last[max(0, len(last)-200):], nil
}
