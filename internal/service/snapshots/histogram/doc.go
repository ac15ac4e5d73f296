// Package histogram sorts the values of distributions into the cells of a heat map and
// the bars of a histogram.
package histogram
