// Package resource says what a service holds, so that the console can show and change
// it without a line of HTML.
//
// A Resource is a description: how the things are listed and read, which members of an
// answer are columns, and which actions there are with which fields. It does nothing
// itself. Listing, reading and acting are calls of the service's own operations, by
// their names in the route table, or of operator commands by their paths: the console
// makes them inside the process as the signed-in user, so that the same checks, limits,
// events and journal hold as for any other client, and it shows the call beside the page.
//
// Members are named by JSON pointers into the answers (RFC 6901); the empty pointer is
// the whole answer. The names of wildcards in a route's pattern, or of a command's
// arguments, are the parameters that name a thing and what it lies in.
//
// Package resourcetest finds what does not fit together; the product tests ask it about every module.
package resource
