// Package invitation says what an event looks like on the calendar of a guest, and what
// a guest may change there.
//
// The organizer's event is the original; each guest who has an account here has a copy of
// it on the primary calendar. What everybody sees is the organizer's. A guest's own are
// the answer, the reminders, the color, whether the time counts as busy, who may see it,
// and private properties. The package owns these rules and stores nothing.
package invitation
