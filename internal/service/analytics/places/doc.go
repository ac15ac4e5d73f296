// Package places keeps what can be found on the map of this installation: places
// that the operator imported, and those of the locations that have coordinates.
//
// It owns the table, the formats that are imported and the search by tiles. In
// which order places rank is package ranking's to say.
package places
