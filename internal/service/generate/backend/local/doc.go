// Package local is the backend that runs models on this machine, in the engine
// program (see the module engine). The program is inside this binary, beside it,
// or named by the configuration.
package local
