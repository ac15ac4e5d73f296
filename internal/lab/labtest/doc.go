// Package labtest runs the tests of packages that open labs.
package labtest
