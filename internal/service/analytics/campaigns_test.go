package analytics_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/service/analytics"
	"stoa.dev/stoa/internal/service/analytics/ranking"
)

// write makes a file of places.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func quiet(module.Progress) {}

const bakeries = "id,name,categories,lat,lng,rating,reviews\n" +
	"own,Corner Bakery,Bakery|Café,52.5200,13.4050,4.5,120\n" +
	"rival,Bread Palace Bakery,Bakery,52.5290,13.4050,4.9,900\n" +
	"south,South Bakery,Bakery,52.5110,13.4050,3.9,9\n" +
	"shoes,Shoe Shop,Shoes,52.5201,13.4051,5,5000\n"

func (d *testServer) load(t *testing.T, text string) {
	t.Helper()
	if _, err := d.service.Places().Import(t.Context(), write(t, "places.csv", text), quiet); err != nil {
		t.Fatal(err)
	}
}

// collect runs a report to its end and returns its date.
func (d *testServer) collect(t *testing.T, path string) string {
	t.Helper()
	return d.collectAt(t, path, "")
}

func (d *testServer) collectAt(t *testing.T, path, date string) string {
	t.Helper()
	date = d.data(t, "PUT", path+"/collect"+date, "")["collectingReportDate"].(string)
	if err := d.World.Jobs.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	return date
}

func keywordOf(campaign map[string]any, i int) string {
	return campaign["keywords"].([]any)[i].(map[string]any)["id"].(string)
}

func query(keyword, date string) string {
	return "?keywordId=" + keyword + "&reportDate=" + url.QueryEscape(date)
}

// TestMetricsAreOfTheLastReport: a report of an earlier day does not take the place of the last one, which is compared
// with it from then on.
func TestMetricsAreOfTheLastReport(t *testing.T) {
	t.Parallel()
	onBoth(t, nil, func(t *testing.T, d *testServer) {
		d.load(t, bakeries)
		made := d.data(t, "POST", campaigns,
			`{"placeId":"own","keywords":["bakery"],"gridSettings":{"template":"3x3","distance":1}}`)
		path := campaigns + "/" + made["id"].(string)
		d.Clock.Advance(48 * time.Hour)
		d.collect(t, path)
		metrics := func() map[string]any {
			list := d.data(t, "GET", campaigns, "")["content"].([]any)[0].(map[string]any)
			return list["projectMetrics"].(map[string]any)
		}
		before := metrics()
		d.load(t, "id,name,categories,lat,lng,rating,reviews\nnext,Bakery Next Door,Bakery,52.5200,13.4051,5,60000\n")
		d.collectAt(t, path, "?reportDate="+url.QueryEscape(made["createdAt"].(string)))
		after := metrics()
		if after["averagePosition"] != before["averagePosition"] || after["averagePositionDiff"].(float64) <= 0 {
			t.Errorf("metrics after a report of an earlier day: got %v, before it %v", after, before)
		}
	})
}

func TestCampaign(t *testing.T) {
	t.Parallel()
	onBoth(t, nil, func(t *testing.T, d *testServer) {
		d.load(t, bakeries)
		made := d.data(
			t, "POST", campaigns,
			`{"placeId":"own","keywords":["bakery","shoes"],"gridSettings":{"template":"3x3","distance":1}}`,
		)
		path := campaigns + "/" + made["id"].(string)
		if made["status"] != "CREATED" || made["name"] != "Corner Bakery" || len(made["points"].([]any)) != 9 {
			t.Fatalf("made: got %v", made)
		}
		first := d.collect(t, path)
		got := d.data(t, "GET", path, "")
		if got["status"] != "COLLECTED" || got["lastReportDate"] != first {
			t.Errorf("after the report: got %v", got)
		}
		bakery := keywordOf(made, 0)
		top := d.data(t, "GET", path+"/top-competitors"+query(bakery, first), "")["competitors"].(map[string]any)
		if top["totalElements"] != 2.0 || top["first"] != true || top["last"] != true {
			t.Errorf("competitors: got %v", top)
		}
		own := d.data(t, "GET", path+"/heatmap"+query(bakery, first), "")["positions"].([]any)
		if own[4].(map[string]any)["position"] != 1.0 || own[4].(map[string]any)["diff"] != 0.0 {
			t.Errorf("in the middle: got %v", own[4])
		}
		// A rival opens next door and is loved: the business falls behind.
		d.Clock.Advance(time.Hour)
		d.load(t, "id,name,categories,lat,lng,rating,reviews\nnext,Bakery Next Door,Bakery,52.5200,13.4051,5,60000\n")
		second := d.collect(t, path)
		own = d.data(t, "GET", path+"/heatmap"+query(bakery, second), "")["positions"].([]any)
		if own[4].(map[string]any)["position"] != 2.0 || own[4].(map[string]any)["diff"] != -1.0 {
			t.Errorf("in the middle, later: got %v", own[4])
		}
		history := d.data(
			t, "GET", path+"/metrics?placeIds=own&keywordId="+bakery, "",
		)["average_positions"].(map[string]any)
		if len(history) != 2 || history[first].(float64) >= history[second].(float64) {
			t.Errorf("history: got %v", history)
		}
		for parameters, want := range map[string]string{
			"/metrics?placeIds=own": "keywordId is required", query(bakery, ""): "reportDate is required",
			query(bakery, "yesterday"): "a moment", query(bakery, "1969-12-31T23:59:59Z"): "a moment",
			query("", first): "keywordId is required",
		} {
			if parameters[0] == '?' {
				parameters = "/heatmap" + parameters
			}
			if w := d.call("GET", path+parameters, ""); w.Code != 400 || !strings.Contains(w.Body.String(), want) {
				t.Errorf("%s: %d %s, want 400 and %q", parameters, w.Code, w.Body, want)
			}
		}
		unknown := d.data(t, "GET", path+"/metrics?cid=1&keywordId=none", "")["average_positions"].(map[string]any)
		if unknown[first] != 21.0 {
			t.Errorf("an unknown keyword: got %v, want 21", unknown)
		}
		list := d.data(
			t, "GET", campaigns+"?query=corner&sort=businessName,ASC", "",
		)["content"].([]any)[0].(map[string]any)
		if m := list["projectMetrics"].(map[string]any); m["averagePositionDiff"].(float64) >= 0 ||
			list["keywordsNumber"] != 2.0 {
			t.Errorf("the list: got %v", list)
		}
		picture, err := png.Decode(bytes.NewReader(
			d.call("GET", path+"/heatmap"+query(bakery, second), "", "Accept: image/png").Body.Bytes(),
		))
		if err != nil || picture.Bounds().Dx() != 640 {
			t.Errorf("picture: got %v", err)
		}
		spent := d.data(t, "GET", strings.TrimSuffix(campaigns, "campaigns")+"limits", "")
		if diff := cmp.Diff(
			map[string]any{"total": 100000.0, "spentThisMonth": 36.0, "available": 99964.0}, spent["credits"],
		); diff != "" {
			t.Errorf("credits (-want +got):\n%s", diff)
		}
		// Keywords that stay keep their history.
		changed := d.data(t, "PATCH", path, `{"keywords":["bread","bakery"]}`)
		if keywordOf(changed, 1) != bakery {
			t.Errorf("the keyword has another id: %v", changed["keywords"])
		}
		d.data(t, "DELETE", path, "")
		d.ok(t, 404, "GET", path, "")
	})
}

// TestOwnerEmail: the owner of a campaign is shown by an address, of this machine when the account has none.
func TestOwnerEmail(t *testing.T) {
	t.Parallel()
	d := newServer(t, "", nil)
	d.load(t, bakeries)
	shown := func(campaign map[string]any) any { return campaign["sharingStatus"].(map[string]any)["ownerEmail"] }
	made := d.data(t, "POST", campaigns, `{"placeId":"own","keywords":["bakery"]}`)
	for want, email := range map[string]string{"kim@localhost": "", "kim@mail.example": "kim@mail.example"} {
		if _, err := d.Identity.UpdateUser(t.Context(), d.user.ID, identity.UserChange{Email: &email}); err != nil {
			t.Fatal(err)
		}
		list := d.data(t, "GET", campaigns, "")["content"].([]any)
		one := d.data(t, "GET", campaigns+"/"+made["id"].(string), "")
		if shown(one) != want || shown(list[0].(map[string]any)) != want {
			t.Errorf("owner: %v and in the list %v, want %s", shown(one), shown(list[0].(map[string]any)), want)
		}
	}
}

func TestCampaignRefusals(t *testing.T) {
	t.Parallel()
	onBoth(t, func(c *analytics.Config) {
		c.MaxCampaigns, c.CreditsPerMonth = 2, 30
	}, func(t *testing.T, d *testServer) {
		d.load(t, bakeries)
		for _, body := range []string{
			``, `{}`, `{"placeId":"own"}`, `{"placeId":"nowhere","keywords":["a"]}`, `{"placeId":"own","keywords":[]}`,
			`{"placeId":"own","keywords":["a","a"]}`,
			`{"placeId":"own","keywords":[" "]}`, `{"placeId":"own","keywords":["` + strings.Repeat("k", 256) + `"]}`,
			`{"placeId":"own","keywords":["` + strings.Join(strings.Split(strings.Repeat("a", 101), ""), `","`) + `"]}`,
			`{"placeId":"own","keywords":["a"],"name":""}`,
			`{"placeId":"own","keywords":["a"],"gridSettings":{"template":"5x5","distance":1},` +
				`"points":[{"coordinates":{"lat":1,"lng":1}}]}`,
			`{"placeId":"own","keywords":["a"],"gridSettings":{"template":"5x7","distance":1}}`,
			`{"placeId":"own","keywords":["a"],"gridSettings":{"template":"16x16","distance":1}}`,
			`{"placeId":"own","keywords":["a"],"gridSettings":{"template":"5x5","distance":0}}`,
			`{"placeId":"own","keywords":["a"],"gridSettings":{"template":"5x5","distance":36}}`,
			`{"placeId":"own","keywords":["a"],"gridSettings":{"template":"5x5","distance":1,"unit":"YD"}}`,
			`{"placeId":"own","keywords":["a"],"gridSettings":{"template":"5x5","distance":1,"basePoint":{"lat":91,` +
				`"lng":0}}}`,
			`{"placeId":"own","keywords":["a"],"points":[]}`, `{"placeId":"own","keywords":["a"],"points":[{}]}`,
			`{"placeId":"own","keywords":["a"],"points":[{"coordinates":{"lat":0,"lng":181}}]}`,
			`{"placeId":"own","keywords":["a"],"points":[{"coordinates":{"lat":0,"lng":0}},{"coordinates":{"lat":2,` +
				`"lng":0}}]}`,
			`{"placeId":"own","keywords":["a"],"points":[{"isEnabled":false,"coordinates":{"lat":0,"lng":0}}]}`,
			`{"placeId":"own","keywords":["a"],"collectingFrequency":{"frequency":"HOURLY"}}`,
			`{"placeId":"own","keywords":["a"],"collectingFrequency":{"frequency":"WEEKLY","positions":[8]}}`,
			`{"placeId":"own","keywords":["a"],"collectingFrequency":{"frequency":"WEEKLY","time":"24:00"}}`,
		} {
			d.ok(t, 400, "POST", campaigns, body)
		}
		made := d.data(t, "POST", campaigns, `{"placeId":"own","keywords":["bakery"]}`)
		path, keyword := campaigns+"/"+made["id"].(string), keywordOf(made, 0)
		d.data(t, "PUT", path+"/collect", "")
		d.ok(t, 409, "PUT", path+"/collect", "")
		if err := d.World.Jobs.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		d.ok(t, 403, "PUT", path+"/collect", "") // 25 of 30 credits are spent
		d.Clock.Advance(31 * 24 * time.Hour)
		date := d.collect(t, path)
		d.ok(t, 400, "PUT", path+"/collect?reportDate=2099-01-01T00:00:00Z", "")
		for _, q := range []string{
			"", "?keywordId=" + keyword, "?reportDate=" + date, query(keyword, "yesterday"),
			query(keyword, "2020-01-01T00:00:00Z"),
			query("none", date), query(keyword, date) + "&format=gif", query(keyword, date) + "&cid=1&placeIds=a",
		} {
			d.ok(t, 400, "GET", path+"/heatmap"+q, "")
		}
		for _, q := range []string{"&page=-1", "&size=0", "&size=101", "&sort=id,ASC", "&sort=name,UP"} {
			d.ok(t, 400, "GET", path+"/top-competitors"+query(keyword, date)+q, "")
		}
		if got := d.data(
			t, "GET", path+"/top-competitors"+query(keyword, "2020-01-01T00:00:00Z"), "",
		)["competitors"].(map[string]any); got["empty"] != true {
			t.Errorf("competitors of no report: got %v", got)
		}
		d.ok(t, 400, "PATCH", path, `{"placeId":"rival"}`)
		// It is April: every twelfth month from now has 30 days.
		d.ok(
			t, 400, "POST", campaigns,
			`{"placeId":"rival","keywords":["bakery"],"collectingFrequency":{"frequency":"MONTHLY","interval":12,`+
				`"positions":[31],"enable":true}}`,
		)
		d.data(t, "POST", campaigns, `{"placeId":"rival","keywords":["bakery"]}`)
		d.ok(t, 403, "POST", campaigns, `{"placeId":"rival","keywords":["bakery"]}`)
	})
}

// A schedule collects by itself, and stops when it is taken away.
func TestSchedule(t *testing.T) {
	t.Parallel()
	onBoth(t, nil, func(t *testing.T, d *testServer) {
		d.load(t, bakeries)
		// The clock of the test starts on a Wednesday.
		made := d.data(
			t, "POST", campaigns,
			`{"placeId":"own","keywords":["bakery"],"collectingFrequency":{"frequency":"WEEKLY","positions":[1,4],`+
				`"time":"06:30","enable":true}}`,
		)
		path := campaigns + "/" + made["id"].(string)
		if made["nextReportDate"] != "2026-03-05T06:30:00.000Z" {
			t.Errorf("nextReportDate: got %v", made["nextReportDate"])
		}
		for range 14 {
			d.Clock.Advance(24 * time.Hour)
			if err := d.World.Jobs.Settle(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if got := d.data(t, "GET", path, "")["reportDates"].([]any); len(got) != 4 {
			t.Errorf("two weeks gave %v, want four reports", got)
		}
		d.data(t, "PATCH", path, `{"collectingFrequency":null}`)
		d.Clock.Advance(14 * 24 * time.Hour)
		if err := d.World.Jobs.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := d.data(t, "GET", path, "")["reportDates"].([]any); len(got) != 4 {
			t.Errorf("without a schedule: got %v, want four reports still", got)
		}
	})
}

// While its owner is disabled a schedule collects nothing; it goes on afterwards.
func TestScheduleOfDisabledUsers(t *testing.T) {
	t.Parallel()
	onBoth(t, nil, func(t *testing.T, d *testServer) {
		d.load(t, bakeries)
		made := d.data(t, "POST", campaigns, `{"placeId":"own","keywords":["bakery"],`+
			`"collectingFrequency":{"frequency":"WEEKLY","positions":[4],"time":"06:30","enable":true}}`)
		path := campaigns + "/" + made["id"].(string)
		for week, disabled := range []bool{false, true, true, false} {
			if err := d.Identity.DisableUser(t.Context(), d.user.ID, disabled); err != nil {
				t.Fatal(err)
			}
			d.Clock.Advance(7 * 24 * time.Hour)
			if err := d.World.Jobs.Settle(t.Context()); err != nil {
				t.Fatalf("week %d: %v", week, err)
			}
		}
		if got := d.data(t, "GET", path, "")["reportDates"].([]any); len(got) != 2 {
			t.Errorf("four weeks, of them two disabled, gave %v, want two reports", got)
		}
	})
}

// However often campaigns are made, changed and deleted, one job waits for the schedules of their owner, and those that
// are left are kept.
func TestOneJobForAllSchedules(t *testing.T) {
	t.Parallel()
	onBoth(t, nil, func(t *testing.T, d *testServer) {
		d.load(t, bakeries)
		create := func(place, day string) string {
			made := d.data(t, "POST", campaigns, `{"placeId":"`+place+`","keywords":["bakery"],`+
				`"collectingFrequency":{"frequency":"WEEKLY","positions":[`+day+`],"time":"06:30","enable":true}}`)
			return campaigns + "/" + made["id"].(string)
		}
		early, late := create("own", "4"), create("rival", "6")
		for range 3 {
			d.data(t, "PATCH", late, `{"name":"renamed"}`)
			d.data(t, "DELETE", create("own", "5"), "")
		}
		d.data(t, "PATCH", late,
			`{"collectingFrequency":{"frequency":"WEEKLY","positions":[7],"time":"06:30","enable":true}}`)
		list, err := d.World.Jobs.List(t.Context(), jobs.Filter{Kind: "analytics.due"})
		if err != nil || len(list) != 1 {
			t.Errorf("%d jobs wait for the schedules, %v; want one", len(list), err)
		}
		for range 14 {
			d.Clock.Advance(24 * time.Hour)
			if err := d.World.Jobs.Settle(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for _, path := range []string{early, late} {
			if got := d.data(t, "GET", path, "")["reportDates"].([]any); len(got) != 2 {
				t.Errorf("two weeks gave %v, want two reports", got)
			}
		}
	})
}

// Both databases and every run give the same positions.
func TestSameEverywhere(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var seen []any
	var text strings.Builder
	text.WriteString("id,name,lat,lng,rating,reviews\n")
	for i := range 300 {
		fmt.Fprintf(
			&text, "p%03d,Bakery %d,%f,%f,%.1f,%d\n", i, i, 52.52+float64(i*37%101-50)*0.0004,
			13.405+float64(i*53%103-51)*0.0006, float64(i%50)/10, i*i,
		)
	}
	onBoth(t, nil, func(t *testing.T, d *testServer) {
		d.load(t, text.String())
		made := d.data(t, "POST", campaigns, `{"placeId":"p007","keywords":["bakery"]}`)
		path := campaigns + "/" + made["id"].(string)
		for range 2 {
			heat := d.data(
				t, "GET", path+"/heatmap"+query(keywordOf(made, 0), d.collect(t, path)), "",
			)["positions"].([]any)
			var positions []any
			for _, p := range heat {
				positions = append(positions, p.(map[string]any)["position"])
			}
			mu.Lock()
			seen = append(seen, positions)
			if diff := cmp.Diff(seen[0], any(positions)); diff != "" {
				t.Errorf("positions differ (-first +now):\n%s", diff)
			}
			mu.Unlock()
			d.Clock.Advance(time.Hour)
		}
	})
}

// unavailable is a search engine that does not answer.
type unavailable struct{}

func (unavailable) Rank(context.Context, ranking.Query) (ranking.Result, error) {
	return ranking.Result{}, errors.New("the search engine is down")
}

// panicking is one whose client panics: no code is left to mark the report as
// failed, as when a process is killed.
type panicking struct{}

func (panicking) Rank(context.Context, ranking.Query) (ranking.Result, error) {
	panic("no answer at all")
}

// A report that cannot be collected ends as failed, and another can be asked for.
func TestProviderDown(t *testing.T) {
	t.Parallel()
	onBoth(t, nil, func(t *testing.T, d *testServer) {
		d.load(t, bakeries)
		for _, provider := range []ranking.Provider{unavailable{}, panicking{}} {
			d.service.Use(provider)
			path := campaigns + "/" + d.data(
				t, "POST", campaigns, `{"placeId":"own","keywords":["bakery"]}`,
			)["id"].(string)
			d.data(t, "PUT", path+"/collect", "")
			for range 10 {
				if err := d.World.Jobs.Settle(t.Context()); err != nil {
					t.Fatal(err)
				}
				d.Clock.Advance(24 * time.Hour)
			}
			if got := d.data(t, "GET", path, "")["status"]; got != "FAILED" {
				t.Errorf("%T: status: got %v, want FAILED", provider, got)
			}
			d.data(t, "PUT", path+"/collect", "")
		}
	})
}

// A report whose job waits for hours behind others of its owner is not given up.
func TestWaitingReport(t *testing.T) {
	t.Parallel()
	onBoth(t, nil, func(t *testing.T, d *testServer) {
		d.load(t, bakeries)
		path := campaigns + "/" + d.data(t, "POST", campaigns, `{"placeId":"own","keywords":["bakery"]}`)["id"].(string)
		d.data(t, "PUT", path+"/collect", "")
		d.Clock.Advance(5 * time.Hour)
		if err := d.service.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := d.data(t, "GET", path, "")["status"]; got != "COLLECTING" {
			t.Errorf("status while the job waits: got %v, want COLLECTING", got)
		}
		if err := d.World.Jobs.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := d.data(t, "GET", path, "")["status"]; got != "COLLECTED" {
			t.Errorf("status: got %v, want COLLECTED", got)
		}
	})
}

// A change of a campaign that began before the sweep gave its report up does not bring the report back.
func TestSweepDuringChange(t *testing.T) {
	t.Parallel()
	onBoth(t, nil, func(t *testing.T, d *testServer) {
		d.load(t, bakeries)
		id := d.data(t, "POST", campaigns, `{"placeId":"own","keywords":["bakery"]}`)["id"].(string)
		_, err := d.World.DB.Exec(t.Context(), `UPDATE analytics_campaigns SET status = 'COLLECTING' WHERE id = $1`, id)
		if err != nil {
			t.Fatal(err)
		}
		d.Clock.Advance(5 * time.Hour)
		swept := make(chan error, 1)
		err = d.service.RewriteCampaign(t.Context(), d.user.ID, id, func() error {
			go func() { swept <- d.service.Sweep(t.Context()) }()
			return d.waitForLockOr(t.Context(), swept)
		})
		if err := errors.Join(err, <-swept); err != nil {
			t.Fatal(err)
		}
		if got := d.data(t, "GET", campaigns+"/"+id, "")["status"]; got != "FAILED" {
			t.Errorf("status: got %v, want FAILED", got)
		}
	})
}

// waitForLockOr returns when a transaction of the server waits for another one, or when there is an answer without
// that. SQLite has one writer and no locks: there the answer comes later.
func (d *testServer) waitForLockOr(ctx context.Context, answer chan error) error {
	for waiting := d.World.DB.Engine() == database.SQLite; !waiting && len(answer) == 0; {
		if err := d.World.DB.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM pg_locks l JOIN pg_stat_activity a USING (pid)
			WHERE a.datname = current_database() AND NOT l.granted)`).Scan(&waiting); err != nil {
			return err
		}
	}
	return nil
}

func TestImport(t *testing.T) {
	t.Parallel()
	onBoth(t, nil, func(t *testing.T, d *testServer) {
		geo := `{"type":"FeatureCollection","features":[{"type":"Feature","id":"g1",
			"properties":{"name":"Geo Bakery","categories":["Bakery"],"rating":4.1,"reviews":7},
			"geometry":{"type":"Point","coordinates":[13.405,52.52]}}]}`
		report, err := d.service.Places().Import(t.Context(), write(t, "p.geojson", geo), quiet)
		if err != nil || report.Places != 1 {
			t.Fatalf("GeoJSON: got %v %v", report, err)
		}
		made := d.data(t, "POST", campaigns, `{"placeId":"g1","keywords":["bakery"]}`)
		if b := made["business"].(map[string]any); b["name"] != "Geo Bakery" || b["rating"] != 4.1 ||
			b["reviewNumber"] != 7.0 || len(b["cid"].(string)) != 19 {
			t.Errorf("business: got %v", b)
		}
		for name, text := range map[string]string{
			"empty": "", "no lat": "id,name,lng\n", "word": "id,name,lat,lng\na,b,north,1\n",
			"globe": "id,name,lat,lng\na,b,91,1\n", "NaN": "id,name,lat,lng\na,b,NaN,1\n",
			"no id": "id,name,lat,lng\n,b,1,1\n", "short line": "id,name,lat,lng\na,b\n",
			"rating":  "id,name,lat,lng,rating\na,b,1,1,6\n",
			"reviews": "id,name,lat,lng,reviews\na,b,1,1,-1\n", "not UTF-8": "id,name,lat,lng\na,\xff,1,1\n",
			"no features": "{}", "line": `{"features":[{"geometry":{"type":"LineString","coordinates":[]}}]}`,
		} {
			if _, err := d.service.Places().Import(t.Context(), write(t, "bad", text), quiet); err == nil {
				t.Errorf("%s: was imported", name)
			}
		}
	})
}

// Reports beyond those that may be unfinished are refused, and a schedule leaves
// them out, without credits being spent.
func TestUnfinishedReports(t *testing.T) {
	t.Parallel()
	onBoth(t, nil, func(t *testing.T, d *testServer) {
		d.load(t, bakeries)
		made := d.data(
			t, "POST", campaigns,
			`{"placeId":"own","keywords":["bakery"],"collectingFrequency":{"frequency":"WEEKLY","positions":[1,4],`+
				`"time":"06:30","enable":true}}`,
		)
		path := campaigns + "/" + made["id"].(string)
		if err := d.service.FillCollecting(t.Context(), d.user.ID, 30*24*time.Hour); err != nil {
			t.Fatal(err)
		}
		got := d.ok(t, 429, "PUT", path+"/collect", "")
		if text := fmt.Sprint(got); !strings.Contains(text, "too many reports") {
			t.Errorf("the refusal says %s", text)
		}
		d.Clock.Advance(7 * 24 * time.Hour)
		if err := d.World.Jobs.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := d.data(t, "GET", path, ""); fmt.Sprint(got["reportDates"]) != "<nil>" &&
			fmt.Sprint(got["reportDates"]) != "[]" || got["status"] == "COLLECTING" {
			t.Errorf("the campaign has %v and is %v, want no report", got["reportDates"], got["status"])
		}
	})
}
