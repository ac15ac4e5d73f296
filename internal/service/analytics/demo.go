package analytics

import (
	"context"
	"fmt"

	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/analytics/locations"
	"stoa.dev/stoa/internal/service/analytics/places"
	"stoa.dev/stoa/internal/service/analytics/ranking"
)

// demo gives the user a project, three cafés of which one is watched, competitors
// around them and a finished report.
func (s *Service) demo(ctx context.Context, d *module.Demo) error {
	user, err := s.identity.UserByName(ctx, d.User)
	if err != nil {
		return err
	}
	if _, err := s.CreateProject(ctx, user.ID, "Colonnade", "colonnade.example", ""); err != nil {
		return err
	}
	if err := s.places.Put(ctx, demoPlaces()); err != nil {
		return err
	}
	var first locations.Location
	hours := []locations.TimeRange{{From: "08:00", To: "18:00"}}
	for i, name := range []string{"Stoa Coffee Agora", "Stoa Coffee Harbour", "Stoa Coffee Hill"} {
		l, err := s.locations.AddLocation(ctx, user.ID, "GR", locations.LocationChange{
			LocationName: wire.Some(name), City: wire.Some("Athens"),
			Address:       wire.Some(fmt.Sprintf("Adrianou %d", 20+i)),
			Phone:         wire.Some(fmt.Sprintf("+30 21 0555 01%02d", i)),
			Categories:    wire.Some([]string{"Coffee shop"}),
			WebsiteURL:    wire.Some("https://colonnade.example"),
			Coordinates:   wire.Some(ranking.Coordinates{Lat: 37.975 + 0.004*float64(i), Lng: 23.722}),
			BusinessHours: wire.Some(locations.WeekHours{Monday: hours, Tuesday: hours}),
		})
		if err != nil {
			return err
		}
		if i == 0 {
			first = l
		}
	}
	c, err := s.CreateCampaign(ctx, user.ID, CampaignChange{
		PlaceID: wire.Some(first.ID), Name: wire.Some("Coffee around the agora"),
		Keywords: wire.Some([]string{"coffee", "coffee shop athens"}),
		Grid:     wire.Some(GridSettings{Template: "7x7", Unit: "KM", Distance: 1.5}),
	})
	if err != nil {
		return err
	}
	date, err := s.Collect(ctx, user.ID, c.ID, s.now())
	if err != nil {
		return err
	}
	d.Env["STOA_ANALYTICS_LOCATION"], d.Env["STOA_ANALYTICS_CAMPAIGN"] = first.ID, c.ID
	// A job would do the same; the demo promises a finished report.
	return s.computeReport(ctx, collectPayload{Campaign: c.ID, Date: date})
}

func demoPlaces() []ranking.Place {
	var out []ranking.Place
	for i, name := range []string{
		"Agora Roasters", "Theseion Coffee", "Monastiraki Espresso Bar", "Plaka Coffee Corner", "Kerameikos Beans",
		"Psyrri Coffee Lab", "Acropolis View Café", "Hadrian Coffee", "Little Kiosk Coffee", "Syntagma Coffee Company",
		"Omonia Filter", "Lycabettus Coffee",
	} {
		id := fmt.Sprintf("demo-place-%02d", i+1)
		out = append(out, ranking.Place{
			ID: id, CID: places.CID(id), Name: name, Address: "Athens", Country: "GR",
			Categories: []string{"Coffee shop"},
			Rating:     3.5 + 0.1*float64(i%15), Reviews: int64(20 * (i + 1) * (i + 1)),
			Lat: 37.968 + 0.0021*float64(i%5), Lng: 23.714 + 0.0023*float64(i%7),
		})
	}
	return out
}
