package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"stoa.dev/stoa/test/bench/drive"
)

// analyticsRows: K's project against the same bytes served bare, lists of
// locations stored durably, and the largest campaign over many places.
func analyticsRows() []row {
	return []row{
		{name: "K: GET project with token, 16 clients", run: (*bench).analyticsProject, atLeast: 0.4},
		{name: "K: UpdateLocations by 50, durable, locations", run: (*bench).analyticsUpdates, perSec: 2000},
		{
			name: "K: campaign of 15x15 points, 10 keywords, 100,000 places", run: (*bench).analyticsCampaign, atMost: 5,
			unit: "s",
		},
	}
}

const (
	analyticsProjects  = "/apis/v4/projects/v0"
	analyticsLocations = "/apis/v4/listing-management/v1/external/locations"
	analyticsCampaigns = "/apis/v4/map-rank-tracker/v0/campaigns"
)

// analyticsCall is one request's data.
func (o *ours) analyticsCall(ctx context.Context, method, path, bearer, body string) (map[string]any, error) {
	text, err := o.send(ctx, method, path, bearer, body)
	var answer struct {
		Data map[string]any `json:"data"`
	}
	if err == nil {
		err = json.Unmarshal(text, &answer)
	}
	return answer.Data, err
}

func (b *bench) analyticsProject(ctx context.Context) ([]result, error) {
	o, token, err := b.startFor(ctx, "analytics-project", "analytics")
	if err != nil {
		return nil, err
	}
	defer o.close()
	made, err := o.analyticsCall(ctx, http.MethodPost, analyticsProjects, token, `{"url":"bench.example"}`)
	if err != nil {
		return nil, err
	}
	path := fmt.Sprintf("%s/%.0f", analyticsProjects, made["project_id"])
	return b.gets(ctx, o, bareWord, path, token)
}

// analyticsUpdates sends one list after the other, as a token must.
func (b *bench) analyticsUpdates(ctx context.Context) ([]result, error) {
	const each = 50
	o, token, err := b.startFor(ctx, "analytics-updates", "analytics")
	if err != nil {
		return nil, err
	}
	defer o.close()
	var items []string
	for i := range each {
		id, err := o.issue(ctx, "listings add", "id", map[string][]string{
			"name": {fmt.Sprintf("Bakery %d", i)}, "user": {"bench"}, "address": {"Long Street 1"}, "city": {"Berlin"},
			"country": {"DE"},
			"phone":   {"+49 30 1234567"}, "lat": {"52.52"}, "lng": {"13.405"},
		})
		if err != nil {
			return nil, err
		}
		items = append(items, fmt.Sprintf(`{"id":"%s","locationName":"Bakery","city":"Berlin","address":"Short Street 2","phone":"+49 30 7654321",`+
			`"businessHours":{"monday":[{"from":"08:00","to":"18:00"}]},"categories":["Bakery"]}`, id))
	}
	text := drive.Request("PUT", analyticsLocations, o.address(), token, "["+strings.Join(items, ",")+"]")
	s, err := repeat(ctx, b.rounds, b.load(o.address(), 1, func(int) drive.Source { return drive.Constant(text) }))
	if err != nil {
		return nil, err
	}
	line := rateResult("one token", s)
	line.rate *= each
	line.judged = true
	return []result{line}, nil
}

// analyticsPlaces writes a city of made-up places.
func analyticsPlaces(name string, n int) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	kinds := []string{"Pizza", "Coffee", "Bakery", "Dentist", "Plumber"}
	fmt.Fprintln(w, "id,name,categories,address,lat,lng,rating,reviews")
	for i := range n {
		kind := kinds[i%len(kinds)]
		fmt.Fprintf(w, "place-%d,%s Number %d,%s shop,\"Some Street %d, Berlin\",%.6f,%.6f,%.1f,%d\n", i, kind, i, kind,
			i%500,
			52.52+float64(i*7919%10007-5003)*0.00004, 13.405+float64(i*6271%10009-5004)*0.00006, float64(i%50)/10, i%3000)
	}
	return w.Flush()
}

func (b *bench) analyticsCampaign(ctx context.Context) ([]result, error) {
	const places, searches = 100_000, 15 * 15 * 10
	o, token, err := b.startFor(ctx, "analytics-campaign", "analytics")
	if err != nil {
		return nil, err
	}
	defer o.close()
	file := filepath.Join(b.dir, "places.csv")
	if err := analyticsPlaces(file, places); err != nil {
		return nil, err
	}
	defer os.Remove(file)
	start := time.Now()
	if _, err := o.admin.Run(ctx, "places import", map[string][]string{"file": {file}}, nil); err != nil {
		return nil, err
	}
	imported := time.Since(start)
	made, err := o.analyticsCall(ctx, http.MethodPost, analyticsCampaigns, token, `{"placeId":"place-7","gridSettings":{"template":"15x15","distance":5},
		"keywords":["pizza","coffee","bakery","dentist","plumber","coffee shop","pizza berlin","shop","best bakery near me","number"]}`)
	if err != nil {
		return nil, err
	}
	path := fmt.Sprintf("%s/%v", analyticsCampaigns, made["id"])
	worst, date := time.Duration(0), ""
	for range b.rounds {
		start := time.Now()
		opened, err := o.analyticsCall(ctx, http.MethodPut, path+"/collect", token, "")
		if err != nil {
			return nil, err
		}
		date = fmt.Sprint(opened["collectingReportDate"])
		for {
			got, err := o.analyticsCall(ctx, http.MethodGet, path, token, "")
			if err != nil {
				return nil, err
			}
			if got["status"] == "COLLECTED" {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		worst = max(worst, time.Since(start))
	}
	keyword := made["keywords"].([]any)[0].(map[string]any)["id"]
	asked := fmt.Sprintf("%s/heatmap?keywordId=%v&reportDate=%s", path, keyword, date)
	heat := drive.Request("GET", asked, o.address(), token, "")
	s, err := repeat(ctx, b.rounds, b.load(o.address(), 4, func(int) drive.Source { return drive.Constant(heat) }))
	if err != nil {
		return nil, err
	}
	points := rateResult("heatmaps read, points a second", s)
	points.rate *= 15 * 15
	return []result{
		points,
		{label: "slowest, searches a second", value: worst.Seconds(), rate: searches / worst.Seconds(), judged: true},
		{label: "import, places a second", value: imported.Seconds(), rate: places / imported.Seconds()},
	}, nil
}
