// Package runcount counts the runs of a sandbox by how they ended. It knows nothing of how
// programs are run.
package runcount
