// Package message makes the text of an error storable.
package message
