// Package palette has the colors that calendars and events can have. A color is
// named by its place in its palette, counted from 1.
package palette
