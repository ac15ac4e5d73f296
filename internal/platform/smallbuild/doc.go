// Package smallbuild says what the small build is without, and what no build has outside of Linux.
//
// The build tag small leaves out parts of the program that are heavy and that many
// do not use. Each is cut at its narrowest place by a pair of files, x.go and
// x_small.go, and the second answers with an Error of this package: the settings that
// ask for such a part are refused at the start, its operations when they are called.
package smallbuild
