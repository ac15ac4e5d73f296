package recipe

import "strings"

// Bounds of a file.
const (
	maxJobs = 500
	maxName = 200
)

// Parse reads the text of a configuration. Everything in it is checked, also
// what no workflow uses; errors about the text are of type *Error.
func (o Options) Parse(src []byte) (*File, error) {
	f := &File{name: o.Name, space: newSpace(), images: o.Images}
	if err := f.read(src, o); err != nil {
		return nil, named(err, o.Name)
	}
	return f, nil
}

func (f *File) read(src []byte, o Options) error {
	root, err := read(src, o.Name)
	if err != nil {
		return err
	}
	if root.kind != mapping {
		return root.errorf("the file must be a map with version, jobs and workflows, this is %s", root.what())
	}
	if err := f.version(root); err != nil {
		return err
	}
	if f.parameters, err = parameters(root.get("parameters"), f.space); err != nil {
		return err
	}
	if err := f.sections(root, o); err != nil {
		return err
	}
	if err := f.webhooks(root.get("notify")); err != nil {
		return err
	}
	s := f.scope(Revision{}, f.examples())
	if err := f.space.rehearse(s); err != nil {
		return err
	}
	return f.readWorkflows(root.get("workflows"))
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
func (f *File) sections(root *node, o Options) error {
	for _, e := range root.entries {
		known, err := f.space.declareSection(e)
		if err == nil && !known {
			err = f.section(e, o)
		}
		if err != nil {
			return err
		}
	}
	if len(f.space.jobs) == 0 && len(f.space.orbs) == 0 {
		return whole("jobs is missing; declare at least one job with steps")
	}
	return nil
}

// section reads a section that declares neither jobs nor commands nor
// executors.
func (f *File) section(e entry, o Options) error {
	switch e.key {
	case "version", "parameters", "workflows", "notify", "description":
	case "orbs":
		if f.Version == "2" {
			return e.at.errorf("orbs need version: 2.1")
		}
		r := &orbReader{find: o.Orbs, left: maxOrbs}
		return r.read(e.node, f.space, 1)
	case "setup":
		in := open(&node{file: e.at.file, line: e.at.line, column: e.at.column, kind: mapping, entries: []entry{e}},
			scope{}, "the file")
		f.Setup = in.flag("setup")
		return in.err
	case "aliases", "anchors", "defaults", "references":
	default:
		if !strings.HasPrefix(e.key, "x-") {
			return e.at.errorf("%q is unknown; known are version, setup, parameters, orbs, jobs, commands, executors, "+
				"workflows, notify, and for anchors aliases, anchors, defaults, references and x-…", e.key)
		}
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

func (f *File) scope(r Revision, pipeline map[string]any) scope {
	values := make(map[string]any, len(pipelineValues()))
	for _, name := range pipelineValues() {
		values[name] = zeroValue(name)
		if v, ok := r.Values[name]; ok {
			values[name] = v
		}
	}
	values["pipeline.git.branch"], values["pipeline.git.tag"] = r.Branch, r.Tag
	values["pipeline.in_setup"] = f.Setup
	return scope{
		on: f.Version != "2", pipeline: pipeline, left: newBudget(), values: values, space: f.space, images: f.images,
	}
}

// readWorkflows checks the workflows. They are read again for each plan: names
// and filters may depend on what is planned.
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
		w, err := readWorkflow(e, s)
		if err != nil {
			return err
		}
		if uses += len(w.uses); uses > maxJobs {
			return e.at.errorf("the workflows run more than %d jobs", maxJobs)
		}
		f.workflows = append(f.workflows, e)
		f.schedules = append(f.schedules, w.schedules...)
		if len(f.schedules) > maxSchedules {
			return e.at.errorf("more than %d schedules in the file", maxSchedules)
		}
		if err := w.rehearse(s); err != nil {
			return err
		}
	}
	return nil
}
