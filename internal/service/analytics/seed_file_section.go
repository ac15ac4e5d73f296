package analytics

import (
	"context"

	"stoa.dev/stoa/internal/platform/seed"
	"stoa.dev/stoa/internal/service/analytics/places"
	"stoa.dev/stoa/internal/service/analytics/ranking"
)

type seedPlace struct {
	ID         string   `json:"id" doc:"The identifier of the place."`
	Name       string   `json:"name" doc:"The name."`
	Address    string   `json:"address,omitempty" doc:"The address in one line."`
	Country    string   `json:"country,omitempty" doc:"Two letters, such as GR."`
	Categories []string `json:"categories,omitempty" doc:"What it is."`
	Rating     float64  `json:"rating,omitempty" doc:"From 0 to 5."`
	Reviews    int64    `json:"reviews,omitempty" doc:"How many reviews there are."`
	Lat        float64  `json:"lat" doc:"Degrees north."`
	Lng        float64  `json:"lng" doc:"Degrees east."`
}

// seeds is the section of places that rankings are made of.
func (s *Service) seeds() []seed.Section {
	return []seed.Section{seed.NewSection("places", "Places that rankings are made of", s.seedPlace, s.writePlaces)}
}

func (s *Service) seedPlace(ctx context.Context, _ *seed.Run, p seedPlace) error {
	place := ranking.Place{
		ID: p.ID, CID: places.CID(p.ID), Name: p.Name, Address: p.Address, Country: p.Country, Categories: p.Categories,
		Rating: p.Rating, Reviews: p.Reviews, Lat: p.Lat, Lng: p.Lng,
	}
	if err := places.Check(place); err != nil {
		return err
	}
	return s.places.Put(ctx, []ranking.Place{place})
}

func (s *Service) writePlaces(ctx context.Context) ([]seedPlace, error) {
	list, err := s.places.All(ctx)
	var out []seedPlace
	for _, p := range list {
		out = append(out, seedPlace{
			ID: p.ID, Name: p.Name, Address: p.Address, Country: p.Country, Categories: p.Categories,
			Rating: p.Rating, Reviews: p.Reviews, Lat: p.Lat, Lng: p.Lng,
		})
	}
	return out, err
}
