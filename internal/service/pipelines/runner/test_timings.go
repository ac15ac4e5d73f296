package runner

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/execute"
)

// maxTimings bounds the names of one kind that a job gets, those that took longest.
const maxTimings = 20_000

// timings are what the tests of the newest earlier job of the same name took, by file, class and name. Only jobs whose
// commands ask for them pay for reading them.
func (r *Runner) timings(ctx context.Context, b *build.Build, t *execute.Task) error {
	asks := false
	for _, step := range t.Job.Steps {
		asks = asks || step.Run != nil && strings.Contains(step.Run.Command, "timings")
	}
	if !asks {
		return nil
	}
	earlier, err := build.NewestWithTests(ctx, r.world.DB, b)
	if errors.Is(err, database.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	sums := map[string]map[string]float64{"filename": {}, "classname": {}, "testname": {}}
	err = build.EachTest(ctx, r.world.DB, earlier, func(c build.TestCase) {
		for kind, name := range map[string]string{
			"filename": strings.TrimPrefix(c.File, "./"), "classname": c.Class, "testname": c.Name,
		} {
			if name != "" {
				sums[kind][name] += c.Seconds
			}
		}
	})
	for _, kind := range slices.Sorted(maps.Keys(sums)) {
		t.Timings = append(t.Timings, longest(kind, sums[kind])...)
	}
	return err
}

// longest lists the sums of one kind, the largest first.
func longest(kind string, sums map[string]float64) []execute.Timing {
	var out []execute.Timing
	for name, seconds := range sums {
		out = append(out, execute.Timing{Kind: kind, Name: name, Seconds: seconds})
	}
	slices.SortFunc(out, func(a, b execute.Timing) int {
		return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), cmp.Compare(a.Name, b.Name))
	})
	return out[:min(len(out), maxTimings)]
}
