package simulation

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// pictureEvery is how many steps of a script with pictures come before the next one.
const pictureEvery = 25

// painter stores points and has them drawn.
type painter struct{ api, app string } // keys

func (s *simulated) addPainter(ctx context.Context) error {
	for _, key := range []struct {
		kind string
		into *string
	}{{"api", &s.painter.api}, {"application", &s.painter.app}} {
		made, err := s.command(ctx, "key issue", map[string][]string{
			"user": {"ada"}, "service": {"snapshots"}, "kind": {key.kind},
		})
		if err != nil {
			return err
		}
		*key.into, _ = made["key"].(string)
		s.secrets = append(s.secrets, *key.into)
	}
	return nil
}

// paint sends points, asks for a graph of them and fetches the picture.
func (s *simulated) paint(ctx context.Context) {
	keys := map[string]string{"SVC-API-KEY": s.painter.api, "SVC-APPLICATION-KEY": s.painter.app}
	now := s.clock.Now().Unix()
	var points []string
	for i := range int64(30) {
		points = append(points, fmt.Sprintf("[%d,%.3f]", now-60*i, 100*s.random.Float64()))
	}
	s.send(request{method: "POST", path: "/api/v1/series", kind: "application/json", header: keys,
		body: `{"series":[{"metric":"load","type":"gauge","host":"web","points":[` + strings.Join(points, ",") + `]}]}`})
	asked := url.Values{
		"metric_query": {"avg:load{*}"}, "start": {fmt.Sprint(now - 3600)}, "end": {fmt.Sprint(now)},
		"title": {fmt.Sprintf("at %d", now)},
	}
	w, _ := s.send(request{method: "GET", path: "/api/v1/graph/snapshot?" + asked.Encode(), header: keys})
	var made struct {
		URL string `json:"snapshot_url"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || w.Code != http.StatusOK {
		s.violate("P11: a graph was answered with %d %s", w.Code, w.Body)
		return
	}
	s.pass(ctx, time.Minute)
	_, path, _ := strings.Cut(made.URL, "127.0.0.1:1")
	if w, _ = s.send(request{method: "GET", path: path}); w.Header().Get("Content-Type") != "image/png" {
		s.violate("P11: %s is %d %s", path, w.Code, w.Body)
	}
}
