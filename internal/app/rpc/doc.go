// Package rpc serves the modules' remote procedures over gRPC: on a unix socket,
// where the file's permissions decide who may call, and on the HTTP listeners for
// modules that offer them there, where a token or a client certificate does.
//
// Every server has the standard health service; reflection is not offered.
package rpc
