// Package answer is the shapes in which results of queries are answered, as the
// public service writes them: series with points, series over common times, and
// columns of numbers. It decides nothing.
package answer
