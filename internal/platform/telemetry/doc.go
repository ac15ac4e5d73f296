// Package telemetry is what one world tells its operator: the log, the
// metrics, the recent requests and, when asked for, traces.
//
// It owns redaction: an attribute whose name says that it is a secret never
// reaches the log. Nothing here is global; every instance has its own metrics
// registry, so two worlds can live in one process.
//
// It does not decide what is worth telling. route reports requests, jobs
// reports jobs; telemetry knows neither.
package telemetry
