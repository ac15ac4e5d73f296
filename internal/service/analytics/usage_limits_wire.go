package analytics

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
