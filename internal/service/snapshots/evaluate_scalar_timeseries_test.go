package snapshots_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/service/snapshots"
)

// shares stores errors 1 and 1 of requests 1 and 9: a fifth of all, which is not
// the mean of the two shares.
func (c *client) shares() {
	c.t.Helper()
	now := c.Clock.Now().Unix()/60*60 - 300
	c.want(c.post("/api/v1/series", fmt.Sprintf(`{"series":[`+
		`{"metric":"errors","type":"count","interval":60,"host":"a","points":[[%[1]d,1],[%[2]d,1]]},`+
		`{"metric":"requests","type":"count","interval":60,"host":"a","points":[[%[1]d,1],[%[2]d,9]]},`+
		`{"metric":"requests","type":"count","interval":60,"host":"b","points":[[%[1]d,5]]}]}`, now, now+60)), 202)
}

// A scalar is computed of the numbers of the whole range, and so is what pictures
// of one number show.
func TestScalarQuery(t *testing.T) {
	t.Parallel()
	c := newClient(t, identitytest.SQLite(t, build(snapshots.DefaultConfig())), "ada")
	c.shares()
	now := c.Clock.Now().Unix() * 1000
	ask := func(attributes string, status int) string {
		t.Helper()
		body := fmt.Sprintf(`{"data":{"type":"scalar_request","attributes":{"from":%d,"to":%d,%s}}}`, now-3_600_000, now,
			attributes)
		return c.want(c.post("/api/v2/query/scalar", body, "SVC-APPLICATION-KEY: "+c.app), status).Body.String()
	}
	errors := `{"data_source":"metrics","query":"sum:errors{*} by {host}.as_count()","name":"e","aggregator":"sum"}`
	requests := `{"data_source":"metrics","query":"sum:requests{*} by {host}.as_count()","name":"r","aggregator":"sum"}`
	for name, c := range map[string]struct{ ask, want string }{
		"a share": {
			`"queries":[` + errors + `,` + requests + `],"formulas":[{"formula":"e / r"}]`,
			`"columns":[{"name":"host","type":"group","values":[["a"]]},` +
				`{"name":"e / r","type":"number","values":[0.2],"meta":{"unit":null}}]`,
		},
		"queries alone": {
			`"queries":[` + errors + `,` + requests + `]`,
			`"columns":[{"name":"host","type":"group","values":[["a"],["b"]]},` +
				`{"name":"e","type":"number","values":[2,null],"meta":{"unit":null}},` +
				`{"name":"r","type":"number","values":[10,5],"meta":{"unit":null}}]`,
		},
		"the greatest": {
			`"queries":[` + requests + `],"formulas":[{"formula":"r","limit":{"count":1,"order":"desc"}}]`,
			`"values":[["a"]]},{"name":"r","type":"number","values":[10],`,
		},
		"without groups": {
			`"queries":[{"data_source":"metrics","query":"sum:requests{*}.as_count()","name":"r","aggregator":"max"}]`,
			`"columns":[{"name":"r","type":"number","values":[9],"meta":{"unit":null}}]`,
		},
		"nothing": {
			`"queries":[{"data_source":"metrics","query":"sum:absent{*}","name":"r","aggregator":"max"}]`,
			`"columns":[{"name":"r","type":"number","values":[],"meta":{"unit":null}}]`,
		},
	} {
		if got := ask(c.ask, 200); !strings.Contains(got, c.want) || !strings.Contains(got, `"type":"scalar_response"`) {
			t.Errorf("%s: %s\nwant %s", name, got, c.want)
		}
	}
	for _, bad := range []string{
		`"queries":[]`, `"queries":[` + errors + `],"formulas":[{"formula":"e +"}]`,
		`"queries":[{"data_source":"metrics","query":"m{*}","name":"a","aggregator":"percentile"}]`,
		`"queries":[{"data_source":"logs","query":"x","name":"a","aggregator":"sum"}]`,
	} {
		ask(bad, 400)
	}
}

func TestPictureOfAShare(t *testing.T) {
	t.Parallel()
	c := newClient(t, identitytest.SQLite(t, build(snapshots.DefaultConfig())), "ada")
	c.shares()
	draw := func(request string) []byte {
		t.Helper()
		path := c.take("graph_def", `{"viz":"query_value","precision":3,"requests":[`+request+`]}`)
		c.settle()
		return c.want(c.Call("GET", path, ""), 200).Body.Bytes()
	}
	share := draw(`{"queries":[{"name":"e","data_source":"metrics","query":"sum:errors{host:a}.as_count()","aggregator":"sum"},` +
		`{"name":"r","data_source":"metrics","query":"sum:requests{host:a}.as_count()","aggregator":"sum"}],` +
		`"formulas":[{"formula":"e / r","alias":"share"}]}`)
	if fifth := draw(`{"q":"0.2","metadata":[{"expression":"0.2","alias_name":"share"}]}`); !bytes.Equal(share, fifth) {
		t.Error("two errors of ten requests are not drawn as 0.200")
	}
	c.want(c.get("/api/v1/graph/snapshot",
		c.params("graph_def", `{"viz":"toplist","requests":[{"q":"m{*}","aggregator":"percentile"}]}`)), 400)
}
