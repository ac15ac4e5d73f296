// Package patternmux is the standard multiplexer for tables that it refuses: those in
// which a word stands where another pattern has a wildcard and the other way round, as
// in /issues/comments/{id} and /issues/{number}/comments. The first of such two is
// declared so and asked first.
package patternmux
