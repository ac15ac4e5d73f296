// Package sentence is the backend that embeds sentences with a small encoder on
// this machine: WordPiece tokens, an ONNX graph run in Go (package onnx), the mean
// of its vectors or the first of them, of length one. It needs no engine program and
// runs on every kind of machine.
package sentence
