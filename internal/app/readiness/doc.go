// Package readiness answers whether the process lives, and whether it can do its work.
//
// Anyone may ask. So a check is made once a second at most, however many ask and whether or not they wait for it, and
// the answer names the checks that fail; why they fail is in the log.
package readiness
