// Package envfile keeps variables in a file that a shell can source and the program reads again.
package envfile
