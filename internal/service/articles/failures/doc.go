// Package failures lists the refusals of the article service by name, for rules that
// make the service answer with one.
package failures
