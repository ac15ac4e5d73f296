// Package templates keeps the beginnings of articles that a team shares, and puts values in the place of their
// variables: who asks, and what time it is.
//
// A template belongs to a team and may belong to one of its groups, whose members alone see it then. How a template is
// sent is the service's.
package templates
