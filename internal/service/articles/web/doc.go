// Package web is the pages of articles in a browser: the newest ones, a search,
// those of a tag or a user, and an item with its comments.
//
// The pages need no script and stand inside the console's frame. The package owns
// addresses, templates and what they say; who may read what, and where it is read
// from, is behind Source.
package web
