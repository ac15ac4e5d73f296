// Package locations is the listing management part of the analytics API: the
// business locations of a user, read and updated one by one or in lists.
//
// It owns the rules of a location, its table and the local envelope,
// {"data","requestId"} or {"error":{"code","message","details"},"requestId"}, with
// its closed list of three codes. The status of a failure that any request can
// meet is its parent's to say. A location that has coordinates is a place too and
// ranks under its own id (package places).
package locations
