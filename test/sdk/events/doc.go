// Package events reads the feeds of the true binary and meets its limits with
// unmodified clients: github.com/google/go-github here, npm octokit with its
// throttling plugin in npm, the Python clients in python. It is a module of its
// own, so that the product does not depend on the clients it is tested with.
package events
