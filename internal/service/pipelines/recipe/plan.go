package recipe

import (
	"maps"
	"slices"
)

// Plan lists the jobs to run for a revision, each after those it requires. An
// empty plan is no error: filters may leave nothing to do.
func (f *File) Plan(r Revision) ([]Job, error) {
	out, err := f.plan(r)
	for i := range out {
		out[i].Setup = f.Setup
	}
	return out, named(err, f.name)
}

func (f *File) plan(r Revision) ([]Job, error) {
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
	for _, e := range f.workflows {
		w, err := readWorkflow(e, s)
		if err != nil {
			return nil, err
		}
		jobs, err := w.planFor(r, s)
		if err != nil {
			return nil, err
		}
		if out = append(out, jobs...); len(out) > maxJobs {
			return nil, w.node.errorf("more than %d jobs to run", maxJobs)
		}
	}
	return out, nil
}

// planFor plans what the conditions and filters of a workflow admit. A job
// whose requirement is filtered out does not run either. A workflow with
// schedules is planned for these only.
func (w *workflow) planFor(r Revision, s scope) ([]Job, error) {
	if timed := len(w.schedules) > 0; timed != (r.Schedule != "") || timed && r.Schedule != w.name {
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
		admitted, err := u.filters.admits(r, u.scope(s))
		if err != nil {
			return nil, err
		}
		if !admitted || slices.ContainsFunc(u.requires, func(name string) bool { return !planned[name] }) {
			continue
		}
		j, err := w.plan(u, s)
		if err != nil {
			return nil, err
		}
		planned[u.name] = true
		out = append(out, j)
	}
	return out, nil
}

// plan resolves one use of a job.
func (w *workflow) plan(u *use, s scope) (Job, error) {
	out := Job{Approval: true, Parallelism: 1}
	s = u.scope(s)
	b := &builder{}
	if j := s.space.job(u.job); j != nil && !u.approval {
		values, err := bind(j.parameters, u.at, u.given, s, false)
		if err != nil {
			return out, err
		}
		if err := b.list(u.before, s, 1); err != nil {
			return out, err
		}
		if out, err = j.build(s.within(j.home, values), b); err != nil {
			return out, err
		}
		if err := b.list(u.behind, s, 1); err != nil {
			return out, err
		}
		out.Steps = b.steps
	}
	out.Name, out.Base, out.Workflow = u.name, u.job, w.name
	out.Requires, out.Contexts, out.SerialGroup = u.requires, u.contexts, u.serial
	if len(u.contexts) > 0 {
		b.note(u.at, "context has no effect: variables come from the project, see envvar")
	}
	if w.reruns != nil {
		b.note(w.reruns, "max_auto_reruns of a workflow has no effect; a step may have one")
	}
	out.Notes = b.noted()
	if len(u.after) > 0 {
		out.After = u.after
	}
	return out, nil
}

// only plans one job by name, outside any workflow. The trigger's parameters
// serve the job as well as the pipeline.
func (f *File) only(r Revision) ([]Job, error) {
	j := f.space.job(r.Only)
	if j == nil {
		return nil, whole("there is no job %q; known are %s", r.Only, names(f.space, jobsOf))
	}
	pipeline, err := bindValues(f.parameters, r.Parameters)
	if err != nil {
		return nil, err
	}
	own, err := bindValues(j.parameters, r.Parameters)
	if err != nil {
		return nil, err
	}
	return j.alone(f.scope(r, pipeline), own)
}

// alone plans a job outside of any workflow.
func (j *job) alone(s scope, values map[string]any) ([]Job, error) {
	b := &builder{}
	out, err := j.build(s.within(j.home, values).with("job.name", j.name), b)
	if err != nil {
		return nil, err
	}
	out.Notes = b.noted()
	return []Job{out}, nil
}

// single plans a file without workflows: the job build, or the only one.
func (f *File) single(r Revision, s scope) ([]Job, error) {
	jobs := f.space.jobs
	j := jobs["build"]
	if len(jobs) == 1 {
		for _, one := range jobs {
			j = one
		}
	}
	if j == nil {
		return nil, whole("there are %d jobs and no workflows; add workflows, or name one job build", len(jobs))
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
	return j.alone(s, values)
}
