// Package redirects decides which addresses an application may be sent back to.
package redirects
