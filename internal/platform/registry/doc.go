// Package registry fetches from the user's package registries.
//
// No registry's address is written in this program. Each ecosystem already
// knows where its packages come from, and a closed network has told it so; the
// package machineconfig asks in this order and takes the first answer: the configuration of
// Stoa, the ecosystem's environment variables, its config files, the
// installed package manager. An ecosystem that is not set up on the machine
// has no address, which is a finding, not a failure. A credential that stood in
// an address that was merely found is never sent; a configured one is.
//
// The Client fetches politely: a bounded number of requests to one host at a
// time, a pause between them, conditional requests, retries that honour
// Retry-After, and a breaker that leaves a host alone to which no connection can
// be made. Places are kept by host and ecosystem and shared between owners and
// packages; a request that takes longer than a second gives its place to others
// and goes on beside them, so that what a registry hangs on holds up itself
// alone. Bodies are bounded and take memory of their task. Hosts that are not
// registries of the user, which the documents of a registry may name, are
// reached only at public addresses.
//
// The package does not know what the documents mean: that is the business of
// the service that asks.
package registry
