// Package errortext makes the text of an error storable in a job's row.
package errortext
