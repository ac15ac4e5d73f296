// Package module says what a service hands over to the app.
//
// A service is a Module: a plain struct, not a bundle of optional interfaces.
// A zero field means "has none". The app ranges over the list of modules and
// treats all alike: it mounts handlers, runs migrations, registers jobs and
// remote procedures, asks checks for readiness, turns commands into the
// command line, and fills the demo world. Module.Name is at once the config
// key, the table prefix, the metric label, the job prefix and the console
// address.
//
// The package holds descriptions only. It starts nothing and decides nothing.
package module
