package recipe

import (
	"maps"
	"slices"
	"strings"
)

// Bounds of a file.
const (
	maxJobs = 500
	maxName = 200
)

// Parse reads the text of pipeline.yml. Everything in it is checked, also what
// no workflow uses; errors are of type *Error.
func Parse(src []byte) (*File, error) {
	root, err := read(src)
	if err != nil {
		return nil, err
	}
	if root.kind != mapping {
		return nil, root.errorf("the file must be a map with version, jobs and workflows, this is %s", root.what())
	}
	f := &File{jobs: map[string]*job{}, commands: map[string]*command{}, executors: map[string]*job{}}
	if err := f.version(root); err != nil {
		return nil, err
	}
	if f.parameters, err = parameters(root.get("parameters")); err != nil {
		return nil, err
	}
	if err := f.sections(root); err != nil {
		return nil, err
	}
	if err := f.webhooks(root.get("notify")); err != nil {
		return nil, err
	}
	if err := f.rehearse(); err != nil {
		return nil, err
	}
	return f, f.readWorkflows(root.get("workflows"))
}

func (f *File) version(root *node) error {
	n := root.get("version")
	if n == nil {
		return whole("version is missing; write version: 2.1 as the first line")
	}
	switch n.text {
	case "2", "2.0":
		f.Version = "2"
	case "2.1":
		f.Version = "2.1"
	default:
		return n.errorf("the version %q is unknown; write 2.1", n.text)
	}
	return nil
}

// sections reads what is declared. Keys that only hold anchors are welcome
// under a few names.
func (f *File) sections(root *node) error {
	for _, e := range root.entries {
		var err error
		switch e.key {
		case "version", "parameters", "workflows", "notify", "description":
		case "jobs":
			err = f.declare(e.node, "jobs", func(name string, n *node,
				p []parameter) {
				f.jobs[name] = &job{name: name, node: n, parameters: p}
			})
		case "executors":
			err = f.declare(e.node, "executors", func(name string, n *node, p []parameter) {
				f.executors[name] = &job{name: name, node: n, parameters: p}
			})
		case "commands":
			err = f.declare(e.node, "commands", func(name string, n *node, p []parameter) {
				f.commands[name] = &command{parameters: p, steps: n.get("steps")}
			})
		case "orbs", "setup":
			err = e.at.errorf("%s is not supported: nothing is fetched to read a file; write the jobs and commands "+
				"here", e.key)
		case "aliases", "anchors", "defaults", "references":
		default:
			if !strings.HasPrefix(e.key, "x-") {
				err = e.at.errorf("%q is unknown; known are version, parameters, jobs, commands, executors, "+
					"workflows, notify, and for anchors aliases, anchors, defaults, references and x-…", e.key)
			}
		}
		if err != nil {
			return err
		}
	}
	if len(f.jobs) == 0 {
		return whole("jobs is missing; declare at least one job with steps")
	}
	return nil
}

// declare reads a section of named things with parameters.
func (f *File) declare(n *node, what string, keep func(string, *node, []parameter)) error {
	if n.kind != mapping {
		return n.errorf("%s must be a map of names, this is %s", what, n.what())
	}
	if len(n.entries) > maxJobs {
		return n.errorf("%s declares %d names, at most %d", what, len(n.entries), maxJobs)
	}
	for _, e := range n.entries {
		if e.node.kind != mapping {
			return e.node.errorf("%s must be a map, this is %s", e.key, e.node.what())
		}
		if len(e.key) > maxName {
			return e.at.errorf("a name of %d bytes, at most %d", len(e.key), maxName)
		}
		if what == "commands" && e.node.get("steps") == nil {
			return e.node.errorf("the command %s has no steps", e.key)
		}
		p, err := parameters(e.node.get("parameters"))
		if err != nil {
			return err
		}
		keep(e.key, e.node, p)
	}
	return nil
}

// webhooks reads notify: webhooks: - url.
func (f *File) webhooks(n *node) error {
	if n == nil {
		return nil
	}
	in := open(n, scope{}, "notify")
	hooks := in.take("webhooks")
	if err := in.close(); err != nil {
		return err
	}
	if hooks == nil || hooks.kind != sequence {
		return n.errorf("notify needs webhooks, a list of entries with url")
	}
	const limit = 5
	for _, h := range hooks.items {
		entry := open(h, scope{}, "a webhook")
		f.Webhooks = append(f.Webhooks, entry.need("url"))
		if err := entry.close(); err != nil {
			return err
		}
	}
	if len(f.Webhooks) > limit {
		return hooks.errorf("%d webhooks, at most %d", len(f.Webhooks), limit)
	}
	return nil
}

// rehearse builds every job and command once with examples for what a use will
// give, so that mistakes are found when the file is pushed.
func (f *File) rehearse() error {
	s := f.scope(Revision{}, f.examples())
	notes := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(f.jobs)) {
		j := f.jobs[name]
		values, err := bind(j.parameters, j.node, nil, s, true)
		if err != nil {
			return err
		}
		if _, err := f.build(j, s.within(values), &builder{file: f, notes: notes, rehearse: true}); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.commands)) {
		c := f.commands[name]
		values, err := bind(c.parameters, c.steps, nil, s, true)
		if err != nil {
			return err
		}
		b := &builder{file: f, rehearse: true}
		if err := b.list(c.steps, s.within(values), 1); err != nil {
			return err
		}
	}
	f.Notes = slices.Sorted(maps.Keys(notes))
	return nil
}

// examples are pipeline parameters good enough to check a file with.
func (f *File) examples() map[string]any {
	out := map[string]any{}
	for _, p := range f.parameters {
		if out[p.name] = p.fallback; p.required {
			out[p.name] = p.example()
		}
	}
	return out
}

func (f *File) scope(r Revision, pipeline map[string]any) scope {
	return scope{
		on: f.Version != "2", pipeline: pipeline, left: newBudget(),
		values: map[string]any{"pipeline.git.branch": r.Branch, "pipeline.git.tag": r.Tag},
	}
}

func (f *File) readWorkflows(n *node) error {
	if n == nil {
		return nil
	}
	if n.kind != mapping {
		return n.errorf("workflows must be a map of names, this is %s", n.what())
	}
	s := f.scope(Revision{}, f.examples())
	uses := 0
	for _, e := range n.entries {
		if e.key == "version" {
			continue
		}
		w, err := f.readWorkflow(e, s)
		if err != nil {
			return err
		}
		if uses += len(w.uses); uses > maxJobs {
			return e.at.errorf("the workflows run more than %d jobs", maxJobs)
		}
		if w.timed {
			f.Notes = append(f.Notes, (&Error{Line: e.at.line, Column: e.at.column, Message: "the workflow " + w.name +
				" has triggers and is not run by pushes"}).Error())
		}
		f.workflows = append(f.workflows, w)
		if err := f.rehearseWorkflow(w, s); err != nil {
			return err
		}
	}
	return nil
}

// rehearseWorkflow plans every job of a workflow, whatever its filters say.
func (f *File) rehearseWorkflow(w *workflow, s scope) error {
	for _, condition := range []*node{w.when, w.not} {
		if condition == nil {
			continue
		}
		if _, err := s.truth(condition); err != nil {
			return err
		}
	}
	for _, u := range w.uses {
		if _, err := f.plan(w, u, s); err != nil {
			return err
		}
	}
	return nil
}
