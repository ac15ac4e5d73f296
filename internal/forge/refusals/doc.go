// Package refusals has the sentences for who may not do something with a repository.
package refusals
