// Package journal keeps what a world was asked and what it answered.
//
// A Journal is a bounded list in memory: the oldest records go when there are too many
// or when they take too many bytes, and of a body only the beginning is kept. Journals
// of one process share a Pool.
//
// While a request is served its Draft travels with its context. The mux gives it the
// bodies as they pass, queues and stores note what the request caused, limits what was
// left, a fault its name. In the end it becomes a Record, which never changes.
//
// A record holds what was sent, secrets included: a request can be sent again only
// with its credential. What leaves the package by a method of Record is masked by
// the rules of the log (telemetry.SecretName), but for Sent and Raw, and Match
// compares with what was sent. A journal in mode Brief keeps neither headers nor
// bodies, and masks before it keeps.
//
// The package owns keeping, masking and finding. It does not know HTTP (route), or how
// records are shown (lab/control).
package journal
