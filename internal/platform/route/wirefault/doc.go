// Package wirefault does to an answer what a fault says: it slows and cuts a body,
// resets a connection, and looks at a request's body without taking it away.
package wirefault
