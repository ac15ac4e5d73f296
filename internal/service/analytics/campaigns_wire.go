package analytics

import (
	"encoding/json"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/analytics/ranking"
)

// timeForm is ISO 8601 in UTC with milliseconds.
const timeForm = "2006-01-02T15:04:05.000Z"

type campaignRequest struct {
	PlaceID   wire.Optional[string]         `json:"placeId"`
	Name      wire.Optional[string]         `json:"name"`
	Keywords  wire.Optional[[]string]       `json:"keywords"`
	Grid      wire.Optional[GridSettings]   `json:"gridSettings"`
	Points    wire.Optional[[]pointRequest] `json:"points"`
	Frequency wire.Optional[Frequency]      `json:"collectingFrequency"`
}

// pointRequest is a point as answers show it, so that they can be sent back: the id and the
// index are given anew.
type pointRequest struct {
	ID          json.RawMessage      `json:"id"`
	Index       json.RawMessage      `json:"index"`
	IsEnabled   wire.Optional[bool]  `json:"isEnabled"`
	Coordinates *ranking.Coordinates `json:"coordinates"`
}

func (q campaignRequest) fromWire() (CampaignChange, error) {
	change := CampaignChange{
		PlaceID: q.PlaceID, Name: q.Name, Keywords: q.Keywords, Grid: q.Grid, Frequency: q.Frequency,
	}
	if list, ok := q.Points.Get(); ok {
		points := make([]MapPoint, len(list))
		for i, p := range list {
			if p.Coordinates == nil {
				return change, errInvalidField("points["+strconv.Itoa(i)+"].coordinates", "is required")
			}
			points[i] = MapPoint{IsEnabled: p.IsEnabled.Or(true), Coordinates: *p.Coordinates}
		}
		change.Points = wire.Some(points)
	}
	return change, nil
}

type businessJSON struct {
	CID          string              `json:"cid"`
	PlaceIDs     []string            `json:"placeIds"`
	Name         string              `json:"name"`
	Address      string              `json:"address"`
	Rating       float64             `json:"rating"`
	ReviewNumber int64               `json:"reviewNumber"`
	Coordinates  ranking.Coordinates `json:"coordinates"`
}

func businessToWire(p ranking.Place) businessJSON {
	return businessJSON{
		CID: p.CID, PlaceIDs: []string{p.ID}, Name: p.Name, Address: p.Address,
		Rating: p.Rating, ReviewNumber: p.Reviews, Coordinates: p.At(),
	}
}

type frequencyJSON struct {
	Frequency string `json:"frequency"`
	Positions []int  `json:"positions"`
	Enable    bool   `json:"enable"`
}

type sharingJSON struct {
	AccessType  string `json:"accessType"`
	OwnerEmail  string `json:"ownerEmail"`
	SharesCount int    `json:"sharesCount"`
}

// campaignJSON is a campaign; in lists it has numbers in place of keywords and
// points.
type campaignJSON struct {
	ID                  string         `json:"id"`
	UserID              string         `json:"userId"`
	Name                string         `json:"name"`
	SharingStatus       sharingJSON    `json:"sharingStatus"`
	CollectingFrequency *frequencyJSON `json:"collectingFrequency,omitempty"`
	Keywords            []Keyword      `json:"keywords,omitempty"`
	KeywordsNumber      *int           `json:"keywordsNumber,omitempty"`
	GridSettings        *GridSettings  `json:"gridSettings,omitempty"`
	Points              []MapPoint     `json:"points,omitempty"`
	PointsNumber        *int           `json:"pointsNumber,omitempty"`
	CountryCode         string         `json:"countryCode"`
	Business            businessJSON   `json:"business"`
	LastReportDate      string         `json:"lastReportDate,omitempty"`
	NextReportDate      string         `json:"nextReportDate,omitempty"`
	ReportDates         []string       `json:"reportDates,omitempty"`
	CreatedAt           string         `json:"createdAt"`
	Status              Status         `json:"status"`
	StatusUpdatedAt     string         `json:"statusUpdatedAt"`
	ProjectMetrics      any            `json:"projectMetrics,omitempty"`
}

func (c Campaign) toWire(owner string) campaignJSON {
	out := c.commonToWire(owner)
	out.Keywords, out.Points, out.ReportDates = c.Keywords, c.Points, make([]string, len(c.ReportDates))
	for i, date := range c.ReportDates {
		out.ReportDates[i] = date.Format(timeForm)
		out.LastReportDate = out.ReportDates[i]
	}
	return out
}

func (c Campaign) toListWire(owner string) campaignJSON {
	out := c.commonToWire(owner)
	keywords, points := len(c.Keywords), len(c.Points)
	out.KeywordsNumber, out.PointsNumber = &keywords, &points
	out.ProjectMetrics = struct{}{}
	if c.Metrics != nil {
		out.ProjectMetrics = c.Metrics
	}
	return out
}

func (c Campaign) commonToWire(owner string) campaignJSON {
	out := campaignJSON{
		ID: c.ID, UserID: strconv.FormatInt(c.OwnerID, 10), Name: c.Name,
		SharingStatus: sharingJSON{AccessType: "OWNER", OwnerEmail: owner},
		GridSettings:  c.Grid, CountryCode: c.Business.Country, Business: businessToWire(c.Business),
		NextReportDate: timeText(c.NextReport), CreatedAt: c.CreatedAt.Format(timeForm),
		Status: c.Status, StatusUpdatedAt: c.StatusUpdatedAt.Format(timeForm),
	}
	if f := c.Frequency; f != nil {
		out.CollectingFrequency = &frequencyJSON{Frequency: f.Frequency, Positions: f.Positions, Enable: f.Enable}
	}
	return out
}

func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(timeForm)
}
