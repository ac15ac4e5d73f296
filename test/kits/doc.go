// Package kits runs the tests of the kits in kit/ against the program that is built
// here.
package kits
