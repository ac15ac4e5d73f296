package graphqlobjects_test

import (
	"testing"

	"stoa.dev/stoa/internal/service/events/graphql"
	"stoa.dev/stoa/internal/service/events/graphqlobjects"
)

// TestSchema finds every field answered, and none twice.
func TestSchema(t *testing.T) {
	t.Parallel()
	g := graphqlobjects.New(graphqlobjects.Options{})
	if _, faults, err := g.Prepare(graphql.Request{Query: "{viewer{login}}"}); err != nil || len(faults) > 0 {
		t.Errorf("a plain query is refused: %v %v", faults, err)
	}
}
