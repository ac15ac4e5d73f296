// Package gitpages leads browsers from an address of git, which builds and their commits are
// named by, to the page of the same name. The page asks who may read it.
package gitpages
