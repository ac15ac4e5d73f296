// Package repositorypages shows repositories in a browser: behind the html_url of every answer
// is a page, for those who may read what it shows.
//
//	/OWNER                                    repositories
//	/OWNER/REPO                               files, branches, the newest commit
//	/OWNER/REPO/tree/REF[/PATH], …/blob/…     a folder, a file
//	…/commits[/REF], …/commit/SHA             commits, one with its difference
//	…/branches, …/releases/tag/TAG            branches, the files of a tag
//	…/issues[/N], …/pulls, …/pull/N           what is said about it
//
// These addresses begin with an owner's name and belong to no prefix: the app asks
// Serve about every path that no service owns. Pages are made on the server, hold no scripts, and
// escape all that users wrote.
package repositorypages
