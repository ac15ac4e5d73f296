package snapshots

import (
	"strings"

	"stoa.dev/stoa/internal/service/snapshots/query"
)

// metadataRequest is what is changed; what is absent stays.
type metadataRequest struct {
	Type        *string `json:"type"`
	Unit        *string `json:"unit"`
	PerUnit     *string `json:"per_unit"`
	Description *string `json:"description"`
	ShortName   *string `json:"short_name"`
	Interval    *int64  `json:"statsd_interval"`
}

func (q metadataRequest) apply(m *MetricMetadata) error {
	unit, per, _ := strings.Cut(m.Unit, "/")
	for _, field := range []struct{ from, to *string }{
		{q.Type, (*string)(&m.Type)}, {q.Unit, &unit}, {q.PerUnit, &per}, {q.Description, &m.Description},
		{q.ShortName, &m.ShortName},
	} {
		if field.from != nil {
			*field.to = *field.from
		}
	}
	if strings.Contains(unit+per, "/") || unit == "" && per != "" {
		return errInvalid("unit and per_unit are names such as byte and second, per_unit only with a unit")
	}
	if m.Unit = unit; per != "" {
		m.Unit += "/" + per
	}
	if q.Interval != nil {
		m.Interval = *q.Interval
	}
	return nil
}

type metadataResponse struct {
	Type        string  `json:"type,omitempty"`
	Unit        *string `json:"unit"`
	PerUnit     *string `json:"per_unit"`
	Description *string `json:"description"`
	ShortName   *string `json:"short_name"`
	Interval    *int64  `json:"statsd_interval"`
	Integration *string `json:"integration"`
}

func metadataToWire(m MetricMetadata) metadataResponse {
	unit, per, _ := strings.Cut(m.Unit, "/")
	out := metadataResponse{
		Type: string(m.Type), Unit: orNull(unit), PerUnit: orNull(per), Description: orNull(m.Description),
		ShortName: orNull(m.ShortName),
	}
	if m.Interval > 0 && m.Type != query.Gauge {
		out.Interval = &m.Interval
	}
	return out
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
