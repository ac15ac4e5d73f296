// Package ranges answers requests for content and for pieces of it, and bounds how many pieces one request gets.
package ranges
