// Package advisory reads security advisories in the OSV format and decides
// which versions they affect, with each ecosystem's own version order.
//
// It owns the format and the matching. Storing advisories and marking the
// versions they affect is the business of the service.
package advisory
