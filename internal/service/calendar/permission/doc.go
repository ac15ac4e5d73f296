// Package permission is what there is to be allowed in the calendar API: the scopes that a
// token carries, and the roles that a user has on a calendar. Who has which is the service's.
package permission
