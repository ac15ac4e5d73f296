package analytics

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/analytics/places"
)

const (
	maxCampaignName = 255
	maxKeywords     = 100
	maxKeyword      = 255
)

// ListCampaigns returns the owner's campaigns whose business matches the query,
// newest first.
func (s *Service) ListCampaigns(ctx context.Context, owner int64, query string) ([]Campaign, error) {
	all, err := listCampaigns(ctx, s.world.DB, owner)
	if err != nil {
		return nil, err
	}
	query = strings.ToLower(query)
	return slices.DeleteFunc(all, func(c Campaign) bool {
		text := strings.ToLower(c.Name + "\n" + c.Business.Name + "\n" + c.Business.Address)
		return !strings.Contains(text, query)
	}), nil
}

// GetCampaign finds a campaign of the owner; another's looks like none.
func (s *Service) GetCampaign(ctx context.Context, owner int64, id string) (Campaign, error) {
	return s.ownCampaign(ctx, s.world.DB, owner, id)
}

func (s *Service) ownCampaign(ctx context.Context, q database.Querier, owner int64, id string) (Campaign, error) {
	c, err := campaignByID(ctx, q, id)
	switch {
	case errors.Is(err, database.ErrNotFound), err == nil && c.OwnerID != owner:
		return Campaign{}, errNotFound("there is no such campaign")
	case err != nil:
		return Campaign{}, err
	}
	c.ReportDates, err = listReportDates(ctx, q, id)
	return c, err
}

// CreateCampaign starts to watch a place.
func (s *Service) CreateCampaign(ctx context.Context, owner int64, change CampaignChange) (Campaign, error) {
	now := s.now()
	c := Campaign{ID: s.world.IDs.UUID(), OwnerID: owner, Status: StatusCreated, CreatedAt: now, StatusUpdatedAt: now}
	placeID, ok := change.PlaceID.Get()
	if !ok || placeID == "" {
		return Campaign{}, errInvalidField("placeId", "is required")
	}
	if !change.Keywords.Present {
		return Campaign{}, errInvalidField("keywords", "is required")
	}
	var err error
	c.Business, err = places.ByID(ctx, s.world.DB, placeID)
	if errors.Is(err, database.ErrNotFound) {
		return Campaign{}, errInvalidField("placeId", "names no known place")
	}
	if err != nil {
		return Campaign{}, err
	}
	c.Name = c.Business.Name
	if err := s.applyCampaign(&c, change, now); err != nil {
		return Campaign{}, err
	}
	err = s.world.DB.WriteKeyed(ctx, campaignsKey(owner), func(ctx context.Context, tx *database.Tx) error {
		n, err := countCampaigns(ctx, tx, owner)
		if err != nil {
			return err
		}
		if n >= s.config.MaxCampaigns {
			return errForbidden("you have as many campaigns as you may")
		}
		if err := insertCampaign(ctx, tx, c); err != nil {
			return err
		}
		return s.enqueueDue(ctx, tx, owner, c.NextReport)
	})
	return c, err
}

// UpdateCampaign changes what is sent and keeps the rest. Keywords that stay keep
// their ids, and so their history.
func (s *Service) UpdateCampaign(ctx context.Context, owner int64, id string, change CampaignChange) (Campaign, error) {
	if change.PlaceID.Present {
		return Campaign{}, errInvalidField("placeId", "cannot change; make another campaign")
	}
	now := s.now()
	var c Campaign
	err := s.world.DB.WriteKeyed(ctx, campaignsKey(owner), func(ctx context.Context, tx *database.Tx) error {
		var err error
		if c, err = s.ownCampaign(ctx, tx, owner, id); err != nil {
			return err
		}
		if err := s.applyCampaign(&c, change, now); err != nil {
			return err
		}
		if err := updateCampaign(ctx, tx, c); err != nil {
			return err
		}
		return s.enqueueDue(ctx, tx, owner, c.NextReport)
	})
	return c, err
}

// DeleteCampaign removes a campaign and its reports.
func (s *Service) DeleteCampaign(ctx context.Context, owner int64, id string) error {
	return s.world.DB.WriteKeyed(ctx, campaignsKey(owner), func(ctx context.Context, tx *database.Tx) error {
		if _, err := s.ownCampaign(ctx, tx, owner, id); err != nil {
			return err
		}
		return deleteCampaign(ctx, tx, id)
	})
}

// applyCampaign merges a change and checks every rule.
func (s *Service) applyCampaign(c *Campaign, change CampaignChange, now time.Time) error {
	if name, ok := change.Name.Get(); ok {
		if strings.TrimSpace(name) == "" || utf8.RuneCountInString(name) > maxCampaignName {
			return errInvalidField("name", "must have 1 to 255 characters")
		}
		c.Name = name
	}
	if change.Keywords.Present {
		keywords, err := s.keywords(c.Keywords, change.Keywords.Value)
		if err != nil {
			return err
		}
		c.Keywords = keywords
	}
	if err := s.applyPoints(c, change); err != nil {
		return err
	}
	if change.Frequency.Present {
		c.Frequency = nil
		if f, ok := change.Frequency.Get(); ok {
			if err := f.completeAndCheck(); err != nil {
				return err
			}
			c.Frequency = &f
		}
		c.NextReport = c.Frequency.next(c.CreatedAt, now)
		if c.Frequency != nil && c.Frequency.Enable && c.NextReport.IsZero() {
			return errInvalidField("collectingFrequency.positions", "names no day of the months that interval leaves")
		}
	}
	return nil
}

// keywords gives the names their ids, those of before where there are any.
func (s *Service) keywords(before []Keyword, names []string) ([]Keyword, error) {
	if len(names) == 0 || len(names) > maxKeywords {
		return nil, errInvalidField("keywords", "must be 1 to 100")
	}
	out := make([]Keyword, 0, len(names))
	for i, name := range names {
		name = strings.TrimSpace(name)
		field := "keywords[" + strconv.Itoa(i) + "]"
		same := func(k Keyword) bool { return k.Name == name }
		switch {
		case name == "" || utf8.RuneCountInString(name) > maxKeyword:
			return nil, errInvalidField(field, "must have 1 to 255 characters")
		case slices.ContainsFunc(out, same):
			return nil, errInvalidField(field, "is there already")
		}
		k := Keyword{ID: s.world.IDs.UUID(), Name: name}
		if at := slices.IndexFunc(before, same); at >= 0 {
			k = before[at]
		}
		out = append(out, k)
	}
	return out, nil
}

func campaignsKey(owner int64) string { return "analytics/campaigns/" + strconv.FormatInt(owner, 10) }
