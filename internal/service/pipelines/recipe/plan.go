package recipe

import (
	"maps"
	"slices"
)

// Plan lists the jobs to run for a revision, each after those it requires. An
// empty plan is no error: filters may leave nothing to do.
func (f *File) Plan(r Revision) ([]Job, error) {
	if r.Only != "" {
		return f.only(r)
	}
	pipeline, err := bindValues(f.parameters, r.Parameters)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(r.Parameters)) {
		if _, ok := pipeline[name]; !ok {
			return nil, whole("the pipeline parameter %q is not declared under parameters", name)
		}
	}
	s := f.scope(r, pipeline)
	if len(f.workflows) == 0 {
		return f.single(r, s)
	}
	var out []Job
	for _, w := range f.workflows {
		jobs, err := f.planWorkflow(w, r, s)
		if err != nil {
			return nil, err
		}
		if out = append(out, jobs...); len(out) > maxJobs {
			return nil, w.node.errorf("more than %d jobs to run", maxJobs)
		}
	}
	return out, nil
}

// planWorkflow plans what the conditions and filters of a workflow admit. A job
// whose requirement is filtered out does not run either.
func (f *File) planWorkflow(w *workflow, r Revision, s scope) ([]Job, error) {
	if w.timed {
		return nil, nil
	}
	for _, c := range []struct {
		node *node
		want bool
	}{{w.when, true}, {w.not, false}} {
		if c.node == nil {
			continue
		}
		holds, err := s.truth(c.node)
		if err != nil || holds != c.want {
			return nil, err
		}
	}
	ordered, _ := w.order()
	planned := map[string]bool{}
	var out []Job
	for _, u := range ordered {
		admitted, err := u.filters.admits(r, s)
		if err != nil {
			return nil, err
		}
		if !admitted || slices.ContainsFunc(u.requires, func(name string) bool { return !planned[name] }) {
			continue
		}
		j, err := f.plan(w, u, s)
		if err != nil {
			return nil, err
		}
		planned[u.name] = true
		out = append(out, j)
	}
	return out, nil
}

// plan resolves one use of a job.
func (f *File) plan(w *workflow, u *use, s scope) (Job, error) {
	out := Job{Approval: true, Parallelism: 1}
	if j, ok := f.jobs[u.job]; ok && !u.approval {
		values, err := bind(j.parameters, u.at, u.given, s, false)
		if err != nil {
			return out, err
		}
		b := &builder{file: f}
		if err := b.list(u.before, s, 1); err != nil {
			return out, err
		}
		if out, err = f.build(j, s.within(values), b); err != nil {
			return out, err
		}
		if err := b.list(u.behind, s, 1); err != nil {
			return out, err
		}
		out.Steps = b.steps
	}
	out.Name, out.Base, out.Workflow = u.name, u.job, w.name
	out.Requires, out.Contexts = u.requires, u.contexts
	if len(u.after) > 0 {
		out.After = u.after
	}
	return out, nil
}

// only plans one job by name, outside any workflow. The trigger's parameters
// serve the job as well as the pipeline.
func (f *File) only(r Revision) ([]Job, error) {
	j, ok := f.jobs[r.Only]
	if !ok {
		return nil, whole("there is no job %q; known are %s", r.Only, list(slices.Sorted(maps.Keys(f.jobs))))
	}
	pipeline, err := bindValues(f.parameters, r.Parameters)
	if err != nil {
		return nil, err
	}
	own, err := bindValues(j.parameters, r.Parameters)
	if err != nil {
		return nil, err
	}
	out, err := f.build(j, f.scope(r, pipeline).within(own), &builder{file: f})
	if err != nil {
		return nil, err
	}
	return []Job{out}, nil
}

// single plans a file without workflows: the job build, or the only one.
func (f *File) single(r Revision, s scope) ([]Job, error) {
	j := f.jobs["build"]
	if len(f.jobs) == 1 {
		for _, one := range f.jobs {
			j = one
		}
	}
	if j == nil {
		return nil, whole("there are %d jobs and no workflows; add workflows, or name one job build", len(f.jobs))
	}
	branches, err := readFilter(j.node.get("branches"), s)
	if err != nil {
		return nil, err
	}
	if admitted, err := branches.admits(r.Branch, s); err != nil || !admitted {
		return nil, err
	}
	values, err := bind(j.parameters, j.node, nil, s, false)
	if err != nil {
		return nil, err
	}
	out, err := f.build(j, s.within(values), &builder{file: f})
	if err != nil {
		return nil, err
	}
	return []Job{out}, nil
}
