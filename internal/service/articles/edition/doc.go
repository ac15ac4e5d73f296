// Package edition finds where a request is made, on the public site or on the host of a team, and checks who may
// enter there.
//
// A host is TEAM. before the configured one, or the public site. The rules of admission are those of both editions:
// scopes of tokens, membership, single sign-on. What an edition shows to whom it admitted is not decided here.
package edition
