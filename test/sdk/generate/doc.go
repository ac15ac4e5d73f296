// Package generate drives service M with the official Go and npm clients, and with
// clients of other makers in Python and npm, unmodified, in the sdk dialect. It is a module of its own, so that the
// product does not depend on the clients it is tested with.
package generate
