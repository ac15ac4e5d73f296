// Package design is how pages look: the style sheet with its tokens and components, the
// one small script, and the functions that templates share. Console, manual and the
// pages of services use it; /console/design shows all of it.
//
// Colours, spaces and type are custom properties of :root in style.css, with a second
// set for dark schemes; every text has a contrast of at least 4.5 to 1 in both. The
// script adds to pages that work without it: copy buttons, times in the reader's zone,
// the list of requests that grows by itself, and the palette of pages.
package design
