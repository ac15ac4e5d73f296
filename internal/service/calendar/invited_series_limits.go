package calendar

import (
	"context"
	"errors"
	"math"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/calendar/timespan"
)

// What others may invite a user to without being asked. Series are expanded with every
// question about the user's time, within the steps of one request (maxSteps): those of
// others leave the greater part of them to the user's own.
const (
	maxInvitedSeries = 100 // that have not ended
	maxSeriesOfOne   = 50  // of them by one user
	maxInvitedSteps  = 800 // that one takes to expand a year, a daily one 730
	maxInvitedMonth  = 62  // instances of one in 31 days
)

// isCrowded reports whether a calendar takes no copy of a series.
func (s *Service) isCrowded(ctx context.Context, tx *database.Tx, guest, origin string, e eventRow) (bool, error) {
	if !e.recurring {
		return false, nil
	}
	all, ofOne, err := countInvitedSeries(ctx, tx, guest, origin, s.now())
	if err != nil || all >= maxInvitedSeries || ofOne >= maxSeriesOfOne {
		return true, err
	}
	return e.isLong(ctx, s.now())
}

// isLong reports whether a series is, in its first year or in the next one, more work to
// expand than one that others invite to may be.
func (e eventRow) isLong(ctx context.Context, now time.Time) (bool, error) {
	series, err := e.doc.Series()
	if err != nil {
		return false, nil // It was checked when it was stored, by wider bounds perhaps: it has no instances.
	}
	for _, from := range []time.Time{e.starts, timespan.Later(e.starts, now)} {
		keys, err := series.Between(budget.NewSteps(ctx, maxInvitedSteps), from, from.AddDate(1, 0, 0), math.MaxInt32)
		if errors.As(err, new(*budget.StepsError)) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		for i := maxInvitedMonth; i < len(keys); i++ {
			if keys[i].Sub(keys[i-maxInvitedMonth]) < 31*24*time.Hour {
				return true, nil
			}
		}
	}
	return false, nil
}

// countInvitedSeries counts the series that were copied to a calendar and have not ended,
// and those of them whose organizer's calendar has the owner of the origin.
func countInvitedSeries(
	ctx context.Context, q database.Querier, calendar, origin string, now time.Time,
) (all, ofOne int, err error) {
	err = q.QueryRow(ctx, `
		SELECT count(*), coalesce(sum(CASE WHEN o.owner_id = asks.owner_id THEN 1 ELSE 0 END), 0)
		FROM calendar_events e
		JOIN calendar_calendars o ON o.id = e.origin
		JOIN calendar_calendars asks ON asks.id = $2
		WHERE e.calendar_id = $1 AND e.origin <> '' AND e.recurring AND NOT e.cancelled
			AND (e.ends IS NULL OR e.ends > $3)`, calendar, origin, database.FormatTime(now)).Scan(&all, &ofOne)
	return all, ofOne, err
}
