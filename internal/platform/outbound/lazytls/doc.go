// Package lazytls is an HTTP transport over TLS that reads the trusted certificates when it is first used.
//
// Reading the system's certificates takes milliseconds, which every start would pay, and most worlds of a lab never
// connect to anything.
package lazytls
