// Package dump writes the rows of a PostgreSQL database as lines of JSON, a file a table,
// and reads them back into an empty database of the same schema.
//
// It knows no table: names, references and counters are asked of the database. All rows
// are read in one transaction and so are of one moment, and they are written in one, so
// that a restored database has all of them or none. References are checked again when
// everything is there.
package dump
