// Package teamleave lets services end what they keep for a member of a team in the transaction that ends the
// membership.
package teamleave
