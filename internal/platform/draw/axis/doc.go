// Package axis chooses where the ticks of a chart stand and what they say.
//
// It owns value scales (linear, logarithmic, root and power), round value
// ticks, ticks of time that fall on whole minutes, hours, days and months of a
// given zone, and the writing of values with units. It draws nothing.
package axis
