// Package teamleave lets services end what they keep for a member of a team in the transaction that ends the
// membership, and lets them write for one only while there is a membership.
package teamleave
