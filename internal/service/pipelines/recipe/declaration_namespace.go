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
