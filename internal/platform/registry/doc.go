// Package registry finds the user's package registries and fetches from them.
//
// No registry's address is written in this program. Each ecosystem already
// knows where its packages come from, and a closed network has told it so; the
// Finder asks in this order and takes the first answer: the configuration of
// Stoa, the ecosystem's environment variables, its config files, the
// installed package manager. An ecosystem that is not set up on the machine
// has no address, which is a finding, not a failure.
//
// The Client fetches politely: a bounded number of requests to one host at a
// time, a pause between them, conditional requests, retries that honour
// Retry-After, and a breaker that stops asking a host that does not answer, so
// that one slow registry never holds up requests that need another. Bodies
// are bounded. Hosts that are not registries of the user, which the documents
// of a registry may name, are reached only at public addresses.
//
// The package does not know what the documents mean: that is the business of
// the service that asks.
package registry
