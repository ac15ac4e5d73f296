// Package strictjson checks that a text is exactly one JSON value (RFC 8259) and
// finds the value at an offset. It is stricter than encoding/json: no member may
// be named twice, text must be UTF-8 without lone surrogates or (unless allowed)
// NUL, values are counted and depth is bounded.
//
// It decodes nothing: what it has passed goes to encoding/json (see package wire).
package strictjson
