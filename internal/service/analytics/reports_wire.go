package analytics

import "stoa.dev/stoa/internal/service/analytics/ranking"

type collectJSON struct {
	CollectingReportDate string `json:"collectingReportDate"`
}

type keywordStatusesJSON struct {
	Keywords []keywordStatusJSON `json:"keywords"`
}

type keywordStatusJSON struct {
	Keyword Keyword `json:"keyword"`
	Status  Status  `json:"status"`
}

type heatmapJSON struct {
	Keyword   Keyword         `json:"keyword"`
	Date      string          `json:"date"`
	Positions []heatPointJSON `json:"positions"`
}

type heatPointJSON struct {
	Point    heatPlaceJSON `json:"point"`
	Position int           `json:"position"`
	Diff     int           `json:"diff"`
}

type heatPlaceJSON struct {
	ID          string              `json:"id"`
	Coordinates ranking.Coordinates `json:"coordinates"`
}

func (h Heatmap) toWire() heatmapJSON {
	out := heatmapJSON{
		Keyword: h.Keyword, Date: h.Date.Format(timeForm), Positions: make([]heatPointJSON, len(h.Points)),
	}
	for i, p := range h.Points {
		out.Positions[i] = heatPointJSON{
			Point: heatPlaceJSON{ID: p.Point.ID, Coordinates: p.Point.Coordinates}, Position: p.Position, Diff: p.Diff,
		}
	}
	return out
}

type metricsJSON struct {
	AveragePositions map[string]float64 `json:"average_positions"`
	ShareOfVoices    map[string]float64 `json:"share_of_voices"`
}

func metricsToWire(moments []DatedStanding) metricsJSON {
	out := metricsJSON{AveragePositions: map[string]float64{}, ShareOfVoices: map[string]float64{}}
	for _, m := range moments {
		date := m.Date.Format(timeForm)
		out.AveragePositions[date], out.ShareOfVoices[date] = m.AveragePosition, m.ShareOfVoice
	}
	return out
}

type standingJSON struct {
	Business        businessJSON `json:"business"`
	AveragePosition float64      `json:"averagePosition"`
	ShareOfVoice    float64      `json:"shareOfVoice"`
	ShareOfTop3     float64      `json:"shareOfTop3"`
}

func (s Standing) toWire() standingJSON {
	return standingJSON{
		Business: businessToWire(s.Place), AveragePosition: s.AveragePosition, ShareOfVoice: s.ShareOfVoice,
		ShareOfTop3: s.ShareOfTop3,
	}
}

type competitorsJSON struct {
	Business    standingJSON           `json:"business"`
	Competitors pageJSON[standingJSON] `json:"competitors"`
}
