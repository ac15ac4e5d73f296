// Package ownseries turns what the server counts about itself into series of metrics, with
// what each metric is. It does not know when samples are taken or where they are kept.
package ownseries
