// Package engine runs language models with llama.cpp in a process of their own.
//
// The engine's shared libraries are loaded without cgo, but a program that can
// load them is linked dynamically, and a fault in native code ends the process
// it happens in. So the libraries live in the program cmd/stoa-engine: the
// server stays one static binary, a model's memory comes with its first use and
// goes with its last, and a crash costs one answer. Server and program exchange
// JSON messages over a pipe, one for each piece of text; that is microseconds
// against milliseconds of work.
//
// The package owns the messages, the side that asks (Client) and the side that
// serves (Serve). Beside it:
//
//	llama    the bindings to the libraries; only the program imports it
//	grammar  JSON schemas as grammars that a model is held to
//	chat     functions and answer formats, in prompts and in answers
//	weights  which libraries and models there are, verified, on disk
//
// The module imports nothing of the server. It reads no clock, no environment
// and no network by itself: its callers hand those in.
package engine
