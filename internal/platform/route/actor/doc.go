// Package actor says who makes a request, for what is recorded of it.
package actor
