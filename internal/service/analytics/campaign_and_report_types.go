package analytics

import (
	"time"

	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/analytics/ranking"
)

// Campaign watches where a business ranks around it.
type Campaign struct {
	ID      string
	OwnerID int64
	Name    string
	Settings
	Status Status
	// Metrics is how the business did in the last report; nil before the first.
	Metrics *Metrics
	// NextReport is zero without a schedule.
	NextReport                 time.Time
	CreatedAt, StatusUpdatedAt time.Time
	// ReportDates are the finished reports, oldest first.
	ReportDates []time.Time
}

// Settings is what the owner chose, as it is stored.
type Settings struct {
	Business  ranking.Place `json:"business"`
	Keywords  []Keyword     `json:"keywords"`
	Grid      *GridSettings `json:"grid,omitempty"`
	Points    []MapPoint    `json:"points"`
	Frequency *Frequency    `json:"frequency,omitempty"`
}

// Status is how far a campaign or a report is.
type Status string

// The statuses. A report never has the first.
const (
	StatusCreated    Status = "CREATED"
	StatusCollecting Status = "COLLECTING"
	StatusCollected  Status = "COLLECTED"
	StatusFailed     Status = "FAILED"
)

// Keyword is a search that is watched.
type Keyword struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// GridSettings lays out the points: a square of points whose sides are twice the
// distance.
type GridSettings struct {
	Template  string              `json:"template"`
	Unit      string              `json:"unit"`
	Distance  float64             `json:"distance"`
	BasePoint ranking.Coordinates `json:"basePoint"`
}

// MapPoint is where searches are made from.
type MapPoint struct {
	ID          string              `json:"id"`
	Index       int                 `json:"index"`
	IsEnabled   bool                `json:"isEnabled"`
	Coordinates ranking.Coordinates `json:"coordinates"`
}

// Frequency is when reports are collected without being asked for. Positions are
// days of the week, Monday is 1, or of the month.
type Frequency struct {
	Frequency string `json:"frequency"`
	Interval  int    `json:"interval"`
	Positions []int  `json:"positions"`
	Time      string `json:"time"`
	Enable    bool   `json:"enable"`
}

// Metrics compares the last report with the one before it.
type Metrics struct {
	AveragePosition         float64 `json:"averagePosition"`
	AveragePositionDiff     float64 `json:"averagePositionDiff"`
	AverageShareOfVoice     float64 `json:"averageShareOfVoice"`
	AverageShareOfVoiceDiff float64 `json:"averageShareOfVoiceDiff"`
}

// CampaignChange is what creates or changes a campaign.
type CampaignChange struct {
	PlaceID   wire.Optional[string]
	Name      wire.Optional[string]
	Keywords  wire.Optional[[]string]
	Grid      wire.Optional[GridSettings]
	Points    wire.Optional[[]MapPoint]
	Frequency wire.Optional[Frequency]
}

// Report is one run of a campaign.
type Report struct {
	CampaignID string
	Date       time.Time
	State      Status
	Keywords   []Keyword
	Points     []MapPoint
}

// enabled are the points that searches are made from.
func enabled(points []MapPoint) []MapPoint {
	var out []MapPoint
	for _, p := range points {
		if p.IsEnabled {
			out = append(out, p)
		}
	}
	return out
}
