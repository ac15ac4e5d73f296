// Package hostmux joins the handlers of many services on one listener: by path
// prefix, in whole segments, and by host name. What it hands on it does not change.
package hostmux
