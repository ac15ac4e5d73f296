// Package seedfile has the articles of a seed file.
package seedfile
