// Package llama binds llama.cpp's C interface, without cgo.
//
// It is written for exactly one release of the libraries, Release: the layouts
// of structures that travel by value change between releases, and Open checks
// them before it trusts them. It works on Linux with x86-64 processors.
//
// The package owns the calls, the memory of conversations (which of their
// tokens are still known to the model) and sampling. It is part of the engine
// program only; a program that imports it is linked dynamically.
package llama
