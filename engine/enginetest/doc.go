// Package enginetest is an engine program without an engine, for tests.
//
// A test binary that calls Main plays both parts: Program gives a program that
// starts the binary again, as the engine. What the fake says is decided by the
// last turn of a prompt, see answer.
package enginetest
