// Package drawing draws small pictures as SVG that stands in a page: points of a map and
// what needs what. Nothing is loaded and nothing runs; colours are those of the style
// sheet, in both schemes, and never the only sign of something.
//
// A picture has one text for screen readers. What it shows in full is the table beside it.
package drawing
