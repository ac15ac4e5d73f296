// Package llama runs language models with llama.cpp.
//
// The engine's shared libraries are loaded without cgo, but a program that can
// load them is linked dynamically, and a fault in native code ends the process
// it happens in. So the libraries live in a process of their own, the engine
// program: the server stays one static binary, a model's memory comes with its
// first use and goes with its last, and a crash costs one answer, not thirteen
// services. Server and engine program exchange JSON messages over a pipe, one
// for each piece of text; that is microseconds against milliseconds of work.
//
// The package owns the messages, the side that asks (Engine) and the side that
// serves (Serve). The bindings are in the package native, the program in the
// package engine. Which models there are and what an API makes of them is not
// known here.
package llama
