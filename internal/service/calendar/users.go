package calendar

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/calendar/acl"
	"stoa.dev/stoa/internal/service/calendar/listentry"
	"stoa.dev/stoa/internal/service/calendar/refusal"
)

// user is a user as this service knows them: the caller, or another one.
type user struct {
	id      int64
	address string
	name    string
	listSeq int64 // counts the changes of the user's list of calendars
	// client, keyID and has are those of the caller's credential; unrestricted means that
	// one of its scopes opens the operation on every calendar and not on some only.
	client       string
	keyID        int64
	has          func(scope string) bool
	unrestricted bool
}

// owner is whose budget the user's requests spend.
func (u user) owner() budget.Owner { return budget.Caller(strconv.FormatInt(u.id, 10)) }

// defaultDomain is the domain of users who have no mail address.
const defaultDomain = identity.LocalDomain

// callerUser finds the caller, who is given an address and a primary calendar with
// the first request.
func (s *Service) callerUser(ctx context.Context, c *identity.Caller) (user, error) {
	if c.UserID == 0 {
		return user{}, errForbidden("the token speaks for no user; calendars belong to users")
	}
	u, err := s.ensureUser(ctx, c.UserID)
	u.client, u.keyID, u.has = c.ClientID, c.TokenID, c.HasScope
	return u, err
}

// ensureUser finds a user by id, and makes the row if need be.
func (s *Service) ensureUser(ctx context.Context, id int64) (user, error) {
	u, err := s.users.Get(ctx, s.world.DB, id)
	if !errors.Is(err, database.ErrNotFound) {
		return u, err
	}
	account, err := s.identity.User(ctx, id)
	if err != nil {
		return user{}, fmt.Errorf("find the caller: %w", err)
	}
	now := s.world.Clock.Now()
	err = s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) (err error) {
		u, err = s.createUser(ctx, tx, account, now)
		return err
	})
	return u, err
}

func (s *Service) userByName(ctx context.Context, name string) (user, error) {
	account, err := s.identity.UserByName(ctx, name)
	if err != nil {
		return user{}, err
	}
	return s.ensureUser(ctx, account.ID)
}

// createUser gives a user the first free of several addresses, a primary
// calendar, the rule that makes it theirs and a place on their list.
func (s *Service) createUser(ctx context.Context, tx *database.Tx, account identity.User, now time.Time) (user, error) {
	u, err := userByID(ctx, tx, account.ID)
	if !errors.Is(err, database.ErrNotFound) {
		return u, err // Another request was faster.
	}
	u = user{id: account.ID, name: account.DisplayName}
	for _, address := range []string{
		account.Email, account.Name + "@" + defaultDomain,
		fmt.Sprintf("%s.%d@%s", account.Name, account.ID, defaultDomain),
	} {
		if address == "" {
			continue
		}
		u.address = strings.ToLower(address)
		_, err := calendarByID(ctx, tx, u.address)
		if missing, err := refusal.IsMissing(err); err != nil {
			return u, err
		} else if !missing {
			continue // It is the id of a calendar.
		}
		free, err := insertUser(ctx, tx, u)
		if err != nil {
			return u, err
		}
		if free {
			c := calendarRow{
				id: u.address, ownerID: u.id, primary: true, doc: calendarJSON{Summary: u.address, TimeZone: "UTC"},
				updated: now, version: 1,
			}
			return u, s.createCalendar(ctx, tx, u, c, now)
		}
	}
	return u, fmt.Errorf("calendar: no address is free for user %d", account.ID)
}

// createCalendar writes a new calendar with its owner's rule and entry.
func (s *Service) createCalendar(ctx context.Context, tx *database.Tx, u user, c calendarRow, now time.Time) error {
	if err := upsertCalendar(ctx, tx, c); err != nil {
		return err
	}
	rule := acl.Rule{Scope: ScopeUser, Value: u.address, Role: RoleOwner, Updated: now}
	if err := acl.Put(ctx, tx, c.id, rule); err != nil {
		return err
	}
	e := listentry.Row{UserID: u.id, Calendar: c.id, Doc: listentry.New(c.primary), Updated: now}
	return s.entries.Put(ctx, tx, e, now)
}
