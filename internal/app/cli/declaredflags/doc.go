// Package declaredflags makes flags of the command line of those that a module declares.
package declaredflags
