// Package server serves a lab on one port: the control API below /lab/v1, every
// world below /w/NAME, and a default world at / so that what is documented for a
// served demo world works unchanged.
package server
