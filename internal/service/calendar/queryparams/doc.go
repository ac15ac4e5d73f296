// Package queryparams reads the parameters of calendar requests.
package queryparams
