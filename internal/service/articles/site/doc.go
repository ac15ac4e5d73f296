// Package site finds where a request is made, on the public site or on the host of a team, and checks who may
// enter there.
//
// A host is TEAM. before the configured one, or the public site. The rules are those of the public site and of teams:
// scopes of tokens, membership, single sign-on. What a site shows to those who may enter is not decided here.
package site
