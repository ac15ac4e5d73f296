// Package migration reads the schema histories of modules: numbered files of SQL
// with macros, chosen by engine. It applies nothing.
package migration
