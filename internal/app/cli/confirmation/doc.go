// Package confirmation asks the operator before something that cannot be undone.
package confirmation
