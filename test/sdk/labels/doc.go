// Package labels drives the label limits with the official Go client.
package labels
