// Package seedfolder reads the folders that a seed file names.
package seedfolder
