// Package tagging has the rules of the tags on items.
package tagging
