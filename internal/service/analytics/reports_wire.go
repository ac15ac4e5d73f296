package analytics

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/service/analytics/ranking"
)

type sortJSON struct {
	Empty    bool `json:"empty"`
	Sorted   bool `json:"sorted"`
	Unsorted bool `json:"unsorted"`
}

type pageableJSON struct {
	PageNumber int      `json:"pageNumber"`
	PageSize   int      `json:"pageSize"`
	Sort       sortJSON `json:"sort"`
	Offset     int      `json:"offset"`
	Paged      bool     `json:"paged"`
	Unpaged    bool     `json:"unpaged"`
}

// pageJSON is one page of a list, with everything a pager wants to know.
type pageJSON[T any] struct {
	Content          []T          `json:"content"`
	Pageable         pageableJSON `json:"pageable"`
	Sort             sortJSON     `json:"sort"`
	First            bool         `json:"first"`
	Last             bool         `json:"last"`
	TotalElements    int          `json:"totalElements"`
	TotalPages       int          `json:"totalPages"`
	Size             int          `json:"size"`
	Number           int          `json:"number"`
	NumberOfElements int          `json:"numberOfElements"`
	Empty            bool         `json:"empty"`
}

const (
	defaultPageSize = 10
	maxPageSize     = 100
	maxPage         = 1 << 20
)

// pager is which page is asked for, and in which order.
type pager struct {
	page, size int
	field      string
	descending bool
}

// readPager reads page, size and sort. The first of fields is the default order.
func readPager(query url.Values, descending bool, fields ...string) (pager, error) {
	p := pager{size: defaultPageSize, field: fields[0], descending: descending}
	for _, n := range []struct {
		name      string
		to        *int
		low, high int
	}{{"page", &p.page, 0, maxPage}, {"size", &p.size, 1, maxPageSize}} {
		text := query.Get(n.name)
		if text == "" {
			continue
		}
		value, err := strconv.Atoi(text)
		if err != nil || value < n.low || value > n.high {
			return p, errInvalidField(n.name, "must be a number from %d to %d", n.low, n.high)
		}
		*n.to = value
	}
	if text := query.Get("sort"); text != "" {
		field, direction, _ := strings.Cut(text, ",")
		known := false
		for _, f := range fields {
			known = known || f == field
		}
		if !known || direction != "" && direction != "ASC" && direction != "DESC" {
			return p, errInvalidField("sort", "must be one of %s with ,ASC or ,DESC", strings.Join(fields, ", "))
		}
		p.field, p.descending = field, direction == "DESC"
	}
	return p, nil
}

// order turns a comparison round when the order is descending.
func (p pager) order(c int) int {
	if p.descending {
		return -c
	}
	return c
}

// newPage cuts one page out of a sorted list.
func newPage[T any](p pager, all []T) pageJSON[T] {
	offset := p.page * p.size
	from := min(offset, len(all))
	content := all[from:min(from+p.size, len(all))]
	if content == nil {
		content = []T{}
	}
	pages := (len(all) + p.size - 1) / p.size
	sorted := sortJSON{Sorted: true}
	return pageJSON[T]{
		Content:  content,
		Pageable: pageableJSON{PageNumber: p.page, PageSize: p.size, Sort: sorted, Offset: offset, Paged: true},
		Sort:     sorted, First: p.page == 0, Last: p.page+1 >= pages, TotalElements: len(all), TotalPages: pages,
		Size: p.size, Number: p.page, NumberOfElements: len(content), Empty: len(content) == 0,
	}
}

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

type limitsJSON struct {
	Campaigns campaignLimitJSON `json:"campaigns"`
	Credits   creditLimitJSON   `json:"credits"`
}

type campaignLimitJSON struct {
	Total     int64 `json:"total"`
	InUse     int64 `json:"inUse"`
	Available int64 `json:"available"`
}

type creditLimitJSON struct {
	Total          int64 `json:"total"`
	SpentThisMonth int64 `json:"spentThisMonth"`
	Available      int64 `json:"available"`
}

func (a Limits) toWire() limitsJSON {
	return limitsJSON{
		Campaigns: campaignLimitJSON{
			Total: a.MaxCampaigns, InUse: a.Campaigns, Available: max(a.MaxCampaigns-a.Campaigns, 0),
		},
		Credits: creditLimitJSON{Total: a.Credits, SpentThisMonth: a.Spent, Available: max(a.Credits-a.Spent, 0)},
	}
}

// readDate reads reportDate, which is one of reportDates to the letter or the same
// moment in another spelling. Required ones must be there.
func readDate(query url.Values, required bool) (time.Time, error) {
	text := query.Get("reportDate")
	if text == "" {
		if required {
			return time.Time{}, errInvalidField("reportDate", "is required")
		}
		return time.Time{}, nil
	}
	date, err := time.Parse(time.RFC3339, text)
	if err != nil || date.Year() < 1970 || date.Year() > 9999 {
		return time.Time{}, errInvalidField("reportDate", "must be a moment such as 2026-03-02T09:00:00.000Z")
	}
	return date.UTC(), nil
}

// readKeyword reads keywordId and the places that the report is about.
func readKeyword(query url.Values) (keyword string, filter PlaceFilter, err error) {
	keyword = query.Get("keywordId")
	if keyword == "" {
		return "", filter, errInvalidField("keywordId", "is required")
	}
	filter.CID = query.Get("cid")
	if list := query.Get("placeIds"); list != "" {
		filter.PlaceIDs = strings.Split(list, ",")
	}
	if filter.CID != "" && filter.PlaceIDs != nil {
		return "", filter, errInvalidField("placeIds", "must not be sent together with cid")
	}
	return keyword, filter, nil
}
