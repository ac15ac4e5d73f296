// Package faults lists the refusals of the article service by name, for rules that
// make the service answer with one.
package faults
