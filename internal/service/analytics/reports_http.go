package analytics

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

func (s *Service) handleKeywords(w http.ResponseWriter, r *route.Request) error {
	date, err := readDate(r.Query(), false)
	if err != nil {
		return err
	}

	report, err := s.KeywordStatuses(r.Context(), identity.From(r).UserID, r.PathValue("campaignId"), date)
	if err != nil {
		return err
	}

	out := keywordStatusesJSON{Keywords: make([]keywordStatusJSON, len(report.Keywords))}
	for i, k := range report.Keywords {
		out.Keywords[i] = keywordStatusJSON{Keyword: k, Status: report.State}
	}
	return writeData(w, r, out)
}

// handleHeatmap answers with data, or with a picture when that is asked for.
func (s *Service) handleHeatmap(w http.ResponseWriter, r *route.Request) error {
	query := r.Query()
	keyword, filter, err := readKeyword(query)
	if err != nil {
		return err
	}
	date, err := readDate(query, true)
	if err != nil {
		return err
	}
	format := query.Get("format")
	if format != "" && format != "json" && format != "png" {
		return errInvalidField("format", "must be json or png")
	}

	heat, err := s.GetHeatmap(r.Context(), identity.From(r).UserID, r.PathValue("campaignId"), keyword, date, filter)
	if err != nil {
		return err
	}

	if format == "png" || format == "" && strings.HasPrefix(r.Header.Get("Accept"), "image/png") {
		place, err := s.renders.Take(r.Context(), r.Owner(), 1)
		if err != nil {
			return err
		}
		defer place.Release()
		picture, err := s.renderHeatmap(heat)
		if err != nil {
			return err
		}
		return wire.WriteBytes(w, r.Request, http.StatusOK, "image/png", picture)
	}
	return writeData(w, r, heat.toWire())
}

func (s *Service) handleMetrics(w http.ResponseWriter, r *route.Request) error {
	keyword, filter, err := readKeyword(r.Query())
	if err != nil {
		return err
	}

	moments, err := s.GetMetrics(r.Context(), identity.From(r).UserID, r.PathValue("campaignId"), keyword, filter)
	if err != nil {
		return err
	}

	return writeData(w, r, metricsToWire(moments))
}

func (s *Service) handleTopCompetitors(w http.ResponseWriter, r *route.Request) error {
	query := r.Query()
	p, err := readPager(query, false, "averagePosition", "name", "rating", "reviewNumber", "shareOfVoice")
	if err != nil {
		return err
	}
	keyword, _, err := readKeyword(query)
	if err != nil {
		return err
	}
	date, err := readDate(query, true)
	if err != nil {
		return err
	}

	own, others, err := s.GetTopCompetitors(
		r.Context(), identity.From(r).UserID, r.PathValue("campaignId"), keyword, date,
	)
	if err != nil {
		return err
	}

	slices.SortFunc(others, func(a, b Standing) int {
		return cmp.Or(p.order(p.compare(a, b)), cmp.Compare(a.Place.ID, b.Place.ID))
	})
	list := make([]standingJSON, len(others))
	for i, o := range others {
		list[i] = o.toWire()
	}
	return writeData(w, r, competitorsJSON{Business: own.toWire(), Competitors: newPage(p, list)})
}

func (p pager) compare(a, b Standing) int {
	switch p.field {
	case "name":
		return cmp.Compare(a.Place.Name, b.Place.Name)
	case "rating":
		return cmp.Compare(a.Place.Rating, b.Place.Rating)
	case "reviewNumber":
		return cmp.Compare(a.Place.Reviews, b.Place.Reviews)
	case "shareOfVoice":
		return cmp.Compare(a.ShareOfVoice, b.ShareOfVoice)
	}
	return cmp.Compare(a.AveragePosition, b.AveragePosition)
}

func (s *Service) handleCollect(w http.ResponseWriter, r *route.Request) error {
	var none struct{} // it has parameters, and members in their place would do nothing
	if err := wire.ReadJSON(r.Request, &none, wire.AllowEmpty(), wire.DisallowUnknown()); err != nil {
		return err
	}
	date, err := readDate(r.Query(), false)
	if err != nil {
		return err
	}

	date, err = s.Collect(r.Context(), identity.From(r).UserID, r.PathValue("campaignId"), date)
	if err != nil {
		return err
	}

	return writeData(w, r, collectJSON{CollectingReportDate: date.Format(timeForm)})
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
