// Package chart lays out and paints the graphs of the snapshot service.
//
// A [Chart] is data that is ready to be drawn: series with values, markers,
// bands and looks. [Painter] turns it into PNG bytes with the strokes of
// platform/draw. Where the numbers come from, how a graph definition is
// written and when a picture is made is the concern of package snapshots.
//
// Rules for every kind:
//
//   - nothing is drawn that was not asked for: no title without a title, no
//     legend for a single unnamed series;
//   - a gap in the data is a gap in the line; points further apart than five
//     minutes and than one and a half of the usual distance are not joined;
//   - a missing or infinite value never moves the axis;
//   - with many series lines become thinner and lighter and the legend becomes
//     a count.
package chart
