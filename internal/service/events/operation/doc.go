// Package operation is what the packages that add operations to the code host share
// with the service: whom and what a request is about, how an answer is made, and how
// an event is recorded. They decide what is done; headers, limits, entity tags and the
// envelope stay the service's.
package operation
