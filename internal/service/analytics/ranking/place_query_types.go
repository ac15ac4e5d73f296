package ranking

import "context"

// Place is anything that can be found on the map.
type Place struct {
	ID         string   `json:"id"`
	CID        string   `json:"cid"`
	Name       string   `json:"name"`
	Address    string   `json:"address"`
	Country    string   `json:"country,omitempty"`
	Categories []string `json:"categories,omitempty"`
	Rating     float64  `json:"rating"`
	Reviews    int64    `json:"reviews"`
	Lat        float64  `json:"lat"`
	Lng        float64  `json:"lng"`
}

// At is where the place lies.
func (p *Place) At() Coordinates { return Coordinates{Lat: p.Lat, Lng: p.Lng} }

// Query asks for the first Depth places for every keyword at every point.
type Query struct {
	Keywords []string
	Points   []Coordinates
	Depth    int
}

// Result is the answer. Ranks[k][p] are the places for keyword k at point p, best
// first, as positions in Places, which has only places that rank somewhere.
type Result struct {
	Places []Place
	Ranks  [][][]int
}

// Provider answers queries: the places of this installation, or a search engine.
type Provider interface {
	Rank(ctx context.Context, q Query) (Result, error)
}
