// Package consoleorclient tells requests of the console's own pages from those of clients.
package consoleorclient
