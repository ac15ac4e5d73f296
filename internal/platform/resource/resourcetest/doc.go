// Package resourcetest checks that the resources of a module fit together and name only what is there.
package resourcetest
