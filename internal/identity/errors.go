package identity

import (
	"errors"
	"fmt"
)

// What can be wrong with a presented credential.
var (
	// ErrUnknown means no such credential, or not one for this service.
	ErrUnknown = errors.New("identity: credential is unknown")
	// ErrService is the ErrUnknown of a credential that is good, but for other
	// services.
	ErrService = fmt.Errorf("%w here: it is for another service", ErrUnknown)
	// errOtherOwner is the ErrUnknown of two good keys of different users.
	errOtherOwner = fmt.Errorf("%w here: the other key is of another user", ErrUnknown)
	// ErrExpired means the credential was good once and ran out.
	ErrExpired = errors.New("identity: credential has expired")
	// ErrRevoked means the credential was withdrawn before it ran out.
	ErrRevoked = errors.New("identity: credential was revoked")
	// ErrDisabled means the user of the credential is disabled.
	ErrDisabled = errors.New("identity: account is disabled")
	// ErrKind means the credential is good but of a kind not accepted here.
	ErrKind = errors.New("identity: credential is of another kind")
	// ErrKeyGone means the key to replace is no longer alive: another
	// request replaced or revoked it first.
	ErrKeyGone = errors.New("identity: key was replaced or revoked")
	// ErrWrongPassword means the name or the password is wrong; which of the two
	// is deliberately not said.
	ErrWrongPassword = errors.New("identity: name or password is wrong")
	// ErrLastOwner means the change would leave a team without an owner.
	ErrLastOwner = errors.New("identity: a team keeps at least one owner")
	// ErrLastAdmin means that no user could administer the installation afterwards.
	ErrLastAdmin = errors.New("identity: the last administrator is not removed, demoted or disabled")
)

// Sentinels that NotFoundError, TakenError and InvalidError match.
var (
	ErrNotFound = errors.New("identity: not found")
	ErrTaken    = errors.New("identity: name is taken")
	ErrInvalid  = errors.New("identity: invalid value")
)

// NotFoundError names what does not exist.
type NotFoundError struct{ What, Name string }

// Error names the missing thing.
func (e *NotFoundError) Error() string { return fmt.Sprintf("there is no %s %q", e.What, e.Name) }

// Unwrap makes the error match ErrNotFound.
func (e *NotFoundError) Unwrap() error { return ErrNotFound }

// TakenError names what exists already.
type TakenError struct{ What, Name string }

// Error names the thing in the way.
func (e *TakenError) Error() string { return fmt.Sprintf("the %s %q is taken", e.What, e.Name) }

// Unwrap makes the error match ErrTaken.
func (e *TakenError) Unwrap() error { return ErrTaken }

// InvalidError names the value that breaks a rule and the rule.
type InvalidError struct{ Field, Reason string }

// Error names the field and the rule.
func (e *InvalidError) Error() string { return e.Field + " " + e.Reason }

// Unwrap makes the error match ErrInvalid.
func (e *InvalidError) Unwrap() error { return ErrInvalid }
