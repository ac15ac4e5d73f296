// Package apidescription is what the calendar API says of its parameters to clients that are
// made from a description: their types, and those that are taken without effect.
package apidescription
