// Package arrival bounds what a body may take while it comes: memory in steps, so that
// announcing much holds little, and time by a least rate, so that a byte now and then does
// not hold it long.
package arrival
