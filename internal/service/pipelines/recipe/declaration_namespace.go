package recipe

import (
	"maps"
	"slices"
	"strings"
)

// space is a set of declarations that see each other: the file's, or those of
// one orb. What an orb declares is named orb/name outside of it.
type space struct {
	jobs, executors map[string]*job
	commands        map[string]*command
	orbs            map[string]*space
	// inline orbs are written out in the file itself.
	inline bool
}

func newSpace() *space {
	return &space{
		jobs: map[string]*job{}, executors: map[string]*job{}, commands: map[string]*command{}, orbs: map[string]*space{},
	}
}

// locate finds the space that a name is of, and the name in it.
func (s *space) locate(word string) (*space, string) {
	prefix, name, ok := strings.Cut(word, "/")
	if !ok {
		return s, word
	}
	if orb := s.orbs[prefix]; orb != nil {
		return orb, name
	}
	return newSpace(), name
}

func (s *space) job(word string) *job {
	in, name := s.locate(word)
	return in.jobs[name]
}

func (s *space) executor(word string) *job {
	in, name := s.locate(word)
	return in.executors[name]
}

func (s *space) command(word string) *command {
	in, name := s.locate(word)
	return in.commands[name]
}

// names lists what one kind of declaration is called here, for a message.
func names[T any](s *space, of func(*space) map[string]T) string {
	out := slices.Sorted(maps.Keys(of(s)))
	for _, prefix := range slices.Sorted(maps.Keys(s.orbs)) {
		for _, name := range slices.Sorted(maps.Keys(of(s.orbs[prefix]))) {
			out = append(out, prefix+"/"+name)
		}
	}
	if len(out) == 0 {
		return "none"
	}
	return list(out)
}

func jobsOf(s *space) map[string]*job      { return s.jobs }
func executorsOf(s *space) map[string]*job { return s.executors }

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
