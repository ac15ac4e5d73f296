// Package render lints and renders the chart as helm would.
package render
