package graphobjects_test

import (
	"testing"

	"stoa.dev/stoa/internal/service/events/graphobjects"
	"stoa.dev/stoa/internal/service/events/graphql"
)

// TestSchema finds every field answered, and none twice.
func TestSchema(t *testing.T) {
	t.Parallel()
	g, err := graphobjects.New(graphobjects.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, faults := g.Prepare(graphql.Request{Query: "{viewer{login}}"}); len(faults) > 0 {
		t.Errorf("a plain query is refused: %v", faults[0])
	}
}
