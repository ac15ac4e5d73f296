// Package publicaddress refuses settings that cannot be addresses of this server: what links
// begin with, and hosts of services. A server that took them would start and be wrong in every link.
package publicaddress
