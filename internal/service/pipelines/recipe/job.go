package recipe

import (
	"maps"
	"slices"
	"time"
)

// Bounds and defaults of jobs.
const (
	maxParallel  = 64
	maxTimeout   = 7 * 24 * time.Hour
	defaultShell = "/bin/bash -eo pipefail"
	defaultWork  = "~/project"
)

// job is an entry under jobs, read anew for every use with its parameters.
type job struct {
	name       string
	node       *node
	parameters []parameter
}

// command is an entry under commands.
type command struct {
	parameters []parameter
	steps      *node
}

// elsewhere are keys that choose a machine of another kind. They are accepted
// so that files can be shared, and noted.
func elsewhere() []string { return []string{"docker", "machine", "macos", "windows", "resource_class"} }

// jobKeys are what a job may say.
func jobKeys() []string {
	return append([]string{
		"parameters", "steps", "environment", "shell", "working_directory", "parallelism", "network",
		"timeout", "branches", "type", "executor", "description", "circleci_ip_ranges",
	}, elsewhere()...)
}

// build resolves a job with its parameters bound in s.
func (f *File) build(j *job, s scope, b *builder) (Job, error) {
	in := open(j.node, s, "the job "+j.name)
	out := Job{Name: j.name, Base: j.name, Parallelism: 1}
	if err := f.executor(in, s, b, &out); err != nil {
		return out, err
	}
	if e := in.environment("environment"); len(e) > 0 {
		out.Environment = merged(out.Environment, e)
	}
	shell, work := in.text("shell"), in.text("working_directory")
	out.Shell = first(shell, out.Shell, defaultShell)
	out.WorkingDirectory = first(work, out.WorkingDirectory, defaultWork)
	out.Parallelism = in.number("parallelism", 1, 1, maxParallel)
	out.Network = in.flag("network")
	out.Timeout = in.duration("timeout", maxTimeout)
	steps := in.take("steps")
	kind := in.text("type")
	in.known = append(in.known, jobKeys()...)
	if err := in.close(); err != nil {
		return out, err
	}
	switch {
	case kind == "approval":
		out.Approval = true
		return out, nil
	case kind == "no-op":
		return out, nil
	case kind != "" && kind != "build":
		return out, j.node.errorf("the type %q is unknown; known are build, approval and no-op", kind)
	case steps == nil:
		return out, j.node.errorf("the job %s has no steps", j.name)
	}
	if err := b.list(steps, s, 0); err != nil {
		return out, err
	}
	out.Steps = b.steps
	return out, nil
}

// executor takes over what a named executor sets and notes what has no effect.
func (f *File) executor(in *fields, s scope, b *builder, out *Job) error {
	for _, key := range elsewhere() {
		n := in.get(key)
		switch {
		case n == nil:
		case key == "resource_class":
			text, err := s.text(n, key)
			if err != nil {
				return err
			}
			out.Class = text
		default:
			b.note(n, key+" has no effect: jobs run in a sandbox with the programs of this machine")
			if key == "docker" {
				if err := imageEnvironment(n, s, out); err != nil {
					return err
				}
			}
		}
	}
	use := in.get("executor")
	if use == nil {
		return nil
	}
	name, given := use, map[string]*node{}
	if use.kind == mapping {
		name = use.get("name")
		for _, e := range use.entries {
			if e.key != "name" {
				given[e.key] = e.node
			}
		}
	}
	if name == nil {
		return use.errorf("executor needs a name")
	}
	word, err := s.text(name, "executor")
	if err != nil {
		return err
	}
	x, ok := f.executors[word]
	if !ok {
		if b.rehearse && word == "example" {
			return nil
		}
		return use.errorf("the executor %q is not declared under executors; known are %s", word,
			list(slices.Sorted(maps.Keys(f.executors))))
	}
	values, err := bind(x.parameters, use, given, s, b.rehearse)
	if err != nil {
		return err
	}
	from := open(x.node, s.within(values), "the executor "+word)
	out.Environment = merged(out.Environment, from.environment("environment"))
	out.Shell, out.WorkingDirectory = from.text("shell"), from.text("working_directory")
	from.known = append(from.known, append(elsewhere(), "parameters", "description")...)
	return from.close()
}

// imageEnvironment takes the variables of the first image: they were meant for
// the steps.
func imageEnvironment(n *node, s scope, out *Job) error {
	if n.kind != sequence || len(n.items) == 0 || n.items[0].kind != mapping {
		return nil
	}
	env := n.items[0].get("environment")
	if env == nil {
		return nil
	}
	if out.Environment == nil {
		out.Environment = map[string]string{}
	}
	return s.environment(env, out.Environment)
}

func merged(under, over map[string]string) map[string]string {
	if len(under) == 0 {
		return over
	}
	out := maps.Clone(under)
	maps.Copy(out, over)
	return out
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
