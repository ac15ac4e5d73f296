package graphobjects_test

import (
	"testing"

	"stoa.dev/stoa/internal/service/events/graphobjects"
	"stoa.dev/stoa/internal/service/events/graphql"
)

// TestSchema finds every field answered, and none twice.
func TestSchema(t *testing.T) {
	t.Parallel()
	g := graphobjects.New(graphobjects.Options{})
	if _, faults, err := g.Prepare(graphql.Request{Query: "{viewer{login}}"}); err != nil || len(faults) > 0 {
		t.Errorf("a plain query is refused: %v %v", faults, err)
	}
}
