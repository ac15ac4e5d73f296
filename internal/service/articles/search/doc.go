// Package search finds items by words: words in, item numbers out.
//
// A query holds terms that must all hold: words, "phrases", title:, body:, code:,
// tag:, user:, group:, is:coediting, is:slide, created: and updated: with a year,
// month or day in UTC, stocks: and likes: with a number. Operators are >, >=, <
// and <=; a minus negates a term; OR separates alternatives; sort: orders by
// created, updated, likes or stocks. A value that is not a date or a number finds
// nothing, and an unknown field is text. A query has at most 1000 bytes and 30
// terms.
//
// Words are whole and without regard to case. Scripts that put no blanks between
// words are cut into pairs of characters, so any part of a run is found. Both
// engines are given the same words and find the same: FTS5 on SQLite, full text on
// PostgreSQL. The first 16,000 words of an item are found. Private items are not
// indexed.
//
// Where one process owns the database (SQLite), the numbers of the items that hold
// a word are kept in memory, up to 16 MB, for the words that were searched for.
// Every change of an item is entered before its writer is answered, so they are
// exact.
//
// The package owns the table articles_search. Of articles_items it reads the
// columns that conditions and orders name. Who may see what, the caller says.
package search
