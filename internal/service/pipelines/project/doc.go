// Package project keeps what users decide about the projects of the service, and says who may do what with one.
//
// A project is a repository of the forge. Its row, settings, variables, key pairs, tokens and followers are here;
// its jobs are not (package build). Variables, private keys and webhooks are sealed at rest, each bound to its place,
// so that rows cannot be swapped.
//
// Rights are those of the user to the repository, cut down to the scopes of the token. What a caller may not see is
// not found; a caller without a token is asked to log in.
package project
