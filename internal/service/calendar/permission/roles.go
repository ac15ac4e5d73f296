package permission

import "slices"

// Role is what a user may do with a calendar.
type Role string

// The roles, weakest first.
const (
	RoleNone           Role = "none"
	RoleFreeBusy       Role = "freeBusyReader"
	RoleReader         Role = "reader"
	RoleWriterNoSecret Role = "writerWithoutPrivateAccess"
	RoleWriter         Role = "writer"
	RoleOwner          Role = "owner"
)

// Roles lists them.
func Roles() []Role {
	return []Role{RoleNone, RoleFreeBusy, RoleReader, RoleWriterNoSecret, RoleWriter, RoleOwner}
}

// Rank orders roles; an unknown word is below all.
func (r Role) Rank() int { return slices.Index(Roles(), r) }

// Allows reports whether r includes what need allows.
func (r Role) Allows(need Role) bool { return r.Rank() >= need.Rank() }

// Weaker is the weaker of two roles.
func (r Role) Weaker(limit Role) Role {
	if limit.Rank() < r.Rank() {
		return limit
	}
	return r
}

// MayReadPrivate reports whether private events are shown in full.
func (r Role) MayReadPrivate() bool { return r.Allows(RoleWriter) }
