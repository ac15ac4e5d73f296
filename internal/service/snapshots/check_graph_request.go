package snapshots

import (
	"stoa.dev/stoa/internal/service/snapshots/chart"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// latest is the last second that times may name, the end of the year 9999.
const latest = 253402300799

// check holds the parameters against the rules and fills in defaults.
func (s *Service) check(r *GraphRequest) error {
	switch {
	case (r.MetricQuery == "") == (r.GraphDef == ""):
		return errInvalid("exactly one of metric_query and graph_def is required")
	case r.Start < 0 || r.Start > latest:
		return errInvalid("start must be a POSIX time in seconds, not %d", r.Start)
	case r.End < 0 || r.End > latest:
		return errInvalid("end must be a POSIX time in seconds, not %d", r.End)
	case r.Start >= r.End:
		return errInvalid("start (%d) must be before end (%d)", r.Start, r.End)
	case len(r.Title) > maxTitle:
		return errInvalid("title is longer than %d bytes", maxTitle)
	case len(r.MetricQuery) > query.MaxLength+len(promPrefix):
		return errInvalid("metric_query is longer than %d bytes", query.MaxLength)
	case len(r.EventQuery) > maxTitle:
		return errInvalid("event_query is longer than %d bytes", maxTitle)
	}
	return s.checkLook(r)
}

const maxTitle = 1000

func (s *Service) checkLook(r *GraphRequest) error {
	if r.Width == 0 {
		r.Width = s.config.Width
	}
	if r.Height == 0 {
		r.Height = s.config.Height
	}
	if err := s.checkSide("width", r.Width); err != nil {
		return err
	}
	if err := s.checkSide("height", r.Height); err != nil {
		return err
	}
	if r.Scale == 0 {
		r.Scale = 1
	}
	if !(r.Scale >= 1 && r.Scale <= 3) {
		return errInvalid("scale must be 1 to 3, not %g", r.Scale)
	}
	if side := float64(max(r.Width, r.Height)) * r.Scale; side > float64(s.config.MaxSide) {
		return errInvalid("width and height times scale must not exceed %d pixels, not %g", s.config.MaxSide, side)
	}
	if r.Theme != "" && r.Theme != "light" && r.Theme != "dark" {
		return errInvalid("theme is light or dark, not %q", r.Theme)
	}
	switch chart.Legend(r.Legend) {
	case chart.LegendAuto, chart.LegendNone, chart.LegendCompact, chart.LegendExpanded:
		return nil
	default:
		return errInvalid("legend is compact, expanded or none, not %q", r.Legend)
	}
}

func (s *Service) checkSide(name string, side int) error {
	if side < s.config.MinSide || side > s.config.MaxSide {
		return errInvalid("%s must be %d to %d pixels, not %d", name, s.config.MinSide, s.config.MaxSide, side)
	}
	return nil
}
