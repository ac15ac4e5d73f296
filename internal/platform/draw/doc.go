// Package draw turns geometry and text into PNG bytes without a browser.
//
// It owns the raster: an opaque canvas, anti-aliased strokes and polygons,
// glyphs of an embedded free typeface, colour palettes, light and dark themes,
// and a PNG writer tuned for charts. It does not know what a chart, an axis or
// a map is: those are built from these strokes by their owners (ticks and units
// live in the sub-package axis).
//
// Three properties are promised and tested:
//
//   - Equal input gives equal bytes. All coverage arithmetic is on integers
//     (24.8 fixed point), glyph outlines are rasterised in fixed point too, and
//     nothing depends on time, map order or the number of cores.
//   - Memory is bounded whatever the size of the picture. Large pictures are
//     drawn as horizontal strips: the drawing function runs once per strip and
//     every primitive clips to it, see [Encode].
//   - Strokes never darken where they cross themselves. A polyline is collected
//     in a coverage mask with max, not with addition, so a series with more
//     points than pixels stays as crisp as one with few.
//
// The typeface is the Go font family (BSD licence), compiled into the binary.
package draw
