// Package articles drives service F with the official npm client and the
// official command-line tool, unmodified, against the true binary.
package articles
