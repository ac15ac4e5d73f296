// Package sdkclients knows how the official clients of services are pointed at a server:
// their variables and the line of code that aims them. It reads one table.
package sdkclients
