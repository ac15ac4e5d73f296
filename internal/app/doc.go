// Package app is the roof: the only package that knows every service.
//
// New opens a world, applies migrations and builds identity and the services
// in the order of services.go. Run starts background work, opens the listeners
// and serves until its context ends; Close ends everything in reverse order.
// If a step fails, the steps before it are undone before the error is
// returned. No service is named in app.go: what they differ in is in the
// module.Module each hands over.
//
// Configuration is one struct that nests every package's own Config; a file,
// then the environment, then flags fill it.
package app
