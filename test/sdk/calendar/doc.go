// Package calendar drives the calendars of the true binary with unmodified
// official clients, in the sdk dialect: the Go client here, the npm client in
// npm. It is a module of its own, so that the product does not depend on the
// clients it is tested with.
package calendar
