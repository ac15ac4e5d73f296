// Package sqliteconn is one SQLite connection with its prepared statements,
// used through the engine's own functions.
//
// It owns: opening a file, preparing each text once, binding parameters,
// stepping and scanning, interrupting, and the result codes. It does not own
// transactions or who may use the connection when: one goroutine at a time does.
//
// It stands beside database/sql because a short statement costs less than
// what database/sql and its driver do around it: they look up the name of each
// parameter and the name and type of each column at every execution, and
// allocate for each value. Here a parameter is copied once into memory that
// belongs to its statement, and a column is read as the type it is scanned into.
package sqliteconn
