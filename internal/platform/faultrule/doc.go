// Package faultrule makes chosen requests, calls, messages and jobs of a world
// fail.
//
// A Rule has a match (which ones), a when (which of those) and a deed (what
// happens). Rules live in a Set, which is compiled as rules are added: asking it
// for something that no rule matches costs some comparisons of text.
//
// Named failures are the services' own: each states them in its module.Module,
// and a Catalogue lists them with those that every service has. A named failure
// is an error that goes through the service's own envelope, so that its answer is
// the one of the true refusal.
//
// Which matches are met is the same for the same rules, seed and calls in the same
// order. The first rule that matches and whose when is true decides; the rules
// after it do not count the request.
//
// Where the design of the lab is silent: matches outside from and until are not
// counted; after lets so many matches pass, and nth, every, first and share count
// the rest; all that is given must be true.
package faultrule
