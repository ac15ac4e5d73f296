// Package worldfiles says which files of an exported world are taken over.
//
// An exported file may come from anywhere, and parts of a data folder make programs run: the configuration and the
// hooks of a git repository, libraries of a model engine. So only names that are known to hold nothing but data are
// taken; all else is left out. A repository gets the configuration that the forge gives to a new one.
package worldfiles
