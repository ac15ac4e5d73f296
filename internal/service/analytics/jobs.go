package analytics

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/limit"
)

// The kinds of background work.
const (
	collectKind = Name + ".collect"
	dueKind     = Name + ".due"
	sweepKind   = Name + ".sweep"
)

// duePayload names the owner some of whose campaigns may be due.
type duePayload struct {
	Owner int64 `json:"owner,omitempty"`
	// Campaign is in jobs of earlier releases, in place of its owner.
	Campaign string `json:"campaign,omitempty"`
}

type sweepPayload struct{}

// collectWorkers is how many reports are ranked at once, one of them for each
// owner: an owner may have a hundred campaigns of minutes each.
const collectWorkers = 2

// maxCollecting is how many reports of one owner may be unfinished. A campaign
// has one at a time, so that only those of deleted campaigns come on top of what
// max_campaigns allows.
const maxCollecting = 500

// ownerKey is how the queue names an owner.
func ownerKey(ownerID int64) string { return Name + "/" + strconv.FormatInt(ownerID, 10) }

func (s *Service) jobs() []jobs.Registration {
	return []jobs.Registration{
		jobs.Define(jobs.Kind[collectPayload]{
			Name:        collectKind,
			About:       "Fills a report of a campaign.",
			MaxAttempts: 5, Timeout: 10 * time.Minute, Run: s.runCollect,
			Concurrency: collectWorkers, PerOwner: jobs.Share{Running: 1, Waiting: maxCollecting},
		}),
		jobs.Define(jobs.Kind[duePayload]{
			Name:  dueKind,
			About: "Collects the reports that the schedules of an owner ask for.",
			Safe:  true, MaxAttempts: 10, Timeout: time.Minute, Run: s.runDue,
		}),
		jobs.Define(jobs.Kind[sweepPayload]{
			Name:  sweepKind,
			About: "Deletes the keys of old requests, and gives up reports whose last attempt failed.",
			Safe:  true, MaxAttempts: 1, Timeout: time.Minute, Run: s.runSweep,
		}),
	}
}

// start writes the schedule of the sweep.
func (s *Service) start(ctx context.Context) error {
	return s.world.Jobs.Schedule(ctx, jobs.Schedule{
		Name: sweepKind, Spec: "@hourly", Kind: sweepKind, Payload: sweepPayload{},
	})
}

// runCollect fills a report. When the last attempt fails, the report is marked so,
// and the owner may collect again.
func (s *Service) runCollect(ctx context.Context, job jobs.Job, p collectPayload) error {
	err := s.computeReport(ctx, p)
	if err == nil || job.Attempt < job.MaxAttempts {
		return err
	}
	return errors.Join(err, s.finishReport(
		context.WithoutCancel(ctx), Report{CampaignID: p.Campaign, Date: p.Date}, nil, StatusFailed,
	))
}

// enqueueDue asks for the next report of an owner's schedules. One job waits for all of them, at the earliest time: it
// is the same one that a campaign which was deleted or changed meanwhile asked for.
func (s *Service) enqueueDue(ctx context.Context, tx *database.Tx, owner int64, at time.Time) error {
	if at.IsZero() {
		return nil
	}
	_, err := s.world.Jobs.Enqueue(ctx, tx, jobs.Enqueue{
		Kind: dueKind, Payload: duePayload{Owner: owner}, At: at, Owner: ownerKey(owner), Dedupe: ownerKey(owner),
	})
	return err
}

// runDue collects the reports that an owner's schedules ask for.
func (s *Service) runDue(ctx context.Context, _ jobs.Job, p duePayload) error {
	if p.Owner == 0 {
		c, err := campaignByID(ctx, s.world.DB, p.Campaign)
		if errors.Is(err, database.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		p.Owner = c.OwnerID
	}
	now := s.now()
	return s.world.DB.WriteKeyed(ctx, campaignsKey(p.Owner), func(ctx context.Context, tx *database.Tx) error {
		list, err := listCampaigns(ctx, tx, p.Owner)
		if err != nil {
			return err
		}
		var next time.Time
		for _, c := range slices.Backward(list) { // the oldest has the first of the credits
			if !c.NextReport.IsZero() && !c.NextReport.After(now) {
				c.NextReport = c.Frequency.next(c.CreatedAt, now)
				if err := s.beginDueReport(ctx, tx, c, now); err != nil {
					return err
				}
			}
			if !c.NextReport.IsZero() && (next.IsZero() || c.NextReport.Before(next)) {
				next = c.NextReport
			}
		}
		return s.enqueueDue(ctx, tx, p.Owner, next)
	})
}

// beginDueReport opens the report that a schedule asks for. Without enough credits, with too many reports unfinished,
// while another is collected or its owner is disabled, this one is left out and the next comes as planned.
func (s *Service) beginDueReport(ctx context.Context, tx *database.Tx, c Campaign, now time.Time) error {
	if err := updateCampaign(ctx, tx, c); err != nil || c.Status == StatusCollecting {
		return err
	}
	err := grants.Initiator{UserID: c.OwnerID}.MayGoOn(ctx, tx, now)
	if errors.Is(err, identity.ErrDisabled) {
		return nil
	}
	if err == nil {
		err = s.beginReport(ctx, tx, c, now, now)
	}
	var refused *Error
	var full *limit.Exceeded
	if errors.As(err, &refused) || errors.As(err, &full) {
		return nil
	}
	return err
}

// maxCollectTime is longer than all attempts to collect a report with the pauses
// between them.
const maxCollectTime = 2 * time.Hour

// runSweep forgets the keys of old creates, and gives up reports whose last attempt
// ended with its process or in a panic: their owners could not collect again. A report
// whose job still waits, behind others of its owner, is left alone.
func (s *Service) runSweep(ctx context.Context, _ jobs.Job, _ sweepPayload) error {
	now := s.now()
	before := now.Add(-maxCollectTime)
	old, err := listOldCollecting(ctx, s.world.DB, before)
	if err != nil {
		return err
	}
	for _, c := range old {
		if err := s.failAbandoned(ctx, c, before, now); err != nil {
			return err
		}
	}
	return s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		return deleteRetries(ctx, tx, now.Add(-retryKeyTTL))
	})
}

// failAbandoned gives up what a campaign has been collecting since before a time, unless a job of it waits or runs. It
// takes the key of the owner's campaigns: a change of one writes the status that it read.
func (s *Service) failAbandoned(ctx context.Context, c oldCollecting, before, now time.Time) error {
	alive, err := s.hasCollectJob(ctx, c.campaign)
	if err != nil || alive {
		return err
	}
	return s.world.DB.WriteKeyed(ctx, campaignsKey(c.owner), func(ctx context.Context, tx *database.Tx) error {
		return failAbandoned(ctx, tx, c.campaign, before, now)
	})
}

// hasCollectJob reports whether a job of a campaign waits or runs.
func (s *Service) hasCollectJob(ctx context.Context, campaign string) (bool, error) {
	list, err := s.world.Jobs.List(ctx, jobs.Filter{Kind: collectKind, Key: campaign})
	return slices.ContainsFunc(list, func(j jobs.Info) bool { return j.State != jobs.Dead }), err
}
