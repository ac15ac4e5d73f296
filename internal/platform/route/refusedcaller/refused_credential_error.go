package refusedcaller

import (
	"errors"
	"fmt"
)

// Refusal is the refusal of a credential that exists. Its text is that of Err, so that no
// answer tells more than it would of a credential that does not exist.
type Refusal struct {
	Err error
	// Caller is whom the credential speaks for, as the log names callers.
	Caller string
	// Credential names it without its secret: its number and its owner.
	Credential string
	// But is what it lacks; empty where Err says that.
	But string
}

// Error is what callers may know.
func (r *Refusal) Error() string { return r.Err.Error() }

// Unwrap is the refusal itself.
func (r *Refusal) Unwrap() error { return r.Err }

// Reason is what the log and the journal say instead.
func (r *Refusal) Reason() string {
	if r.But == "" {
		return fmt.Sprintf("%v (%s)", r.Err, r.Credential)
	}
	return fmt.Sprintf("the credential is known (%s) and %s", r.Credential, r.But)
}

// Reword is words, which say the same as err to the caller, with what err knows besides.
func Reword(err, words error) error {
	var r *Refusal
	if !errors.As(err, &r) {
		return words
	}
	other := *r
	other.Err = words
	return &other
}

// Caller is whom the refused credential speaks for; empty where that is not known.
func Caller(err error) string {
	var r *Refusal
	if errors.As(err, &r) {
		return r.Caller
	}
	return ""
}
