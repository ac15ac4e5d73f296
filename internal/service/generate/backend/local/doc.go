// Package local finds the engine program that runs models on this machine.
package local
