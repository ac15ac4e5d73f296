package recipe

import (
	"cmp"
	"maps"
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
	home       *space
}

// command is an entry under commands.
type command struct {
	parameters []parameter
	steps      *node
	home       *space
}

// jobKeys are what a job may say.
func jobKeys() []string {
	return append([]string{
		"parameters", "steps", "environment", "shell", "working_directory", "parallelism", "network",
		"timeout", "branches", "type", "executor", "description", "circleci_ip_ranges",
	}, machineKeys()...)
}

// build resolves a job with its parameters bound in s.
func (j *job) build(s scope, b *builder) (Job, error) {
	in := open(j.node, s, "the job "+j.name)
	out := Job{Name: j.name, Base: j.name, Parallelism: 1}
	if err := b.executor(in, s, &out); err != nil {
		return out, err
	}
	if err := b.machine(in, s, &out); err != nil {
		return out, err
	}
	if e := in.environment("environment"); len(e) > 0 {
		out.Environment = merged(out.Environment, e)
	}
	shell, work := in.text("shell"), in.text("working_directory")
	out.Shell = cmp.Or(shell, out.Shell, defaultShell)
	out.WorkingDirectory = cmp.Or(work, out.WorkingDirectory, defaultWork)
	out.Parallelism = in.number("parallelism", 1, 1, maxParallel)
	out.Network = in.flag("network")
	out.Timeout = in.duration("timeout", maxTimeout)
	if n := in.take("circleci_ip_ranges"); n != nil {
		b.note(n, "circleci_ip_ranges has no effect: jobs have the addresses of this machine")
	}
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

func merged(under, over map[string]string) map[string]string {
	if len(under) == 0 {
		return over
	}
	out := maps.Clone(under)
	maps.Copy(out, over)
	return out
}
