package device

import (
	"errors"
	"fmt"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/platform/oauth"
)

// Error is why the service refuses a request. Its codes and statuses are the
// table that the contract's two device flows share.
type Error = oauth.Error

// fromGrant translates the failure of a poll.
func fromGrant(err error) error {
	refused := func(code oauth.Code, description string) error {
		return &oauth.Error{Code: code, Description: description}
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, grants.ErrPending):
		return refused(oauth.Pending, "Precondition Required")
	case errors.Is(err, grants.ErrTooSoon):
		return refused(oauth.SlowDown, "Forbidden")
	case errors.Is(err, grants.ErrDenied):
		return refused(oauth.Denied, "Forbidden")
	case errors.Is(err, grants.ErrExpired):
		return refused(oauth.Expired, "The code has expired. Start again with a new one.")
	case errors.Is(err, grants.ErrPolicy):
		return refused(oauth.Policy, "The account cannot authorize these scopes because of its administrator's policy.")
	case errors.Is(err, grants.ErrInternal):
		return refused(oauth.OrgInternal, "The client is limited to accounts of its organization.")
	case errors.Is(err, identity.ErrInvalid):
		return refused(oauth.InvalidScope, err.Error())
	case errors.Is(err, grants.ErrUnknown),
		errors.Is(err, grants.ErrClaimed),
		errors.Is(err, grants.ErrMismatch):
		return refused(oauth.InvalidGrant, "Malformed auth code.")
	}
	return fmt.Errorf("redeem code: %w", err)
}

// fromRefresh translates the failure of a refresh.
func fromRefresh(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, identity.ErrInvalid):
		return &oauth.Error{Code: oauth.InvalidScope, Description: err.Error()}
	case errors.Is(err, identity.ErrUnknown), errors.Is(err, identity.ErrRevoked),
		errors.Is(err, identity.ErrExpired), errors.Is(err, identity.ErrDisabled):
		return &oauth.Error{Code: oauth.InvalidGrant, Description: "Token has been expired or revoked."}
	}
	return fmt.Errorf("refresh: %w", err)
}
