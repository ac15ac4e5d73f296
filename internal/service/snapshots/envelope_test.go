package snapshots

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/platform/route/routetest"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// Every failure has a fixed answer.
func TestEnvelope(t *testing.T) {
	t.Parallel()
	s := New(world.Blueprint(world.Options{}), nil, DefaultConfig())
	routetest.Envelope(t, s.writeError,
		routetest.Case{Name: "bad request", Err: errInvalid("the reason")},
		routetest.Case{Name: "bad query", Err: &query.Error{Reason: "the reason", Line: 1, Column: 7, Near: "x{"}},
		routetest.Case{Name: "no application key", Err: errNeedsApplicationKey("SVC-APPLICATION-KEY")},
		routetest.Case{Name: "not found", Err: errNotFound("snapshot")},
		routetest.Case{Name: "failed", Err: errFailed("the reason")},
	)
}

// Any graph definition is understood or refused, quickly and without a panic.
func FuzzGraphDefinition(f *testing.F) {
	fuzztest.Strings(f,
		`{"requests":[{"q":"avg:m{*} by {host}","type":"bars","style":{"palette":"cool","type":"dashed",`+
			`"width":"thick"}}],"viz":"timeseries"}`,
		`{"viz":"change","requests":[{"q":"m{*}","compare_to":"day_before","order_by":"name"}]}`,
		`{"type":"query_value","requests":[{"queries":[{"name":"a","query":"m{*}"}],"formulas":[{"formula":"a * 2",`+
			`"alias":"x"}],"conditional_formats":[{"comparator":">","value":3,"palette":"white_on_red"}]}],`+
			`"precision":2}`,
		`{"requests":[{"q":"m{*}"}],"yaxis":{"min":"auto","max":"5","scale":"pow3","filter":{"top":"5%",`+
			`"bottom":1}},"markers":[{"value":"0 < y < 10","display_type":"error dashed"}],"events":[{"q":"x"}]}`,
		`{"requests":[{"q":"promql:up"}]}`, `{}`, `[]`, `null`, `{"requests":[null]}`,
		`{"requests":[{"q":"m{*}"}],"yaxis":{"min":{}}}`,
	)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := makePlan(GraphRequest{GraphDef: text, Start: 0, End: 3600, Width: 100, Height: 100})
		if err == nil && len(p.layers) == 0 {
			t.Fatalf("%q gave a plan without layers", text)
		}
		if _, final := refusalText(err); err != nil && !final {
			t.Fatalf("%q: %v is not a refusal", text, err)
		}
	})
}

func TestConfig(t *testing.T) {
	t.Parallel()
	if err := DefaultConfig().Validate(); err != nil {
		t.Errorf("the default configuration is refused: %v", err)
	}
	bad := Config{
		Width: -1, Bases: []string{"ftp://x", "http://ok.example/path"}, Backend: "nowhere", OwnMetrics: 1, Keep: -1,
	}
	err := bad.Validate()
	for _, want := range []string{
		"snapshots_per_hour", "queries_per_hour", "min_side", "width", "keep", "retention", "max_series",
		"max_active_series", "max_events", "requests_per_minute", "points_per_minute", "renderers", "bases", "backend",
		"own_metrics",
	} {
		if err == nil || !strings.Contains(err.Error(), "snapshots."+want) {
			t.Errorf("%s is not named in %v", want, err)
		}
	}
}
