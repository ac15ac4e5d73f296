package analytics

import "context"

// Limits is what a user may have and has.
type Limits struct{ Campaigns, MaxCampaigns, Spent, Credits int64 }

// GetLimits counts campaigns and the credits of this month.
func (s *Service) GetLimits(ctx context.Context, owner int64) (Limits, error) {
	a := Limits{MaxCampaigns: s.config.MaxCampaigns, Credits: s.config.CreditsPerMonth}
	var err error
	if a.Campaigns, err = countCampaigns(ctx, s.world.DB, owner); err != nil {
		return a, err
	}
	a.Spent, err = creditsSpent(ctx, s.world.DB, owner, s.now().Format("2006-01"))
	return a, err
}
