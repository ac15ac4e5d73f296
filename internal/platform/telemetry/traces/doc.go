// Package traces sends the spans of a world to an OpenTelemetry collector.
//
// It is apart from telemetry because the collector's protocol brings a hundred packages that
// no other part of the program needs; only app, which reads the collector's address, imports it.
package traces
