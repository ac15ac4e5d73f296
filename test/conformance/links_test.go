package conformance_test

import (
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/test/conformance"
)

// TestLinks runs the rows of the code host and its pipelines, and asks for every address that
// an answer holds: none leads nowhere.
func TestLinks(t *testing.T) {
	t.Parallel()
	conformance.On(t, func(t *testing.T, open func(*testing.T, conformance.Options) *conformance.Server) {
		following := func(t *testing.T, o conformance.Options) *conformance.Server {
			t.Helper()
			configure := o.Configure
			o.FollowLinks, o.Configure = true, func(c *app.Config) {
				limits := &c.Events.Limits
				limits.Points, limits.User, limits.Anonymous, limits.CPU = 1_000_000, 1_000_000, 1_000_000, time.Hour
				if configure != nil {
					configure(c)
				}
			}
			return open(t, o)
		}
		t.Run("answers of events", func(t *testing.T) { eventAnswers(t, following(t, conformance.Options{})) })
		t.Run("answers of pipelines", func(t *testing.T) { pipelineAnswers(t, openPipelines(t, following, nil)) })
		t.Run("pipelines", func(t *testing.T) { pipelineRows(t, following) })
		t.Run("operations of pipelines", func(t *testing.T) { pipelineOperationRows(t, following) })
	})
}
