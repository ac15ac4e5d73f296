// Package admin carries operator commands to the process that owns a data
// folder.
//
// The running server listens on a unix socket in its data folder (admin.sock,
// mode 0600: a user who may open it may read the database anyway). A client sends
// one command; the server answers with lines of JSON: any number of progress
// lines, then one result or one error. Files that a command reads or writes travel in
// the same exchange (package transfer). The exchange is private to one version
// of the program and not an API.
//
// What a command does is decided by the package that declared it.
package admin
