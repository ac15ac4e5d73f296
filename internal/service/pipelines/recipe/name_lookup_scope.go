package recipe

import (
	"strconv"
	"strings"
)

// scope is what << >> may name at one place.
type scope struct {
	// parameters are those of the job or command around, pipeline those of the
	// trigger, values the facts about the revision, local those about the job:
	// its name and its place in a matrix.
	parameters map[string]any
	pipeline   map[string]any
	values     map[string]any
	local      map[string]any
	// space is where names of commands, executors and jobs are looked up: the
	// file, or the orb around.
	space *space
	// on says whether << >> means anything: in version 2 it does not.
	on bool
	// images says whether the images of docker are used.
	images bool
	// left is what may still be spent on this file: aliases and commands can
	// make a short text stand for a very long one.
	left *budget
}

// within is the scope inside a command or a job of a space with its own
// parameters.
func (s scope) within(in *space, parameters map[string]any) scope {
	s.space, s.parameters = in, parameters
	return s
}

// with is the scope with one more fact about the job.
func (s scope) with(name string, value any) scope {
	local := map[string]any{name: value}
	for k, v := range s.local {
		if k != name {
			local[k] = v
		}
	}
	s.local = local
	return s
}

// lookup returns the value behind a dotted name.
func (s scope) lookup(n *node, name string) (any, error) {
	if v, ok := s.local[name]; ok {
		return v, nil
	}
	if v, ok := s.values[name]; ok {
		return v, nil
	}
	from, key := s.parameters, ""
	switch {
	case strings.HasPrefix(name, "pipeline.parameters."):
		from, key = s.pipeline, strings.TrimPrefix(name, "pipeline.parameters.")
	case strings.HasPrefix(name, "parameters."):
		key = strings.TrimPrefix(name, "parameters.")
	case strings.HasPrefix(name, "matrix."):
		return nil, n.errorf("<< %s >>: there is no such parameter of a matrix here; a matrix declares it, and its "+
			"values are known in the settings of that job of the workflow", name)
	default:
		return nil, n.errorf("<< %s >> is unknown; known are parameters.NAME, pipeline.parameters.NAME, matrix.NAME, "+
			"job.name, %s (for a literal << write \\<<)", name, list(pipelineValues()))
	}
	v, ok := from[key]
	if !ok {
		return nil, n.errorf("<< %s >>: no parameter %q is declared here; declare it under parameters", name, key)
	}
	return v, nil
}

// pipelineValues are the facts about a pipeline that a file may name. Numbers
// and truth values are those of zeroValue.
func pipelineValues() []string {
	return []string{
		"pipeline.id", "pipeline.number", "pipeline.in_setup", "pipeline.trigger_source",
		"pipeline.project.git_url", "pipeline.project.slug", "pipeline.project.type",
		"pipeline.git.branch", "pipeline.git.branch.is_default", "pipeline.git.tag", "pipeline.git.revision",
		"pipeline.git.base_revision", "pipeline.git.repo_owner", "pipeline.git.repo_name",
		"pipeline.git.commit.subject", "pipeline.git.commit.body", "pipeline.git.commit.author_login",
		"pipeline.git.commit.author_name", "pipeline.git.commit.author_email",
		"pipeline.schedule.name",
	}
}

// zeroValue is what a fact is when it is not known.
func zeroValue(name string) any {
	switch name {
	case "pipeline.number":
		return int64(0)
	case "pipeline.in_setup", "pipeline.git.branch.is_default":
		return false
	}
	return ""
}

// plain is a value as text.
func plain(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return ""
}
