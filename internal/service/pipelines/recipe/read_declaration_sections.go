package recipe

// declareSection reads jobs, commands or executors into a space, and reports
// whether the key is one of these.
func (s *space) declareSection(e entry) (bool, error) {
	switch e.key {
	case "jobs":
		return true, s.declare(e.node, "jobs", func(name string, n *node, p []parameter) {
			s.jobs[name] = &job{name: name, node: n, parameters: p, home: s}
		})
	case "executors":
		return true, s.declare(e.node, "executors", func(name string, n *node, p []parameter) {
			s.executors[name] = &job{name: name, node: n, parameters: p, home: s}
		})
	case "commands":
		return true, s.declare(e.node, "commands", func(name string, n *node, p []parameter) {
			s.commands[name] = &command{parameters: p, steps: n.get("steps"), home: s}
		})
	}
	return false, nil
}

// declare reads a section of named things with parameters.
func (s *space) declare(n *node, what string, keep func(string, *node, []parameter)) error {
	if n.kind == scalar && n.value == nil {
		return nil
	}
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
		p, err := parameters(e.node.get("parameters"), s)
		if err != nil {
			return err
		}
		keep(e.key, e.node, p)
	}
	return nil
}
