// Package urltext judges the text of addresses before anything looks it up: what
// is not UTF-8, has NUL, or has segments that mean another path.
package urltext
