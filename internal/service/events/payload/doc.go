// Package payload says what the payload of each type of event must have.
package payload
