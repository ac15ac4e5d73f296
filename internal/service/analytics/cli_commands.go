package analytics

import (
	"context"
	"errors"
	"strconv"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/analytics/locations"
	"stoa.dev/stoa/internal/service/analytics/places"
	"stoa.dev/stoa/internal/service/analytics/ranking"
)

func (s *Service) commands() []module.Command {
	return []module.Command{
		{
			Path: "listings add", Short: "Add a business location to a user", Run: s.runAddListing,
			Long: "Locations cannot be made over the API, only changed. One with coordinates also ranks on the map, " +
				"under its own id.",
			Args: []module.Arg{{Name: "name", Help: "the name of the business"}},
			Flags: []module.Flag{
				{Name: "user", Required: true, Help: "who owns it"},
				{Name: "id", Help: "32 hex digits; without one it is chosen"},
				{Name: "address", Required: true, Help: "street and number"},
				{Name: "city", Required: true, Help: "the city"},
				{Name: "country", Required: true, Help: "two letters, such as DE"},
				{Name: "region", Help: "state or province"},
				{Name: "zip", Help: "postal code"},
				{Name: "phone", Required: true, Help: "with the international code, such as +49 30 1234567"},
				{Name: "website", Help: "address of the website"},
				{Name: "category", Kind: module.Texts, Help: "what it is; may be given several times"},
				{Name: "lat", Help: "latitude in degrees"},
				{Name: "lng", Help: "longitude in degrees"},
			},
		},
		{
			Path: "places import", Short: "Load places that can rank on maps from CSV or GeoJSON", Run: s.runImport,
			Long: "CSV needs a header with id, name, lat and lng and may have cid, address, categories (separated " +
				"by |), country, rating and reviews. GeoJSON needs point features with a name in their properties. " +
				"A place that is there already is replaced.",
			Args: []module.Arg{{Name: "file", Help: "the files to read", Many: true, File: module.ReadsFile}},
		},
	}
}

func (s *Service) runAddListing(ctx context.Context, in *module.Input) (any, error) {
	user, err := s.identity.UserByName(ctx, in.Text("user"))
	if err != nil {
		return nil, err
	}
	if id := in.Text("id"); id != "" && !hex32(id) {
		return nil, module.Fail(module.Usage, "leave --id out", "--id must be 32 lower-case hex digits")
	}
	change := locations.LocationChange{
		LocationName: wire.Some(in.Text("name")), Address: wire.Some(in.Text("address")),
		City:  wire.Some(in.Text("city")),
		Phone: wire.Some(in.Text("phone")), Region: wire.Some(in.Text("region")), Zip: wire.Some(in.Text("zip")),
		WebsiteURL: wire.Some(in.Text("website")), Categories: wire.Some(in.Texts("category")),
	}
	if in.Has("id") {
		change.ID = wire.Some(in.Text("id"))
	}
	if in.Has("lat") || in.Has("lng") {
		lat, errLat := strconv.ParseFloat(in.Text("lat"), 64)
		lng, errLng := strconv.ParseFloat(in.Text("lng"), 64)
		if errors.Join(errLat, errLng) != nil {
			return nil, module.Fail(module.Usage, "give both in degrees", "--lat and --lng must be numbers")
		}
		change.Coordinates = wire.Some(ranking.Coordinates{Lat: lat, Lng: lng})
	}
	l, err := s.locations.AddLocation(ctx, user.ID, in.Text("country"), change)
	var refused *locations.Error
	switch {
	case errors.As(err, &refused) && len(refused.Details) > 0:
		return nil, module.Fail(module.Usage, "correct it and try again", "%s", refused.Details[0].Message)
	case errors.Is(err, database.ErrUnique):
		return nil, module.Fail(module.Conflict, "choose another --id", "there is a location with this id")
	case err != nil:
		return nil, err
	}
	return struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}{l.ID, l.LocationName}, nil
}

func hex32(id string) bool {
	if len(id) != 32 {
		return false
	}
	for _, r := range id {
		if (r < '0' || r > '9') && (r < 'a' || r > 'f') {
			return false
		}
	}
	return true
}

func (s *Service) runImport(ctx context.Context, in *module.Input) (any, error) {
	out := struct {
		Files []places.Report `json:"files"`
		// Places is how many there are in all.
		Places int64 `json:"places"`
	}{Files: []places.Report{}}
	for _, name := range in.Texts("file") {
		report, err := s.places.Import(ctx, name, in.Progress)
		if err != nil {
			return nil, err
		}
		out.Files = append(out.Files, report)
	}
	var err error
	out.Places, err = s.places.Count(ctx)
	return out, err
}
