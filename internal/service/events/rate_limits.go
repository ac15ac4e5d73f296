package events

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// core is the resource that all operations are counted as.
const core = "core"

// budget is the primary budget that a request uses.
type budget struct {
	window limit.Window
	key    string
	// who and id are how a refusal names the caller.
	who, id string
}

// of is the same caller's budget of another resource, which is as large.
func (b budget) of(resource string) budget {
	b.window.Name = Name + "." + resource
	return b
}

// primary is the hourly window of every primary budget. All use one name, so
// that a user has one count whatever the token's limit is.
func (s *Service) primary(hourly int64) limit.Window {
	return limit.Window{Name: Name + ".core", Limit: hourly, Per: time.Hour, Penalty: s.penalty()}
}

// penalty is the ban for callers who go on while they are refused.
func (s *Service) penalty() limit.Penalty {
	l := s.config.Limits
	return limit.Penalty{After: l.BanAfter, Base: l.BanBase, Max: l.BanMax}
}

// secondary are the windows that every request of a caller is charged to.
func (s *Service) secondary(key, route string, points int64, creates bool) []limit.Charge {
	l := s.config.Limits
	perRoute := limit.Window{Name: Name + ".points", Limit: l.Points, Per: time.Minute, Penalty: s.penalty()}
	if route == query {
		perRoute.Limit = l.QueryPoints
	}
	charges := make([]limit.Charge, 0, 4)
	charges = append(charges,
		limit.Charge{Window: perRoute, Key: key + " " + route, Cost: points},
		limit.Charge{Window: s.cpu(), Key: key, Cost: 1})
	if creates {
		minute := limit.Window{Name: Name + ".content.minute", Limit: l.ContentMinute, Per: time.Minute}
		hour := limit.Window{Name: Name + ".content.hour", Limit: l.ContentHour, Per: time.Hour}
		charges = append(charges,
			limit.Charge{Window: minute, Key: key, Cost: 1}, limit.Charge{Window: hour, Key: key, Cost: 1})
	}
	return charges
}

// cpu counts microseconds. One is charged before the work, the rest is spent
// when it is known.
func (s *Service) cpu() limit.Window {
	return limit.Window{Name: Name + ".cpu", Limit: s.config.Limits.CPU.Microseconds(), Per: time.Minute}
}

// queryCPU is the part of it that queries may use.
func (s *Service) queryCPU() limit.Window {
	return limit.Window{Name: Name + ".cpu.graphql", Limit: s.config.Limits.QueryCPU.Microseconds(), Per: time.Minute}
}

// budgetOf is the table of primary limits.
func (s *Service) budgetOf(ctx context.Context, c *identity.Caller, address string) (budget, error) {
	l := s.config.Limits
	enterprise := c != nil && c.ClientEnterprise
	if c == nil {
		return budget{s.primary(l.Anonymous), "ip:" + address, "", address}, nil
	}
	switch {
	case c.Kind == identity.KindWorkflow:
		return s.workflowBudget(ctx, c)
	case c.Kind == identity.KindClient:
		hourly := choose(enterprise, l.EnterpriseApp, l.App)
		return budget{s.primary(hourly), c.LimitKey(), "client ID ", c.ClientID}, nil
	case c.UserID != 0:
		return budget{s.primary(choose(enterprise, l.EnterpriseUser, l.User)), c.LimitKey(), "user ID ", ""}, nil
	case c.Kind == identity.KindInstallation:
		hourly, err := s.installationLimit(ctx, c)
		return budget{s.primary(hourly), c.LimitKey(), "installation ID ", c.ClientID}, err
	}
	return budget{s.primary(l.App), c.LimitKey(), "client ID ", c.ClientID}, nil
}

// installationLimit grows with the repositories and users of the installation.
func (s *Service) installationLimit(ctx context.Context, c *identity.Caller) (int64, error) {
	l := s.config.Limits
	if c.OrgEnterprise {
		return l.EnterpriseInstallation, nil
	}
	repositories, users, err := s.forge.InstallationSize(ctx, c)
	more := max(0, repositories-l.InstallationFree) + max(0, users-l.InstallationFree)
	return min(l.InstallationMax, l.Installation+l.InstallationPerOne*more), err
}

// workflowBudget belongs to the repository, also under its former names.
func (s *Service) workflowBudget(ctx context.Context, c *identity.Caller) (budget, error) {
	l := s.config.Limits
	b := budget{s.primary(l.Workflow), c.LimitKey(), "repository ", c.Repo}
	r, err := s.forge.BoundTo(ctx, c)
	if errors.Is(err, forge.ErrNotFound) || errors.Is(err, forge.ErrInvalid) {
		return b, nil
	}
	if err != nil {
		return b, err
	}
	b.key = "repo-id:" + strconv.FormatInt(r.ID, 10)
	if r.Owner.Kind != forge.OwnerOrg {
		return b, nil
	}
	org, err := s.identity.Org(ctx, r.Owner.ID)
	b.window = s.primary(choose(org.Enterprise, l.EnterpriseWorkflow, l.Workflow))
	return b, err
}

func choose(yes bool, a, b int64) int64 {
	if yes {
		return a
	}
	return b
}

// primaryError is the refusal of a primary budget.
func primaryError(b budget, d limit.Decision) *Error {
	id := b.id
	if id == "" {
		_, id, _ = strings.Cut(b.key, ":") // user:NUMBER
	}
	return &Error{
		Code: refusal.CodePrimary, Message: "API rate limit exceeded for " + b.who + id + ".", RetryAfter: d.RetryAfter,
	}
}

// secondaryError is the refusal of any other.
func secondaryError(d limit.Decision) *Error {
	wait := d.RetryAfter
	if wait <= 0 {
		wait = time.Minute
	}
	return &Error{
		Code: refusal.CodeSecondary, RetryAfter: wait,
		Message: "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
	}
}
