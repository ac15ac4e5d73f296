package recipe

// executor takes over what a named executor sets.
func (b *builder) executor(in *fields, s scope, out *Job) error {
	use := in.get("executor")
	if use == nil {
		return nil
	}
	if use.kind == scalar { // a parameter may give a whole use
		v, err := s.expand(use)
		if err != nil {
			return err
		}
		if given, ok := v.(executorUse); ok {
			use, s = given.node, given.scope
		}
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
	x := s.space.executor(word)
	if x == nil {
		if b.rehearse && word == "example" {
			return nil
		}
		return use.errorf("the executor %q is not declared under executors; known are %s", word,
			names(s.space, executorsOf))
	}
	values, err := bind(x.parameters, use, given, s, b.rehearse)
	if err != nil {
		return err
	}
	inner := s.within(x.home, values)
	from := open(x.node, inner, "the executor "+word)
	if err := b.machine(from, inner, out); err != nil {
		return err
	}
	out.Environment = merged(out.Environment, from.environment("environment"))
	out.Shell, out.WorkingDirectory = from.text("shell"), from.text("working_directory")
	from.known = append(from.known, append(machineKeys(), "parameters", "description")...)
	return from.close()
}
