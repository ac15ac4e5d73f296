// Command proxy ends TLS before a server and says who the client is, as nginx.conf of
// the recipe does.
package main
