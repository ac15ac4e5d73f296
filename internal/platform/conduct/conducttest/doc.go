// Package conducttest checks the rules that a service states about its clients.
// Clients that break and keep each of them are in test/conduct.
package conducttest
