// Package wildcard matches paths and header values with patterns that hold stars.
package wildcard
