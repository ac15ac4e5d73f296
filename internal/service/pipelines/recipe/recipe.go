package recipe

import "errors"

var errNotBuilt = errors.New("recipe: reading pipeline.yml is not built in yet")

type (
	parameter struct{}
	job       struct{}
	workflow  struct{}
)

// Parse reads the text of pipeline.yml.
func Parse([]byte) (*File, error) { return nil, errNotBuilt }

// Plan lists the jobs to run for a revision, each after those it requires.
func (f *File) Plan(Revision) ([]Job, error) { return nil, errNotBuilt }
