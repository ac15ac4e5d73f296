// Package contents reads what a repository holds: branches and tags, commits, folders and files, and the differences
// between commits.
//
// It asks the git program and nothing else: it knows no owner, no permission and no record of pushes, and changes
// nothing. What a client names, a revision or a path, is checked before git sees it, and what git prints is bounded.
package contents
