package conformance_test

import (
	"testing"

	"stoa.dev/stoa/test/conformance"
)

// TestPipelines proves the rows that need jobs that really run.
func TestPipelines(t *testing.T) {
	t.Parallel()
	conformance.On(t, pipelineRows)
}

// TestPipelinesAPI proves the rows that need no job to run.
func TestPipelinesAPI(t *testing.T) {
	t.Parallel()
	conformance.On(t, pipelineOperationRows)
}
