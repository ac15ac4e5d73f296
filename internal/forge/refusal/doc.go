// Package refusal says why the forge refuses: the error with its code, which all packages of the forge raise, and the
// sentences for who may not do something with a repository.
package refusal
