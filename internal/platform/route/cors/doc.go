// Package cors answers browsers on other origins.
package cors
